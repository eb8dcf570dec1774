"""Abstract storage interface (`Backing`) of filesystem backends: primitives without validation.

`base` calls these, and only with checked paths: relative, slashes, no empty segment, "." or ".."; "" is the
root. It has checked the nodes and the rules before it calls a primitive that changes something. A primitive
raises OSError, or a FileError of its own, for what only the system can know: no permission, a full disk, an
entry that changed since the check.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

from studio.engine.filesystem.types import ScannedEntry, WriteMode
from studio.engine.root import EntryKind, FileState, Unseen
from studio.engine.root.opening import link_refused
from studio.errors import LeadsOutside
from studio.values import Value


class Entries(Value):
    """The names in one folder, each group sorted.

    `others` are links, pipes, sockets, devices; `unseen` are entries that can't be named or read, such as
    names that are not UTF-8, with the reason.
    """

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    others: tuple[tuple[str, EntryKind], ...] = ()
    unseen: tuple[Unseen, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.files or self.folders or self.others or self.unseen)


class Scan(Value):
    """The entries of a folder as listing rows, sorted by name."""

    found: tuple[ScannedEntry, ...] = ()
    unseen: tuple[Unseen, ...] = ()


class Reading(Protocol):
    """An open file; `size` is in bytes, as of opening."""

    @property
    def size(self) -> int: ...

    def read_at(self, offset: int, size: int) -> bytes:
        """Return at most `size` bytes; fewer only at the end. Raises OSError."""
        ...

    def close(self) -> None: ...


class Writing(Protocol):
    """New file content, invisible until `finish`; `discard` drops it."""

    def write(self, data: bytes) -> None:
        """Append bytes. Raises OSError; then only `discard` may follow."""
        ...

    def finish(self) -> None:
        """Install the content atomically, keeping mode and owner of a replaced file.

        Raises OSError, or FileExists where a create finds an existing entry; then nothing has changed, and
        what was spooled is removed.
        """
        ...

    def discard(self) -> None:
        """Drop the content; nothing has changed."""
        ...


class Backing(ABC):
    """Storage primitives of one backend, called by `BackedFilesystem`."""

    @property
    @abstractmethod
    def root(self) -> str:
        """Location of the files, for display."""

    @property
    def windows(self) -> bool:
        """Whether names follow Windows rules: case ignored, more characters refused."""
        return False

    @property
    def folds_case(self) -> bool:
        """Whether spellings that differ only in case are one file."""
        return self.windows

    @abstractmethod
    def node(self, path: str) -> FileState | None:
        """Return the state of the entry at a path, without following links.

        None for nothing, also where a parent is a file. Raises LeadsOutside for a link among the parents,
        OSError.
        """

    def has_name(self, path: str) -> bool:
        """Return whether a file or folder has exactly this spelling.

        False where Windows' rules for names apply.
        """
        state = None if self.folds_case else self.node(path)
        return state is not None and state.kind in (EntryKind.FILE, EntryKind.FOLDER)

    def link_refused(self, path: str) -> LeadsOutside:
        """Return the error for a link, or a path beneath one."""
        return link_refused(path)

    @abstractmethod
    def created_ns(self, path: str) -> int | None:
        """Return the creation time in nanoseconds; None where unknown."""

    @abstractmethod
    def entries(self, path: str) -> Entries:
        """Return the entries of a folder. Raises OSError."""

    @property
    def is_layer(self) -> bool:
        """Whether writes are collected as changes and reach no disk directly."""
        return False

    def scan(self, path: str) -> Scan:
        """Return a folder's entries with size and times. Raises OSError."""
        entries = self.entries(path)
        names = (*entries.files, *entries.folders, *(name for name, _ in entries.others))
        found: list[ScannedEntry] = []
        for name in sorted(names):
            place = f"{path}/{name}" if path else name
            state = self.node(place)
            if state is not None:  # else deleted meanwhile
                found.append(scanned(name, state, self.created_ns(place)))
        return Scan(tuple(found), entries.unseen)

    @abstractmethod
    def open(self, path: str) -> Reading:
        """Open a regular file. Raises OSError."""

    @abstractmethod
    def start(self, path: str, mode: WriteMode) -> Writing:
        """Start new content, after the present one for APPEND.

        The folder above exists. Raises OSError.
        """

    @abstractmethod
    def make_folder(self, path: str) -> None:
        """Make one folder in an existing one. Raises OSError."""

    @abstractmethod
    def remove(self, path: str, *, recursive: bool) -> None:
        """Remove a file, link or folder.

        A folder must be empty unless `recursive`. Raises OSError.
        """

    @abstractmethod
    def move(self, source: str, destination: str, *, replace: bool) -> None:
        """Move an entry atomically into an existing folder.

        With `replace` an existing file is replaced. Raises OSError, FileExists.
        """

    @abstractmethod
    def copy(self, source: str, destination: str, *, replace: bool) -> None:
        """Copy a file with its mode, atomically; with `replace` over another.

        Raises as `move`.
        """


def scanned(name: str, state: FileState, created_ns: int | None) -> ScannedEntry:
    """Return the listing entry for the state of a file or folder."""
    size = state.size if state.kind is EntryKind.FILE else 0
    return ScannedEntry(name, state.kind, size, state.modified_ns, created_ns)
