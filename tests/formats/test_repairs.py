"""A diff that was damaged in one way reads as the good one again, or is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import assume, given, strategies as st
from msgspec.structs import replace

from studio.engine.diff import compute, format_unified, parse_unified
from studio.engine.draft import PlanDraft
from studio.engine.propose.build_result import build_changed
from studio.formats import detect
from studio.formats.count_checks import USUAL_LIMITS
from studio.formats.limits import REPAIRED_TEXT_BYTES
from studio.formats.repairs import consider_repair

REPLIES = Path(__file__).parent / "replies"
LINES = st.lists(st.sampled_from(["a", "b", "    c", "", "d e"]), min_size=1, max_size=12)


def considered(data: bytes, *, takes_repairs: bool = True) -> PlanDraft:
    return consider_repair(detect.read(data), data, USUAL_LIMITS, takes_repairs=takes_repairs)


def good_diff(base: list[str], result: list[str]) -> bytes:
    before, after = ("".join(f"{line}\n" for line in lines).encode() for lines in (base, result))
    return format_unified(compute(before, after), "a.py", "a.py")


def bodies(data: bytes) -> list[list[bytes]]:
    return [[hunk.body for hunk in patch.hunks] for patch in parse_unified(data)]


def read(draft: PlanDraft) -> list[list[bytes]]:
    return [[hunk.body for hunk in step.patch.hunks] for step in draft.steps if step.patch is not None]


HEAD = "--- a/a.txt\n+++ b/a.txt\n"


def diff(body: str, header: str = "@@ -1,3 +1,3 @@") -> bytes:
    return f"{HEAD}{header}\n{body}".encode()


CASES = {
    "counts": (
        b"one\ntwo\nthree\n",
        diff(" one\n-two\n+2\n three\n", "@@ -1,2 +1,2 @@"),
        "wrong numbers in the headers of hunks, at line 3 of the text",
        b"one\n2\nthree\n",
    ),
    "empty-line": (
        b"one\n\nthree\n",
        diff(" one\n\n-three\n+3\n"),
        "the blank that empty lines of a hunk have lost, at line 5 of the text",
        b"one\n\n3\n",
    ),
    "first-blanks": (
        b"one:\n    two\nthree\n",
        diff("one:\n    two\n-three\n+3\n"),
        "the first blank that all unchanged lines have lost, at lines 4, 5 of the text",
        b"one:\n    two\n3\n",
    ),
    "quoted": (
        b"one\ntwo\nthree\n",
        b"".join(b"> " + line for line in diff(" one\n-two\n+2\n three\n").splitlines(keepends=True)),
        "the mark “>” before every line",
        b"one\n2\nthree\n",
    ),
    "quoted-blocks": (
        b"one\ntwo\nthree\n",
        b"> a.txt\n> <<<<<<< SEARCH\n> two\n> =======\n> 2\n> >>>>>>> REPLACE\n",
        "the mark “>” before every line",
        b"one\n2\nthree\n",
    ),
    "prompt": (
        b"one\ntwo\nthree\n",
        b"".join(b"$ " + line for line in diff(" one\n-two\n+2\n three\n").splitlines(keepends=True)),
        "the mark “$” before every line",
        b"one\n2\nthree\n",
    ),
}
"""Of a file and a text that can't be read: the repair by its words, and the bytes that come of it."""


@pytest.mark.parametrize(("base", "text", "sentence", "result"), CASES.values(), ids=CASES)
def test_a_repair_is_named_and_makes_what_was_meant(
    base: bytes, text: bytes, sentence: str, result: bytes
) -> None:
    hints = [problem.hint for problem in considered(text, takes_repairs=False).problems]
    assert f"one repair: {sentence}. Submit it with the option repair." in "".join(hints)
    (step,) = considered(text).steps
    assert step.repaired is not None and step.repaired.message.endswith(f"and was repaired: {sentence}.")
    assert build_changed(step, base, None).result == result


UNREPAIRED = {
    "perhaps cut off": diff(" one\n-two\n+2\n", "@@ -1,9 +1,9 @@"),
    "perhaps another file": diff(" one\n-two\n+2\n three\n--- a/b.txt\n+++ b/b.txt\n", "@@ -1,2 +1,2 @@"),
    "wrong counts and a lost blank": diff(" one\n\n-three\n+3\n", "@@ -1,9 +1,9 @@"),
    "a quoted diff that lost a blank": b"".join(
        b"> " + line for line in diff(" one\n\n-three\n+3\n").splitlines(keepends=True)
    ),
}


