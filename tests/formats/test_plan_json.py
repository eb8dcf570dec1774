"""The JSON plan: strict in keys, lenient to a broken step's siblings, safe with any bytes."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from studio.engine.draft import DraftStep, PlanDraft, TextEdit
from studio.engine.plan import Operation
from studio.formats.limits import EDITS_UP_TO
from studio.formats.plan_json import read_plan

HUNK = "@@ -1 +1 @@\n-a\n+b\n"


def plan_of(*steps: object, **more: object) -> PlanDraft:
    return read_plan(json.dumps({"title": "T", "steps": steps, **more}).encode())


def step_of(**step: object) -> DraftStep:
    draft = plan_of(step)
    assert draft.problems == ()
    assert len(draft.steps) == 1
    return draft.steps[0]


def codes(step: DraftStep) -> list[str]:
    return [problem.code for problem in step.problems]


def test_a_whole_plan() -> None:
    draft = read_plan(
        json.dumps(
            {
                "schema": 1,
                "title": " Add a thing ",
                "agent": "codex",
                "steps": [
                    {
                        "op": "create",
                        "path": "a.txt",
                        "content": "\u00e9\n",
                        "executable": True,
                        "reason": "new",
                    },
                    {"op": "modify", "path": "b.txt", "content": "", "encoding": "utf-8"},
                    {
                        "op": "modify",
                        "path": "c.txt",
                        "edits": [{"old": "x", "new": ""}],
                        "base_sha256": "0a" * 32,
                    },
                    {"op": "modify", "path": "d.txt", "patch": HUNK},
                    {"op": "append", "path": "e.txt", "content": "more"},
                    {"op": "delete", "path": "f.txt"},
                    {"op": "move", "path": "g.txt", "to": "h.txt", "patch": HUNK},
                    {"op": "copy", "path": "h2.txt", "to": "i.txt"},
                    {"op": "mkdir", "path": "j"},
                    {"op": "mode", "path": "k.sh", "executable": False},
                ],
            }
        ).encode()
    )
    assert (draft.format, draft.title, draft.agent, draft.problems) == ("plan", "Add a thing", "codex", ())
    assert [step.op for step in draft.steps] == [
        Operation.CREATE,
        *[Operation.MODIFY] * 3,
        *[
            Operation.APPEND,
            Operation.DELETE,
            Operation.MOVE,
            Operation.COPY,
            Operation.MKDIR,
            Operation.MODE,
        ],
    ]
    assert not any(step.problems for step in draft.steps)
    create, content, edits, patch, append, _, move, copy, _, mode = draft.steps
    assert (create.content, create.executable, create.reason) == (b"\xc3\xa9\n", True, "new")
    assert content.content == b""
    assert (edits.edits, edits.base_sha256) == ((TextEdit("x", ""),), "0a" * 32)
    assert patch.patch is not None
    assert (patch.patch.path, len(patch.patch.hunks)) == ("d.txt", 1)
    assert append.content == b"more"
    assert move.patch is not None
    assert (move.to, move.patch.to) == ("h.txt", "h.txt")
    assert (copy.path, copy.to) == ("h2.txt", "i.txt")
    assert mode.executable is False


def test_exact_bytes_are_given_in_base64() -> None:
    assert step_of(op="create", path="a.png", content_base64="iVBORw0KGgo=").exact == b"\x89PNG\r\n\x1a\n"
    changed = step_of(op="modify", path="a", content_base64="", executable=True)
    assert (changed.exact, changed.content, changed.problems) == (b"", None, ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("AA\nAA", "white space at character 3"),
        (" AAAA", "white space at character 1"),
        ("AAAA\n", "white space at character 5"),
        ("AA-_", "the character '-' at character 3"),
        ("AAA\u0391", "the character '\\u0391' at character 4"),
        ("AA=A", "the character '=' at character 3"),
        ("data:;base64,AAAA", "the character ':' at character 5"),
        ("AAA", "its 3 characters are no multiple of four"),
        ("AAAA=", "its 5 characters are no multiple of four"),
        ("A===", "too many ="),
        ("====", "too many ="),
        ("AAAA====", "too many ="),
        ("AB==", "bits after its last byte are set"),
        ("AAB=", "bits after its last byte are set"),
    ],
)
def test_only_one_spelling_of_base64_is_taken(text: str, words: str) -> None:
    """The sentence says what is wrong with any other, and where."""
    step = step_of(op="create", path="a", content_base64=text)
    (problem,) = step.problems
    assert (problem.code, step.exact) == ("step.base64", None)
    assert words in problem.message
    assert (problem.line, problem.column) != (None, None)


@given(st.binary(max_size=40))
def test_any_bytes_come_through_base64(data: bytes) -> None:
    step = step_of(op="create", path="a", content_base64=base64.b64encode(data).decode())
    assert (step.exact, step.problems) == (data, ())


@given(st.text(st.sampled_from("AB+/=-_ \n9z"), max_size=9))
def test_any_text_is_base64_or_refused(text: str) -> None:
    step = step_of(op="create", path="a", content_base64=text)
    if step.exact is None:
        assert [problem.code for problem in step.problems] == ["step.base64"]
    else:
        assert base64.b64encode(step.exact).decode() == text


def test_bom_is_put_before_the_content_of_a_new_file() -> None:
    assert step_of(op="create", path="a", content="x", bom=True).content == b"\xef\xbb\xbfx"
    assert step_of(op="create", path="a", content="x", bom=False).content == b"x"


def test_paths_are_left_exactly_as_given() -> None:
    """The format judges no path; the checks of propose do."""
    for path in ("../x", "/etc/passwd", "a b", " a ", "CON", ""):
        assert step_of(op="delete", path=path).path == path


WHOLE = {
    b"{": ("plan.syntax", 1, 2),
    b"[]": ("plan.type", 1, 1),
    b'"x"': ("plan.type", 1, 1),
    b"\xff": ("plan.not_utf8", 1, None),
    b'{\n"title":"T",\n"steps":[]}': ("plan.no_steps", 3, 9),
    b'{"title":"T"}': ("plan.missing_key", 1, 1),
    b'{"steps":[{}]}': ("plan.missing_key", 1, 1),
    b'{"title":" ","steps":[{}]}': ("plan.value", 1, 10),
    b'{"title":1,"steps":[{}]}': ("plan.type", 1, 10),
    b'{"title":"T","agent":[],"steps":[{}]}': ("plan.type", 1, 22),
    b'{"title":"T","steps":{}}': ("plan.type", 1, 22),
    b'{"schema":2,"title":"T","steps":[{}]}': ("plan.schema", 1, 11),
    b'{"schema":true,"title":"T","steps":[{}]}': ("plan.schema", 1, 11),
    b'{"schema":1.0,"title":"T","steps":[{}]}': ("plan.schema", 1, 11),
    b'{"title":"T",\n  "state":"approved","steps":[{}]}': ("plan.unknown_key", 2, 3),
    b'{"title":"T","steps":[{}],"steps":[{}]}': ("plan.duplicate_key", 1, 27),
    b'{"title":"T","steps":[{}]} x': ("plan.syntax", 1, 28),
}


@pytest.mark.parametrize(("data", "expected"), WHOLE.items())
def test_what_is_no_plan_refuses_the_whole_text(data: bytes, expected: tuple[str, int, int | None]) -> None:
    draft = read_plan(data)
    assert draft.steps == ()
    assert [(problem.code, problem.line, problem.column) for problem in draft.problems] == [expected]
    assert draft.problems[0].hint


@pytest.mark.parametrize("key", ["state", "decision", "decided_sha256", "approved", "verdict"])
def test_a_decision_in_a_plan_is_never_honoured(key: str) -> None:
    step = step_of(op="create", path="a", content="", **{key: "approved"})
    assert codes(step) == ["plan.unknown_key"]
    assert step.problems[0].hint == "A plan can't decide about itself."
    assert plan_of({"op": "delete", "path": "a"}, **{key: "approved"}).steps == ()


BROKEN: list[tuple[dict[str, Any], list[str]]] = [
    ({"op": "create", "path": "a"}, ["step.missing_key"]),
    ({"op": "create", "path": "a", "content": 5}, ["step.type"]),
    ({"op": "create", "path": "a", "content": "", "base_sha256": "0" * 64}, ["step.key"]),
    ({"op": "create", "path": "a", "content": "", "patch": HUNK}, ["step.key"]),
    ({"op": "create", "path": "a", "content": "", "encoding": "utf-16"}, ["step.encoding"]),
    ({"op": "create", "path": "a", "content": "", "encoding": "rot13"}, ["step.encoding"]),
    ({"op": "append", "path": "a", "content": "", "encoding": "unicode_escape"}, ["step.encoding"]),
    ({"op": "move", "path": "a", "to": "b", "encoding": "koi8-r"}, ["step.key"]),
    ({"op": "create", "path": "a", "content": "", "executable": "yes"}, ["step.type"]),
    ({"op": "create", "path": "a", "content": "\ud800"}, ["step.half_character"]),
    ({"op": "modify", "path": "a"}, ["step.missing_key"]),
    ({"op": "modify", "path": "a", "content": "", "edits": [{"old": "x", "new": "y"}]}, ["step.key"]),
    ({"op": "modify", "path": "a", "content": "", "bom": True}, ["step.key"]),
    ({"op": "create", "path": "a"}, ["step.missing_key"]),
    ({"op": "create", "path": "a", "content": "", "content_base64": ""}, ["step.key"]),
    ({"op": "modify", "path": "a", "content_base64": "", "patch": HUNK}, ["step.key"]),
    ({"op": "create", "path": "a", "content_base64": "", "encoding": "utf-8", "bom": True}, ["step.key"] * 2),
    ({"op": "create", "path": "a", "content_base64": 5}, ["step.type"]),
    ({"op": "append", "path": "a", "content_base64": ""}, ["step.key", "step.missing_key"]),
    ({"op": "move", "path": "a", "to": "b", "content_base64": ""}, ["step.key"]),
    ({"op": "modify", "path": "a", "patch": "GIT binary patch\nliteral 0\n\n"}, ["diff.binary"]),
    ({"op": "modify", "path": "a", "edits": []}, ["step.type"]),
    ({"op": "modify", "path": "a", "edits": "x"}, ["step.type"]),
    ({"op": "modify", "path": "a", "edits": [5]}, ["step.type"]),
    ({"op": "modify", "path": "a", "edits": [{"old": "x"}]}, ["step.missing_key"]),
    ({"op": "modify", "path": "a", "edits": [{"old": "", "new": "y"}]}, ["step.value"]),
    ({"op": "modify", "path": "a", "edits": [{"old": "x", "new": "y", "all": True}]}, ["plan.unknown_key"]),
    ({"op": "modify", "path": "a", "edits": [{"old": "x", "new": "y"}] * (EDITS_UP_TO + 1)}, ["step.value"]),
    ({"op": "modify", "path": "a", "patch": ""}, ["diff.empty"]),
    ({"op": "modify", "path": "a", "patch": "--- a/x\n+++ b/x\n" + HUNK}, ["*"]),
    ({"op": "modify", "path": "a", "content": "x", "base_sha256": "0"}, ["step.value"]),
    ({"op": "modify", "path": "a", "content": "x", "base_sha256": "A" * 64}, ["step.value"]),
    ({"op": "append", "path": "a", "edits": [{"old": "x", "new": "y"}]}, ["step.key", "step.missing_key"]),
    ({"op": "delete", "path": "a", "content": ""}, ["step.key"]),
    ({"op": "move", "path": "a"}, ["step.missing_key"]),
    ({"op": "copy", "path": "a", "to": "b", "content": ""}, ["step.key"]),
    ({"op": "mkdir", "path": "a", "executable": True}, ["step.key"]),
    ({"op": "mode", "path": "a"}, ["step.missing_key"]),
    ({"op": "delete"}, ["step.missing_key"]),
    ({"op": "delete", "path": 5}, ["step.type"]),
    ({"op": "chmod", "path": "a"}, ["step.op"]),
    ({"op": ["create"], "path": "a"}, ["step.op"]),
    ({"path": "a"}, ["step.missing_key"]),
    ({"op": "delete", "path": "a", "reason": 1}, ["step.type"]),
    ({"op": "delete", "path": "a", "colour": "red"}, ["plan.unknown_key"]),
]


@pytest.mark.parametrize(("step", "expected"), BROKEN, ids=[str(step)[:60] for step, _ in BROKEN])
def test_a_broken_step_is_invalid_alone(step: dict[str, Any], expected: list[str]) -> None:
    draft = plan_of({"op": "delete", "path": "sound"}, step)
    assert draft.problems == ()
    sound, broken = draft.steps
    assert sound.problems == ()
    assert broken.problems
    if expected != ["*"]:
        assert codes(broken) == expected
    assert all(problem.line == 1 and problem.message and problem.hint for problem in broken.problems)


@pytest.mark.parametrize("item", [5, None, "x", [], True])
def test_a_step_that_is_no_object_is_one_invalid_step(item: object) -> None:
    assert codes(plan_of({"op": "delete", "path": "a"}, item).steps[1]) == ["step.type"]


def test_equal_keys_in_a_step_make_it_invalid() -> None:
    draft = read_plan(b'{"title":"T","steps":[\n {"op":"create","path":"a","content":"x",\n  "path":"b"}]}')
    assert [(problem.code, problem.line, problem.column) for problem in draft.steps[0].problems] == [
        ("plan.duplicate_key", 3, 3)
    ]


def test_steps_know_their_line() -> None:
    draft = read_plan(
        b'{"title":"T","steps":[\n{"op":"delete","path":"a"},\n\n{"op":"delete","path":"b", "x":1}]}'
    )
    assert [step.line for step in draft.steps] == [2, 4]
    assert (draft.steps[1].problems[0].line, draft.steps[1].problems[0].column) == (4, 28)


def test_a_bad_patch_says_its_own_line() -> None:
    step = step_of(op="modify", path="a", patch="@@ -1,2 +1,2 @@\n-a\n+b\n")
    assert step.problems
    assert "of the patch: " in step.problems[0].message
    assert step.patch is None


def test_several_edits_of_one_path_are_one_step() -> None:
    """Each edit works on the text as left by the ones before."""
    draft = plan_of(
        {"op": "modify", "path": "a", "edits": [{"old": "1", "new": "2"}], "reason": "one"},
        {"op": "delete", "path": "b"},
        {"op": "modify", "path": "a", "edits": [{"old": "2", "new": "3"}], "reason": "two"},
        {"op": "mode", "path": "a", "executable": True},
    )
    assert [step.path for step in draft.steps] == ["a", "b"]
    assert draft.steps[0].edits == (TextEdit("1", "2"), TextEdit("2", "3"))
    assert (draft.steps[0].executable, draft.steps[0].reason) == (True, "one\ntwo")


def test_a_byte_order_mark_before_the_plan_is_not_part_of_it() -> None:
    assert read_plan(b'\xef\xbb\xbf{"title":"T","steps":[{"op":"delete","path":"a"}]}').problems == ()


def test_half_characters_in_words_become_question_marks() -> None:
    draft = plan_of({"op": "delete", "path": "a", "reason": "x\ud800"}, agent="\udc00y")
    assert (draft.agent, draft.steps[0].reason) == ("?y", "x?")


PIECES = st.sampled_from(
    [
        "op",
        "path",
        "to",
        "content",
        "content_base64",
        "edits",
        "patch",
        "executable",
        "state",
        "reason",
        "bom",
    ]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["create", "modify", "move", "mode", HUNK, "a", "utf-8"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(PIECES | st.sampled_from(["old", "new"]), inner)
    ),
    max_leaves=6,
)


@given(
    st.lists(st.dictionaries(PIECES, VALUES, max_size=6) | VALUES, max_size=5),
    st.dictionaries(PIECES, VALUES),
)
def test_any_json_is_read_without_an_exception(steps: list[object], more: dict[str, object]) -> None:
    draft = plan_of(*steps, **more)
    for problem in (*draft.problems, *(problem for step in draft.steps for problem in step.problems)):
        assert problem.message.encode()
        assert problem.hint


@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_an_exception(data: bytes) -> None:
    assert read_plan(data).problems
