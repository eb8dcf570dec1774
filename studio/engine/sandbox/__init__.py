"""Sandbox that runs commands on a private view of the project.

Nothing that a command changes reaches the project.
"""

from studio.engine.sandbox.launch import BoundedOutput
from studio.engine.sandbox.mounts import read_login
from studio.engine.sandbox.proof import LayerMethodCheck, check_layer_methods
from studio.engine.sandbox.refusals import SandboxRefused
from studio.engine.sandbox.sandbox import Sandbox
from studio.engine.sandbox.values import (
    Command,
    CopySize,
    EndedBy,
    Layer,
    LayerKind,
    Outcome,
    OverriddenFile,
    Spaces,
    Way,
)

__all__ = [
    "BoundedOutput",
    "Command",
    "CopySize",
    "EndedBy",
    "Layer",
    "LayerKind",
    "LayerMethodCheck",
    "Outcome",
    "OverriddenFile",
    "Sandbox",
    "SandboxRefused",
    "Spaces",
    "Way",
    "check_layer_methods",
    "read_login",
]
