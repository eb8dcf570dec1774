"""A path of this machine as a person knows it."""

from __future__ import annotations

from pathlib import Path


def short_path(path: Path) -> str:
    """The path with ~ for the person's own folder."""
    try:
        return "~/" + path.relative_to(Path.home()).as_posix()
    except (ValueError, RuntimeError):
        return str(path)
