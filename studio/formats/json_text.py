"""Strict JSON parser that keeps positions, safe with hostile text.

Python's own parser keeps the last of two equal keys, has no positions, and accepts NaN and endless nesting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NoReturn

from studio.formats.limits import JSON_DEPTH
from studio.values import Value

_SPACE = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_INTEGER_CHARACTERS = 18


class JsonError(Exception):
    """The text is no JSON at `position`, an offset in characters."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class JsonObject(Value):
    """The members of an object by key.

    Of two equal keys the first is used and the others are listed.
    """

    members: Mapping[str, JsonValue]
    key_positions: Mapping[str, int]
    duplicates: tuple[tuple[str, int], ...]


class JsonValue(Value):
    """A value and its offset; only small integers are int.

    Any other number is a float.
    """

    value: str | int | float | bool | tuple[JsonValue, ...] | JsonObject | None
    position: int


def parse_json(text: str) -> JsonValue:
    """Parse one JSON value that fills the whole text. Raises JsonError."""
    reader = _Reader(text)
    value = reader.value(0)
    if reader.position < len(text):
        raise JsonError("something follows the end", reader.position)
    return value


def parse_values(text: str) -> Iterator[JsonValue]:
    """Yield each value of a JSON array or sequence of values.

    In such a sequence each begins on a line of its own. They are parsed one by one, so that a caller with a
    limit can stop. Raises JsonError.
    """
    yield from _Reader(text).values()


def plain_value(value: JsonValue | None) -> object:
    """Return the value without its positions, for comparison."""
    content = value.value if value is not None else None
    if isinstance(content, tuple):
        return tuple(map(plain_value, content))
    if isinstance(content, JsonObject):
        return {key: plain_value(member) for key, member in content.members.items()}
    return content


def convert_decode_error(error: json.JSONDecodeError) -> JsonError:
    """Convert an error of Python's decoder.

    Some of its messages count from the opening quote, some from the wrong character.
    """
    return JsonError(_sentence_part(error.msg), error.pos)


def whole_text(text: str) -> str:
    """Replace halves of surrogate pairs, which can't be stored, with "?".

    Use it for text that is only shown to people.
    """
    return text.encode("utf-8", "replace").decode()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._decoder = json.JSONDecoder()
        self.position = 0
        self._skip_space()

    def values(self) -> Iterator[JsonValue]:
        """Yield all values of the text, or of its array."""
        if self._text.startswith("[", self.position):
            yield from self._items(1)
            self._skip_space()
            if self.position < len(self._text):
                self._fail("something follows the end")
            return
        while True:
            yield self.value(0)
            if self.position >= len(self._text):
                return
            if not self._at_line_start():
                self._fail("something follows the end of a value on its line")

    def _items(self, depth: int) -> Iterator[JsonValue]:
        if self._skip_opening("]"):
            return
        while True:
            yield self.value(depth)
            if not self._skip_separator("]"):
                return

    def _at_line_start(self) -> bool:
        line = self._text.rfind("\n", 0, self.position) + 1
        return not self._text[line : self.position].strip()

    def value(self, depth: int) -> JsonValue:
        start = self.position
        character = self._text[start : start + 1]
        if character in ("{", "[") and depth >= JSON_DEPTH:
            self._fail(f"it is nested deeper than {JSON_DEPTH} levels")
        if character == "{":
            found = JsonValue(self._object(depth + 1), start)
        elif character == "[":
            found = JsonValue(tuple(self._items(depth + 1)), start)
        elif character == '"':
            found = JsonValue(self._string(), start)
        else:
            found = JsonValue(self._scalar(), start)
        self._skip_space()
        return found

    def _object(self, depth: int) -> JsonObject:
        members: dict[str, JsonValue] = {}
        positions: dict[str, int] = {}
        duplicates: list[tuple[str, int]] = []
        if self._skip_opening("}"):
            return JsonObject(members, positions, ())
        while True:
            start = self.position
            if self._text[start : start + 1] != '"':
                self._fail("a key in double quotes is missing")
            key = self._string()
            self._skip_space()
            self._expect(":")
            value = self.value(depth)
            if key in members:
                duplicates.append((key, start))
            else:
                members[key] = value
                positions[key] = start
            if not self._skip_separator("}"):
                return JsonObject(members, positions, tuple(duplicates))

    def _skip_opening(self, closing: str) -> bool:
        """Skip the opening bracket; return whether the closing one follows at once."""
        self.position += 1
        self._skip_space()
        if self._text[self.position : self.position + 1] != closing:
            return False
        self.position += 1
        return True

    def _skip_separator(self, closing: str) -> bool:
        """Skip a comma or closing bracket; return whether a comma."""
        character = self._text[self.position : self.position + 1]
        if character not in (",", closing) or not character:
            self._fail(f'a "," or "{closing}" is missing')
        self.position += 1
        if character == ",":
            self._skip_space()
        return character == ","

    def _expect(self, character: str) -> None:
        if self._text[self.position : self.position + 1] != character:
            self._fail(f'a "{character}" is missing')
        self.position += 1
        self._skip_space()

    def _string(self) -> str:
        try:
            value, self.position = self._decoder.raw_decode(self._text, self.position)
        except json.JSONDecodeError as error:
            raise convert_decode_error(error) from error
        assert isinstance(value, str)
        return value

    def _scalar(self) -> int | float | bool | None:
        match = _SCALAR.match(self._text, self.position)
        if match is None:
            self._fail("a value is missing")
        self.position = match.end()
        word = match[0]
        if word in ("true", "false"):
            return word == "true"
        if word == "null":
            return None
        if match[1] is None and match[2] is None and len(word) <= _INTEGER_CHARACTERS:
            return int(word)
        return float(word)

    def _skip_space(self) -> None:
        match = _SPACE.match(self._text, self.position)
        assert match is not None
        self.position = match.end()

    def _fail(self, message: str) -> NoReturn:
        raise JsonError(message, self.position)


def _sentence_part(message: str) -> str:
    return message[:1].lower() + message[1:].removesuffix(" starting at").removesuffix(" at").rstrip(" :")
