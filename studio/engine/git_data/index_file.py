"""Parser for git indexes: skipped paths, and what libgit2 can't read.

libgit2 1.9 reports a file that `git sparse-checkout` left out (`skip-worktree`) as deleted. It fails with
"unsupported mandatory extension" for `link` (`git update-index --split-index`) and for `sdir` (`git
sparse-checkout set --sparse-index`). The format is that of gitformat-index(5), versions 2 to 4.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from struct import Struct, error
from typing import Final

from studio.engine.root.foreign_file import open_foreign_file
from studio.system.git_library import loadable
from studio.values import Value

with loadable():
    import pygit2

_HASH: Final = 20  # pygit2 opens no repository of SHA-256
_HEADER: Final = Struct(">4sII")
_ENTRY: Final = Struct(">24xI12x20sH")  # mode, object, flags
_EXTENSION: Final = Struct(">4sI")
_BITMAP: Final = Struct(">II")
_WORD: Final = Struct(">Q")
_EXTENDED: Final = 0x4000
_ASSUMED: Final = 0x8000
_FLAGS: Final = Struct(">H")
_SKIPPED: Final = 0x4000
_DAMAGED: Final = "Git's index is damaged"


class _Entry(Value):
    """An index entry; an unexpanded (sparse) folder ends with a slash."""

    path: bytes
    mode: int
    object_id: bytes
    is_skipped: bool
    """Whether git takes the file as unchanged, whatever the work tree has."""


class IndexPaths(Value):
    """Paths of an index, without and with what git skips.

    Git takes a skipped file as unchanged. A skipped path that ends with a slash is a folder that the work
    tree lacks.
    """

    files: frozenset[bytes]
    skipped: frozenset[bytes]


class UnsupportedIndex:
    """The paths of an index that is split or sparse."""

    def __init__(
        self, repository: pygit2.Repository, entries: Sequence[_Entry], key: Callable[[bytes], bytes]
    ) -> None:
        self._repository = repository
        self._key = key
        self._paths = sorted(key(entry.path) for entry in entries)
        self._trees = {key(entry.path): entry.object_id for entry in entries if stat.S_ISDIR(entry.mode)}

    def holds(self, path: str, is_folder: bool) -> bool:
        """Return whether the path is tracked, or above a tracked one."""
        key = self._key(os.fsencode(path))
        if self._first_path_from(key) == key:
            return True
        if is_folder and self._first_path_from(key + b"/").startswith(key + b"/"):
            return True
        return bool(self._trees) and self._is_in_tree(key, is_folder)

    def _first_path_from(self, key: bytes) -> bytes:
        number = bisect_left(self._paths, key)
        return self._paths[number] if number < len(self._paths) else b""

    def _is_in_tree(self, key: bytes, is_folder: bool) -> bool:
        names = key.split(b"/")
        for depth in range(1, len(names)):
            found = self._trees.get(b"/".join(names[:depth]) + b"/")
            if found is not None:
                return self._is_below(found, names[depth:], is_folder)
        return False

    def _is_below(self, object_id: bytes, names: Sequence[bytes], is_folder: bool) -> bool:
        """Return whether a tree has a path; True if it is missing.

        A partial clone may lack the tree, which may then hold any path.
        """
        tree = self._repository.get(pygit2.Oid(raw=object_id))
        if not isinstance(tree, pygit2.Tree):
            return True
        for entry in tree:
            if self._key(entry.raw_name or b"") != names[0]:
                continue
            is_tree = entry.filemode == pygit2.enums.FileMode.TREE
            if len(names) == 1:
                if is_folder or not is_tree:
                    return True
            elif is_tree and self._is_below(entry.id.raw, names[1:], is_folder):
                return True
        return False


def read_unsupported_index(
    repository: pygit2.Repository, key: Callable[[bytes], bytes]
) -> UnsupportedIndex | None:
    """Return a split or sparse index; None for any other.

    `key` maps paths to what they are compared by. Raises ValueError for a damaged index, NotAFile, OSError.
    """
    entries, extensions = _read_whole(Path(repository.path))
    is_unsupported = not extensions.isdisjoint((b"link", b"sdir"))
    return UnsupportedIndex(repository, entries, key) if is_unsupported else None


def read_index_paths(repository: pygit2.Repository) -> IndexPaths:
    """Return the paths of any index, empty without one.

    Raises ValueError for a damaged index, NotAFile, OSError.
    """
    try:
        entries, _ = _read_whole(Path(repository.path))
    except FileNotFoundError:
        entries = []
    skipped = frozenset(entry.path for entry in entries if entry.is_skipped or stat.S_ISDIR(entry.mode))
    return IndexPaths(frozenset(entry.path for entry in entries) - skipped, skipped)


def _read_whole(folder: Path) -> tuple[list[_Entry], frozenset[bytes]]:
    """Return all entries of an index, and its extensions."""
    try:
        entries, extensions = _read(folder / "index")
        link = extensions.get(b"link", b"")
        if link[:_HASH].strip(b"\0"):
            shared = _read(folder / f"sharedindex.{link[:_HASH].hex()}")[0]
            deleted_numbers = _bits(link, _HASH) if len(link) > _HASH else set[int]()
            # Own entries that replace shared ones have no path.
            entries = [entry for entry in entries if entry.path]
            entries += [entry for number, entry in enumerate(shared) if number not in deleted_numbers]
    except (error, IndexError) as damage:
        raise ValueError(_DAMAGED) from damage
    return entries, frozenset(extensions)


def _read(file: Path) -> tuple[list[_Entry], dict[bytes, bytes]]:
    """Return the entries and extensions of an index file.

    Raises ValueError, struct.error, NotAFile, OSError.
    """
    with open_foreign_file(file, sys.maxsize) as stream:
        content = stream.read()
    signature, version, count = _HEADER.unpack_from(content)
    end = len(content) - _HASH
    checksum = content[end:]
    # All zeros with `index.skipHash`.
    is_same = not checksum.strip(b"\0") or checksum == _sha1(content[:end])
    if signature != b"DIRC" or version not in (2, 3, 4) or not is_same:
        raise ValueError(_DAMAGED)
    entries: list[_Entry] = []
    at, path = _HEADER.size, b""
    for _ in range(count):
        mode, object_id, flags = _ENTRY.unpack_from(content, at)
        first = at
        at += _ENTRY.size
        is_skipped = bool(flags & _ASSUMED)
        if flags & _EXTENDED:
            is_skipped = is_skipped or bool(_FLAGS.unpack_from(content, at)[0] & _SKIPPED)
            at += _FLAGS.size
        if version == 4:
            removed, at = _number(content, at)
            name_end = content.index(b"\0", at, end)
            path = path[: len(path) - removed] + content[at:name_end]
            at = name_end + 1
        else:
            name_end = content.index(b"\0", at, end)
            path = content[at:name_end]
            at = first + (name_end - first) // 8 * 8 + 8
        entries.append(_Entry(path, mode, object_id, is_skipped))
    return entries, dict(_extensions(content, at, end))


def _sha1(content: bytes) -> bytes:
    return hashlib.sha1(content, usedforsecurity=False).digest()


def _extensions(content: bytes, at: int, end: int) -> Iterator[tuple[bytes, bytes]]:
    while at < end:
        name, size = _EXTENSION.unpack_from(content, at)
        at += _EXTENSION.size
        yield name, content[at : at + size]
        at += size


def _number(content: bytes, at: int) -> tuple[int, int]:
    """Return a variable-length number, encoded as pack offsets are, and its end."""
    byte = content[at]
    number = byte & 127
    while byte & 128:
        at += 1
        byte = content[at]
        number = (number + 1 << 7) | byte & 127
    return number, at + 1


def _bits(content: bytes, at: int) -> set[int]:
    """Return the set bits of an EWAH bitmap."""
    size, count = _BITMAP.unpack_from(content, at)
    at += _BITMAP.size
    words = [_WORD.unpack_from(content, at + 8 * number)[0] for number in range(count)]
    found: set[int] = set()
    bit = index = 0
    while index < count:
        word = words[index]
        run, literals = (word >> 1 & 0xFFFFFFFF) * 64, word >> 33
        if word & 1:
            found.update(range(bit, min(bit + run, size)))
        bit += run
        for literal in words[index + 1 : index + 1 + literals]:
            found.update(bit + number for number in range(64) if literal >> number & 1)
            bit += 64
        index += 1 + literals
    return found
