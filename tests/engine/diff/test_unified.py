"""Strict reading: any bytes are read exactly or refused with line and column."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import example, given, strategies as st

from studio.engine.diff import DiffRefused, parse_hunks, parse_unified, read_unified, second_reader
from studio.engine.diff.cursor import Cursor
from studio.engine.diff.header_names import QuotingError, quote, unquote
from studio.engine.diff.hunk_problems import report_hunks
from studio.engine.diff.hunk_reader import read_hunks
from studio.engine.diff.hunks import Hunks
from studio.engine.plan import Operation

PIECES = st.sampled_from(
    [
        b"diff --git a/f b/f\n",
        b"diff --git a/g b/h\n",
        b'diff --git "a/\\303" "b/\\303"\n',
        b"--- a/f\n",
        b"+++ b/f\n",
        b"--- /dev/null\n",
        b"+++ /dev/null\n",
        b"@@ -1 +1 @@\n",
        b"@@ -1,2 +1,2 @@ x\n",
        b"@@ -0,0 +1 @@\n",
        b" a\n",
        b"-b\n",
        b"+c\n",
        b"\\ No newline at end of file\n",
        b"old mode 100644\n",
        b"new mode 100755\n",
        b"new file mode 100644\n",
        b"deleted file mode 100644\n",
        b"rename from g\n",
        b"rename to h\n",
        b"copy from g\n",
        b"similarity index 90%\n",
        b"index 1234567..89abcde 100644\n",
        b"GIT binary patch\n",
        b"literal 3\n",
        b"Binary files a/f and b/f differ\n",
        b"\n",
        b"text\n",
        b"\r\n",
        b"\0\n",
        b"\xff",
    ]
)
HUNK_PIECES = st.sampled_from(
    [
        b"@@ -1 +1 @@\n-x\n+y\n",
        b"@@ -3,2 +3,3 @@ f\n a\n+b\n c\n",
        b"@@ -5,0 +7 @@\n+x\n",
        b"@@ -9,3 +11,2 @@\n a\n-b\n c\n",
        b"@@ -20 +21 @@\n-x\n\\ No newline at end of file\n+y\n",
        b"--- x\n",
        b"+++ y\n",
        b"--- x\n+++ y\n@@ -1 +1 @@\n-x\n+y\n",
        b"@@ -1,2 +1,2 @@\n a\n",
        b" a\n",
        b"-b\n",
        b"+c\n",
        b"\\ No newline at end of file\n",
        b"\\\n",
        b"@@@ -1 +1 @@@\n",
        b"diff --git a/f b/f\n",
        b"\n",
        b"x\n",
    ]
)


@given(st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=14).map(b"".join)))
@example(b"--- a/f\n+++ b/f\n@@ -1 +1 @@")
@example(b"diff --git ")
@example(b"diff -")
@example(b'--- "\n+++ "\n')
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        patches = parse_unified(data)
    except DiffRefused as error:
        total = data.count(b"\n") + 1
        for problem in error.problems:
            assert problem.line is not None and 1 <= problem.line <= total
            assert problem.column is not None and problem.column >= 1
            assert problem.message and problem.hint
        return
    assert patches
    for patch in patches:
        assert (patch.old_path is None) == (patch.operation is Operation.CREATE)
        assert (patch.new_path is None) == (patch.operation is Operation.DELETE)


@given(st.one_of(st.binary(max_size=120), st.lists(PIECES, max_size=10).map(b"".join)))
def test_any_bytes_as_bare_hunks(data: bytes) -> None:
    try:
        hunks = parse_hunks(data)
    except DiffRefused:
        return
    # Every byte belongs to a hunk: the headers and bodies together are the text.
    assert sum(len(hunk.body) for hunk in hunks) + data.count(b"\n") >= len(hunks)
    assert hunks[-1].data[hunks[0].start : hunks[-1].end] == data[data.index(b"\n") + 1 :]


@given(
    st.one_of(st.lists(PIECES, max_size=12), st.lists(HUNK_PIECES, max_size=16)).map(b"".join), st.booleans()
)
@example(b"@@ -1,2 +1,2 @@\n a\n--- x\n+++ y\n@@ -9 +9 @@\n-b\n+c\n", True)
@example(b"@@ -1,3 +1,3 @@\n a\n--- x\n--- x\n+++ y\n+++ y\n@@ -9 +9 @@\n-b\n+c\n--- f\n+++ f\n", True)
@example(b"@@ -1 +1 @@\n-a\n\\ No\n+b\n\\ No\n", False)
@example(b"@@ -1 +1 @@\n-a\n\\No\n+b\n", False)
def test_reading_in_bulk_and_telling_line_by_line_judge_alike(text: bytes, plain: bool) -> None:
    """What the reader takes has no problem when gone through line by line, and the other way round."""
    data = b"\n@@ -1 +1 @@\n-x\n+y\n" + text if not text.startswith(b"@@ ") else b"\n" + text
    bulk, told = Cursor(data), Cursor(data)
    for cursor in (bulk, told):
        cursor.jump(1, 0)
    hunks = read_hunks(bulk, plain=plain)
    expected = report_hunks(told)
    assert bulk.problems.listed() == told.problems.listed()
    assert (bulk.position, bulk.line) == (told.position, told.line)
    assert tuple(hunks) == expected
    # Behind the hunks a line with a lone backslash or @ refuses the text as well, a moment later.
    refused = bool(told.problems) or data.startswith((b"\\", b"@"), told.position)
    assert isinstance(hunks, Hunks) is not refused


@given(st.binary(min_size=1, max_size=30))
def test_quoting_is_undone(name: bytes) -> None:
    quoted = quote(name)
    if quoted != name:
        assert unquote(quoted) == (name, len(quoted))


@given(st.binary(max_size=30))
def test_unquoting_never_fails_otherwise(raw: bytes) -> None:
    try:
        _, end = unquote(b'"' + raw)
    except QuotingError as error:
        assert error.offset <= len(raw) + 1
    else:
        assert (b'"' + raw)[end - 1 : end] == b'"'


def test_all_fields_of_a_git_file() -> None:
    (patch,) = parse_unified(
        b"diff --git a/src/old b/src/new\nold mode 100644\nnew mode 100755\nsimilarity index 80%\n"
        b"rename from src/old\nrename to src/new\nindex 1234567..89abcde\n"
        b"--- a/src/old\n+++ b/src/new\n@@ -3,0 +4,2 @@ def f():\n+a\n+b\n"
    )
    assert patch.operation is Operation.MOVE
    assert (patch.path, patch.to) == ("src/old", "src/new")
    assert (patch.old_mode, patch.new_mode) == (0o100644, 0o100755)
    assert (patch.added, patch.removed) == (2, 0)
    (hunk,) = patch.hunks
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (3, 0, 4, 2)
    assert (hunk.section, hunk.line, hunk.body) == ("def f():", 10, b"+a\n+b\n")
    assert patch.written_paths == ("src/old", "src/new")


def test_operations() -> None:
    text = (
        b"diff --git a/m b/m\nold mode 100644\nnew mode 100755\n"
        b"diff --git a/c b/d\nsimilarity index 100%\ncopy from c\ncopy to d\n"
        b"diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"
        b"diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        b"--- a/p\n+++ b/p\n@@ -1 +1 @@\n-x\n+y\n"
    )
    patches = parse_unified(text)
    assert [patch.operation for patch in patches] == [
        Operation.MODE,
        Operation.COPY,
        Operation.CREATE,
        Operation.DELETE,
        Operation.MODIFY,
    ]
    assert [patch.line for patch in patches] == [1, 4, 8, 14, 20]
    assert patches[1].written_paths == ("d",)
    assert patches[2].new_mode == 0o100755
    assert patches[3].old_mode == 0o100644


def test_copy_and_change_of_its_source_are_two_steps() -> None:
    """A copy writes only its far end, so the source may be changed in the same plan."""
    patches = parse_unified(
        b"diff --git a/c b/d\nsimilarity index 100%\ncopy from c\ncopy to d\n"
        b"diff --git a/c b/c\n--- a/c\n+++ b/c\n@@ -1 +1 @@\n-x\n+y\n"
    )
    assert [patch.problems for patch in patches] == [(), ()]


def test_problems_are_limited_and_sorted() -> None:
    with pytest.raises(DiffRefused) as caught:
        parse_unified(b"--- a/f\n+++ b/f\n@@ -x +1 @@\n+a\n" * 1300)
    *told, rest = caught.value.problems
    lines = [problem.line or 0 for problem in told]
    assert len(lines) == 1000
    assert lines == sorted(lines)
    assert (rest.code, rest.count, rest.message) == ("problems.more", 300, "And 300 more problems.")
    assert str(caught.value).count("(1299 more problems.)") == 1


def test_second_reader_must_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two programs may not understand one patch differently."""
    import unidiff

    text = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n"
    assert parse_unified(text)[0].facts == ()
    other = unidiff.PatchSet("--- a/f\n+++ b/f\n@@ -2 +2 @@\n-x\n+y\n")
    monkeypatch.setattr(unidiff, "PatchSet", lambda *_, **__: other)
    with pytest.raises(DiffRefused) as caught:
        parse_unified(text)
    assert caught.value.code == "diff.second_reader"
    assert read_unified(text)


