"""Colours of code: right places, bounded look-back, and no lexer that can hurt."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, cast

import pytest
from hypothesis import given, strategies as st
from pygments.lexers.python import PythonLexer
from PySide6.QtCore import QCoreApplication, QElapsedTimer, QRect

from studio.text import Lines, describe
from studio.ui.diff.code import colour_store, colouring
from studio.ui.diff.code.colour_cache import CachedColours, SideColours
from studio.ui.diff.code.colour_store import ColourStore
from studio.ui.diff.code.colouring import BLOCK_LINES, WHOLE_LINES, Job, block_at, colour
from studio.ui.diff.model.cells import Side
from tests.ui.diff.conftest import BASE, RESULT, Shown


def words(lines: list[str], path: str = "a.py", skip: int = 0) -> list[list[tuple[str, str]]]:
    coloured = colour(path, lines, skip)
    assert not coloured.dropped
    shown = lines[skip:]
    assert len(coloured.lines) == len(shown)
    return [
        [(line[start:end], token) for start, end, token in spans]
        for line, spans in zip(shown, coloured.lines, strict=True)
    ]


def test_words_get_the_colour_of_what_they_are() -> None:
    first, second = words(["def fetch(day):  # one", '    return "x", 10'])
    assert [pair for pair in first if pair[1] != "str"] == [("def", "kw"), ("fetch", "fn"), ("# one", "com")]
    assert ("return", "kw") in second
    assert ("10", "num") in second
    assert "".join(text for text, token in second if token == "str") == '"x"'


def test_a_string_over_several_lines_is_a_string_in_each_of_them() -> None:
    lines = ['x = """one', "two", "", 'three"""', "y = 1"]
    coloured = words(lines)
    assert coloured[1] == [("two", "str")]
    assert coloured[2] == []
    assert coloured[3][0][1] == "str"
    assert coloured[4] == [("1", "num")]


def test_look_back_lines_are_read_and_not_returned() -> None:
    assert words(['"""', "inside", '"""'], skip=1)[0] == [("inside", "str")]


@given(st.lists(st.text(st.characters(exclude_characters="\n"), max_size=20), min_size=1, max_size=8))
def test_spans_lie_inside_their_lines_and_in_order(lines: list[str]) -> None:
    coloured = colour("a.py", lines, 0)
    assert len(coloured.lines) == len(lines)
    for line, spans in zip(lines, coloured.lines, strict=True):
        place = 0
        for start, end, _token in spans:
            assert place <= start < end <= len(line)
            place = end


def test_an_unknown_kind_of_file_is_dropped() -> None:
    assert colour("data.unknown-kind", ["x"], 0).dropped == "no lexer"


def test_a_lexer_that_throws_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: PythonLexer, text: str) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(PythonLexer, "get_tokens_unprocessed", fails)
    assert colour("a.py", ["x"], 0).dropped == "RuntimeError: broken"


def test_a_slow_lexer_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr(time, "thread_time", lambda: float(next(clock)))
    assert colour("a.py", ["x"], 0, limit=0.5).dropped == "too slow"


def test_a_busy_machine_makes_no_lexer_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processor is somebody else's: every other clock goes on by a second at each look."""
    seconds = count(time.monotonic())
    with monkeypatch.context() as patch:
        for name in ("monotonic", "perf_counter", "time"):
            patch.setattr(time, name, lambda: next(seconds))
        assert colour("a.py", ["x = 1"], 0, limit=0.1).lines


