"""Export of a journal as NDJSON rows, optionally with file contents."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

from studio.engine.store.blobs import Blobs
from studio.engine.store.chain import EXPORT_VERSION
from studio.engine.store.journal import StoredJournal
from studio.errors import Refused
from studio.journal.entries import Content, Entry, WritingRequest, payload_of, to_json
from studio.limits import EXPORT_CONTENT_BYTES

CONTENTS, BASE_CONTENTS = "contents", "baseContents"


def export_lines(journal: StoredJournal, contents: Blobs | None = None) -> Iterator[str]:
    """Yield every row as one line of JSON, without a line end.

    With `contents` each line carries, in base64, the bytes that its entry names, and those of the previous
    file unless an earlier line did; contents that are discarded or too large for a line are omitted.
    """
    carried: set[str] = set()
    for row in journal.every_row():
        line: dict[str, object] = {
            "schemaVersion": EXPORT_VERSION,
            "position": row.position,
            "hash": row.hash,
            "written": row.written,
            "plan": row.plan_id,
            "step": row.step_id,
            "entry": json.loads(to_json(row.entry)),
        }
        if contents is not None:
            for key, sha256 in named_contents(row.entry).items():
                if key == BASE_CONTENTS and sha256 in carried:
                    continue
                data = _read_contents(contents, sha256)
                if data is not None:
                    carried.add(sha256)
                    line[key] = base64.b64encode(data).decode("ascii")
        yield json.dumps(line, separators=(",", ":"))


def named_contents(entry: Entry) -> dict[str, str]:
    """Return the SHA-256 of contents a line may carry, by key."""
    named: dict[str, str] = {}
    payload = payload_of(entry)
    if isinstance(payload, Content):
        named[CONTENTS] = payload.sha256
    base = getattr(entry, "base", None) if isinstance(entry, WritingRequest) else None
    if base is not None and base.sha256 is not None:
        named[BASE_CONTENTS] = base.sha256
    return named


def _read_contents(blobs: Blobs, sha256: str) -> bytes | None:
    try:
        if blobs.size_of(sha256) > EXPORT_CONTENT_BYTES:
            return None
        return blobs.get(sha256)
    except Refused:
        return None
