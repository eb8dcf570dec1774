"""Entries in other programs' configuration: whatever stands there, only they come and go (promise 5)."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.doors.connect import documents
from studio.doors.connect.entry import Spot
from studio.doors.connect.spans import Unreadable, read_spans

HOOKS, SERVER = Spot(("hooks", "PreToolUse"), None), Spot(("mcpServers",), "studio")
TABLE = Spot(("mcp_servers",), "studio")
HOOK = {"matcher": "*", "hooks": [{"type": "command", "command": '/a b/"ü', "timeout": 1, "args": []}]}
STARTS = {"command": "/a 'b", "args": ["mcp"], "on": True, "env": {"A": "ü\n"}}


def taken_out(name: str, data: bytes, spot: Spot, value: object) -> bytes:
    """Put in, looked for, changed to something else and back, taken out."""
    made, trace = documents.put(name, data, spot, value)
    key = next(key for key, found in documents.find(name, made, spot).items() if found == value)
    other = documents.change(name, made, spot, key, {"command": "other"})
    assert documents.find(name, other, spot)[key] == {"command": "other"}
    assert documents.find(name, documents.change(name, other, spot, key, value), spot)[key] == value
    return documents.take(name, made, spot, key, trace)


JSON = [
    b"",
    b" \r\n",
    b"{}",
    b"{ }\n",
    b"{\n}\n",
    b"\xef\xbb\xbf{\n  // none\n}\n",
    b'{"a":1}',
    b'{"a": 1 // one\n}',
    b'{"hooks": {}, "mcpServers": {}}',
    b'{"hooks": {"PreToolUse": []}, "mcpServers": {"x": {}}}',
    b'{\n\t"a": 1, // one\n\t/* two */ "mcpServers": {\n\t\t"x": {} /* three */,\n\t},\n}\n',
    b'{\r\n    "hooks": {"PreToolUse": [\r\n        {"a": 1}, // last\r\n    ],},\r\n}\r\n',
    b'{\n  "hooks": {\n    "PreToolUse": [\n      {"a": 1} // last\n    ]\n  }\n}',
    b'{"hooks": {"PreToolUse": [ /* none */ ]}, "mcpServers": { // none\n }}',
    b'{"a": "\\ud800", "b": 1e999, "c": [[[{}]]]}',
]
TOML = [
    b"",
    b"\n\n",
    b"a = 1",
    b"\xef\xbb\xbfa = 1 # one\r\n[mcp_servers.x]\r\ncommand = 'a'\r\n# end\r\n",
    b'a = """\n[mcp_servers.studio]\n"""\n[b]\n',
    b"[mcp_servers]\n",
    b"a = [nan, -inf, 1e999]\n",
]


@pytest.mark.parametrize("data", JSON)
@pytest.mark.parametrize(("spot", "value"), [(HOOKS, HOOK), (SERVER, STARTS)])
def test_json_is_the_very_same_afterwards(data: bytes, spot: Spot, value: object) -> None:
    assert taken_out("a.json", data, spot, value) == data


@pytest.mark.parametrize("data", TOML)
def test_toml_is_the_very_same_afterwards(data: bytes) -> None:
    assert taken_out("a.toml", data, TABLE, STARTS) == data


BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\r\n\t", " // c\n", "/* c */", "\n  /* c\n */ "])


@st.composite
def texts(draw: st.DrawFn, depth: int = 0) -> str:
    """JSON with comments, odd blanks and commas, in which our keys stand or don't."""
    kind = draw(st.integers(0, 4 if depth < 3 else 0))
    if kind == 0:
        return draw(st.sampled_from(["1", "-2.5e3", "null", "true", '"a"', '"// \\" \\u0041"']))
    comma = draw(st.sampled_from(["", ","]))
    if kind == 1:
        parts = draw(st.lists(texts(depth + 1), max_size=2))
        opening, closing = "[", "]"
    else:
        keys = draw(st.lists(st.sampled_from(["a", "hooks", "PreToolUse"]), max_size=3, unique=True))
        parts = [f'"{key}"{draw(BLANKS)}:{draw(BLANKS)}{draw(texts(depth + 1))}' for key in keys]
        opening, closing = "{", "}"
    spread = [f"{draw(BLANKS)}{part}{draw(BLANKS)}" for part in parts]
    return f"{opening}{','.join(spread)}{comma if parts else ''}{draw(BLANKS)}{closing}"


