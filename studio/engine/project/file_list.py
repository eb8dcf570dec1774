"""The project's files, by their paths, for whoever looks for one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from studio.engine.disk.temporary_names import is_temporary
from studio.engine.errors import StudioError
from studio.engine.root import ProjectRoot, Unseen

_HIDDEN_FOLDERS = (".git/",)


def file_paths(root: Path) -> Iterator[str]:
    """The paths of all files, relative with `/`; those of git and our temporary ones are left out.

    A folder that can't be read has none.
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
