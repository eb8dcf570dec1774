"""Listing of a project's file paths, except git's and temporary files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from studio.engine.disk.temporary_names import is_temporary
from studio.engine.root import ProjectRoot, Unseen
from studio.errors import StudioError

_HIDDEN_FOLDERS = (".git/",)


def file_paths(root: Path) -> Iterator[str]:
    """Yield the relative paths of all files.

    Excludes git's and our temporary ones. A folder that can't be read has none.
    """
    try:
        with ProjectRoot(root) as project:
            for entry in project.walk():
                if isinstance(entry, Unseen) or entry.is_folder or is_temporary(entry.name):
                    continue
                if not entry.path.startswith(_HIDDEN_FOLDERS):
                    yield entry.path
    except (OSError, StudioError):
        return