def test_second_reader_failure_and_limit_are_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"--- a/n\n+++ b/n\n@@ -0,0 +1 @@\n+x\n--- a/p\n+++ b/p\n@@ -1 +1 @@\n-x\n+y\n"
    deleted = b"diff --git a/f b/f\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    (patch,) = parse_unified(deleted)
    assert patch.facts[0].kind == "second_reader"
    monkeypatch.setattr(second_reader, "SECOND_READER_BYTES", 10)
    assert all(patch.facts[0].kind == "second_reader" for patch in parse_unified(text))


def test_a_hunk_compares_by_what_it_says() -> None:
    one = parse_hunks(b"@@ -1 +1 @@\n-x\n+y\n")
    assert one == parse_hunks(b"@@ -1 +1 @@\n-x\n+y\n")
    assert one != parse_hunks(b"@@ -1 +1 @@\n-x\n+z\n")


ADJACENT = b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -2 +2 @@\n-c\n+d\n"


def test_hunks_side_by_side_do_not_overlap() -> None:
    assert len(parse_unified(ADJACENT)[0].hunks) == 2
    with pytest.raises(DiffRefused) as caught:
        parse_unified(ADJACENT + b"@@ -1 +1 @@\n-a\n+b\n")
    assert [problem.code for problem in caught.value.problems] == ["diff.hunk_order"]
    assert [problem.line for problem in caught.value.problems] == [9], "told line by line, only that one"


