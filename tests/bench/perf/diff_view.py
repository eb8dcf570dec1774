"""The diff of a million lines on screen, beside Qt's own text editor with the same text, and git."""

from __future__ import annotations

import gc
import hashlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from studio.engine.diff.line_diff import FileDiff
from studio.engine.plan import Operation, Step, StepState
from studio.journal.file_image import FileImage
from studio.limits import DIFF_IN_PROCESS_BYTES
from studio.ui.diff import DiffView
from studio.ui.look.theme import set_theme
from studio.ui.review.queue_state import diff_of, head_of
from studio.ui.runner import Runner
from tests.bench.perf.comparison import Benchmark, Comparison, compare

LINES = 1_000_000
CHARACTERS = 2_000_000
"""Of the one long line."""

CHANGED_EVERY = 100
FRAMES = 200
SMOOTH_FRAME_MS = 8.0
TWO_FRAMES_MS = 1000 / 30
_WIDTH, _HEIGHT = 900, 560

Sides = tuple[bytes, bytes]


@cache
def _many_lines(lines: int) -> Sides:
    base = b"".join(b"value_%d = compute(%d)\n" % (line, line) for line in range(lines))
    result = b"".join(
        b"value_%d = compute(%d%s)\n" % (line, line, b" + 1" if line % CHANGED_EVERY == 50 else b"")
        for line in range(lines)
    )
    return base, result


@cache
def _long_line(characters: int) -> Sides:
    half = b"1, " * (characters // 6)
    return b"x = [" + half + half + b"]\n", b"x = [" + half + b"2, " + half + b"]\n"


def _app() -> QApplication:
    app = QApplication.instance() or QApplication(["diff", "-platform", "offscreen"])
    assert isinstance(app, QApplication)
    set_theme(app, "light")
    return app


def step_of(sides: Sides, name: str = "values.py") -> Step:
    """A pending change of a file from one content to the other."""
    images = [FileImage(hashlib.sha256(data).hexdigest(), len(data), 0o644) for data in sides]
    return Step(1, name, Operation.MODIFY, name, None, StepState.PENDING, images[0], images[1])


class _Shown:
    """A diff view on screen."""

    def __init__(self, sides: Sides, runner: Runner | None = None) -> None:
        self.sides = sides
        self.step = step_of(sides)
        self.view = DiffView(runner=runner)
        self.view.resize(_WIDTH, _HEIGHT)
        self.view.show()
        QApplication.processEvents()

    def show(self, diff: FileDiff | None, *, is_head: bool = False) -> None:
        self.view.show_step(self.step, diff, *self.sides, {}, is_head=is_head)
        self.view.canvas.viewport().repaint()
        assert self.view.canvas.layout_ is not None

    def close(self) -> None:
        self.view.close()
        self.view.deleteLater()
        QApplication.processEvents()


def _milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def _plain_text(sides: Sides) -> Callable[[], float]:
    text = sides[1].decode()

    def paint() -> float:
        editor = QPlainTextEdit()
        editor.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        editor.resize(_WIDTH, _HEIGHT)
        editor.show()
        taken = _milliseconds(lambda: (editor.setPlainText(text), editor.viewport().repaint()))
        editor.close()
        editor.deleteLater()
        QApplication.processEvents()
        return taken

    return paint


def _paint(sides: Sides, pairs: int) -> Comparison:
    _app()
    diff = diff_of(*sides)
    shown = _Shown(sides)

    def ours() -> float:
        shown.view.clear("")
        QApplication.processEvents()
        return _milliseconds(lambda: shown.show(diff))

    mine, other = compare(ours, _plain_text(sides), pairs)
    shown.close()
    return Comparison("rows ready to first paint", "QPlainTextEdit.setPlainText", mine, other, 0.02)


def _paint_lines(_folder: Path, pairs: int) -> Comparison:
    return _paint(_many_lines(LINES), pairs)


def _paint_long_line(_folder: Path, pairs: int) -> Comparison:
    return _paint(_long_line(CHARACTERS), pairs)


class _Stored:
    """A project whose one plan changes every hundredth line of a long file."""

    def __init__(self, folder: Path, sides: Sides) -> None:
        from studio.engine.draft import DraftStep, PlanDraft
        from studio.workspace import Workspace

        config = Path(os.environ.get("STUDIO_CONFIG_DIR", str(folder / "config")))
        config.mkdir(parents=True, exist_ok=True)
        (config / "config.yaml").write_text("limits: {file_bytes: 1073741824}\n")
        self.base, self.result = folder / "values.py", folder / "values.new"
        self.base.write_bytes(sides[0])
        self.result.write_bytes(sides[1])
        self.workspace = Workspace.open(folder)
        draft = DraftStep(Operation.MODIFY, "values.py", content=sides[1])
        self.plan = self.workspace.proposer.propose(PlanDraft("plan", (draft,), "Add one"))
        assert self.plan.steps[0].state is StepState.PENDING, self.plan.steps[0].problems

    def contents(self) -> Sides:
        contents = self.workspace.proposer.contents(self.plan.id, 1)
        assert contents.base is not None
        assert contents.result is not None
        return contents.base, contents.result

    def close(self) -> None:
        self.workspace.close()


def _first_screen(folder: Path, pairs: int) -> Comparison:
    """From the press: contents out of the store, the beginning of the diff, painted."""
    _app()
    sides = _many_lines(LINES)
    stored, shown = _Stored(folder, sides), _Shown(sides)

    def ours() -> float:
        shown.view.clear("")
        QApplication.processEvents()
        return _milliseconds(lambda: shown.show(head_of(*stored.contents()), is_head=True))

    mine, other = compare(ours, _plain_text(sides), pairs)
    _check_first_screen(shown, sides)
    shown.close()
    stored.close()
    return Comparison("a press to the first screen", "QPlainTextEdit.setPlainText", mine, other, 0.1)


def _check_first_screen(shown: _Shown, sides: Sides) -> None:
    """What stands on the first screen is what stands there once everything is compared."""
    pictures: list[QImage] = []
    for diff in (head_of(*sides), diff_of(*sides)):
        shown.show(diff, is_head=True)
        for _ in range(4):
            QApplication.processEvents()
        pictures.append(shown.view.canvas.viewport().grab().toImage())
    assert pictures[0] == pictures[1]


def _exact_range(folder: Path, pairs: int) -> Comparison:
    """From the press until the scroll range is that of the whole diff."""
    _app()
    sides = _many_lines(LINES)
    stored, shown = _Stored(folder, sides), _Shown(sides)

    def exact() -> None:
        contents = stored.contents()
        shown.show(head_of(*contents), is_head=True)
        shown.show(diff_of(*contents))
        layout = shown.view.canvas.layout_
        assert layout is not None
        assert layout.is_exact

    def git() -> None:
        command = ["git", "diff", "--no-index", "--no-ext-diff", str(stored.base), str(stored.result)]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)

    def ours() -> float:
        shown.view.clear("")
        QApplication.processEvents()
        return _milliseconds(exact)

    mine, other = compare(ours, lambda: _milliseconds(git), pairs)
    shown.close()
    stored.close()
    return Comparison("a press to the exact scroll range", "git diff --no-index", mine, other, 1.5)


