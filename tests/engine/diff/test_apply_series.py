"""Several diffs of one file from one text: what each was made on, and what is left to nobody's guess."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from studio.engine.diff import DoesNotMatch, FilePatch, apply_series, compute, format_unified, parse_unified

FILES = st.lists(st.sampled_from("abcde"), min_size=1, max_size=12).map(
    lambda lines: "".join(f"{line}\n" for line in lines).encode()
)


def patch(old: bytes, new: bytes) -> FilePatch:
    (found,) = parse_unified(format_unified(compute(old, new), "f", "f"))
    return found


def diff(hunk: str) -> FilePatch:
    (found,) = parse_unified(f"--- a/f\n+++ b/f\n{hunk}".encode())
    return found


@given(FILES, FILES, FILES)
def test_a_series_leaves_what_its_last_one_made_or_is_refused(
    first: bytes, second: bytes, third: bytes
) -> None:
    if second in (first, third):
        return
    patches = [patch(first, second), patch(second, third)]
    try:
        assert apply_series(first, patches).result == third
    except DoesNotMatch as error:
        assert [problem.code for problem in error.problems] == ["patch.two_ways"]


def test_diffs_that_were_all_made_on_the_file_fit_together() -> None:
    base = b"1\n2\n3\n4\n5\n"
    both = [diff("@@ -1 +1,2 @@\n-1\n+one\n+more\n"), diff("@@ -5 +5 @@\n-5\n+five\n")]
    assert apply_series(base, both).result == b"one\nmore\n2\n3\n4\nfive\n"
    assert apply_series(base, both[::-1]).result == b"one\nmore\n2\n3\n4\nfive\n"


def test_two_ways_to_fit_are_none() -> None:
    base = b"x\nx\nx\n"
    both = [diff("@@ -1 +0,0 @@\n-x\n"), diff("@@ -2 +2 @@\n-x\n+y\n")]
    with pytest.raises(DoesNotMatch, match="fit in sequence and also separately"):
        apply_series(base, both)


def test_what_fits_in_no_way_names_the_diff() -> None:
    both = [diff("@@ -1 +1 @@\n-1\n+one\n"), diff("@@ -1 +1 @@\n-other\n+two\n")]
    with pytest.raises(DoesNotMatch) as caught:
        apply_series(b"1\n", both)
    assert "fits neither the file nor the result of the diffs before it" in caught.value.problems[0].hint


def test_changes_of_one_place_come_one_after_the_other() -> None:
    both = [diff("@@ -1 +1 @@\n-1\n+one\n"), diff("@@ -1 +1 @@\n-one\n+two\n")]
    assert apply_series(b"1\n", both).result == b"two\n"
