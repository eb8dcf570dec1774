"""JSON with places: equal to the standard reader on good text, never worse than an error on bad."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from studio.formats.json_text import JsonError, JsonObject, JsonValue, parse_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.text(st.characters())
    | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def plain(found: JsonValue) -> object:
    if isinstance(found.value, JsonObject):
        return {key: plain(value) for key, value in found.value.members.items()}
    return [plain(item) for item in found.value] if isinstance(found.value, tuple) else found.value


@given(
    VALUES.filter(lambda value: "Infinity" not in json.dumps(value)),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_good_json_reads_as_it_was_written(value: object, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert plain(parse_json(f" {text}\r\n")) == value


@given(st.text(max_size=50) | st.text('{}[]",:0123456789.eE-+truefalsn \\u', max_size=30))
def test_any_text_is_read_as_the_standard_reader_does_or_refused(text: str) -> None:
    try:
        ours = plain(parse_json(text))
    except JsonError as error:
        assert 0 <= error.position <= len(text)
        assert error.message
        return

    def no_constants(name: str) -> object:
        raise AssertionError(name)

    assert json.loads(text, parse_constant=no_constants) == ours


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        ("{", 1),
        ("[1", 2),
        ("[1,]", 3),
        ('{"a" 1}', 5),
        ('{"a":}', 5),
        ('{"a":1,}', 7),
        ("{a:1}", 1),
        ("[NaN]", 1),
        ("[Infinity]", 1),
        ("[-Infinity]", 1),
        ("[01]", 2),
        ("[+1]", 1),
        ("[.5]", 1),
        ("[1] x", 4),
        ("// c\n{}", 0),
        ("'a'", 0),
        ("\ufeff{}", 0),
        ("[" * 33, 32),
    ],
)
def test_bad_json_says_where(text: str, position: int) -> None:
    with pytest.raises(JsonError) as failed:
        parse_json(text)
    assert failed.value.position == position


@pytest.mark.parametrize("text", ["1e5", "1E-2", "-0", "-1.5e+3", "0.25", "9" * 18, "1e999", "true", "null"])
def test_single_values_are_read_as_the_standard_reader_does(text: str) -> None:
    assert parse_json(text).value == json.loads(text)


def test_equal_keys_are_told_with_their_places() -> None:
    found = parse_json('{"a":1, "b":2, "a":3}').value
    assert isinstance(found, JsonObject)
    assert found.duplicates == (("a", 15),)
    assert found.members["a"].value == 1
    assert found.key_positions == {"a": 1, "b": 8}


@pytest.mark.parametrize(
    "text", ["[" * 1_000_000, '{"a":' * 1_000_000, "9" * 1_000_000, '"' + "\\" * 999_999]
)
def test_bombs_are_refused_or_read_at_once(text: str) -> None:
    began = time.process_time()
    with suppress(JsonError):
        parse_json(text)
    assert time.process_time() - began < 2.0
