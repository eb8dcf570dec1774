"""Type descriptions of tool parameters and results, and result conversion to JSON.

Names are snake_case in Python and for parameters, camelCase in results as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import ClassVar, Final, Protocol, cast

from studio.values import Value


class Kind(Enum):
    """JSON Schema type of a value.

    A time is ISO 8601 text in UTC.
    """

    STRING = "string"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    TIME = "date-time"
    LIST = "array"
    OBJECT = "object"


class Parameter(Value):
    """One parameter of an operation, required if it has no default.

    `least` and `most` bound a number, the length of a text, or the number of items in a list.
    """

    name: str
    kind: Kind
    words: str
    default: str | int | bool | None = None
    least: int | None = None
    most: int | None = None

    @property
    def is_required(self) -> bool:
        return self.default is None


class Field(Value):
    """One field of a result.

    `may_miss`: it may be None; `shape` is that of an object, or of a list's items.
    """

    name: str
    kind: Kind
    words: str
    may_miss: bool = False
    shape: Shape | None = None

    @property
    def json_name(self) -> str:
        return re.sub("_([a-z])", lambda match: match[1].upper(), self.name)


class Shape(Value):
    """Fields of one kind of result, in order."""

    name: str
    fields: tuple[Field, ...]


class Shaped(Protocol):
    """A result that describes its fields."""

    SHAPE: ClassVar[Shape]


ANY: Final = Shape("AnyResult", ())
"""Shape of another operation's result."""


def as_json(result: Shaped) -> dict[str, object]:
    """Convert a result to JSON by its shape."""
    return {field.json_name: _to_plain(getattr(result, field.name)) for field in result.SHAPE.fields}


def _to_plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, tuple):
        return [_to_plain(item) for item in cast("tuple[object, ...]", value)]
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    if hasattr(value, "SHAPE"):
        return as_json(cast("Shaped", value))
    return value
