"""JSON as people write it, with comments and commas before a closing bracket: values, and where each stands.

Offsets count characters from 0. What is no such JSON, and what has one key twice, is refused with its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, Flag, auto

_DEPTH = 200
_BLANKS = " \t\r\n"
_GAP = re.compile(r"[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_TOKEN = re.compile(rf"{_STRING.pattern}|//[^\r\n]*|/\*.*?\*/|,", re.DOTALL)
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


class Unreadable(Exception):
    """A text that can't be read, or that has another shape than its entry needs; the words name the place."""

    @classmethod
    def at(cls, text: str, offset: int, what: str) -> Unreadable:
        """`what` is a clause about the place; lines and columns count from 1."""
        line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
        return cls(f"line {line}, column {column}: {what}")


class Shape(Enum):
    """What a value is."""

    OBJECT = "object"
    ARRAY = "array"
    SCALAR = "scalar"


class JsonExtra(Flag):
    """What a program reads in JSON that RFC 8259 does not have."""

    NONE = 0
    COMMENTS = auto()
    LAST_COMMAS = auto()
    MARK = auto()
    """A byte order mark."""


@dataclass(frozen=True, slots=True)
class Child:
    """A member or an element: `start` is where its key, or else its value, begins; `comma` that behind it."""

    key: str | None
    start: int
    node: Node
    comma: int | None


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its brackets' or its text's first offset, and the one behind its last."""

    shape: Shape
    start: int
    end: int
    value: object
    children: tuple[Child, ...] = ()


Key = str | int
"""A member's key, or an element's place in its list, counted from 0."""


def read_spans(text: str) -> Node:
    """The whole text as one value. Raises Unreadable."""
    start = gap_end(text, 0)
    node = _value(text, start, 0)
    rest = gap_end(text, node.end)
    if rest < len(text):
        raise Unreadable.at(text, rest, "nothing may stand behind the value")
    return node


def check_extras(text: str, read: JsonExtra) -> None:
    """Raise Unreadable at the first comment or last comma that is not read; the text is a value."""
    for match in _TOKEN.finditer(text):
        if match.group()[0] == "/" and JsonExtra.COMMENTS not in read:
            raise Unreadable.at(text, match.start(), "its program reads no comments")
        is_last = match.group() == "," and text[gap_end(text, match.end())] in "]}"
        if is_last and JsonExtra.LAST_COMMAS not in read:
            raise Unreadable.at(text, match.start(), "its program reads no comma before a closing bracket")


def gap_end(text: str, at: int) -> int:
    """Where blanks and comments from here on end."""
    while match := _GAP.match(text, at):
        at = match.end()
    return at


def comments_end(text: str, at: int, end: int) -> int:
    """Behind the last comment of the gap from `at` to `end`; `at` where it holds none."""
    last = at
    while at < end and (match := _GAP.match(text, at)):
        at = match.end()
        if text[match.start()] == "/":
            last = at
    return last


def ends_in_line_comment(text: str, at: int, end: int) -> bool:
    """Whether the last comment of a gap goes to the end of its line."""
    is_line = False
    while at < end and (match := _GAP.match(text, at)):
        if text[match.start()] == "/":
            is_line = text.startswith("//", match.start())
        at = match.end()
    return is_line


def child_at(node: Node, key: Key) -> Child | None:
    """The member or element of that key."""
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


def _key(text: str, at: int, seen: set[str]) -> tuple[str, int]:
    """The key at an offset and where its value begins."""
    match = _STRING.match(text, at)
    if match is None:
        raise Unreadable.at(text, at, "a key in quotes is missing")
    key = str(json.loads(match.group()))
    if key in seen:
        raise Unreadable.at(text, at, f"the key {match.group()} stands there twice")
    seen.add(key)
    at = gap_end(text, match.end())
    if not text.startswith(":", at):
        raise Unreadable.at(text, at, "a colon is missing")
    return key, gap_end(text, at + 1)
