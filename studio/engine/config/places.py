"""Paths as a configuration names them, whichever system it was written on."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath, PureWindowsPath


def is_absolute(text: str) -> bool:
    """Whether some system takes it for an absolute path."""
    return PurePosixPath(text).is_absolute() or PureWindowsPath(text).is_absolute()


def blocked_pattern(root: Path, text: str) -> str | None:
    """The pattern of a blocked folder; None for one outside of the project."""
    if not is_absolute(text):
        return text
    place = Path(os.path.normpath(text))
    if root.is_relative_to(place):
        return "*"
    if not place.is_relative_to(root):
        return None
    return "/" + re.sub(r"([*?\[\]\\ ])", r"\\\1", place.relative_to(root).as_posix()) + "/"
