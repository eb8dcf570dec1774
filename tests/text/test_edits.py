"""An edit changes only the lines it names, whatever the file's form.

Every way in which a plan can change a file, over every form a file can have; what comes out is compared
with the whole of the expected bytes, so that nothing outside the named lines may differ.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle

import pytest
from hypothesis import given, strategies as st

from studio.engine.draft import DraftStep
from studio.engine.propose.build_result import build_changed, build_new
from studio.formats.plan_json import read_plan
from studio.text import TextForm, describe

ENDINGS = {"LF": ["\n"], "CRLF": ["\r\n"], "CR": ["\r"], "mixed": ["\n", "\r\n", "\r"]}
LETTERS = "\u00e9\u20ac"
"""In every encoding here but ASCII."""


@dataclass(frozen=True)
class Form:
    """How a file is text: Python's codec, the mark, the project's setting, letters beyond ASCII."""

    codec: str
    mark: str = ""
    setting: str | None = None
    letters: str = LETTERS

    def bytes_of(self, text: str) -> bytes:
        return (self.mark + text).encode(self.codec)

    def diff_text(self, text: str) -> str:
        """A mark of UTF-16 is never part of a diff, that of UTF-8 stands in line 1."""
        return (self.mark if self.codec == "utf-8" else "") + text


FORMS = {
    "ascii": Form("ascii", letters=""),
    "utf-8": Form("utf-8"),
    "utf-8 with mark": Form("utf-8", "\ufeff"),
    "utf-16-le": Form("utf-16-le", "\ufeff"),
    "utf-16-be": Form("utf-16-be", "\ufeff"),
    "utf-16-le by setting": Form("utf-16-le", setting="utf-16-le"),
    "windows-1252 guessed": Form("cp1252"),
    "windows-1252 by setting": Form("cp1252", setting="windows-1252"),
}


def lines_of(form: Form, ending: str, *, final: bool) -> list[str]:
    lines = [f"line {number} {form.letters}{end}" for number, end in zip(range(6), cycle(ENDINGS[ending]))]
    return lines if final else [*lines[:-1], lines[-1].rstrip("\r\n")]


@dataclass(frozen=True)
class Change:
    """`count` lines from the 0-based line `first` become `new`."""

    first: int
    count: int
    new: list[str]

    def applied_to(self, lines: list[str]) -> list[str]:
        return [*lines[: self.first], *self.new, *lines[self.first + self.count :]]


def changes_of(lines: list[str], letters: str) -> dict[str, Change]:
    def like(index: int, text: str) -> str:
        """A line of that text with the ending of another line."""
        return text + lines[index].removeprefix(lines[index].rstrip("\r\n"))

    last = len(lines) - 1
    found = {"insert at the end": Change(last + 1, 0, [f"new {letters}{lines[0][len(lines[0].rstrip()) :]}"])}
    if lines[last].rstrip("\r\n") == lines[last]:
        del found["insert at the end"]  # then it is a change of the last line
    for name, index in (("first", 0), ("middle", 3), ("last", last)):
        found[f"change the {name} line"] = Change(index, 1, [like(index, f"new {index} {letters}")])
        found[f"delete the {name} line"] = Change(index, 1, [])
        found[f"insert before the {name} line"] = Change(index, 0, [like(0, f"new before {index} {letters}")])
    return found


def hunks(old: str, new: str) -> str:
    def split(text: str) -> list[str]:
        parts = text.split("\n")
        return [f"{part}\n" for part in parts[:-1]] + [parts[-1]] * bool(parts[-1])

    listed = list(difflib.unified_diff(split(old), split(new), n=3))[2:]
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in listed
    )


def ways(form: Form, lines: list[str], change: Change) -> Iterator[tuple[str, dict[str, object]]]:
    """The change as whole content, as an edit and as a patch, in the file's own line ends."""
    old, new = "".join(lines), "".join(change.applied_to(lines))
    before, after = max(0, change.first - 1), change.first + change.count + 1
    edit = {
        "old": "".join(lines[before:after]),
        "new": "".join(
            lines[before : change.first] + change.new + lines[change.first + change.count : after]
        ),
    }
    yield "content", {"op": "modify", "content": new}
    yield "edits", {"op": "modify", "edits": [edit]}
    yield "patch", {"op": "modify", "patch": hunks(form.diff_text(old), form.diff_text(new))}
    if new.startswith(old):
        yield "append", {"op": "append", "content": new.removeprefix(old)}


