"""A journal as NDJSON, out of a store and into one; and whether such a text was changed (contract 7)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, cast

from studio.engine.branch.entries import Content, Entry, from_json, payload_of, to_json
from studio.engine.branch.journal import Journal
from studio.engine.errors import Refused
from studio.engine.plan import sha256
from studio.engine.store.journal import StoredJournal, link

SCHEMA_VERSION = "1"


def export_lines(journal: StoredJournal, *, with_contents: bool = False) -> Iterator[str]:
    """Every row as one line of JSON without its line end.

    With contents each line carries the bytes its entry names, in base64, where they are still stored.
    """
    for row in journal.every_row():
        line: dict[str, object] = {
            "schemaVersion": SCHEMA_VERSION,
            "position": row.position,
            "hash": row.hash,
            "written": row.written,
            "plan": row.plan_id,
            "step": row.step_id,
            "entry": json.loads(to_json(row.entry)),
        }
        content = payload_of(row.entry)
        if with_contents and content is not None:
            with suppress(Refused):  # discarded by now; the line says so by carrying none
                line["contents"] = base64.b64encode(journal.bytes_of(content)).decode("ascii")
        yield json.dumps(line, separators=(",", ":"))


def first_damage(lines: Iterable[str]) -> int | None:
    """The position (or else the number, from 1) of the first line that was changed, left out or moved.

    None if the chain is whole. What it can't see: an end that was cut off, and a chain made anew.
    """
    previous = b""
    for number, line in enumerate(lines, start=1):
        try:
            position, stored, entry, contents = _read(line)
        except Refused:
            return number
        previous = link(previous, to_json(entry))
        content = payload_of(entry)
        named = content.sha256 if isinstance(content, Content) else None
        if position != number or previous.hex() != stored:
            return number
        if contents is not None and sha256(contents) != named:
            return number
    return None


def import_lines(lines: Iterable[str], journal: Journal[Entry]) -> int:
    """Write every exported entry to a journal, with its bytes where the line carries them; their number.

    Raises Refused for a line that is no entry, or of another schema version (2.1).
    """
    count = 0
    for line in lines:
        _, _, entry, contents = _read(line)
        journal.write(entry if contents is None else carrying(entry, contents))
        count += 1
    return count


def carrying(entry: Entry, data: bytes) -> Entry:
    """The entry with its bytes in place of the reference to them."""
    fields = {name: getattr(entry, name) for name in entry.__dataclass_fields__}
    fields["data" if "data" in fields else "content"] = data
    return type(entry)(**fields)


def _read(line: str) -> tuple[int, str, Entry, bytes | None]:
    try:
        raw = cast("dict[str, Any]", json.loads(line))
        version = raw["schemaVersion"]
        entry = from_json(json.dumps(raw["entry"]))
        contents = base64.b64decode(raw["contents"], validate=True) if "contents" in raw else None
        position, stored = int(raw["position"]), str(raw["hash"])
    except (ValueError, KeyError, TypeError) as error:
        raise Refused(
            "journal.unreadable", f"A line is no entry of a journal: {error}.", "Export the journal again."
        ) from error
    if version != SCHEMA_VERSION:
        raise Refused(
            "journal.version",
            f"The journal has schema version {version}; only {SCHEMA_VERSION} can be read.",
            "Use the version of Exacta Studio that wrote it.",
        )
    return position, stored, entry, contents
