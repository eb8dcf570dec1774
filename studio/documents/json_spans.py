"""JSON parser with comments and value offsets; shared types of document edits.

Offsets count characters from 0. Other text, and a duplicate key, is refused with its position.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import Enum, Flag, auto
from typing import Final

from studio.values import Value

_DEPTH = 200
_BLANKS = " \t\r\n"
_GAP = re.compile(r"[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_TOKEN = re.compile(rf"{_STRING.pattern}|//[^\r\n]*|/\*.*?\*/|,", re.DOTALL)
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


class Unreadable(Exception):
    """The text can't be parsed, or has an unsuitable structure.

    The message names the position.
    """

    @classmethod
    def at(cls, text: str, offset: int, problem: str) -> Unreadable:
        """Create the error for an offset; `problem` is a clause about it.

        Lines and columns count from 1.
        """
        line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
        return cls(f"line {line}, column {column}: {problem}")


class Shape(Enum):
    """Kind of a value."""

    OBJECT = "object"
    ARRAY = "array"
    SCALAR = "scalar"


class JsonExtra(Flag):
    """Extensions of RFC 8259 that a program can read."""

    NONE = 0
    COMMENTS = auto()
    LAST_COMMAS = auto()
    MARK = auto()
    """A byte order mark."""


class Child(Value):
    """A member or an element, with its offsets.

    `start` is the offset of its key, or else its value; `comma` that of the comma after it.
    """

    key: str | None
    start: int
    node: Node
    comma: int | None


class Node(Value):
    """A value with its start and end offset; the end is exclusive."""

    shape: Shape
    start: int
    end: int
    value: object
    children: tuple[Child, ...] = ()


Key = str | int
"""A member's key, or an element's index in its list."""


def read_spans(text: str) -> Node:
    """Parse the whole text as one value. Raises Unreadable."""
    start = gap_end(text, 0)
    node = _value(text, start, 0)
    rest = gap_end(text, node.end)
    if rest < len(text):
        raise Unreadable.at(text, rest, "nothing may stand behind the value")
    return node


def check_extras(text: str, read: JsonExtra) -> None:
    """Raise Unreadable at the first comment or trailing comma not allowed.

    The text must be valid.
    """
    for match in _TOKEN.finditer(text):
        if match.group()[0] == "/" and JsonExtra.COMMENTS not in read:
            raise Unreadable.at(text, match.start(), "its program reads no comments")
        is_last = match.group() == "," and text[gap_end(text, match.end())] in "]}"
        if is_last and JsonExtra.LAST_COMMAS not in read:
            raise Unreadable.at(text, match.start(), "its program reads no comma before a closing bracket")


def gap_end(text: str, at: int) -> int:
    """Return the offset after blanks and comments."""
    while match := _GAP.match(text, at):
        at = match.end()
    return at


def comments_end(text: str, at: int, end: int) -> int:
    """Return the offset after the last comment between two offsets.

    `at` where there is none.
    """
    last = at
    while at < end and (match := _GAP.match(text, at)):
        at = match.end()
        if text[match.start()] == "/":
            last = at
    return last


def ends_in_line_comment(text: str, at: int, end: int) -> bool:
    """Return whether the last comment of a gap is a line comment."""
    is_line = False
    while at < end and (match := _GAP.match(text, at)):
        if text[match.start()] == "/":
            is_line = text.startswith("//", match.start())
        at = match.end()
    return is_line


def child_at(node: Node, key: Key) -> Child | None:
    """Return the member or element with a key, None if missing."""
    if isinstance(key, int):
        return node.children[key] if key < len(node.children) else None
    return next((child for child in node.children if child.key == key), None)


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _DEPTH:
        raise Unreadable.at(text, at, f"values are nested more than {_DEPTH} deep")
    first = text[at : at + 1]
    if first == "{":
        return _container(text, at, depth, Shape.OBJECT, "}")
    if first == "[":
        return _container(text, at, depth, Shape.ARRAY, "]")
    match = (_STRING if first == '"' else _SCALAR).match(text, at)
    if match is None:
        raise Unreadable.at(
            text, at, "a value is missing" if first in ("", ",", "]", "}") else "no JSON value"
        )
    return Node(Shape.SCALAR, at, match.end(), _scalar(text, at, match.group()))


def _scalar(text: str, at: int, token: str) -> object:
    try:
        return json.loads(token)
    except ValueError as error:  # an integer of thousands of digits
        raise Unreadable.at(text, at, "a number is too long") from error


def _container(text: str, start: int, depth: int, shape: Shape, close: str) -> Node:
    children: list[Child] = []
    keys: set[str] = set()
    at = gap_end(text, start + 1)
    while not text.startswith(close, at):
        begin, key = at, None
        if shape is Shape.OBJECT:
            key, at = _key(text, at, keys)
        node = _value(text, at, depth + 1)
        at = gap_end(text, node.end)
        comma = at if text.startswith(",", at) else None
        children.append(Child(key, begin, node, comma))
        if comma is not None:
            at = gap_end(text, comma + 1)
        elif not text.startswith(close, at):
            raise Unreadable.at(text, at, f"a comma or {close} is missing")
    if shape is Shape.ARRAY:
        return Node(shape, start, at + 1, [child.node.value for child in children], tuple(children))
    members: Mapping[str, object] = {child.key or "": child.node.value for child in children}
    return Node(shape, start, at + 1, members, tuple(children))


def _key(text: str, at: int, keys: set[str]) -> tuple[str, int]:
    """Return the key at an offset, and the offset of its value."""
    match = _STRING.match(text, at)
    if match is None:
        raise Unreadable.at(text, at, "a key in quotes is missing")
    key = str(json.loads(match.group()))
    if key in keys:
        raise Unreadable.at(text, at, f"the key {match.group()} stands there twice")
    keys.add(key)
    at = gap_end(text, match.end())
    if not text.startswith(":", at):
        raise Unreadable.at(text, at, "a colon is missing")
    return key, gap_end(text, at + 1)


# Location of our entry in a configuration file, and its removal trace.


class Spot(Value):
    """Keys of the objects around an entry, and the entry's name.

    Without a name `keys` lead to a list, and the entry is one of its elements.
    """

    keys: tuple[str, ...]
    name: str | None


WHOLE: Final = Spot((), "")
"""A file that is entirely ours. Its entry has `content`, and may have `executable`."""


class Trace(Value):
    """Record of how to remove an entry completely.

    `depth` is how many levels of the objects around it existed before, -1 where the file was blank. `inner`
    is what the innermost of these contained, None where that was more than blanks and comments. In TOML and
    YAML it is what was inserted between the text and the entry.
    """

    depth: int
    inner: str | None


def newline_of(text: str) -> str:
    """Return the line ending of a text's first line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