def with_line_feeds_alone(step: dict[str, object]) -> dict[str, object]:
    """As an agent writes it that does not know of CRLF."""
    return json.loads(json.dumps(step).replace("\\r\\n", "\\n"))


def draft_of(step: dict[str, object]) -> DraftStep:
    draft = read_plan(json.dumps({"title": "t", "steps": [{"path": "a.txt", **step}]}).encode())
    assert not draft.problems
    (single,) = draft.steps
    assert not single.problems
    return single


@pytest.mark.parametrize("final", [True, False], ids=["final newline", "open end"])
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", FORMS)
def test_a_change_changes_its_lines_and_nothing_else(name: str, ending: str, final: bool) -> None:
    """The encoding is kept, whatever the proposal came in."""
    form = FORMS[name]
    lines = lines_of(form, ending, final=final)
    base = form.bytes_of("".join(lines))
    found = describe(base, form.setting)
    assert isinstance(found, TextForm)
    assert found.line_ending == ending
    tried: set[str] = set()
    for place, change in changes_of(lines, form.letters).items():
        expected = form.bytes_of("".join(change.applied_to(lines)))
        assert expected != base
        for way, step in ways(form, lines, change):
            variants = [step, with_line_feeds_alone(step)] if ending == "CRLF" else [step]
            for variant in variants:
                built = build_changed(draft_of(variant), base, form.setting)
                assert built.result == expected, (place, way)
                adapted = [fact for fact in built.facts if fact.kind.startswith("line_ending")]
                assert bool(adapted) == ("\\n" in json.dumps(variant) and variant != step), (place, way)
            tried.add(way)
    assert tried >= {"content", "edits", "patch"}
    assert ("append" in tried) == final


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.letters])
def test_text_that_the_encoding_lacks_is_refused_and_never_replaced(name: str) -> None:
    """No replacement character is ever written."""
    form = FORMS[name]
    base = form.bytes_of("".join(lines_of(form, "LF", final=True)))
    step = {"op": "modify", "edits": [{"old": "line 2", "new": "\u65e5\u672c"}]}
    if form.codec != "cp1252":
        assert "\u65e5\u672c".encode(form.codec) in build_changed(draft_of(step), base, form.setting).result
        return
    with pytest.raises(Exception, match=r"U\+65E5 in line 3 does not exist in windows-1252"):
        build_changed(draft_of(step), base, form.setting)


@given(
    text=st.text(st.sampled_from("ab \r\n\u00e9\u20ac\u65e5\U0001f600"), min_size=1, max_size=30),
    codec=st.sampled_from(["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be"]),
)
def test_a_change_of_one_word_leaves_all_bytes_around_it(text: str, codec: str) -> None:
    """Any text: the bytes before and after the edited word are those of the base."""
    mark = "\ufeff" if codec.startswith("utf-16") else ""
    base = (f"{mark}{text}OLD{text}").encode(codec)
    step = draft_of({"op": "modify", "edits": [{"old": "OLD", "new": "new word"}]})
    plain = codec.removesuffix("-sig")
    assert build_changed(step, base, None).result == base.replace(
        "OLD".encode(plain), "new word".encode(plain)
    )


@given(st.text(max_size=40), st.booleans())
def test_a_created_file_holds_the_text_as_given(text: str, bom: bool) -> None:
    content = text.replace("\0", "").encode("utf-8", "replace").decode()
    step = {"op": "create", "content": content, "bom": bom}
    mark = b"\xef\xbb\xbf" if bom else b""
    assert build_new(draft_of(step)).result == mark + content.encode()
