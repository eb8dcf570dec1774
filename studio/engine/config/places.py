"""Paths as a configuration names them, whichever system it was written on."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath


def is_absolute(text: str) -> bool:
    """Whether some system takes it for an absolute path."""
    return PurePosixPath(text).is_absolute() or PureWindowsPath(text).is_absolute()
