"""Exports of journals made by hand, with a chain of hashes that holds: what somebody could hand over."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping

WRITTEN = "2026-11-22T10:45:00.000Z"
Fields = dict[str, object]


def export_of(entries: Iterable[Mapping[str, object]], contents: Mapping[str, bytes] | None = None) -> bytes:
    """The lines of these entries, as JSON; each carries the contents with its entry's hash, where given."""
    lines: list[str] = []
    previous = b""
    for position, entry in enumerate(entries, start=1):
        text = json.dumps(entry, sort_keys=True, separators=(",", ":"))
        about = json.dumps([WRITTEN, "plan", "step"], separators=(",", ":"))
        previous = hashlib.sha256(previous + about.encode() + b"\n" + text.encode()).digest()
        line: Fields = {
            "schemaVersion": "2",
            "position": position,
            "hash": previous.hex(),
            "written": WRITTEN,
            "plan": "plan",
            "step": "step",
            "entry": entry,
        }
        content = entry.get("content")
        if isinstance(content, dict) and contents and content["sha256"] in contents:
            line["contents"] = base64.b64encode(contents[content["sha256"]]).decode()
        lines.append(json.dumps(line, separators=(",", ":")) + "\n")
    return "".join(lines).encode()


def create(path: str, data: bytes = b"x\n", *, temporary: str | None = None, name: str = "c-1") -> Fields:
    """The request to make a file."""
    digest = hashlib.sha256(data).hexdigest()
    above = path.rpartition("/")[0]
    ours = ".exacta-12345678-1234-1234-1234-123456789abc-1.tmp"
    return {
        "$type": "FileWrite",
        "base": None,
        "content": {"sha256": digest, "size": len(data)},
        "correlationId": name,
        "createMode": "CreateNew",
        "executable": None,
        "path": path,
        "result": {"sha256": digest, "size": len(data), "mode": 0o644},
        "temporary": temporary if temporary is not None else f"{above}/{ours}" if above else ours,
    }


def made(path: str, data: bytes = b"x\n", *, name: str = "c-1") -> Fields:
    """The reply to it."""
    return {
        "$type": "FileWritten",
        "bytesWritten": len(data),
        "correlationId": name,
        "exclusive": True,
        "path": path,
    }


def contents_of(*data: bytes) -> dict[str, bytes]:
    return {hashlib.sha256(each).hexdigest(): each for each in data}
