"""Codex's patches as drafts: what is printed is read back, and half a patch is none."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from studio.engine.draft import DraftStep, TextEdit
from studio.engine.plan import Operation
from studio.engine.policy import PolicyLimits
from studio.errors import Refused
from studio.formats import detect
from studio.formats.limits import EDITS_UP_TO
from studio.names import normalized

REPLIES = Path(__file__).parent / "replies" / "apply-patch"
LINE = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=12)
ANCHOR = LINE.map(str.strip).filter(bool)
PATH = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1, max_size=9)
PATH = PATH.filter(str.strip)
BODY = st.lists(st.tuples(st.sampled_from(" -+"), LINE), min_size=1, max_size=5)
CHUNK = st.tuples(st.lists(ANCHOR, max_size=2), BODY).filter(
    lambda chunk: not chunk[0] or any(kind != "+" for kind, _ in chunk[1])
)
CHANGE = st.one_of(
    st.tuples(st.just("Add"), st.lists(LINE, max_size=5)),
    st.tuples(st.just("Delete"), st.none()),
    st.tuples(st.just("Update"), st.lists(CHUNK, min_size=1, max_size=3)),
)
Chunk = tuple[list[str], list[tuple[str, str]]]


def printed(chunk: Chunk, *, is_first: bool) -> str:
    heads, body = chunk
    said = "".join(f"@@ {head}\n" for head in heads)
    if not said and not is_first:
        said = "@@\n"
    return said + "".join(f"{kind}{line}\n" for kind, line in body)


def edit_of(chunk: Chunk, *, is_first: bool, at_end: bool) -> TextEdit:
    heads, body = chunk
    return TextEdit(
        "".join(f"{line}\n" for kind, line in body if kind != "+"),
        "".join(f"{line}\n" for kind, line in body if kind != "-"),
        whole_lines=True,
        after=tuple(heads),
        in_order=not is_first,
        at_end=at_end or all(kind == "+" for kind, _ in body),
    )


@given(
    st.lists(st.sampled_from(["+", "+a", "*** End Patch", "+*** End Patch", "a"]), max_size=6), st.booleans()
)
def test_added_file_with_end_marks_is_whole_or_refused(lines: list[str], in_list: bool) -> None:
    patch = ["*** Begin Patch", "*** Add File: a.txt", *lines, "*** End Patch"]
    indent = "  " if in_list else ""
    draft = detect.read("".join(f"{indent}{line}\n" for line in patch).encode())
    wanted = "".join(f"{line[1:]}\n" for line in lines).encode()
    assert draft.problems or [step.content for step in draft.steps] == [wanted]


CHANGES = st.dictionaries(PATH, st.tuples(CHANGE, st.booleans()), min_size=1, max_size=4)


@example({"./a": (("Delete", None), False)}, False)
@given(CHANGES.filter(lambda changes: len(set(map(normalized, changes))) == len(changes)), st.booleans())
def test_what_is_printed_is_read_back(
    changes: dict[str, tuple[tuple[str, list[str] | list[Chunk] | None], bool]], in_fence: bool
) -> None:
    text, expected = "*** Begin Patch\n", list[DraftStep]()
    for path, ((kind, said), at_end) in changes.items():
        text += f"*** {kind} File: {path}\n"
        if kind == "Add":
            lines = [str(line) for line in said or ()]
            text += "".join(f"+{line}\n" for line in lines)
            content = "".join(f"{line}\n" for line in lines).encode()
            expected.append(DraftStep(Operation.CREATE, normalized(path), content=content))
        elif kind == "Delete":
            expected.append(DraftStep(Operation.DELETE, normalized(path)))
        else:
            chunks = [chunk for chunk in said or () if not isinstance(chunk, str)]
            text += "".join(printed(chunk, is_first=not number) for number, chunk in enumerate(chunks))
            text += "*** End of File\n" if at_end else ""
            last = len(chunks) - 1
            edits = [
                edit_of(chunk, is_first=not number, at_end=at_end and number == last)
                for number, chunk in enumerate(chunks)
            ]
            expected.append(DraftStep(Operation.MODIFY, normalized(path), edits=tuple(edits)))
    text += "*** End Patch\n"
    draft = detect.read((f"```\n{text}```\n" if in_fence else text).encode(), "apply-patch")
    assert draft.problems == ()
    assert [without_lines(step) for step in draft.steps] == expected
    assert draft.message == ""


def without_lines(step: DraftStep) -> DraftStep:
    edits = [
        TextEdit(edit.old, edit.new, edit.whole_lines, edit.after, edit.in_order, edit.at_end)
        for edit in step.edits
    ]
    return DraftStep(
        step.op,
        step.path,
        step.to,
        content=step.content,
        edits=tuple(edits),
        problems=step.problems,
    )


PARTS = [
    "*** Begin Patch\n",
    "  *** Begin Patch\n",
    "*** End Patch\n",
    "*** End Patch",
    "*** Add File: a\n",
    "*** Update File: a\n",
    "*** Delete File: b\n",
    "*** Move to: c\n",
    "*** End of File\n",
    "*** Odd\n",
    "@@\n",
    "@@ x\n",
    "@@x\n",
    "+x\n",
    "-x\n",
    " x\n",
    "x\n",
    "\n",
    "\r\n",
    "```\n",
    "apply_patch <<'EOF'\n",
    "apply_patch <<EOF\n",
    "EOF\n",
    "\x00$\n",
]


@given(st.lists(st.sampled_from(PARTS), max_size=14).map("".join))
def test_any_lines_are_read_without_an_exception(text: str) -> None:
    for wanted in ("apply-patch", detect.AUTO):
        draft = detect.read(text.encode(), wanted)
        assert bool(draft.problems) != bool(draft.steps)
        assert all(problem.line for problem in draft.problems if problem.code.startswith("apply_patch."))


@pytest.mark.parametrize(
    "name", ["03-all-kinds-with-words", "10-heredoc-in-a-fence", "14-markdown-with-a-fence-inside"]
)
def test_a_patch_that_is_cut_off_is_none(name: str) -> None:
    data = (REPLIES / f"{name}.txt").read_bytes()
    end = data.rindex(b"*** End Patch") + len(b"*** End Patch")
    for cut in range(end):
        assert not detect.read(data[:cut]).steps, cut
    assert detect.read(data[:end]).steps


def test_what_is_too_much_is_refused_at_once() -> None:
    began = time.process_time()
    sections = "".join(f"*** Delete File: f{number}\n" for number in range(100_000))
    with pytest.raises(Refused, match="steps"):
        detect.read(f"*** Begin Patch\n{sections}*** End Patch\n".encode())
    chunks = "*** Update File: a\n" + "@@\n-x\n+y\n" * 1001
    with pytest.raises(Refused, match="hunks"):
        detect.read(f"*** Begin Patch\n{chunks}*** End Patch\n".encode(), limits=PolicyLimits(hunks=1000))
    for text in ("*** Begin Patch\n" * 100_000, "*** End Patch\n" * 100_000, "@@\n" * 100_000):
        assert detect.read(text.encode(), "apply-patch").problems
    assert time.process_time() - began < 10


def test_a_file_with_too_many_chunks_is_one_invalid_step() -> None:
    chunks = "*** Update File: a\n" + "@@\n-x\n+y\n" * (EDITS_UP_TO + 1)
    (step,) = detect.read(f"*** Begin Patch\n{chunks}*** End Patch\n".encode()).steps
    assert [problem.message for problem in step.problems] == ["The file has 1001 chunks; the limit is 1000."]
    assert step.edits == ()


def test_a_move_may_make_one_step_of_two_files() -> None:
    """What is refused for its size is too large, whatever it folds to."""
    text = b"*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch\n"
    assert len(detect.read(text, limits=PolicyLimits(steps=1)).steps) == 1


def test_a_text_without_a_patch_says_how_one_begins() -> None:
    (problem,) = detect.read(b"Change a.py, please.\n", "apply-patch").problems
    assert (problem.code, problem.line) == ("apply_patch.none", 1)
