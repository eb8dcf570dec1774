"""A real project with a real engine below the real window; only the clock is ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.plan import Operation, PersonSource, Plan
from studio.ui.look.theme import make_theme, set_theme, theme
from studio.ui.review.desk import Desk
from studio.ui.runner import Runner
from studio.ui.settings import Settings
from studio.ui.window.control import WindowControl
from studio.workspace import Person, Workspace
from tests.tools.clean_window import SharedWindow
from tests.tools.idle import run_until_idle

LINES = tuple(f"line {number}\n" for number in range(1, 41))


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def modified(path: str, **lines: str) -> DraftStep:
    """A modify step: `l3="text"` replaces line 3 of the usual forty."""
    changed = list(LINES)
    for name, text in lines.items():
        changed[int(name[1:]) - 1] = text + "\n"
    return DraftStep(Operation.MODIFY, path, content="".join(changed).encode())


class Bench:
    """One project, and the agents and programs that touch it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = Clock()
        for name in ("one.txt", "two.txt", "three.txt"):
            (root / name).write_text("".join(LINES))
        self.agent = Workspace.open(root)

    def propose(self, title: str, *steps: DraftStep, agent: str = "claude-code") -> Plan:
        return self.agent.proposer.propose(PlanDraft("plan", steps, title, agent))

    def propose_three(self, title: str = "Three files") -> Plan:
        """Three modify steps; the first one has two hunks."""
        return self.propose(
            title,
            modified("one.txt", l3="changed 3", l30="changed 30"),
            modified("two.txt", l5="changed 5"),
            modified("three.txt", l7="changed 7"),
        )

    def look(self, desk: Desk) -> None:
        """The current step has been painted and the dead time is over."""
        desk.shown.mark_painted(desk.choices.key)
        self.clock.now += 1.0
        desk.guards.dead_time.changed.emit()

    def read(self, name: str) -> str:
        return (self.root / name).read_text()

    def is_untouched(self) -> bool:
        return all(self.read(name) == "".join(LINES) for name in ("one.txt", "two.txt", "three.txt"))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with bench_in(tmp_path) as made:
        yield made


@contextmanager
def bench_in(folder: Path) -> Iterator[Bench]:
    root = folder / "tidewatch"
    root.mkdir()
    made = Bench(root)
    yield made
    made.agent.close()


class LaterRunner(Runner):
    """Engine calls at once; pure work only when a test says so."""

    def __init__(self) -> None:
        super().__init__(immediate=True)
        self.waiting: list[Callable[[], None]] = []

    def compute(self, function: Any, *args: Any, then: Any = None, failed: Any = None) -> None:
        def work() -> None:
            super(LaterRunner, self).compute(function, *args, then=then, failed=failed)

        self.waiting.append(work)

    def run_one(self) -> None:
        self.waiting.pop(0)()

    def run_all(self) -> None:
        while self.waiting:
            self.run_one()


@pytest.fixture
def later_runner(qapp: QApplication) -> Iterator[LaterRunner]:
    made = LaterRunner()
    yield made
    made.run_all()
    made.close()
    made.deleteLater()


@pytest.fixture
def runner(qapp: QApplication) -> Iterator[Runner]:
    made = Runner(immediate=True)
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def make_desk(bench: Bench, runner: Runner) -> Iterator[Callable[..., Desk]]:
    """Opens the bench's project as the window would."""
    opened: list[tuple[Desk, Workspace]] = []

    def make(settings: Settings | None = None) -> Desk:
        workspace = Workspace.open(bench.root)
        reviewer = workspace.reviewer(Person(PersonSource.WINDOW, "tester"))
        desk = Desk(runner, workspace, reviewer, settings=settings, clock=bench.clock)
        opened.append((desk, workspace))
        desk.start()
        return desk

    yield make
    for desk, workspace in opened:
        desk.close()
        desk.deleteLater()
        workspace.close()


@pytest.fixture
def desk(make_desk: Callable[..., Desk]) -> Desk:
    return make_desk()


class Desktop:
    """The window with a person before it: real keys and clicks at real places."""

    def __init__(self, control: WindowControl, bench: Bench) -> None:
        assert control.desk is not None
        assert control.panes is not None
        self.control = control
        self.window = control.window
        self.desk = control.desk
        self.panes = control.panes
        self.bench = bench

    def settle(self) -> None:
        """Let everything be painted and the dead time pass, and the actions learn of it."""
        run_until_idle()
        self.bench.clock.now += 1.0
        self.desk.guards.dead_time.changed.emit()
        run_until_idle()

    def focused(self) -> QWidget:
        focused = QApplication.focusWidget()
        assert focused is not None
        return focused

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.focused(), key, modifiers)
        run_until_idle()

    def type(self, text: str) -> None:
        QTest.keyClicks(self.focused(), text)
        run_until_idle()

    def click(self, widget: QWidget) -> None:
        """Press the mouse at the middle of a widget, as a place of the window."""
        middle = widget.mapTo(self.window, QPoint(widget.width() // 2, widget.height() // 2))
        QTest.mouseClick(self.window.windowHandle(), Qt.MouseButton.LeftButton, pos=middle)
        run_until_idle()

    def find(self, name: str) -> Any:
        found = [widget for widget in self.window.findChildren(QWidget, name) if widget.isVisible()]
        assert found, f"{name} is not on screen"
        return found[0]

    def said(self) -> str:
        return self.window.status.sentence.text()


@pytest.fixture
def open_window(qapp: QApplication, bench: Bench, runner: Runner) -> Iterator[Callable[[], Desktop]]:
    """Opens the bench's project in a real window, as `studio PATH` does."""
    with windows_on(qapp, bench, runner) as make:
        yield make


@contextmanager
def windows_on(app: QApplication, bench: Bench, runner: Runner) -> Iterator[Callable[[], Desktop]]:
    if not app.styleSheet() or theme() != make_theme("light"):
        set_theme(app, "light")  # which polishes every widget of all windows
    opened: list[WindowControl] = []

    def make() -> Desktop:
        control = WindowControl(runner, Settings(None), clock=bench.clock)
        opened.append(control)
        control.finish_startup()
        control.window.show()
        QTest.qWaitForWindowActive(control.window)
        control.open_project(bench.root)
        made = Desktop(control, bench)
        made.settle()
        return made

    yield make
    for control in opened:
        control.window.close()
        control.window.deleteLater()
        control.deleteLater()
    run_until_idle()
    # Outside of a test nothing else deletes what was asked to go, with its timers.
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(scope="module")
def desktop_of_file(
    qapp: QApplication, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Desktop, SharedWindow]]:
    runner = Runner(immediate=True)
    with bench_in(tmp_path_factory.mktemp("shared")) as bench:
        bench.propose_three()
        with windows_on(qapp, bench, runner) as make:
            made = make()
            yield made, SharedWindow(made.control, made.settle)
    runner.close()
    runner.deleteLater()


shares_window = pytest.mark.usefixtures("desktop_of_file")
"""For a test that decides, writes and keeps nothing: it gets the window of its file, cleaned.

One for each worker costs more: this folder's tests take 148 CPU seconds instead of 118, as those that need a
window of their own then run beside a second one, which every change of theme polishes anew.
"""


@pytest.fixture
def desktop(request: pytest.FixtureRequest) -> Iterator[Desktop]:
    """The window on a project with one plan of three steps."""
    if "desktop_of_file" in request.fixturenames:
        made, shared = request.getfixturevalue("desktop_of_file")
        shared.bring_to_front()
        yield made
        shared.give_back()
    else:
        request.getfixturevalue("bench").propose_three()
        yield request.getfixturevalue("open_window")()
