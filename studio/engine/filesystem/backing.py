"""What holds the files: the few primitives that each backend brings, and no rules (R8, R120).

`base` asks these, and only with checked paths: relative, slashes, no empty segment, "." or ".."; "" is the
root. It has looked at the nodes and given every verdict before it calls a primitive that changes
something. A primitive raises OSError, or a FileError of its own, for what only the system can know: no
permission, a full disk, an entry that changed since it was looked at.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

from studio.engine.errors import LeadsOutside
from studio.engine.filesystem.types import ScannedEntry, WriteMode
from studio.engine.root import EntryKind, FileState, Unseen
from studio.engine.root.opening import link_refused


@dataclass(frozen=True, slots=True)
class Entries:
    """The names in one folder, each group sorted.

    `others` are links, pipes, sockets, devices; `unseen` are entries that can't be named or looked at, such
    as names that are not UTF-8, with the reason.
    """

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    others: tuple[tuple[str, EntryKind], ...] = ()
    unseen: tuple[Unseen, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.files or self.folders or self.others or self.unseen)


@dataclass(frozen=True, slots=True)
class Scan:
    """What `entries` gives as one row by name, with what a listing says of each."""

    found: tuple[ScannedEntry, ...] = ()
    unseen: tuple[Unseen, ...] = ()


class Reading(Protocol):
    """An open file. `size` is in bytes, as of opening."""

    @property
    def size(self) -> int: ...

    def read_at(self, offset: int, size: int) -> bytes:
        """At most `size` bytes from `offset`; fewer only where the file ends. Raises OSError."""
        ...

    def close(self) -> None: ...


class Writing(Protocol):
    """New content of a file that nobody sees before `finish`; one of `finish` and `discard` ends it."""

    def write(self, data: bytes) -> None:
        """Take bytes behind those before. Raises OSError; then only `discard` is left."""
        ...

    def finish(self) -> None:
        """Put the content in place in one step, keeping mode and owner of a file that is replaced.

        Raises OSError, FileExists where a create finds something there; then nothing has changed, and
        what was spooled is gone.
        """
        ...

    def discard(self) -> None:
        """Leave everything as it was."""
        ...


class Backing(ABC):
    """The primitives of one backend."""

    @property
    @abstractmethod
    def root(self) -> str:
        """Where the files are, for display."""

    @property
    def windows(self) -> bool:
        """Whether names follow the rules of Windows: case ignored, more characters refused (C5)."""
        return False

    @property
    def folds_case(self) -> bool:
        """Whether spellings that differ by case are one file (C5)."""
        return self.windows

    @abstractmethod
    def node(self, path: str) -> FileState | None:
        """What is at the path, a link itself; None for nothing, also where a file stands on the way.

        Raises LeadsOutside for a link on the way, OSError.
        """

    def has_name(self, path: str) -> bool:
        """Whether a file or folder has exactly this name, where Windows' rules for names don't hold."""
        state = None if self.folds_case else self.node(path)
        return state is not None and state.kind in (EntryKind.FILE, EntryKind.FOLDER)

    def link_refused(self, path: str) -> LeadsOutside:
        """The error for a path that is a link, or beneath one."""
        return link_refused(path)

    @abstractmethod
    def created_ns(self, path: str) -> int | None:
        """When the entry was made, in nanoseconds; None where that is not known."""

    @abstractmethod
    def entries(self, path: str) -> Entries:
        """What is in a folder. Raises OSError."""

    @property
    def is_layer(self) -> bool:
        """Whether what is written is kept as changes of something else, and reaches no disk by itself."""
        return False

    def scan(self, path: str) -> Scan:
        """What is in a folder, with size and times of each entry. Raises OSError."""
        entries = self.entries(path)
        names = (*entries.files, *entries.folders, *(name for name, _ in entries.others))
        found: list[ScannedEntry] = []
        for name in sorted(names):
            place = f"{path}/{name}" if path else name
            state = self.node(place)
            if state is not None:  # else it went meanwhile
                found.append(scanned(name, state, self.created_ns(place)))
        return Scan(tuple(found), entries.unseen)

    @abstractmethod
    def open(self, path: str) -> Reading:
        """Open a regular file. Raises OSError."""

    @abstractmethod
    def start(self, path: str, mode: WriteMode) -> Writing:
        """Begin new content: behind the present one for APPEND. The folder above exists. Raises OSError."""

    @abstractmethod
    def make_folder(self, path: str) -> None:
        """Make one folder in one that exists. Raises OSError."""

    @abstractmethod
    def remove(self, path: str, *, recursive: bool) -> None:
        """Remove a file, link or folder; a folder with what is in it if `recursive`, else an empty one.

        Raises OSError.
        """

    @abstractmethod
    def move(self, source: str, destination: str, *, replace: bool) -> None:
        """Give an entry another path in a folder that exists; with `replace` a file there is replaced.

        Atomic. Raises OSError, FileExists.
        """

    @abstractmethod
    def copy(self, source: str, destination: str, *, replace: bool) -> None:
        """Copy a file with its mode, also to the place of another. Nobody sees a part of it.

        Raises as `move`.
        """


def scanned(name: str, state: FileState, created_ns: int | None) -> ScannedEntry:
    """The entry of a listing for what is known of a file or folder."""
    size = state.size if state.kind is EntryKind.FILE else 0
    return ScannedEntry(name, state.kind, size, state.modified_ns, created_ns)
