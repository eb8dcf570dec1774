"""Reader of journal exports from untrusted sources.

An export may be damaged or crafted: it is read line by line, no line is used before it was found to follow
the previous in the hash chain, and each error is one sentence with the line number.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

from studio.engine.root.foreign_file import open_foreign_file
from studio.engine.store.chain import EXPORT_VERSION, FIRST_RULE, Chain, ChainReport, Link
from studio.engine.store.exporting import BASE_CONTENTS, CONTENTS, named_contents
from studio.errors import NotFound, Refused
from studio.journal.entries import Entry
from studio.journal.file_image import sha256
from studio.journal.foreign_entries import entry_of, is_hash, is_size
from studio.journal.journal import Positioned
from studio.limits import EXPORT_BYTES, EXPORT_CONTENTS_UP_TO, EXPORT_LINE_BYTES
from studio.names import show_name
from studio.system.os_errors import wrap_os_errors
from studio.values import Value

_OLD_VERSION = str(FIRST_RULE)
_FIELDS = frozenset({"schemaVersion", "position", "hash", "written", "plan", "step", "entry"})
_HINT = "Export the journal again, with contents or without."


class DamagedExport(Refused):
    """An invalid line, or one that does not follow the previous.

    `line` counts from 1.
    """

    def __init__(self, shown: str, line: int, why: str, report: ChainReport) -> None:
        super().__init__(
            "journal.export_damaged",
            f"Line {line} of {shown} is damaged: {why}.",
            "Export the journal again.",
        )
        self.line = line
        self.report = report


class _Line(Value):
    """One valid line: its offset, entry, and contents by SHA-256."""

    start: int
    position: int
    entry: Entry
    carried: dict[str, bytes]


class _Wrong(Exception):
    """A fault of a line, as a clause."""


class ExportFile:
    """An open export; each iteration reads the file from its start."""

    def __init__(self, stream: BinaryIO, shown: str) -> None:
        self._stream = stream
        self._shown = shown
        self._places: dict[str, int] = {}

    def check(self) -> ChainReport:
        """Verify every line.

        Raises DamagedExport for the first invalid one.
        """
        chain = Chain()
        for _ in self._verify_lines(chain):
            pass
        return chain.report()

    def entries(self) -> Iterator[Positioned[Entry]]:
        """Yield the entries in order.

        `content` can then read the bytes of those yielded. Raises DamagedExport, or Refused where the export
        carries too many contents.
        """
        for line in self._verify_lines(Chain()):
            self._add_line(line)
            yield Positioned(line.position, line.entry)

    def content(self, digest: str) -> bytes:
        """Return the bytes with that SHA-256, verified.

        Raises NotFound where no line read so far carries them.
        """
        if digest in self._places:
            return self._read_content(self._places[digest], digest)
        raise NotFound(
            "journal.content_not_exported",
            f"{self._shown} lacks the content {digest[:12]}.",
            "Export the journal with contents before they are discarded.",
        )

    def _add_line(self, line: _Line) -> None:
        for digest in line.carried:
            self._places.setdefault(digest, line.start)
        if len(self._places) > EXPORT_CONTENTS_UP_TO:
            raise Refused(
                "journal.export_too_large",
                f"{self._shown} contains more than {EXPORT_CONTENTS_UP_TO} contents.",
                "Replay the journal with its own store.",
            )

    def _read_content(self, start: int, digest: str) -> bytes:
        self._stream.seek(start)
        with wrap_os_errors(f"{self._shown} can't be read"):
            raw = self._stream.readline(EXPORT_LINE_BYTES + 1)
        try:
            fields = _parse_line(raw)
            for key in (CONTENTS, BASE_CONTENTS):
                if key in fields and sha256(data := _decode_field(fields, key)) == digest:
                    return data
        except _Wrong:
            pass
        raise Refused(
            "journal.export_changed", f"{self._shown} was changed while it was read.", "Replay it again."
        )

    def _verify_lines(self, chain: Chain) -> Iterator[_Line]:
        """Yield every line, verified against the chain."""
        self._stream.seek(0)
        version: str | None = None
        number = 0
        while True:
            # Limited: a file without line ends would be read into memory completely.
            start = self._stream.tell()
            with wrap_os_errors(f"{self._shown} can't be read"):
                raw = self._stream.readline(EXPORT_LINE_BYTES + 1)
            if not raw:
                return
            number += 1
            try:
                if start + len(raw) > EXPORT_BYTES:
                    raise _Wrong(f"the file exceeds {EXPORT_BYTES} bytes")
                if len(raw) > EXPORT_LINE_BYTES:
                    raise _Wrong(f"it is longer than {EXPORT_LINE_BYTES} bytes")
                fields = _parse_line(raw)
                if version is None:
                    version = _parse_version(fields)
                    if version == _OLD_VERSION:
                        chain.mark_first_rule_only()
                elif fields["schemaVersion"] != version:
                    raise _Wrong("it has another schema version than the lines before")
                line = _check_line(fields, start, chain)
            except _Wrong as error:
                raise DamagedExport(self._shown, number, str(error), chain.report(str(error))) from error
            yield line
            self._stream.seek(start + len(raw))  # reading contents may have moved the position


@contextmanager
def open_export(file: Path) -> Generator[ExportFile]:
    """Open an export that the user named, following symbolic links.

    Raises NotFound, NotAFile, FileError, or Refused where it is too large.
    """
    shown = show_name(str(file))
    with wrap_os_errors(f"{shown} can't be read"):
        try:
            with open_foreign_file(file, EXPORT_BYTES, hint=_HINT) as stream:
                yield ExportFile(stream, shown)
        except FileNotFoundError as error:
            raise NotFound("journal.no_export", f"{shown} does not exist.", "Check the path.") from error


def _parse_line(raw: bytes) -> dict[str, Any]:
    """Parse a line and check all fields except the entry."""
    try:
        fields: object = json.loads(
            raw.decode(), object_pairs_hook=_build_object, parse_constant=_refuse_number
        )
    except RecursionError as error:
        raise _Wrong("it is nested too deeply") from error
    except ValueError as error:
        raise _Wrong("it is not JSON" if raw.endswith(b"\n") else "it is cut off") from error
    if not isinstance(fields, dict):
        raise _Wrong("it is not a journal entry")
    fields = cast("dict[str, Any]", fields)
    if missing := _FIELDS - fields.keys():
        raise _Wrong(f"it lacks {', '.join(sorted(missing))}")
    if fields.keys() - _FIELDS - {CONTENTS, BASE_CONTENTS}:
        raise _Wrong("it has a field that no export has")
    if not is_size(fields["position"]) or not is_hash(fields["hash"]):
        raise _Wrong("it has no position or no hash")
    if not all(isinstance(fields[name], str) for name in ("schemaVersion", "written", "plan", "step")):
        raise _Wrong("its time, plan or step is no text")
    return fields


def _build_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build an object, refusing duplicate keys.

    Python would keep the last of two, other readers the first.
    """
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Wrong("a key is duplicated")
    return members


