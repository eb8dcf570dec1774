"""The open project of the engine's tests."""

from tests.engine.conftest import project, propose, reviewer, way, workspace

__all__ = ["project", "propose", "reviewer", "way", "workspace"]
