"""Executors (`Leaf`) of journaled file requests; names of `studio.branch` load lazily.

It hands out the names of `studio.branch` as well, for programs that know them here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.branch import *


def __getattr__(name: str) -> object:
    """Load `studio.branch` on access: the engine itself needs the leaf alone."""
    embedding = import_module("studio.branch")
    if name in embedding.__all__:
        return getattr(embedding, name)
    raise AttributeError(name)
