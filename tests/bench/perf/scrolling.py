"""Frames of the side-by-side diff while somebody scrolls."""

from __future__ import annotations

import hashlib
import statistics
import time
from pathlib import Path

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from studio.engine.diff import compute
from studio.engine.plan import Operation, Step, StepState
from studio.journal.file_image import FileImage
from studio.ui.diff import DiffView
from studio.ui.look.theme import set_theme
from tests.bench.perf.comparison import Benchmark, Comparison, compare

_MANY, _FEW = 20_000, 2_000
_CHANGED_EVERY = 10
_FRAMES = 40
_WIDTH, _HEIGHT = 900, 560


class _Scrolled:
    """A view on a file with that many lines; `frame_ms` jumps through it and returns the median frame."""

    def __init__(self, lines: int) -> None:
        base = b"".join(b"value_%d = compute(%d)\n" % (line, line) for line in range(lines))
        result = b"".join(
            b"value_%d = compute(%d%s)\n" % (line, line, b" + 1" if line % _CHANGED_EVERY == 0 else b"")
            for line in range(lines)
        )
        pending = StepState.PENDING
        step = Step(1, "step", Operation.MODIFY, "values.py", None, pending, _image(base), _image(result))
        self.view = DiffView()
        self.view.resize(_WIDTH, _HEIGHT)
        self.view.show_step(step, compute(base, result), base, result, {})
        self.view.show()
        _paint()

    def frame_ms(self) -> float:
        bar = self.view.canvas.verticalScrollBar()
        viewport = self.view.canvas.viewport()
        assert bar.maximum() > 0
        taken: list[float] = []
        for frame in range(_FRAMES):
            started = time.perf_counter()
            # Steps that share no factor with the frames: every frame shows lines it has not shown before.
            bar.setValue(bar.maximum() * (frame * 17 % _FRAMES) // _FRAMES)
            viewport.repaint()
            taken.append((time.perf_counter() - started) * 1000)
        return statistics.median(taken)

    def close(self) -> None:
        self.view.close()
        self.view.deleteLater()
        _paint()


def _image(data: bytes) -> FileImage:
    return FileImage(hashlib.sha256(data).hexdigest(), len(data), 0o644)


def _paint() -> None:
    for _ in range(4):
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents)


def _scroll(_folder: Path, pairs: int) -> Comparison:
    app = QApplication.instance() or QApplication(["scroll", "-platform", "offscreen"])
    assert isinstance(app, QApplication)
    set_theme(app, "light")
    many, few = _Scrolled(_MANY), _Scrolled(_FEW)
    ours, peer = compare(many.frame_ms, few.frame_ms, pairs)
    many.close()
    few.close()
    names = f"a frame within {_MANY} lines", f"a frame within {_FEW} lines"
    return Comparison(*names, ours, peer, 1.5)


SCROLL = Benchmark("scroll", "a jump in the side-by-side diff until it is painted", _scroll)