def test_an_empty_first_line_is_told_as_one() -> None:
    with pytest.raises(DiffRefused) as caught:
        parse_unified(b"\n" + ADJACENT + b"@@ -1 +1 @@\n-a\n+b\n")
    told = [(problem.code, problem.line) for problem in caught.value.problems]
    assert told == [("diff.blank_line", 1), ("diff.hunk_order", 10)]


def usual(name: bytes, body: bytes = b"@@ -1 +1 @@\n-x\n+y\n") -> bytes:
    """A file as git writes most of them."""
    head = b"diff --git a/%s b/%s\nindex 1234567..89abcde 100644\n--- a/%s\n+++ b/%s\n"
    return head % ((name,) * 4) + body


STRAY = ("diff.stray_text", "This line belongs to no file header and no hunk.")
TOO_LONG = ("diff.hunk_counts", "The hunk has more lines than its header declares.")
CUT_OFF = (
    "diff.hunk_counts",
    "The hunk header declares 9 old and 9 new lines; the hunk has 1 old and 1 new.",
)


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        pytest.param(b"+z\n" + usual(b"f"), 1, STRAY, id="a line before any hunk"),
        pytest.param(usual(b"f") + b"+z\n" + usual(b"g"), 8, TOO_LONG, id="a line too many"),
        pytest.param(
            usual(b"f", b"@@ -1,9 +1,9 @@\n-x\n+y\n") + usual(b"g"), 8, CUT_OFF, id="cut off at a file"
        ),
        pytest.param(
            usual(b"f", b"@@ -1,9 +1,9 @@\n-x\n+y\n@@ -20 +20 @@\n-x\n+y\n"), 8, CUT_OFF, id="at a hunk"
        ),
    ],
)
def test_a_line_that_does_not_fit_is_told_by_what_stands_around_it(
    text: bytes, line: int, told: tuple[str, str]
) -> None:
    with pytest.raises(DiffRefused) as caught:
        parse_unified(text)
    (problem,) = caught.value.problems
    assert (problem.code, problem.message) == told
    assert problem.line == line


@pytest.mark.parametrize(
    ("hunk", "must_be"),
    [
        (b"@@ -2,3 +5,3 @@\n ii\n-iii\n+III\n iv\n", 2),
        (b"@@ -2,3 +5,0 @@\n-ii\n-iii\n-iv\n", 1),
    ],
)
def test_a_wrong_new_start_is_told_with_the_right_one(hunk: bytes, must_be: int) -> None:
    """The number told is the one with which the hunk is read: the line before, where nothing is left."""
    with pytest.raises(DiffRefused, match=f"The new start 5 does not follow .* expected {must_be}\\."):
        parse_hunks(hunk)
    assert parse_hunks(hunk.replace(b"+5", b"+%d" % must_be))


def test_a_name_is_quoted_as_git_quotes_it() -> None:
    assert quote('caf\u00e9 "1"\x01\x7f\n'.encode()) == rb'"caf\303\251 \"1\"\001\177\n"'


@given(st.integers(-14 * 60, 14 * 60), st.sampled_from([b"", b".0", b".000000000"]), st.booleans())
def test_epoch_in_any_zone_is_a_missing_side(minutes: int, fraction: bytes, deletes: bool) -> None:
    """GNU diff -N writes 0 seconds since the epoch in the local zone."""
    zone = timezone(timedelta(minutes=minutes))
    moment = datetime.fromtimestamp(0, zone)
    missing = f"{moment:%Y-%m-%d %H:%M:%S}".encode() + fraction + f"{moment: %z}".encode()
    dates, extent = (b"2024-01-02 00:00:00 +0000", missing), b"@@ -1 +0,0 @@\n-a\n"
    if not deletes:
        dates, extent = dates[::-1], b"@@ -0,0 +1 @@\n+a\n"
    (patch,) = parse_unified(b"--- a/f\t%b\n+++ b/f\t%b\n" % dates + extent)
    assert patch.operation is (Operation.DELETE if deletes else Operation.CREATE)
    later = b"--- a/f\t%b\n+++ b/f\t%b\n@@ -1 +1 @@\n-a\n+b\n" % dates
    assert parse_unified(later)[0].operation is Operation.MODIFY
