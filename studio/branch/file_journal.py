"""Persistent journal in a JSON Lines file, for programs embedding the engine.

Each entry is a line of JSON, `{"schemaVersion": "1", "position", "entry"}`, and `contents`, in base64 by
their SHA-256, with the first entry that refers to them. A project's journal is in its store instead.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, cast

from studio.errors import Refused
from studio.journal.entries import Content, Entry, payload_of, to_json
from studio.journal.file_image import sha256
from studio.journal.foreign_entries import entry_of
from studio.journal.journal import MemoryJournal
from studio.limits import JOURNAL_FLUSH_ENTRIES
from studio.names import show_name
from studio.program.locks import try_lock
from studio.system.closing import Closing
from studio.system.os_errors import wrap_os_errors
from studio.system.own_files import make_own_folder, open_own_file

SCHEMA_VERSION: Final = "1"


class FileJournal(MemoryJournal[Entry], Closing):
    """Persistent journal, also held in memory, for one process at a time.

    An entry is written immediately, and flushed to disk with every `flush_every`-th, by `flush` and by
    `close`. A line that a crash truncated is discarded. Close it, or use it as a context manager.
    """

    def __init__(self, file: Path, *, flush_every: int = JOURNAL_FLUSH_ENTRIES) -> None:
        """Open the journal, or create it with its parent folders.

        Raises ValueError for `flush_every` below 1, Refused for a file that another process has open, that
        has another schema version, or that has an invalid line; FileError for disk errors.
        """
        super().__init__()
        self._in_file: set[str] = set()
        if flush_every < 1:
            raise ValueError("flush_every must be at least 1 entry")
        self._flush_every = flush_every
        self._shown = show_name(str(file))
        self._unflushed = 0
        with self._told("opened"):
            make_own_folder(file.absolute().parent)
            self._handle = open_own_file(file, os.O_RDWR | os.O_APPEND)
        try:
            if not try_lock(self._handle):
                raise self._refused("journal.in_use", "is open in another process", "Close it there first")
            with self._told("read"):
                self._end = self._load(file)
                os.ftruncate(self._handle, self._end)
        except BaseException:
            os.close(self._handle)
            raise
        self._is_open = True

    def write(self, entry: Entry) -> int:
        """Append an entry and return its position.

        Raises FileError on a write error; then nothing was written.
        """
        with self._written:
            line = self._line(entry)
            with self._told("written"):
                self._append(line)
            position = super().write(entry)
            self._unflushed += 1
            if self._unflushed >= self._flush_every:
                self.flush()
            return position

    def flush(self) -> None:
        """Flush all written entries to disk.

        Raises FileError.
        """
        with self._written, self._told("flushed"):
            os.fsync(self._handle)
            self._unflushed = 0

    def close(self) -> None:
        """Flush and close the file.

        Raises FileError.
        """
        if not self._is_open:
            return
        self._is_open = False
        try:
            self.flush()
        finally:
            os.close(self._handle)

    def _line(self, entry: Entry) -> bytes:
        values: dict[str, object] = {
            "schemaVersion": SCHEMA_VERSION,
            "position": len(self._entries) + 1,
            "entry": json.loads(to_json(entry)),
        }
        payload = payload_of(entry)
        if payload is not None:
            data = payload if isinstance(payload, bytes) else self._contents.get(payload.sha256)
            name = Content.of(payload).sha256 if isinstance(payload, bytes) else payload.sha256
            if data is not None and name not in self._in_file:
                values["contents"] = {name: base64.b64encode(data).decode("ascii")}
                self._contents[name] = data
                self._in_file.add(name)
        return json.dumps(values, separators=(",", ":")).encode() + b"\n"

    def _append(self, line: bytes) -> None:
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._handle, rest) :]
        except OSError:
            os.ftruncate(self._handle, self._end)
            raise
        self._end += len(line)

    def _load(self, file: Path) -> int:
        """Load the entries and return the end of the last complete line."""
        end = 0
        for number, line in enumerate(_whole_lines(file), 1):
            try:
                self._take(line, number)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise self._refused(
                    "journal.damaged", f"is damaged in line {number}", "Rename it, and start another one"
                ) from error
            end += len(line)
        return end

    def _take(self, line: bytes, number: int) -> None:
        values = cast("dict[str, Any]", json.loads(line))
        if values["schemaVersion"] != SCHEMA_VERSION:
            version = show_name(str(values["schemaVersion"]))
            raise self._refused(
                "journal.schema_version",
                f"has the schema version {version}",
                "Open it with the program that wrote it",
            )
        if values["position"] != number:
            raise ValueError("a position is missing")
        for name, text in cast("dict[str, str]", values.get("contents", {})).items():
            data = base64.b64decode(text, validate=True)
            if sha256(data) != name:
                raise ValueError("a content is another one")
            self._contents[name] = data
            self._in_file.add(name)
        self._entries.append(entry_of(values["entry"])[0])

    def _refused(self, code: str, what: str, hint: str) -> Refused:
        return Refused(code, f"The journal {self._shown} {what}.", f"{hint}.")

    def _told(self, what: str) -> AbstractContextManager[None]:
        return wrap_os_errors(f"The journal {self._shown} can't be {what}", path=self._shown)


def _whole_lines(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        for line in stream:
            if line.endswith(b"\n"):
                yield line
