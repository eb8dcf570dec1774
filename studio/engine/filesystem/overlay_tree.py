"""Overlay filesystem's state: tree of differences and recorded base file states.

The tree has entries only where something differs, so its size is that of the changes, not of the base.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from time import time_ns
from typing import Final

from studio.engine.filesystem.backing import Backing, Entries, Scan
from studio.engine.filesystem.content import Content, ContentWriting
from studio.engine.filesystem.memory import FOLDER_MODE, MemoryFile, next_serial, state_in_memory
from studio.engine.root import EntryKind, FileState
from studio.errors import Conflict, FileError
from studio.names import folded, show_name
from studio.values import Value

_PART_BYTES = 1 << 20


class BaseChanged(FileError, Conflict, OSError):
    """A base file that changed since it was read through the overlay."""


class Whiteout(Value):
    """A deleted entry that hides what the base has (a whiteout)."""


class Moved(Value):
    """An unchanged file or folder of the base, moved from `path`."""

    path: str


class Origin(Value):
    """The base path from which a changed or copied file came."""

    path: str
    copied: bool


class Written(Value):
    """A file whose bytes are the overlay's own."""

    file: MemoryFile
    origin: Origin | None = None


class Layer:
    """A folder with differences; `base` is the base folder beneath, or None."""

    def __init__(self, base: str | None) -> None:
        self.base = base
        self.entries: dict[str, tuple[str, Node]] = {}
        """Names and nodes by their case-folded spelling, where the base folds case."""
        self.own_state: Final = state_in_memory(EntryKind.FOLDER, 0, FOLDER_MODE, next_serial(), time_ns())

    def copied(self) -> Layer:
        """Return an independent copy of the differences; files are shared."""
        copied = Layer(self.base)
        for key, (name, node) in self.entries.items():
            copied.entries[key] = (name, node.copied() if isinstance(node, Layer) else node)
        return copied


Node = Whiteout | Moved | Written | Layer


class BaseRecord(Value):
    """State of a base path when the overlay first changed something there.

    `state` is None for nothing.
    """

    path: str
    state: FileState | None
    sha256: str | None = None
    content: Content | None = None
    """Its bytes, where the overlay keeps those of its base."""

    @property
    def is_file(self) -> bool:
        return self.sha256 is not None

    @property
    def is_folder(self) -> bool:
        return self.state is not None and self.state.kind is EntryKind.FOLDER


class BaseChange(Value):
    """A path whose base changed after the overlay's change, with reason."""

    path: str
    reason: str


class Base:
    """The read-only base of an overlay, with recorded states."""

    def __init__(self, backing: Backing, *, keeps_contents: bool = False) -> None:
        """Wrap a backing; with `keeps_contents` also record changed files' bytes.

        Otherwise only their hash.
        """
        self.backing = backing
        self.keeps_contents = keeps_contents
        self._records: dict[str, BaseRecord] = {}
        self._signatures: dict[str, tuple[int, ...]] = {}

    def copied(self) -> Base:
        """Return a copy with the states recorded so far."""
        copied = Base(self.backing, keeps_contents=self.keeps_contents)
        copied._records, copied._signatures = dict(self._records), dict(self._signatures)
        return copied

    def key(self, path: str) -> str:
        """Return a path or name case-folded, where the base folds case."""
        return folded(path) if self.backing.folds_case else path

    def record_at(self, path: str) -> BaseRecord | None:
        """Return what was recorded of a path."""
        return self._records.get(self.key(path))

    def state(self, path: str) -> FileState | None:
        return self.backing.node(path)

    def entries(self, path: str) -> Entries:
        """Return the entries of a folder; none where it no longer exists."""
        with suppress(FileNotFoundError, NotADirectoryError):
            return self.backing.entries(path)
        return Entries()

    def scan(self, path: str) -> Scan:
        """Return the entries of a folder as listing rows."""
        with suppress(FileNotFoundError, NotADirectoryError):
            return self.backing.scan(path)
        return Scan()

    def note_read(self, path: str) -> None:
        """Record the state of a file being read; changes require it."""
        state = self.state(path)
        if state is not None:
            self._signatures[self.key(path)] = state.signature

    def record(self, path: str) -> BaseRecord:
        """Record what is at a path before a change, unless recorded.

        Raises BaseChanged when a file is not the one that was read through the overlay.
        """
        record = self.record_at(path)
        if record is None:
            state = self.state(path)
            if state is None or state.kind is not EntryKind.FILE:
                record = BaseRecord(path, state)
            else:
                if self._signatures.get(self.key(path), state.signature) != state.signature:
                    raise _base_changed(path)
                content = self.content(path)
                record = BaseRecord(path, state, content.sha256, content if self.keeps_contents else None)
            self._records[self.key(path)] = record
        return record

    def recorded_content(self, path: str) -> Content:
        """Return a file's bytes after recording it.

        Raises BaseChanged when they are not those recorded before.
        """
        record, content = self.record(path), self.content(path)
        if content.sha256 != record.sha256:
            raise _base_changed(path)
        return content

    def drop(self, path: str) -> None:
        """Drop the record of a path at which nothing differs any more."""
        self._records.pop(self.key(path), None)

    def content(self, path: str) -> Content:
        """Return the bytes of a file of the base."""
        writing = ContentWriting(lambda _: None)
        reading = self.backing.open(path)
        try:
            at = 0
            while part := reading.read_at(at, _PART_BYTES):
                writing.write(part)
                at += len(part)
        finally:
            reading.close()
        return writing.content()

    def changes(self) -> Iterator[BaseChange]:
        """Yield where the base changed since; costs one check per recorded path."""
        for _, record in sorted(self._records.items()):
            reason = self._describe_change(record)
            if reason:
                yield BaseChange(record.path, f"{show_name(record.path)} {reason}.")

    def _describe_change(self, record: BaseRecord) -> str:
        state = self.state(record.path)
        if record.state is None:
            return "" if state is None else "was created in the project meanwhile"
        if state is None:
            return "was deleted from the project"
        if state.kind is not record.state.kind:
            return f"is currently a {state.kind.value} in the project"
        if state.signature == record.state.signature or not record.is_file:
            return ""
        return "" if self.content(record.path).sha256 == record.sha256 else "has changed in the project"


def joined(folder: str, name: str) -> str:
    """Return the path of an entry of a folder."""
    return f"{folder}/{name}" if folder else name


def _base_changed(path: str) -> BaseChanged:
    return BaseChanged(
        "overlay.base_changed",
        f"{show_name(path)} has changed in the project since it was read.",
        "Read it again, then change its current content.",
        path=path,
    )
