"""Listing and searching a folder on disk: by handles, with optional ripgrep.

No link is followed.
"""

from __future__ import annotations

import os

from studio.engine.disk.temporary_names import without_temporary
from studio.engine.filesystem.globbing import Glob, GlobFolder
from studio.engine.filesystem.grep import Lines, Search, find_candidate_files, search_beneath
from studio.engine.filesystem.searching import Names, unreadable_entry
from studio.engine.names import show_name
from studio.engine.root import ProjectRoot, Unseen

_EVERY_FILE = Glob("**")


def files_beneath(root: ProjectRoot, folder: str, glob: Glob) -> Names:
    """Return the files beneath a folder whose path from there matches, sorted.

    Raises FileError when the disk fails; what the user may not read, and what has a name that is not UTF-8,
    is unseen.
    """
    paths, unseen = _walk_folder(root, folder, glob)
    try:
        "\n".join(paths).encode()
    except UnicodeEncodeError:
        unseen += (unnamed(path) for path in paths if not is_utf8(path))
        paths = [path for path in paths if is_utf8(path)]
    return Names(tuple(paths), tuple(sorted(unseen, key=lambda entry: entry.path)))


def lines_beneath(root: ProjectRoot, folder: str, search: Search) -> Lines:
    """Return the matching lines of the files beneath a folder.

    Raises as `files_beneath`, and SearchTooSlow.
    """
    likely = find_candidate_files(root, folder, search)
    if likely is not None:
        return search_beneath(root, likely, search, likely=True)
    paths, unseen = _walk_folder(root, folder, search.glob or _EVERY_FILE)
    found = search_beneath(root, search.kept(paths), search)
    return Lines(found.lines, tuple(sorted((*unseen, *found.unseen), key=lambda entry: entry.path)))


def unnamed(path: str) -> Unseen:
    """Return the entry for a name that no caller could give."""
    return Unseen(path, f"The name {show_name(path)} is not UTF-8.")


def _walk_folder(root: ProjectRoot, folder: str, glob: Glob) -> tuple[list[str], list[Unseen]]:
    """Return all matching paths, sorted, and the unreadable folders.

    Paths that are not UTF-8 are among them.
    """
    paths: list[str] = []
    unseen: list[Unseen] = []
    # Measured on 50,000 files: os.scandir takes 68 ms, ripgrep 78, rglob of pathlib 603.
    pending: list[tuple[str, GlobFolder]] = [(folder, glob.start)]
    while pending:
        above, matcher = pending.pop()
        prefix = f"{above}/" if above else ""
        names: list[str] = []
        folders: list[str] = []
        try:
            with root.folder(above) as handle, os.scandir(handle) as found:
                for entry in found:
                    if entry.is_file(follow_symlinks=False):
                        names.append(entry.name)
                    elif entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue  # deleted meanwhile
        except OSError as error:
            unseen.append(unreadable_entry(above, error))
            continue
        paths += [prefix + name for name in matcher.files(names)]
        for name in folders:
            beneath = matcher.enter(name)
            if beneath is not None:
                pending.append((prefix + name, beneath))
    return sorted(without_temporary(paths)), unseen


def is_utf8(path: str) -> bool:
    """Return whether a path from the disk is valid text."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
