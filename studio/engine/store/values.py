"""Validating converters of database columns to Python values.

A store that was edited, or damaged in a way SQLite's checks don't see, may contain anything. Each function
returns the value or raises ValueError, whose text names the column and the fault.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Any, TypeVar, cast

Columns = sqlite3.Row | Mapping[str, Any]
"""A database row, by column name."""

E = TypeVar("E", bound=Enum)
T = TypeVar("T")

_LARGEST = 1 << 53
"""Upper bound of every size, line and position in a store."""

_YEARS = range(1970, 9999)


def text(row: Columns, column: str) -> str:
    value = row[column]
    if type(value) is not str:
        raise _invalid_value(column, "no text")
    return value


def optional(read: Callable[[Columns, str], T], row: Columns, column: str) -> T | None:
    """Return the value of `read`, or None for an empty column."""
    return None if row[column] is None else read(row, column)


def count(row: Columns, column: str) -> int:
    """Return a number that is not negative."""
    return checked_count(row[column], column)


def whole(row: Columns, column: str) -> int:
    """Return a number of either sign."""
    value = row[column]
    checked_count(abs(value) if type(value) is int else value, column)
    return value


def data(row: Columns, column: str) -> bytes:
    value = row[column]
    if type(value) is not bytes:
        raise _invalid_value(column, "no bytes")
    return value


def checked_count(value: object, what: str) -> int:
    # type, not isinstance: a bool is an int, too.
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise _invalid_value(what, "an invalid number")
    return value


def enum_value(kind: type[E], row: Columns, column: str) -> E:
    try:
        return kind(row[column])
    except ValueError as error:
        raise _invalid_value(column, "an unknown word") from error


def path(row: Columns, column: str) -> str:
    return checked_path(row[column], column)


def checked_path(value: object, what: str) -> str:
    """Decode a stored path.

    A refused path may be valid in no encoding.
    """
    try:
        return cast("bytes", value).decode("utf-8", "surrogatepass")
    except (UnicodeDecodeError, AttributeError) as error:
        raise _invalid_value(what, "no path") from error


def moment(row: Columns, column: str) -> datetime:
    """Return a time in UTC.

    One without a time zone is refused.
    """
    return checked_moment(row[column], column)


def checked_moment(value: object, what: str) -> datetime:
    try:
        found = datetime.fromisoformat(cast("str", value))
        if found.tzinfo is None or found.year not in _YEARS:
            raise ValueError(found)
        return found.astimezone(UTC)
    except (ValueError, TypeError, OverflowError) as error:
        raise _invalid_value(what, "an invalid time") from error


def checked_hash(value: object, what: str) -> str:
    """Return a SHA-256 in hex."""
    if type(value) is str and len(value) == 64:
        try:
            bytes.fromhex(value)
        except ValueError:
            pass
        else:
            return value
    raise _invalid_value(what, "no SHA-256")


def content_hash(row: Columns, column: str) -> str:
    return checked_hash(row[column], column)


def json_list(value: object, what: str) -> list[Any]:
    """Parse a JSON list."""
    found = _parse_json(value, what)
    if not isinstance(found, list):
        raise _invalid_value(what, "no list")
    return cast("list[Any]", found)


def json_object(value: object, what: str) -> dict[str, Any]:
    """Parse a JSON object."""
    found = _parse_json(value, what)
    if not isinstance(found, dict):
        raise _invalid_value(what, "no object")
    return cast("dict[str, Any]", found)


def _parse_json(value: object, what: str) -> object:
    try:
        return json.loads(cast("str", value))
    except (ValueError, TypeError, RecursionError) as error:
        raise _invalid_value(what, "no JSON") from error


def build_value(what: str, make: Callable[[], T]) -> T:
    """Build a value from parsed JSON, turning errors into ValueError."""
    try:
        return make()
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise _invalid_value(what, "an unexpected value") from error


def _invalid_value(what: str, why: str) -> ValueError:
    return ValueError(f"“{what}” holds {why}")
