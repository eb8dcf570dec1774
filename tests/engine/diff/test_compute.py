"""Computed diffs: the same hunks as git, written so that git and our reader take them back."""

from __future__ import annotations

import gc
import os
import random
import subprocess
import weakref
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from studio.engine.diff import FileDiff, compute, format_unified, parse_unified
from studio.engine.plan import Operation

CONTENTS = st.builds(
    lambda lines, end: b"\n".join(lines) + end,
    st.lists(st.sampled_from([b"a", b"b", b"c", b"", b"def f():", b"x\r", b"\0", b"\xff"]), max_size=20),
    st.sampled_from([b"", b"\n"]),
)


def run_git(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
    }
    return subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, check=False)


def rebuilt(diff: FileDiff) -> bytes:
    """The result, put together from the base and the changes alone."""
    pieces: list[bytes] = []
    done = 0
    for change in diff.changes:
        pieces.append(diff.base_lines.block(done, change.old_first - done))
        pieces.append(diff.result_lines.block(change.new_first, change.new_count))
        done = change.old_end
    pieces.append(diff.base_lines.block(done, len(diff.base_lines) - done))
    return b"".join(pieces)


@given(CONTENTS, CONTENTS, st.integers(0, 5))
def test_changes_and_hunks_are_consistent(base: bytes, result: bytes, context: int) -> None:
    diff = compute(base, result, context)
    assert rebuilt(diff) == result
    assert diff.is_identical == (base == result)
    assert diff.added == sum(change.new_count for change in diff.changes)
    assert diff.removed == sum(change.old_count for change in diff.changes)
    assert [hunk.number for hunk in diff.hunks] == list(range(1, len(diff.hunks) + 1))
    end = 0
    for hunk in diff.hunks:
        first, last = hunk.changes[0], hunk.changes[-1]
        assert hunk.old_first >= end
        assert 0 <= first.old_first - hunk.old_first <= context
        assert first.old_first - hunk.old_first == first.new_first - hunk.new_first
        end = hunk.old_first + hunk.old_lines
        assert 0 <= end - last.old_end <= context
        assert end - last.old_end == hunk.new_first + hunk.new_lines - last.new_end
        assert end <= len(diff.base_lines)
        assert hunk.changed_lines == sum(change.old_count + change.new_count for change in hunk.changes)
        assert all(change.old_count or change.new_count for change in hunk.changes)


def test_hunks_are_git_s_own(tmp_path: Path) -> None:
    """No worse than git's in result: the same text, byte for byte, whatever the context."""
    choose = random.Random(20)
    for number in range(30):
        old = [
            b"%s%d" % (choose.choice([b"def f", b"  x", b"", b"y"]), choose.randint(0, 6)) for _ in range(40)
        ]
        new = [line for line in old if choose.random() > 0.1]
        for _ in range(4):
            new.insert(choose.randrange(len(new)), b"new %d" % choose.randint(0, 3))
        base, result = b"\n".join(old), b"\n".join(new) + (b"\n" if number % 2 else b"")
        context = number % 5
        (tmp_path / "old").write_bytes(base)
        (tmp_path / "new").write_bytes(result)
        theirs = run_git(["diff", "--no-index", "--text", f"-U{context}", "old", "new"], tmp_path).stdout
        ours = format_unified(compute(base, result, context), "old", "old")
        assert ours[ours.index(b"@@ ") :] == theirs[theirs.index(b"@@ ") :]