@pytest.mark.parametrize("text", UNREPAIRED.values(), ids=UNREPAIRED)
def test_what_needs_a_guess_or_two_is_no_repair(text: bytes) -> None:
    problems = considered(text).problems
    assert problems and not [each for each in problems if "option repair" in each.hint]


@given(LINES, LINES, st.integers(1, 5))
def test_counts_that_are_too_small_are_counted_anew(base: list[str], result: list[str], less: int) -> None:
    assume(base != result)
    good = good_diff(base, result)

    def damage(match: re.Match[bytes]) -> bytes:
        return b"@@ -%b,%d +%b,%d @@" % (match[1], max(1, int(match[2]) - less), match[3], int(match[4]))

    damaged = re.sub(rb"@@ -(\d+),(\d+) \+(\d+),(\d+) @@", damage, good)
    assume(damaged != good)
    assert considered(damaged, takes_repairs=False).problems
    draft = considered(damaged)
    assert not draft.problems and read(draft) == bodies(good)
    assert all(step.repaired for step in draft.steps)


@given(LINES, LINES)
def test_empty_lines_get_their_blank_back(base: list[str], result: list[str]) -> None:
    assume(base != result)
    good = good_diff(base, result)
    damaged = good.replace(b"\n \n", b"\n\n").replace(b"\n \n", b"\n\n")
    assume(damaged != good)
    draft = considered(damaged)
    assert not draft.problems and read(draft) == bodies(good)


@given(LINES, LINES)
def test_a_first_blank_that_all_lines_lost_is_put_back_or_left(base: list[str], result: list[str]) -> None:
    assume(base != result)
    good = good_diff(base, result)
    damaged = re.sub(rb"(?m)^ ", b"", good)
    assume(re.search(rb"(?m)^[abd]", damaged.replace(b"diff --git", b"")))
    draft = considered(damaged)
    assert not draft.problems and read(draft) == bodies(good)


@given(LINES, LINES, st.sampled_from([b"> ", b"$ "]))
def test_a_mark_before_every_line_is_taken_off(base: list[str], result: list[str], mark: bytes) -> None:
    assume(base != result)
    good = good_diff(base, result)
    damaged = b"".join(mark + line for line in good.splitlines(keepends=True))
    draft = considered(damaged)
    assert not draft.problems and read(draft) == bodies(good)


@given(st.binary(max_size=200) | st.text(st.sampled_from("@-+ 12,\n>$a/`"), max_size=120).map(str.encode))
def test_any_bytes_are_repaired_or_refused(data: bytes) -> None:
    for text in (data, b"--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n" + data):
        considered(text)


def test_a_fence_around_a_diff_is_taken_off() -> None:
    good = good_diff(["a"], ["b"])
    assert read(considered(b"```diff\n" + good + b"```\n")) == bodies(good)


@pytest.mark.parametrize(
    "case",
    [
        "search-replace/01-as-aider-asks-for-it",
        "apply-patch/01-as-codex-sends-it",
        "file-action/several-blocks",
    ],
)
def test_a_mark_is_taken_off_any_format(case: str) -> None:
    text = (REPLIES / f"{case}.txt").read_bytes()
    damaged = b"".join(b"> " + line for line in text.splitlines(keepends=True))
    assert considered(damaged, takes_repairs=False).problems
    draft, good = considered(damaged), detect.read(text)
    assert not draft.problems and all(step.repaired for step in draft.steps)
    assert [replace(step, repaired=None) for step in draft.steps] == list(good.steps)


def test_a_diff_that_was_cut_off_is_never_a_shorter_one() -> None:
    lines = [f"line {number}" for number in range(12)]
    good = good_diff(lines, [*lines[:2], "new", *lines[3:9], "newer", *lines[10:]])
    for end in range(len(good)):
        draft = considered(good[:end])
        assert draft.problems or read(draft) == bodies(good)


def test_a_large_text_is_not_looked_at() -> None:
    good = good_diff(["a"], ["b"])
    padding = b"+" + b"x" * REPAIRED_TEXT_BYTES + b"\n"
    assert considered(good + padding).problems
    assert not considered(good + b"+x\n").problems


def test_every_file_of_a_repaired_diff_says_so() -> None:
    first = good_diff(["a"], ["b"])
    draft = considered(first.replace(b"@@ -1 +1 @@", b"@@ -1,2 +1,2 @@") + first.replace(b"a.py", b"b.py"))
    said = [step.repaired.message for step in draft.steps if step.repaired is not None]
    sentence = (
        "The text could not be read as it was submitted, and was repaired: "
        "wrong numbers in the headers of hunks, at line "
    )
    assert len(said) == 2 and all(message.startswith(sentence) for message in said)
