"""Diffs in replies, in fences and in mails are read as strictly as those that stand alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from studio.engine.diff import compute, format_unified
from studio.engine.draft import DraftStep
from studio.errors import Refused
from studio.formats.detect import read

REPLIES = Path(__file__).parent / "replies/unified"
LINES = st.lists(
    st.sampled_from(
        ["", " ", "a", "- b", "+ c", "```", "```python x/y.py", "-- ", "++ d", "--- e", "@@ -1 +1 @@"]
    ),
    max_size=12,
)
HASH = "0123456789" * 4


def diff_of(path: str, old: list[str], new: list[str]) -> str:
    base, result = ("".join(f"{line}\n" for line in lines).encode() for lines in (old, new))
    return format_unified(compute(base, result), path, path).decode()


def in_fence(diff: str) -> str:
    longest = max((len(line) for line in diff.splitlines() if set(line.strip()) == {"`"}), default=2)
    marks = "`" * max(longest, 3)
    return f"Some words.\n\n{marks}diff\n{diff}{marks}\n\nMore of them.\n"


def in_indented_fence(diff: str) -> str:
    return "1. Words:\n\n   ~~~\n" + "".join(f"   {line}" for line in diff.splitlines(True)) + "   ~~~\n"


def bare(diff: str) -> str:
    return f"Some words.\n{diff}\nMore of them.\n"


def in_mail(diff: str) -> str:
    head = (
        f"From {HASH} Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH] Words\n\n---\n f | 2 +-\n\n"
    )
    return f"{head}{diff}-- \n2.39.5\n\n"


def said(steps: tuple[DraftStep, ...]) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for step in steps:
        hunks = step.patch.hunks if step.patch is not None else ()
        bodies = [(hunk.old_start, hunk.data[hunk.start : hunk.end]) for hunk in hunks]
        found.append((step.op, step.path, bodies))
    return found


@given(
    st.lists(st.tuples(LINES, LINES).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=3),
    st.sampled_from([in_fence, in_indented_fence, bare, in_mail]),
)
def test_a_diff_says_the_same_wherever_it_stands(
    files: list[tuple[list[str], list[str]]], around: Callable[[str], str]
) -> None:
    diffs = [diff_of(f"f{number}.txt", old, new) for number, (old, new) in enumerate(files)]
    alone = read("".join(diffs).encode(), "unified")
    assert not alone.problems
    text = "".join(map(around, diffs))
    draft = read(text.encode(), "unified")
    assert (draft.problems, said(draft.steps)) == ((), said(alone.steps))
    assert all(mark not in draft.message for mark in ("@@", "diff --git", HASH))


@given(st.binary(), st.text("`~ \n+-@\\a1,"))
def test_any_bytes_around_a_diff_are_read_or_refused(data: bytes, marks: str) -> None:
    diff = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n"
    for text in (
        data,
        marks.encode(),
        data + b"\n" + diff,
        diff + marks.encode(),
        b"```diff\n" + diff + data,
    ):
        draft = read(text, "unified")
        assert draft.problems or draft.steps


@given(st.text("`~ \n+-@\\a1,", max_size=60))
@example("\\ \n")
@example("--\n1")
def test_no_line_of_a_hunk_is_taken_for_words(behind: str) -> None:
    draft = read(f"Words.\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n{behind}".encode(), "unified")
    is_signature = re.match(r"\n*-- ?\n[0-9]", behind) is not None
    if not draft.problems and not is_signature:
        first = next((line for line in behind.split("\n") if line.strip()), "a")
        # A backslash and a blank say that the line before has no end, whatever follows.
        assert first[0] not in "+- " and (first[0] != "\\" or first.startswith("\\ "))


@given(
    LINES,
    st.sampled_from([" ", "  ", " \t"]),
    st.sampled_from([str, in_fence, in_indented_fence, bare, in_mail]),
)
def test_blank_line_that_no_count_covers_is_refused(
    above: list[str], last: str, around: Callable[[str], str]
) -> None:
    """An unchanged line at the end of a hunk that is blank counts as any other line."""
    old = [*above, "x", last.removeprefix(" ")]
    diff = diff_of("f.txt", old, [*above, "y", *old[-1:]])
    header = next(line for line in diff.split("\n") if line.startswith("@@ "))
    numbers = [int(number) for number in re.findall(r",([0-9]+)", header)]
    low = re.sub(r",([0-9]+)", lambda found: f",{int(found[1]) - 1}", header)
    assert numbers and not read(around(diff).encode(), "unified").problems
    for end in ("", "\n\n"):
        draft = read((around(diff.replace(header, low)) + end).encode(), "unified")
        assert not draft.steps
        assert "diff.hunk_counts" in [problem.code for problem in draft.problems]


@pytest.mark.parametrize("name", ["in-a-diff-fence", "fences-inside-the-diff", "git-diff-in-a-fence"])
def test_a_diff_in_a_fence_that_is_cut_off_is_never_taken_for_whole(name: str) -> None:
    data = (REPLIES / f"{name}.txt").read_bytes()
    whole = said(read(data).steps)
    for end in range(1, len(data)):
        draft = read(data[:end], "unified")
        assert draft.problems or said(draft.steps) == whole, data[:end]


@pytest.mark.parametrize("name", ["bare-among-words", "two-mails"])
def test_a_bare_diff_that_is_cut_off_in_a_hunk_is_refused(name: str) -> None:
    data = (REPLIES / f"{name}.txt").read_bytes()
    whole = said(read(data).steps)
    for end in range(1, len(data)):
        draft = read(data[:end], "unified")
        assert draft.problems or said(draft.steps) == whole[: len(draft.steps)], data[:end]


def test_many_empty_lines_behind_a_hunk_are_looked_at_once() -> None:
    """Looked at again from each of them, these would take minutes."""
    diff = "--- a/f%d\n+++ b/f%d\n@@ -1 +1 @@\n-x\n+y\n"
    empty = "\n" * 100_000
    draft = read(f"{diff % (1, 1)}{empty}Words.\n{empty}{diff % (2, 2)}".encode())
    assert [step.path for step in draft.steps] == ["f1", "f2"]


def test_far_too_many_diffs_are_refused() -> None:
    diff = "```diff\n--- a/f%d\n+++ b/f%d\n@@ -1 +1 @@\n-x\n+y\n```\n"
    text = "Words.\n" + "".join(diff % (number, number) for number in range(1100))
    with pytest.raises(Refused) as caught:
        read(text.encode())
    assert caught.value.code == "plan.too_many_steps"


def test_words_that_say_no_change_beside_a_change_are_refused() -> None:
    draft = read(b"NO_CHANGES_REQUIRED\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n")
    assert [problem.code for problem in draft.problems] == ["diff.no_changes"]


def test_lines_are_those_of_the_whole_text() -> None:
    text = "Words.\n```diff\n--- a/f\n+++ b/f\n@@ -1 +1,x @@\n-x\n+y\n```\n"
    draft = read(text.encode())
    assert [(problem.code, problem.line) for problem in draft.problems] == [("diff.hunk_header", 5)]
