"""File and line search beneath a folder of any storage backend.

A backing is walked folder by folder, and its files are opened one by one, unless it provides a faster way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import cast

from msgspec.structs import replace

from studio.engine.filesystem.backing import Backing
from studio.engine.filesystem.globbing import Glob, GlobFolder
from studio.engine.filesystem.grep import Lines, Search, merged, search_texts
from studio.engine.filesystem.grep_text import NotText, blocks_as_read, matching_lines
from studio.engine.filesystem.types import GlobMatch, GrepMatch, Results
from studio.engine.root import EntryKind, Unseen
from studio.errors import AccessDenied
from studio.limits import SEARCH_WHOLE_BYTES
from studio.names import show_name
from studio.system.os_errors import failure
from studio.values import Value


class Names(Value):
    """Sorted paths of files relative to the root, and unreadable entries."""

    paths: tuple[str, ...]
    unseen: tuple[Unseen, ...] = ()


class SearchableBacking(ABC):
    """A backing with its own, faster search; raises as the functions below."""

    @abstractmethod
    def files_beneath(self, folder: str, glob: Glob) -> Names:
        """Return the files whose path from the folder matches."""

    @abstractmethod
    def lines_beneath(self, folder: str, search: Search) -> Lines:
        """Return the matching lines of these files."""

    def lines_in(self, path: str, search: Search) -> Lines:
        """Return the matching lines of one file."""
        return lines_of(cast(Backing, self), (path,), search)


def find_files(backing: Backing, folder: str, glob: Glob) -> Results[GlobMatch]:
    """Return the matching files beneath a folder, sorted by path.

    "" is the root. Patterns match the path from the folder. Empty where there is no such folder. Raises
    LeadsOutside for a link in the path, or FileError.
    """
    node = backing.node(folder)
    if node is None or node.kind is not EntryKind.FOLDER:
        return Results()
    names = _find_files(backing, folder, glob)
    return Results(map(GlobMatch, names.paths), unseen=names.unseen)


def find_lines(backing: Backing, path: str, search: Search) -> Results[GrepMatch]:
    """Return each matching line in a folder's text files, or one file's.

    Raises SearchTooSlow, LeadsOutside, FileError.
    """
    node = backing.node(path)
    one_more = replace(search, limit=search.limit + 1)
    if node is not None and node.kind is EntryKind.FOLDER:
        lines = lines_beneath(backing, path, one_more)
    elif node is not None and node.kind is EntryKind.FILE:
        name = path.rpartition("/")[2]
        is_match = search.glob is None or search.glob.matches(name)
        if is_match and isinstance(backing, SearchableBacking):
            lines = backing.lines_in(path, one_more)
        else:
            lines = lines_of(backing, (path,) if is_match else (), one_more)
    else:
        lines = Lines(())
    return Results(
        (GrepMatch(path, *line) for path, line in lines.lines[: search.limit]),
        unseen=lines.unseen,
        truncated=len(lines.lines) > search.limit,
    )


def files_by_walking(backing: Backing, folder: str, glob: Glob) -> Names:
    """Return the matching files beneath a folder by walking it."""
    paths: list[str] = []
    unseen: list[Unseen] = []
    pending: list[tuple[str, GlobFolder]] = [(folder, glob.start)]
    while pending:
        above, matcher = pending.pop()
        try:
            entries = backing.entries(above)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            unseen.append(unreadable_entry(above, error))
            continue
        prefix = f"{above}/" if above else ""
        unseen += entries.unseen
        paths += (prefix + name for name in matcher.files(entries.files))
        for name in entries.folders:
            beneath = matcher.enter(name)
            if beneath is not None:
                pending.append((prefix + name, beneath))
    return Names(tuple(sorted(paths)), tuple(sorted(unseen, key=lambda entry: entry.path)))


def lines_beneath(backing: Backing, folder: str, search: Search) -> Lines:
    """Return the matching lines beneath a folder in the backing's fastest way."""
    if isinstance(backing, SearchableBacking):
        return backing.lines_beneath(folder, search)
    return lines_by_opening(backing, folder, search)


def lines_by_opening(backing: Backing, folder: str, search: Search) -> Lines:
    """Return the matching lines beneath a folder by opening each file."""
    names = _find_files(backing, folder, search.glob or Glob("**"))
    return merged((lines_of(backing, names.paths, search), Lines((), names.unseen)), search.limit)


def lines_of(backing: Backing, paths: Iterable[str], search: Search) -> Lines:
    """Return the matching lines of files given by sorted paths.

    They are opened one by one. A large file is read in blocks; where an expression might not finish on it, it
    is unseen.
    """
    unread: list[Unseen] = []
    large: list[str] = []
    found = [search_texts(_read_texts(backing, search.filter_paths(paths), unread, large), search)]
    for path in large:
        if search.expression.is_simple:
            found.append(_search_large_file(backing, path, search))
        else:
            unread.append(Unseen(path, f"{show_name(path)} is too large for this regular expression."))
    return merged((*found, Lines((), tuple(unread))), search.limit)


def _search_large_file(backing: Backing, path: str, search: Search) -> Lines:
    reading = backing.open(path)
    at = 0

    def following(size: int) -> bytes:
        nonlocal at
        part = reading.read_at(at, size)
        at += len(part)
        return part

    try:
        lines = matching_lines(search.expression, blocks_as_read(following, reading.size), search.limit)
    except NotText:
        return Lines(())
    finally:
        reading.close()
    return Lines(tuple((path, line) for line in lines))


def unreadable_entry(path: str, error: OSError) -> Unseen:
    """Return the entry for what the user may not read.

    Raises FileError for any other error: the disk failed.
    """
    shown = show_name(path) or "The root"
    refusal = failure(error, f"{shown} can't be listed", path=path)
    if isinstance(refusal, AccessDenied):
        return Unseen(path, refusal.message)
    raise refusal from error


def _find_files(backing: Backing, folder: str, glob: Glob) -> Names:
    if isinstance(backing, SearchableBacking):
        return backing.files_beneath(folder, glob)
    return files_by_walking(backing, folder, glob)


def _read_texts(
    backing: Backing, paths: Iterable[str], unread: list[Unseen], large: list[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of files; list unreadable and large ones."""
    for path in paths:
        try:
            reading = backing.open(path)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            continue  # deleted, or not a file any more
        except OSError as error:
            unread.append(unreadable_entry(path, error))
            continue
        try:
            if reading.size > SEARCH_WHOLE_BYTES:
                large.append(path)
                continue
            yield path, reading.read_at(0, reading.size)
        finally:
            reading.close()