@given(texts(), BLANKS, BLANKS)
def test_any_json_is_edited_or_refused_with_its_place(text: str, before: str, behind: str) -> None:
    data = f"{before}{text}{behind}".encode()
    was = read_spans(data.decode()).value
    try:
        assert taken_out("a.json", data, HOOKS, HOOK) == data
    except Unreadable as error:
        assert re.match(r"line \d+, column \d+: ", str(error))
        assert not isinstance(was, dict) or "hooks" in was, "our keys were in nobody's way"


@given(texts(), texts())
def test_an_entry_is_taken_out_from_among_others(first: str, second: str) -> None:
    """What others have put beside it meanwhile stays as they wrote it."""
    made, trace = documents.put("a.json", b'{"hooks": {"PreToolUse": []}}', HOOKS, HOOK)
    start, ours = made.decode().split("[", 1)[0], json.dumps(HOOK)
    text = f"{start}[{first}, {ours}, // x\n{second}]}}}}"
    out = documents.take("a.json", text.encode(), HOOKS, 1, trace).decode()
    assert list(documents.find("a.json", out.encode(), HOOKS)) == [0, 1]
    assert first in out and second in out and "// x" in out


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'{\n "a": 1,\n "a": 2}', 'line 3, column 2: the key "a" stands there twice'),
        (b"[]", "line 1, column 1: the whole is no object"),
        (b'{"hooks": 3}', "line 1, column 11: the value of hooks is no object"),
        (b'{"hooks": {"PreToolUse": {}}}', "line 1, column 26: the value of PreToolUse is no list"),
        (b'{"a": 1 "b": 2}', "line 1, column 9: a comma or } is missing"),
        (b"{'a': 1}", "line 1, column 2: a key in quotes is missing"),
        (b'{"a": 01}', "line 1, column 8: a comma or } is missing"),
        (b'{"a": NaN}', "line 1, column 7: no JSON value"),
        (b'{"a" 1}', "line 1, column 6: a colon is missing"),
        (b'{"a": "\n"}', "line 1, column 7: no JSON value"),
        (b"{} {}", "line 1, column 4: nothing may stand behind the value"),
        (b"{ /* x }", "line 1, column 3: a key in quotes is missing"),
        (b"{,}", "line 1, column 2: a key in quotes is missing"),
        (b'{"a": ' * 300, "line 1, column 1207: values are nested more than 200 deep"),
        (b'\n{"a": "\xff"}', "line 2, column 8: this is no UTF-8"),
        (b"\xff\xfe{\0}\0", "line 1, column 1: this is no UTF-8"),
        (b'{"a": ' + b"1" * 5000 + b"}", "line 1, column 7: a number is too long"),
    ],
)
def test_json_is_refused_with_its_place(data: bytes, place: str) -> None:
    with pytest.raises(Unreadable) as refused:
        documents.put("a.json", data, HOOKS, HOOK)
    assert str(refused.value) == place


@pytest.mark.parametrize(
    "data",
    [
        b"a = ",
        b"a = 1\na = 2\n",
        b"mcp_servers = 3\n",
        b'mcp_servers = { x = { command = "a" } }\n',
        b"[[mcp_servers]]\n",
        b"a = '\xff'\n",
        b"a = " + b"1" * 5000 + b"\n",
    ],
)
def test_toml_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        documents.put("a.toml", data, TABLE, STARTS)


def test_a_table_goes_with_what_stands_in_it_alone() -> None:
    made, trace = documents.put("a.toml", b"a = 1", TABLE, STARTS)
    grown = made + b"x = 1 # theirs\n[mcp_servers.studio.env2]\nb = 2\n\n# about c\n[c]\nd = 3\n"
    out = documents.take("a.toml", grown, TABLE, "studio", trace)
    assert tomllib.loads(out.decode()) == {"a": 1, "c": {"d": 3}}
    assert b"\n# about c\n[c]\nd = 3\n" in out


@pytest.mark.parametrize(
    "data", [b'mcp_servers.studio = { command = "x" }\n', b'[mcp_servers]\nstudio = { command = "x" }\n']
)
def test_a_table_in_braces_is_found_and_not_touched(data: bytes) -> None:
    assert documents.find("a.toml", data, TABLE) == {"studio": {"command": "x"}}
    for act in (documents.take, documents.change):
        argument: Any = None if act is documents.take else STARTS
        with pytest.raises(Unreadable, match="not written as a table of its own"):
            act("a.toml", data, TABLE, "studio", argument)
