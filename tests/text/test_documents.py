"""Entries in other programs' configuration: whatever stands there, only they come and go."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from ruamel import yaml

from studio import documents
from studio.documents import Spot, Unreadable, read_spans

HOOKS, SERVER = Spot(("hooks", "PreToolUse"), None), Spot(("mcpServers",), "studio")
TABLE = Spot(("mcp_servers",), "studio")
LISTED = Spot(("mcpServers",), None)
YAML_READER = yaml.YAML(typ="safe", pure=True)
HOOK = {"matcher": "*", "hooks": [{"type": "command", "command": '/a b/"ü', "timeout": 1, "args": []}]}
STARTS = {"command": "/a 'b", "args": ["mcp"], "on": True, "env": {"A": "ü\n"}}


def taken_out(name: str, data: bytes, spot: Spot, value: object) -> bytes:
    """Put in, looked for, changed to something else and back, taken out."""
    made, trace = documents.put(name, data, spot, value)
    key = next(key for key, found in documents.find(name, made, spot).items() if found == value)
    other = documents.change(name, made, spot, key, {"command": "other"})
    assert documents.find(name, other, spot)[key] == {"command": "other"}
    assert documents.find(name, documents.change(name, other, spot, key, value), spot)[key] == value
    return documents.remove(name, made, spot, key, trace)


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
    b"a = {\r\n b = [1, {\n c = '}', }], # }\r\n}\nd = 07:32\ne = 1979-05-27T07:32-07:00 # 07:32\n",
    b'a = ["\\x41\\e\\\\e", """\\x41 "" \\e""""", \'\\x41\']\n[[b]]\nc = { d = "\\"}", }\n',
]
YAML = [
    b"",
    b"\n# none\n",
    b"a: 1",
    b"---\na: 1\n",
    b"\xef\xbb\xbfa: 1 # one\r\nmcpServers:\r\n  - name: x # two\r\n# three\r\nb: 2\r\n",
    b"mcpServers:\nb: 2\n",
    b"mcpServers: # none\n\n# b\nb: 2",
    b"mcpServers:\n- name: x\n  args:\n  - a\n  # - b\n\n# c\nc:\n",
    b"mcpServers:\n    -   name: x\n        text: |\n            a\n\n\nc: >-\n  d\n",
    b"mcpServers: []\n",
    b"mcpServers: [ # none\n]\n",
    b"mcpServers: [{name: x}, {name: y}, ] # two\n",
    b"{mcpServers: [\n  {name: x}]}",
    b"{}",
    b"a: &a\n  b: 1\nc: *a\nd: {<<: *a}\n",
    b"? a\n: b\n? [c, d]\n: .nan\n",
    b"mcpServers: [{name: x,}]\n...\n",
    b"a: |+\n  b\n\n",
    b"a: 1\n...\n",
]


@pytest.mark.parametrize("data", JSON)
@pytest.mark.parametrize(("spot", "value"), [(HOOKS, HOOK), (SERVER, STARTS)])
def test_json_is_the_very_same_afterwards(data: bytes, spot: Spot, value: object) -> None:
    assert taken_out("a.json", data, spot, value) == data


@pytest.mark.parametrize("data", YAML)
def test_yaml_is_the_very_same_afterwards(data: bytes) -> None:
    assert taken_out("a.yaml", data, LISTED, STARTS) == data


@pytest.mark.parametrize("data", [b"", b"a: 1\nmcpServers:\n  x: 1\n", b"mcpServers: {x: 1}\nb:\n"])
def test_a_member_of_yaml_comes_and_goes(data: bytes) -> None:
    assert taken_out("a.yml", data, SERVER, STARTS) == data


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
    out = documents.remove("a.json", text.encode(), HOOKS, 1, trace).decode()
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
        b"a = { b = 1,, }\n",
        b"a = {\n b = 1\n c = 2 }\n",
    ],
)
def test_toml_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        documents.put("a.toml", data, TABLE, STARTS)


def test_a_table_goes_with_what_stands_in_it_alone() -> None:
    made, trace = documents.put("a.toml", b"a = 1", TABLE, STARTS)
    grown = made + b"x = 1 # theirs\n[mcp_servers.studio.env2]\nb = 2\n\n# about c\n[c]\nd = 3\n"
    out = documents.remove("a.toml", grown, TABLE, "studio", trace)
    assert tomllib.loads(out.decode()) == {"a": 1, "c": {"d": 3}}
    assert b"\n# about c\n[c]\nd = 3\n" in out


@pytest.mark.parametrize(
    "data", [b'mcp_servers.studio = { command = "x" }\n', b'[mcp_servers]\nstudio = { command = "x" }\n']
)
def test_a_table_in_braces_is_found_and_not_touched(data: bytes) -> None:
    assert documents.find("a.toml", data, TABLE) == {"studio": {"command": "x"}}
    for act in (documents.remove, documents.change):
        argument: Any = None if act is documents.remove else STARTS
        with pytest.raises(Unreadable, match="not written as a table of its own"):
            act("a.toml", data, TABLE, "studio", argument)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"a: 1\nmcpServers: 3\n", "line 2, column 13: the value of mcpServers is no list"),
        (b"- a\n", "line 1, column 1: the whole is no mapping"),
        (b"mcpServers: {a: 1}\n", "line 1, column 13: the value of mcpServers is no list"),
        (b"a: 1\nb: [\n", "line 3, column 1: expected the node content"),
        (b"mcpServers: []\nmcpServers: []\n", "line 2, column 1: the key mcpServers stands there twice"),
        (b"a: &a [1]\nmcpServers: *a\n", "line 1, column 4: the value of mcpServers has a name,"),
        (b"x: &x {a: 1}\n<<: *x\n", "the whole is merged with another mapping"),
        (b"a: 1\n---\nb: 2\n", "line 2, column 1: but found another document"),
        (b"a: &a [*a]\n", "it is no YAML"),
        (b"\tb: 1\n", "line 1, column 1: found character '\\t' that cannot start any token"),
        (b"a: \x00\n", "it is no YAML"),
        (b"a: " + b"[" * 1000, "it is no YAML"),
        (b"\na: \xff\n", "line 2, column 4: this is no UTF-8"),
    ],
)
def test_yaml_is_refused_with_its_place(data: bytes, place: str) -> None:
    with pytest.raises(Unreadable) as refused:
        documents.put("a.yaml", data, LISTED, STARTS)
    assert str(refused.value).startswith(place)


def test_an_item_of_yaml_goes_with_what_stands_in_it_alone() -> None:
    made, trace = documents.put("a.yaml", b"a: 1 # one\n", LISTED, STARTS)
    text = made.decode()
    assert text.startswith('a: 1 # one\nmcpServers:\n  - command: "/a \'b"\n    args: ["mcp"]\n')
    grown = f"{text}    more: [1] # theirs\n  # next\n  - name: x\nb: 2\n".encode()
    out = documents.remove("a.yaml", grown, LISTED, 0, trace)
    assert out == b"a: 1 # one\nmcpServers:\n  # next\n  - name: x\nb: 2\n"


GAPS = st.sampled_from(["", "", "# c\n", "\n", "# d\n\n"])
SCALARS = st.sampled_from(
    ["1", "x y", "'it''s'", '"\\u0041"', "[1, [2], ]", "{}", "|+\n{}  a\n\n", ">-\n{}  b"]
)


@st.composite
def values(draw: st.DrawFn, indent: str, depth: int) -> str:
    """What stands behind a colon or a dash in block style, with its end of line."""
    kind = draw(st.integers(0, 3 if depth < 2 else 1))
    if kind == 0:
        return draw(st.sampled_from(["\n", " # c\n"]))
    if kind == 1:
        return f" {draw(SCALARS).replace('{}  ', indent + '  ')}\n"
    if kind == 2:
        return "\n" + draw(mappings(indent + "  ", depth + 1))
    dash = indent + draw(st.sampled_from(["", "  "])) + "-"
    inner = values(dash.replace("-", " "), depth + 1)
    items = draw(st.lists(st.tuples(GAPS, inner), min_size=1, max_size=2))
    return "\n" + "".join(f"{gap}{dash}{item}" for gap, item in items)


@st.composite
def mappings(draw: st.DrawFn, indent: str = "", depth: int = 0) -> str:
    """A mapping in block style, with comments, in which our key stands or doesn't."""
    keys = draw(st.lists(st.sampled_from(["a", "mcpServers", "b"]), min_size=1, unique=True))
    return "".join(f"{draw(GAPS)}{indent}{key}:{draw(values(indent, depth))}" for key in keys)


@settings(max_examples=60)
@given(mappings(), GAPS, st.booleans())
def test_any_yaml_is_edited_or_refused(text: str, behind: str, ends: bool) -> None:
    whole = text + behind if ends else (text + behind).rstrip("\n")
    try:
        assert taken_out("a.yaml", whole.encode(), LISTED, STARTS) == whole.encode()
    except Unreadable:
        loaded = YAML_READER.load(whole)
        held = loaded.get("mcpServers") if isinstance(loaded, dict) else None
        # The end of a last text that keeps or lacks its line's end is a part of it.
        assert not ends or not (held is None or isinstance(held, list))
