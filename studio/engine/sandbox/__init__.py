"""Sandbox that runs commands on a private view of the project.

Nothing that a command changes reaches the project.
"""

from studio.engine.sandbox.output import KeptOutput
from studio.engine.sandbox.places import read_login
from studio.engine.sandbox.proof import WayProof, ways
from studio.engine.sandbox.refusals import SandboxRefused
from studio.engine.sandbox.sandbox import Sandbox
from studio.engine.sandbox.values import (
    Command,
    CopySize,
    EndedBy,
    LaidFile,
    Layer,
    LayerKind,
    Outcome,
    Spaces,
    Way,
)

__all__ = [
    "Command",
    "CopySize",
    "EndedBy",
    "KeptOutput",
    "LaidFile",
    "Layer",
    "LayerKind",
    "Outcome",
    "Sandbox",
    "SandboxRefused",
    "Spaces",
    "Way",
    "WayProof",
    "read_login",
    "ways",
]