def test_one_endless_expression_is_stopped_in_a_process_of_its_own() -> None:
    program = (
        "import re\n"
        "from pygments.lexers.python import PythonLexer\n"
        "from studio.ui.diff.code.colouring import colour\n"
        "PythonLexer.get_tokens_unprocessed = lambda self, text: re.match('(a+)+$', 'a' * 60 + 'b')\n"
        "print(colour('a.py', ['x'], 0, limit=0.2).dropped)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "too slow"


def test_very_long_lines_stay_plain() -> None:
    assert colour("a.py", ["x" * 10_000, "def f(): pass"], 0).lines == ((), ())


def test_blocks_cover_a_large_file_and_look_back() -> None:
    total = WHOLE_LINES + 150
    covered = 0
    while covered < total:
        block = block_at(covered, total)
        assert block.first == covered
        assert block.start <= block.first < block.last <= block.first + BLOCK_LINES
        covered = block.last
    assert block_at(5, WHOLE_LINES) == block_at(WHOLE_LINES - 1, WHOLE_LINES)


def test_the_module_needs_no_qt() -> None:
    program = (
        "import sys, studio.ui.diff.code.colouring\n"
        "print([name for name in sys.modules if name.startswith('PySide6')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
    assert colouring.COLOUR_SECONDS > 0


class Asked:
    """A runner that answers when it is told to, as a child process does."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Job, ...]] = []
        self._answers: list[Callable[[], None]] = []

    def compute_apart(
        self, function: Callable[..., Any], jobs: tuple[Job, ...], *, then: Any, failed: Any
    ) -> None:
        self.jobs.append(jobs)
        self._answers.append(lambda: then(function(jobs)))

    def answer(self) -> None:
        self._answers.pop(0)()

    def answer_all(self) -> None:
        """Until nothing more is asked."""
        while self._answers:
            self.answer()
            QCoreApplication.processEvents()


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def store(qapp: QCoreApplication, asked: Asked) -> Iterator[ColourStore]:
    lines = Lines(b"".join(b"value_%d = %d\n" % (line, line) for line in range(6000)))
    paths = {Side.BASE: "a.py", Side.RESULT: "a.py"}
    forms = dict.fromkeys(paths, describe(lines.data))
    store = ColourStore(paths, lambda _side: lines, forms, cast("Any", asked), qapp)
    yield store
    store.stop()


def look(store: ColourStore, first: int, behind: int) -> list[tuple[colouring.Span, ...]]:
    """What a frame that shows some lines of the result gets, and a turn of the event loop after it."""
    store.begin_frame()
    found = [store.of(Side.RESULT, line) for line in range(first, behind)]
    QCoreApplication.processEvents()
    return found


def test_only_what_the_last_frame_showed_is_asked_for(store: ColourStore, asked: Asked) -> None:
    look(store, 3000, 3030)
    for first in range(0, 2000, 50):
        look(store, first, first + 30)
    look(store, 5000, 5030)
    assert len(asked.jobs) == 1, "one parcel at a time"
    asked.answer()
    QCoreApplication.processEvents()
    assert len(asked.jobs) == 2
    sent = [line for job in asked.jobs[1] for line in job.lines[job.skip :]]
    assert "value_5000 = 5000" in sent
    assert not any(line.startswith("value_1") for line in sent)
    asked.answer()
    assert all(look(store, 5000, 5030))


def test_nothing_is_read_while_a_frame_is_painted(store: ColourStore, asked: Asked) -> None:
    store.begin_frame()
    assert store.of(Side.RESULT, 3000) == ()
    assert asked.jobs == []
    QCoreApplication.processEvents()
    assert len(asked.jobs) == 1


def test_little_look_back_comes_first_and_more_after_it(store: ColourStore, asked: Asked) -> None:
    look(store, 3000, 3008)
    asked.answer()
    assert all(look(store, 3000, 3008))
    look_longer(asked, 2)
    quick, thorough = asked.jobs[0][0], asked.jobs[1][0]
    assert quick.skip == colouring.QUICK_LOOK_BACK_LINES
    assert thorough.skip == colouring.LOOK_BACK_LINES
    assert quick.lines[quick.skip :] == thorough.lines[thorough.skip :]
    asked.answer()
    look(store, 3000, 3008)
    assert not store.is_busy, "and then it is done"


def test_a_block_far_below_has_the_language_of_the_files_beginning(
    qapp: QCoreApplication, asked: Asked
) -> None:
    lines = Lines(b"#!/usr/bin/perl\n" + b"%opts = (force => 1); unlink 'x'; # why\n" * 6000)
    store = ColourStore({Side.RESULT: "a.pl"}, lambda _: lines, {Side.RESULT: None}, cast("Any", asked), qapp)
    look(store, 3000, 3001)
    asked.answer()
    ((*_, (start, end, token)),) = look(store, 3000, 3001)
    store.stop()
    assert token == "com"
    assert lines[3000][start:end] == b"# why"


def look_longer(asked: Asked, jobs: int) -> None:
    """Stay where one is until so many parcels were sent."""
    timer = QElapsedTimer()
    timer.start()
    while len(asked.jobs) < jobs and timer.elapsed() < 5000:
        QCoreApplication.processEvents()
    assert len(asked.jobs) == jobs


@pytest.mark.parametrize("says", ["too slow", "RuntimeError: broken"])
def test_the_file_of_a_bad_lexer_gets_no_colours_any_more(
    store: ColourStore, asked: Asked, monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    look(store, 0, 8)
    asked.answer()
    assert all(look(store, 0, 8))
    monkeypatch.setattr(
        colour_store.colouring, "colour", lambda *_, **_by_name: colouring.Colours(dropped=says)
    )
    look(store, 3000, 3008)
    asked.answer()
    assert look(store, 0, 8) == [()] * 8
    look(store, 4000, 4008)
    assert len(asked.jobs) == 2, "nothing is asked of it again"
    assert not store.is_colourless, "the other side has a lexer of its own"


def test_while_somebody_types_lines_keep_the_colours_that_they_had(
    make_shown: Callable[[Any], Shown], asked: Asked
) -> None:
    """Those of the new text come later: until then every letter would take all colours away."""
    shown = make_shown(cast("Any", asked))
    step = shown.show()
    place = QRect(0, shown.row_of("result", 8), shown.view.canvas.viewport().width(), 4 * 18)
    plain = shown.picture().copy(place)
    asked.answer_all()
    shown.settle()
    coloured = shown.picture().copy(place)
    assert plain != coloured
    asked.jobs.clear()
    shown.show_step(step, BASE, RESULT.replace(b"line 40 = 40", b"line 40 = 4004"))
    assert asked.jobs, "the colours of the new text are on their way"
    assert shown.picture().copy(place) == coloured


LINES = st.lists(st.sampled_from([b"a = 1\n", b"b\n", b"\n", b"def f():\n"]), max_size=12)


@given(old=LINES, new=LINES, is_whole=st.booleans())
def test_colours_stand_in_for_lines_of_the_same_text_alone(
    *, old: list[bytes], new: list[bytes], is_whole: bool
) -> None:
    """Each old line has a colour of its own here, which names it."""
    before, after = Lines(b"".join(old)), Lines(b"".join(new))
    colours = tuple(((line, line + 1, "name"),) for line in range(len(before)))
    blocks = {0: colours} if colours else {}
    kept = SideColours(before, {} if is_whole else blocks, colours if is_whole else None)
    stand_in = CachedColours(kept, after)
    for line in range(len(after)):
        for start, _, _ in stand_in.of(line):
            assert before[start] == after[line]
    if old == new:
        assert [stand_in.of(line) for line in range(len(after))] == list(colours)