@pytest.mark.parametrize("name", ["f", "my file", 'caf\u00e9 "x"', "d/\u4e2d", "-rf", "a b/c"])
@pytest.mark.parametrize(
    ("base", "result"), [(b"a\nb\n", b"a\nB"), (None, b"x\ny\n"), (b"x\ny", None), (None, b""), (b"", None)]
)
def test_what_is_written_applies_with_git(
    name: str, base: bytes | None, result: bytes | None, tmp_path: Path
) -> None:
    old_path, new_path = (None if base is None else name), (None if result is None else name)
    text = format_unified(compute(base or b"", result or b""), old_path, new_path)
    (patch,) = parse_unified(text)
    assert (patch.old_path, patch.new_path) == (old_path, new_path)
    target = tmp_path / name
    target.parent.mkdir(exist_ok=True)
    if base is not None:
        target.write_bytes(base)
    (tmp_path / "patch.diff").write_bytes(text)
    done = run_git(["apply", "patch.diff"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert (target.read_bytes() if target.exists() else None) == result


def test_renames_copies_and_modes(tmp_path: Path) -> None:
    base, result = b"a\nb\n", b"a\nB\n"
    diff = compute(base, result)
    for copied, operation in ((False, Operation.MOVE), (True, Operation.COPY)):
        text = format_unified(diff, "old name", "new", copied=copied, old_mode=0o100644, new_mode=0o100755)
        (patch,) = parse_unified(text)
        assert (patch.operation, patch.old_path, patch.new_path) == (operation, "old name", "new")
        assert (patch.old_mode, patch.new_mode) == (0o100644, 0o100755)
        (tmp_path / "old name").write_bytes(base)
        (tmp_path / "new").unlink(missing_ok=True)
        (tmp_path / "patch.diff").write_bytes(text)
        assert run_git(["apply", "patch.diff"], tmp_path).returncode == 0
        assert (tmp_path / "new").read_bytes() == result
        assert (tmp_path / "new").stat().st_mode & 0o100
        assert (tmp_path / "old name").exists() is copied
    same = compute(base, base)
    (patch,) = parse_unified(format_unified(same, "f", "g"))
    assert (patch.operation, patch.hunks) == (Operation.MOVE, ())
    (patch,) = parse_unified(format_unified(same, "f", "f", old_mode=0o100755, new_mode=0o100644))
    assert patch.operation is Operation.MODE
    assert format_unified(same, "f", "f") == b""


def test_utf16_is_compared_as_text() -> None:
    """A UTF-16 file has the diff its text has."""
    base, result = "\ufeffa\nb\n".encode("utf-16-le"), "\ufeffa\n\u20ac\n".encode("utf-16-le")
    diff = compute(base, result)
    assert (diff.base, diff.result) == (b"a\nb\n", "a\n\u20ac\n".encode())
    assert (diff.added, diff.removed) == (1, 1)
    assert compute("\ufeffa\n".encode("utf-16-be"), b"a\n").is_identical
    assert compute("a\n".encode("utf-16-le"), "b\n".encode("utf-16-le"), setting="utf-16-le").base == b"a\n"


def test_section_is_the_line_git_names() -> None:
    base = b"def one():\n" + b"    pass\n" * 8 + b"\xff\n"
    text = format_unified(compute(base, base.replace(b"\xff", b"x")), "f", "f")
    assert b"@@ -7,4 +7,4 @@ def one():\n" in text


@pytest.mark.parametrize(
    ("old", "new", "names", "headers"),
    [
        (b"a\n", b"", ("f", None), b"deleted file mode 100644\n--- a/f\n"),
        (b"", b"a\n", (None, "f"), b"new file mode 100644\n--- /dev/null\n"),
        (b"a\n", b"a\n", ("f", "g"), b"similarity index 100%\nrename from f\nrename to g\n"),
        (b"a\n", b"b\n", ("f", "g"), b"rename from f\nrename to g\n--- a/f\n"),
    ],
)
def test_headers_are_those_of_git(
    old: bytes, new: bytes, names: tuple[str | None, str | None], headers: bytes
) -> None:
    """A mode that nobody names is that of a usual file; only an unchanged rename is called equal."""
    text = format_unified(compute(old, new), *names)
    assert text.partition(b"\n")[2].startswith(headers)


def test_what_is_found_out_of_a_diff_is_asked_once_and_goes_with_it() -> None:
    """Also where the answer refers to the diff, as its rows do: nothing outside keeps either."""
    asked: list[FileDiff] = []

    def rows_of(diff: FileDiff) -> tuple[FileDiff, set[str]]:
        asked.append(diff)
        return diff, {"rows"}

    diff, other = compute(b"a\n", b"b\n"), compute(b"a\n", b"b\n")
    assert diff.once(rows_of) is diff.once(rows_of)
    assert other.once(rows_of)[0] is other
    assert [known is diff for known in asked] == [True, False]
    alive = weakref.ref(diff.once(rows_of)[1])
    asked.clear()
    del diff
    gc.collect()
    assert alive() is None