def _frames(sides: Sides, pairs: int, *, across: bool = False) -> Comparison:
    """The 95th percentile of a frame while one scrolls: by rows, by pages and by jumps."""
    _app()
    shown = _Shown(sides)
    shown.show(diff_of(*sides))
    if across:
        shown.view.set_wrap(False)
        shown.view.set_folds(False)
    canvas = shown.view.canvas
    bar = canvas.horizontalScrollBar() if across else canvas.verticalScrollBar()
    for _ in range(3):  # the width of a line is known once it was painted
        QApplication.processEvents()
    assert bar.maximum() > 0

    owns: list[float] = []

    def ours() -> float:
        taken: list[float] = []
        own: list[float] = []
        for frame in range(FRAMES):
            started, own_started = time.perf_counter(), time.thread_time()
            if frame % 20 == 0:
                bar.setValue(bar.maximum() * (frame * 17 % FRAMES) // FRAMES)
            else:
                bar.setValue(bar.value() + (bar.pageStep() if frame % 5 == 0 else 3 * bar.singleStep()))
            canvas.viewport().repaint()
            taken.append((time.perf_counter() - started) * 1000)
            own.append((time.thread_time() - own_started) * 1000)
        owns.append(statistics.quantiles(own, n=20)[-1])
        return statistics.quantiles(taken, n=20)[-1]

    mine, other = compare(ours, lambda: SMOOTH_FRAME_MS, pairs)
    shown.close()
    legs = {"of it the window's own thread": tuple(owns[1:])}
    return Comparison("a scrolled frame, 95th percentile", "8 ms", mine, other, 1.0, legs=legs)


def _frames_lines(_folder: Path, pairs: int) -> Comparison:
    return _frames(_many_lines(LINES), pairs)


def _frames_long_line(_folder: Path, pairs: int) -> Comparison:
    return _frames(_long_line(CHARACTERS), pairs, across=True)


def _colours(_folder: Path, pairs: int) -> Comparison:
    """From the last frame of a scroll to the frame that has the colours of what is in sight."""
    # In a process of its own: what starts a child process leaves another one behind that watches it.
    program = (
        "from tests.bench.perf import diff_view\n"
        f"diff_view.LINES = {LINES}\n"
        f"print(*diff_view.colour_times({pairs}))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    ours = tuple(map(float, done.stdout.split()[-pairs:]))
    peer = (TWO_FRAMES_MS,) * pairs
    return Comparison("scrolling stops to colours", "two frames", ours, peer, 1.0)


def colour_times(pairs: int) -> tuple[float, ...]:
    """Milliseconds from the end of a scroll to its colours, so often."""
    import qasync

    app = _app()
    sides = _many_lines(min(LINES, 200_000))
    loop = qasync.QEventLoop(app, already_running=False)
    runner = Runner()
    runner.start(loop)
    shown = _Shown(sides, runner)
    shown.show(diff_of(*sides))
    canvas, places = shown.view.canvas, iter(range(1, 1_000_000))

    def has_colours() -> bool:
        layout, document = canvas.layout_, canvas._document
        assert layout is not None
        assert document is not None
        assert not document.is_colourless
        top, bottom = canvas.view_lines()
        rows = range(layout.row_at(top), layout.row_at(bottom))
        cells = [layout.row(row).right for row in rows]
        # Each line is asked for its colours, not only the first that has none.
        known = [bool(document.colours.of(cell.side, cell.line)) for cell in cells if cell is not None]
        return all(known)

    async def scroll() -> float:
        import asyncio

        bar, document = canvas.verticalScrollBar(), canvas._document
        assert document is not None
        bar.setValue(bar.maximum() * (next(places) * 37 % 1009) // 1009)
        canvas.viewport().repaint()
        started = time.perf_counter()
        while not has_colours():
            await asyncio.sleep(0.001)
        canvas.viewport().repaint()
        taken = (time.perf_counter() - started) * 1000
        # The next scroll waits for nothing that this one asked for.
        while document.colours.is_busy:
            await asyncio.sleep(0.001)
        return taken

    async def scroll_often() -> tuple[float, ...]:
        await scroll()
        return tuple([await scroll() for _ in range(pairs)])

    with loop:
        # In one run of the loop: what ends between two is never told.
        taken = loop.run_until_complete(scroll_often())
        shown.close()
        runner.close()
    return taken


_MEMORY_PROGRAM = """
import gc
from tests.bench.perf import diff_view
diff_view.LINES, diff_view.CHARACTERS = {lines}, {characters}
print(diff_view.added_memory({name!r}))
"""


def added_memory(name: str) -> float:
    """Bytes that showing a diff adds to this process, for each byte of its two texts."""
    _app()
    # What compares larger files is a process that is started once.
    few = _Shown((b"a\n" * DIFF_IN_PROCESS_BYTES, b"b\n"))
    few.show(diff_of(*few.sides))
    sides = _many_lines(LINES) if name == "lines" else _long_line(CHARACTERS)
    gc.collect()
    before = _resident()
    shown = _Shown(sides)
    shown.show(diff_of(*sides))
    bar = shown.view.canvas.verticalScrollBar()
    for part in range(20):
        bar.setValue(bar.maximum() * part // 20)
        shown.view.canvas.viewport().repaint()
    # The texts themselves were there before.
    text = sum(map(len, sides))
    return (_resident() - before + text) / text


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _memory(name: str) -> Callable[[Path, int], Comparison]:
    def measure(_folder: Path, pairs: int) -> Comparison:
        program = _MEMORY_PROGRAM.format(lines=LINES, characters=CHARACTERS, name=name)

        def ours() -> float:
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
            return float(done.stdout.split()[-1])

        mine, other = compare(ours, lambda: 1.0, pairs)
        return Comparison("texts and all that shows them", "the texts", mine, other, 2.5, unit="x")

    return measure


DIFF_VIEW = (
    Benchmark("diff-paint", "a diff of 1,000,000 lines, rows ready, to its first paint", _paint_lines),
    Benchmark("diff-first", "a press to the first screen of a diff of 1,000,000 lines", _first_screen),
    Benchmark("diff-exact", "a press to the exact scroll range of 1,000,000 lines", _exact_range),
    Benchmark("diff-frames", "a frame while a diff of 1,000,000 lines is scrolled", _frames_lines),
    Benchmark("diff-colours", "colours after scrolling stops", _colours),
    Benchmark("diff-memory", "memory of a diff of 1,000,000 lines on screen", _memory("lines")),
    Benchmark("line-paint", "one line of 2,000,000 characters to its first paint", _paint_long_line),
    Benchmark("line-frames", "a frame while a line of 2,000,000 characters is scrolled", _frames_long_line),
    Benchmark("line-memory", "memory of a line of 2,000,000 characters on screen", _memory("line")),
)
