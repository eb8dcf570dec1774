"""What no door may hold, for tests of the engine alone: the store and the root behind an open project."""

from __future__ import annotations

from studio.engine.project.context import Context
from studio.workspace import Workspace


def context_of(workspace: Workspace) -> Context:
    """A door that had this could write into the store what nobody decided; so nothing public gives it."""
    return workspace._context