def _refuse_number(word: str) -> NoReturn:
    raise _Wrong(f"{word} is no number")


def _parse_version(fields: dict[str, Any]) -> str:
    version = fields["schemaVersion"]
    if version not in (_OLD_VERSION, EXPORT_VERSION):
        shown = show_name(version[:20])
        raise _Wrong(f"it has schema version {shown}, and only {_OLD_VERSION} and {EXPORT_VERSION} are known")
    return version


def _check_line(fields: dict[str, Any], start: int, chain: Chain) -> _Line:
    """Check a line against the chain and its contents."""
    try:
        entry, text = entry_of(fields["entry"])
    except ValueError as error:
        raise _Wrong("it holds no entry that this version knows") from error
    link = Link(
        fields["position"],
        fields["written"],
        fields["plan"],
        fields["step"],
        text.encode(),
        bytes.fromhex(fields["hash"]),
    )
    named = named_contents(entry)
    carried: dict[str, bytes] = {}
    for key in fields.keys() & {CONTENTS, BASE_CONTENTS}:
        data = _decode_field(fields, key)
        if sha256(data) != named.get(key):
            raise _Wrong("it contains other bytes than its entry names")
        carried[named[key]] = data
    if why := chain.find_break(link):
        raise _Wrong(why)
    return _Line(start, link.position, entry, carried)


def _decode_field(fields: dict[str, Any], key: str) -> bytes:
    try:
        return base64.b64decode(fields[key], validate=True)
    except (ValueError, TypeError) as error:
        raise _Wrong("its content is not base64") from error
