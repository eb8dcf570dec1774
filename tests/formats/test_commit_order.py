"""Commits of `git log -p` and of mails: read oldest first, or refused with what makes them so."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from studio.engine.diff import apply_series, compute, format_unified
from studio.formats.detect import read

BEGIN = datetime(2026, 1, 1, 9, tzinfo=UTC)
FORMATS = (
    "%a %b %d %H:%M:%S %Y %z",
    "%a, %d %b %Y %H:%M:%S %z",
    "%Y-%m-%d %H:%M:%S %z",
    "%Y-%m-%dT%H:%M:%S%z",
)


def blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()[:7]


def patch(old: bytes, new: bytes, *, path: str = "f.txt", with_ids: bool = True, context: int = 3) -> str:
    text = format_unified(compute(old, new, context=context), path, path).decode()
    first, _, rest = text.partition("\n")
    index = f"index {blob(old)}..{blob(new)} 100644\n" if with_ids else ""
    return f"{first}\n{index}{rest}"


def commit(number: int, diff: str, *, days: int | None = None, form: str = FORMATS[0]) -> str:
    date = "" if days is None else f"Date:   {(BEGIN + timedelta(days)).strftime(form)}\n"
    return f"commit {number:040x}\nAuthor: Dev <dev@example.org>\n{date}\n    Words {number}\n\n{diff}\n"


def mail(number: int, of: int, diff: str) -> str:
    return (
        f"From {number:040x} Mon Sep 17 00:00:00 2001\nFrom: Dev <dev@example.org>\n"
        f"Date: {(BEGIN + timedelta(number)).strftime(FORMATS[1])}\nSubject: [PATCH {number}/{of}] Words\n"
        f"\n---\n\n{diff}-- \n2.39.5\n\n"
    )


def oneline(number: int, diff: str) -> str:
    return f"{number + 0x1234567:07x} Words {number}\n{diff}"


def final(base: bytes, text: str) -> bytes:
    (step,) = read(text.encode()).steps
    assert step.patch is not None and not step.problems
    return apply_series(base, (step.patch, *step.following)).result


def is_refused(text: str) -> bool:
    draft = read(text.encode())
    assert {problem.code for problem in draft.problems} <= {"diff.commit_order"}
    assert not draft.problems or not draft.steps
    return bool(draft.problems)


CONTENTS = st.lists(
    st.lists(st.sampled_from(["a", "b", "", "- c"]), min_size=1, max_size=6).map(
        lambda lines: "".join(f"{line}\n" for line in lines).encode()
    ),
    min_size=3,
    max_size=5,
    unique=True,
)


@given(CONTENTS, st.sampled_from(["log", "oneline", "mails"]), st.booleans())
def test_oldest_first_gives_the_last_content_and_newest_first_none(
    contents: Sequence[bytes], form: str, with_words: bool
) -> None:
    """The dates are those of the authors, which a rebase does not put in order."""
    diffs = [patch(old, new) for old, new in pairwise(contents)]
    if form == "log":
        shown = [commit(number, diff, days=-number) for number, diff in enumerate(diffs, 1)]
    elif form == "mails":
        shown = [mail(number, len(diffs), diff) for number, diff in enumerate(diffs, 1)]
    else:
        shown = [oneline(number, diff) for number, diff in enumerate(diffs, 1)]
    begin = "The log:\n\n" if with_words else ""
    assert final(contents[0], begin + "".join(shown)) == contents[-1]
    draft = read((begin + "".join(shown[::-1])).encode())
    assert not draft.steps
    assert "--reverse" in draft.problems[0].hint


@pytest.mark.parametrize("form", FORMATS)
def test_dates_show_the_order_where_ids_are_missing(form: str) -> None:
    base, middle, last = b"a\n", b"a\nx\n", b"a\ny\nx\n"
    first, second = (
        patch(old, new, with_ids=False, context=0) for old, new in ((base, middle), (middle, last))
    )
    oldest = commit(1, first, days=1, form=form)
    assert final(base, oldest + commit(2, second, days=2, form=form)) == last
    # Newest first, both insertions fit as well, and would leave "a", "x", "y".
    assert is_refused(commit(2, second, days=2, form=form) + oldest)
    assert is_refused(commit(2, second, days=1, form=form) + oldest), "the same date"
    assert is_refused(commit(1, first) + commit(2, second)), "no date"


def test_change_that_is_taken_back_needs_dates() -> None:
    there, back = patch(b"a\n", b"b\n"), patch(b"b\n", b"a\n")
    assert final(b"a\n", commit(1, there, days=1) + commit(2, back, days=2)) == b"a\n"
    assert is_refused(commit(2, back, days=2) + commit(1, there, days=1))
    assert is_refused(oneline(1, there) + oneline(2, back))


def test_commits_of_branches_that_change_one_file_are_refused() -> None:
    """Both begin with the same content: neither is made on the other."""
    one, other = (
        patch(b"a\n1\n2\n3\n4\nb\n", b"A\n1\n2\n3\n4\nb\n"),
        patch(b"a\n1\n2\n3\n4\nb\n", b"a\n1\n2\n3\n4\nB\n"),
    )
    assert is_refused(commit(1, one, days=1) + commit(2, other, days=2))
    draft = read((commit(1, one, days=1) + commit(2, other, days=2)).encode())
    assert "--first-parent" in draft.problems[0].hint


def test_copy_of_a_file_that_an_earlier_commit_changes_is_refused() -> None:
    copy = "diff --git a/f.txt b/g.txt\nsimilarity index 100%\ncopy from f.txt\ncopy to g.txt\n"
    assert is_refused(commit(1, patch(b"a\n", b"b\n"), days=1) + commit(2, copy, days=2))
    draft = read((patch(b"a\n", b"b\n") + copy).encode())
    assert not draft.problems and len(draft.steps) == 2, "in one diff both begin with the same files"


@given(st.permutations(range(4)))
def test_commits_of_different_files_have_no_order(order: Sequence[int]) -> None:
    shown = [commit(each, patch(b"a\n", b"b\n", path=f"{each}.txt"), days=each) for each in order]
    draft = read("".join(shown).encode())
    assert not draft.problems
    assert sorted(step.path for step in draft.steps) == ["0.txt", "1.txt", "2.txt", "3.txt"]


def test_diffs_of_an_agent_follow_each_other() -> None:
    """Ids that a model made up show nothing."""
    diffs = [patch(b"a\n", b"b\n", with_ids=False), patch(b"b\n", b"c\n", with_ids=False)]
    made_up = [diff.replace("\n", "\nindex 1234567..89abcde 100644\n", 1) for diff in diffs]
    for one, other in (diffs, made_up):
        assert final(b"a\n", f"First:\n\n```diff\n{one}```\n\nThen:\n\n```diff\n{other}```\n") == b"c\n"
