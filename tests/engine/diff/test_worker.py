"""Large comparisons: in a child process, with a limit, and to be cancelled."""

from __future__ import annotations

import random
import sys
import threading
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from studio.engine.diff import compute
from studio.engine.diff.line_diff import differing_run
from studio.engine.diff.line_runs import line_runs
from studio.engine.diff.worker import DiffCancelled, DiffWorker
from studio.limits import DIFF_IN_PROCESS_BYTES
from studio.system import child_process
from studio.text import Lines

SYMBOLS = [b"%d\n" % number for number in range(10)]


def noise(lines: int, seed: int) -> bytes:
    return b"".join(random.Random(seed).choices(SYMBOLS, k=lines))


# Ten symbols at random keep libgit2 busy for seconds.
SLOW = noise(700_000, 1), noise(700_000, 2)


@pytest.fixture
def worker() -> Iterator[DiffWorker]:
    kept = DiffWorker()
    yield kept
    kept.close()


def test_the_child_process_answers_as_this_one_does(worker: DiffWorker) -> None:
    texts = [(noise(3_000, 3), noise(3_000, 4)), (b"", b"a"), (b"a\r\n\xff", b""), (b"same", b"same")]
    for old, new in texts * 2:
        assert worker.line_runs(old, new, seconds=60) == line_runs(old, new)


def test_a_large_diff_is_the_same_diff() -> None:
    lines = [b"line %d\n" % number for number in range(DIFF_IN_PROCESS_BYTES // 8)]
    base = b"".join(lines)
    lines[100:103] = [b"new\n"]
    lines.append(b"at the end")
    diff = compute(base, b"".join(lines))
    assert diff.is_exact
    assert [(c.old_first, c.old_count, c.new_first, c.new_count) for c in diff.changes] == [
        (100, 3, 100, 1),
        (len(lines) + 1, 0, len(lines) - 1, 1),
    ]


def test_what_takes_too_long_is_one_change_and_says_so() -> None:
    old, new = (b"first\n" + side + b"last\n" for side in SLOW)
    diff = compute(old, new, seconds=0.05)
    assert not diff.is_exact
    (change,) = diff.changes
    begin, end = change.old_first, diff.base_total - change.old_end
    assert begin >= 1
    assert end >= 1
    assert diff.base_lines.block(0, begin) == diff.result_lines.block(0, begin)
    assert diff.base_lines.block(change.old_end, end) == diff.result_lines.block(change.new_end, end)
    assert (diff.added, diff.removed) == (change.new_count, change.old_count)


def test_it_ends_when_nobody_wants_it(worker: DiffWorker) -> None:
    cancel = threading.Event()
    timer = threading.Timer(0.05, cancel.set)
    timer.start()
    with pytest.raises(DiffCancelled):
        worker.line_runs(*SLOW, seconds=60, cancel=cancel)
    timer.join()
    assert worker.line_runs(b"a\n", b"b\n", seconds=60) == array("q", (0, 1, 0, 1)), "and the next one works"


def test_who_waits_for_another_s_comparison_can_be_cancelled(worker: DiffWorker) -> None:
    stop, begun = threading.Event(), threading.Event()

    def first() -> None:
        begun.set()
        with pytest.raises(DiffCancelled):
            worker.line_runs(*SLOW, seconds=60, cancel=stop)

    thread = threading.Thread(target=first)
    thread.start()
    begun.wait()
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(DiffCancelled):
        worker.line_runs(b"a\n", b"b\n", seconds=60, cancel=cancelled)
    stop.set()
    thread.join()


def test_other_threads_go_on_meanwhile(worker: DiffWorker) -> None:
    worker.line_runs(b"a\n", b"b\n", seconds=60)
    counted = 0
    done = threading.Event()

    def compare() -> None:
        worker.line_runs(noise(60_000, 5), noise(60_000, 6), seconds=60)
        done.set()

    thread = threading.Thread(target=compare)
    thread.start()
    while not done.wait(0.001):
        counted += 1
    thread.join()
    assert counted > 10


@pytest.mark.parametrize("command", ["/nowhere/python", sys.executable])
def test_without_a_process_the_diff_is_coarse(
    monkeypatch: pytest.MonkeyPatch, worker: DiffWorker, command: str
) -> None:
    """A program that can't be started, or that ends at once, is no reason to wait for ever."""
    monkeypatch.setattr(sys, "executable", command)
    monkeypatch.setattr(child_process, "COMPARING", child_process.Service("sys", "exit", ""))
    assert worker.line_runs(b"a\n", b"b\n", seconds=60) is None


def test_a_packaged_app_starts_itself(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, worker: DiffWorker
) -> None:
    """It is no interpreter: it gets a word that makes it serve."""
    stand_in = tmp_path / "app"
    root = Path(__file__).parents[3]
    stand_in.write_text(
        f"#!{sys.executable}\nimport sys\nsys.frozen = True\nsys.path.insert(0, {str(root)!r})\n"
        "from studio.__main__ import main\nsys.exit(main())\n"
    )
    stand_in.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(stand_in))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert worker.line_runs(b"a\n", b"b\n", seconds=60) == array("q", (0, 1, 0, 1))


TEXTS = st.lists(st.sampled_from([b"a", b"b", b"\n", b"\n", b"x\r"]), max_size=24).map(b"".join)


@given(TEXTS, TEXTS)
def test_the_coarse_difference_is_a_difference(old: bytes, new: bytes) -> None:
    """Lines that both sides begin or end with stay out of it, and no line is cut."""
    first, old_count, new_first, new_count = differing_run(old, new)
    old_lines, new_lines = list(Lines(old)), list(Lines(new))
    assert first == new_first
    assert old_lines[:first] == new_lines[:first]
    assert old_lines[first + old_count :] == new_lines[first + new_count :]
    if old_count and new_count:
        assert old_lines[first] != new_lines[first]
