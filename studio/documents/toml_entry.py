"""Insert, change and remove one table in TOML; keep all else.

Every other character stays. A table with its own header can be at the end of any file, and the standard
library's parser verifies the result. That parser reads TOML 1.0 up to Python 3.14; Codex 0.171.0 reads 1.1.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, cast

from studio.documents.json_spans import Key, Spot, Trace, Unreadable, newline_of

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\r\n]*|\r?\n|[\[\]{}]"
    r"|,(?=(?:\s|#[^\n]*\n)*\})"
    r"|(?<![\d:+-])\d\d:\d\d(?![\d:])",
    re.DOTALL,
)
"""Strings, comments, line ends and brackets; a comma before a closing brace; a time without seconds."""
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|(e)|.)", re.DOTALL)


def find(text: str, spot: Spot) -> dict[Key, object]:
    """Return the table of that name, if it exists.

    Raises Unreadable, also where a value of another kind is in the way.
    """
    found: object = read(text)
    for key in spot.keys:
        found = _table(found, key)
        if found is None:
            return {}
    assert spot.name is not None, "no list of TOML takes an entry of ours"
    value = _table(found, spot.name)
    return {} if value is None else {spot.name: value}


def put(text: str, spot: Spot, value: object) -> tuple[str, Trace]:
    """Return the text with one more table, and its removal trace.

    The table is added at the end. Raises Unreadable.
    """
    newline = newline_of(text)
    separator = "" if not text else newline if text.endswith("\n") else newline * 2
    updated = text + separator + _render_table(spot, value, newline)
    _check(updated, _insert_table(read(text), spot, value))
    return updated, Trace(0, separator)


def change(text: str, spot: Spot, _key: Key, value: object) -> str:
    """Return the text with another table in its place.

    Raises Unreadable where it is not written as a table of its own.
    """
    start, end = _span(text, spot)
    rest = text[end:]
    gap = rest[: len(rest) - len(rest.lstrip("\r\n"))] if not text[start:end].endswith("\n") else ""
    updated = text[:start] + _render_table(spot, value, newline_of(text)) + rest.removeprefix(gap)
    _check(updated, _insert_table(read(text), spot, value))
    return updated


def remove(text: str, spot: Spot, _key: Key, trace: Trace | None) -> str:
    """Return the text without the table.

    Where nothing else changed it is the exact text from before. Raises Unreadable where it is not written as
    a table of its own but, for example, within braces.
    """
    expected = _remove_table(read(text), spot)
    start, end = _span(text, spot)
    separator = "" if trace is None else trace.inner or ""
    if text[:start].endswith(separator):
        updated = text[: start - len(separator)] + text[end:]
        if _has_meaning(updated, expected):
            return updated
    updated = text[:start] + text[end:]
    _check(updated, expected)
    return updated


def rewrite(text: str, value: object) -> str:
    """Return the text with the strings of this value. Raises Unreadable."""
    changed = dict(_differing(read(text), value))

    def rewritten(match: re.Match[str]) -> str:
        token = match.group()
        string = read(f"v = {token}")["v"] if token[0] in "\"'" else None
        return json.dumps(changed[string], ensure_ascii=False) if string in changed else token

    return _TOKEN.sub(rewritten, text)


def _differing(before: Any, after: Any) -> Iterator[tuple[object, object]]:
    if isinstance(before, str) and before != after:
        yield before, after
    elif isinstance(before, dict):
        for key in cast("dict[str, Any]", before):
            yield from _differing(before[key], after[key])
    elif isinstance(before, list):
        for inner, new in zip(cast("list[Any]", before), after, strict=True):
            yield from _differing(inner, new)


def _span(text: str, spot: Spot) -> tuple[int, int]:
    """Return the start and end offset of a table.

    It ends where nothing else is removed with it.
    """
    expected = _remove_table(read(text), spot)
    header = re.compile(rf"^\[{re.escape(_name(spot))}\][ \t]*\r?\n", re.MULTILINE)
    for match in header.finditer(text):
        for end in _ends(text, match.end()):
            if _has_meaning(text[: match.start()] + text[end:], expected):
                return match.start(), end
    raise Unreadable(f"{_name(spot)} is not written as a table of its own")


def _ends(text: str, at: int) -> Iterator[int]:
    """Yield possible end offsets of the table.

    Each is before the blank lines and comments that precede a header.
    """
    for match in (*_HEADER.finditer(text, at), None):
        end = len(text) if match is None else match.start()
        lines = text[at:end].splitlines(keepends=True)
        while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
            end -= len(lines.pop())
        yield end


def read(text: str) -> dict[str, object]:
    try:
        # Floats stay text: values are compared as they are written, and no nan equals another.
        return tomllib.loads(_as_toml_1_0(text), parse_float=_as_written)
    except (ValueError, RecursionError) as error:  # a number may have more digits than Python reads
        raise Unreadable(f"it is no TOML: {error}") from error


def _as_toml_1_0(text: str) -> str:
    """Translate TOML 1.1 to 1.0; everything stays on its line."""
    pieces: list[str] = []
    brackets: list[str] = []
    at, line_ends = 0, ""
    for match in _TOKEN.finditer(text):
        part, in_table = match.group(), brackets[-1:] == ["{"]
        pieces.append(text[at : match.start()])
        at = match.end()
        if part[0] == '"':
            part = _ESCAPE.sub(_as_unicode, part)
        elif part[0].isdigit():
            part += ":00"
        elif part in ("[", "{"):
            brackets.append(part)
        elif part in ("]", "}"):
            del brackets[-1:]
            if brackets[-1:] != ["{"]:
                part, line_ends = part + line_ends, ""
        elif in_table and part[0] in "#,\r\n":
            line_ends += "\n" * part.count("\n")
            part = " "
        pieces.append(part)
    return "".join((*pieces, text[at:]))


def _as_unicode(escape: re.Match[str]) -> str:
    if escape[2]:
        return "\\u001b"
    return f"\\u00{escape[1]}" if escape[1] else escape[0]


def _as_written(number: str) -> tuple[str, str]:
    return ("float", number)


def _table(value: object, key: str) -> object:
    if not isinstance(value, dict):
        raise Unreadable(f"what stands around {key} is no table")
    return cast("dict[str, object]", value).get(key)


def _insert_table(tables: dict[str, object], spot: Spot, value: object) -> dict[str, object]:
    updated = inner = deepcopy(tables)
    for key in spot.keys:
        inner.setdefault(key, {})
        _table(inner[key], spot.name or "")
        inner = cast("dict[str, object]", inner[key])
    inner[spot.name or ""] = value
    return updated


def _remove_table(tables: dict[str, object], spot: Spot) -> dict[str, object]:
    """Return the tables without that one, and without parents left empty."""
    updated = deepcopy(tables)
    containers = [updated]
    for key in spot.keys:
        containers.append(cast("dict[str, object]", containers[-1][key]))
    del containers[-1][spot.name or ""]
    return updated


def _has_meaning(text: str, expected: Mapping[str, object]) -> bool:
    try:
        return _prune_empty(read(text)) == _prune_empty(expected)
    except Unreadable:
        return False


def _prune_empty(value: object) -> object:
    """Return a value without empty tables.

    A parent that only held the entry counts as missing.
    """
    if not isinstance(value, dict):
        return value
    members = {key: _prune_empty(each) for key, each in cast("dict[str, object]", value).items()}
    return {key: each for key, each in members.items() if each != {}}


def _check(text: str, expected: Mapping[str, object]) -> None:
    if not _has_meaning(text, expected):
        raise Unreadable("the entry can't stand beside what is there")


def _name(spot: Spot) -> str:
    return ".".join((*spot.keys, spot.name or ""))


def _render_table(spot: Spot, value: object, newline: str) -> str:
    members = cast("dict[str, object]", value)
    lines = [f"[{_name(spot)}]", *(f"{key} = {_text(each)}" for key, each in members.items()), ""]
    return newline.join(lines)


def _text(value: object) -> str:
    if isinstance(value, dict):
        members = cast("dict[str, object]", value).items()
        return f"{{ {', '.join(f'{key} = {_text(each)}' for key, each in members)} }}"
    return json.dumps(value, ensure_ascii=False)
