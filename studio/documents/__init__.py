"""Insert, replace and remove an entry in JSON, TOML and YAML.

The format is chosen by the file's name.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from studio.documents.json_spans import (
    WHOLE,
    JsonExtra,
    Key,
    Shape,
    Spot,
    Trace,
    Unreadable,
    check_extras,
    read_spans,
)

__all__ = [
    "WHOLE",
    "JsonExtra",
    "Key",
    "Shape",
    "Spot",
    "Trace",
    "Unreadable",
    "change",
    "check_json",
    "find",
    "put",
    "read",
    "read_spans",
    "remove",
    "rewrite",
]

_MARK = "\ufeff"


def find(name: str, data: bytes | None, spot: Spot) -> dict[Key, object]:
    """Return what is at the spot, by key.

    Raises Unreadable, as all functions here do.
    """
    return _kind(name).find(_text(data)[1], spot)


def read(name: str, data: bytes | None) -> object:
    """Parse JSON or TOML; a blank file is an empty object.

    Raises Unreadable.
    """
    return _kind(name).read(_text(data)[1])


def put(name: str, data: bytes | None, spot: Spot, value: object) -> tuple[bytes, Trace]:
    """Return the bytes with one more entry, and its trace.

    `remove` needs the trace to restore the exact bytes.
    """
    mark, text = _text(data)
    updated, trace = _kind(name).put(text, spot, value)
    # Verified for every file: what can't be removed exactly is not inserted.
    key = next(
        (key for key, found in reversed(find(name, updated.encode(), spot).items()) if found == value), None
    )
    if key is None or _kind(name).remove(updated, spot, key, trace) != text:
        raise Unreadable("the entry can't be put there so that it can be taken out again")
    return (mark + updated).encode(), trace


def change(name: str, data: bytes, spot: Spot, key: Key, value: object) -> bytes:
    """Return the bytes with another value for the entry."""
    mark, text = _text(data)
    updated = _kind(name).change(text, spot, key, value)
    if find(name, updated.encode(), spot) != {**find(name, data, spot), key: value}:
        raise Unreadable("the entry can't be changed without changing anything else")
    return (mark + updated).encode()


def remove(name: str, data: bytes, spot: Spot, key: Key, trace: Trace | None) -> bytes:
    """Return the bytes without the entry."""
    mark, text = _text(data)
    updated = _kind(name).remove(text, spot, key, trace)
    if len(find(name, updated.encode(), spot)) != len(find(name, data, spot)) - 1:
        raise Unreadable("the entry can't be taken out without changing anything else")
    return (mark + updated).encode()


def rewrite(name: str, data: bytes, value: object) -> bytes:
    """Return the bytes with this value, of which only strings may differ."""
    mark, text = _text(data)
    if value == read(name, data):
        return data
    updated = _kind(name).rewrite(text, value)
    if read(name, updated.encode()) != value:
        raise Unreadable("its values can't be changed without changing anything else")
    return (mark + updated).encode()


def check_json(name: str, data: bytes, read: JsonExtra) -> None:
    """Raise Unreadable for JSON extensions that the file's program can't read.

    Files of other formats pass.
    """
    if _format_of(name) != "json":
        return
    mark, text = _text(data)
    if mark and JsonExtra.MARK not in read:
        raise Unreadable.at(text, 0, "its program reads no byte order mark")
    check_extras(text, read)


def _kind(name: str) -> ModuleType:
    """Return the module of the file's format, loaded when first used.

    A hook needs none of them.
    """
    return import_module(f"studio.documents.{_format_of(name)}_entry")


def _format_of(name: str) -> str:
    if name.endswith((".yaml", ".yml")):
        return "yaml"
    return "toml" if name.endswith(".toml") else "json"


def _text(data: bytes | None) -> tuple[str, str]:
    """Return the byte order mark, if any, and the text after it."""
    try:
        text = (data or b"").decode()
    except UnicodeDecodeError as error:
        before = (data or b"")[: error.start].decode("utf-8", "replace")
        raise Unreadable.at(before, len(before), "this is no UTF-8") from error
    return (_MARK, text[1:]) if text.startswith(_MARK) else ("", text)
