"""Sandbox that runs commands on a private view of the project.

Nothing that a command changes reaches the project.
"""

from studio.extras.sandbox.escape_trial import LayerMethodCheck, check_layer_methods
from studio.extras.sandbox.launch import BoundedOutput
from studio.extras.sandbox.mounts import read_login
from studio.extras.sandbox.refusals import SandboxRefused
from studio.extras.sandbox.sandbox import Sandbox
from studio.extras.sandbox.values import (
    LAYER_METHODS,
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
    "LAYER_METHODS",
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
