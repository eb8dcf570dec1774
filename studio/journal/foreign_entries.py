"""Strict parsing of journal entries from untrusted JSON."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, cast, get_args, get_origin, get_type_hints

from studio.journal.entries import Content, Entry, ListedEntry, canonical_json, from_json
from studio.journal.file_image import FileImage

_HASH = re.compile(r"[0-9a-f]{64}")
_MODE_BITS = 0o7777
_NUMBER_BITS = 63


def entry_of(raw: object) -> tuple[Entry, str]:
    """Return the entry in parsed JSON, and its canonical JSON for hashing.

    Raises ValueError for anything that `to_json` can't have written.
    """
    try:
        text = canonical_json(raw)
        entry = from_json(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    if not all(_is_of(getattr(entry, name), hint) for name, hint in _hints(type(entry)).items()):
        raise ValueError("a field of it is of another kind")
    return entry, text


def is_hash(value: object) -> bool:
    """Return whether a value is a SHA-256 in lower-case hex."""
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def is_size(value: object) -> bool:
    """Return whether a value is a non-negative 63-bit integer."""
    return type(value) is int and value >= 0 and value.bit_length() <= _NUMBER_BITS


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _is_of(value: object, hint: Any) -> bool:
    choices = get_args(hint)
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and all(
            _is_of(item, choices[0]) for item in cast("tuple[object, ...]", value)
        )
    if choices:
        return any(_is_of(value, choice) for choice in choices)
    # Exactly that type: for Python True is a number as well, and JSON holds no bytes.
    if type(value) is not hint or hint is bytes:
        return False
    match value:
        case int():
            return value.bit_length() <= _NUMBER_BITS
        case Content(digest, size):
            return is_hash(digest) and is_size(size)
        case FileImage(digest, size, mode):
            is_mode = is_size(mode) and (mode <= _MODE_BITS or (value.is_link and digest is not None))
            return is_mode and is_size(size) and (digest is None or is_hash(digest))
        case ListedEntry():
            return all(_is_of(getattr(value, name), kind) for name, kind in _hints(ListedEntry).items())
        case _:
            return True
