"""Where the robot works: a small project with plans of two agents, and the real window on it."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

import qasync
from PySide6.QtCore import QEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.ui.app.application import Session
from studio.ui.review.desk import Desk
from studio.ui.settings import Settings
from tests.journeys.clock import Clock
from tests.journeys.hands import hands_of_this_display, let_pass, wait_for
from tests.journeys.person import Person
from tests.lab.robot.looking import Looker
from tests.lab.robot.other_process import OtherProcess
from tests.lab.robot.proposals import make_files, propose
from tests.lab.robot.turns import CountingRunner, TurnRunner

_A_TURN = 0.02
"""Seconds that one turn lasts where threads do the work."""
_WHILE_HELD = 0.3
"""Seconds after which all is done that needs no store."""
_ROUNDS = 4
"""How often the window and its jobs answer each other until both are at rest."""


class StageClock(Clock):
    """Stands still until it is told that time has passed; with `runs` it is the real one as well."""

    def __init__(self, *, runs: bool) -> None:
        super().__init__()
        self._runs = runs
        self._ahead = 1000.0

    def __call__(self) -> float:
        return self._ahead + (super().__call__() if self._runs else 0.0)

    def pass_by(self, seconds: float) -> None:
        self._ahead += seconds


class Stage:
    """One process with a window, for many projects one after another.

    With `threads` the window works as it is started for a person; else everything is done in turns.
    """

    def __init__(self, app: QApplication, folder: Path, *, threads: bool = False) -> None:
        _let_the_command_line_decide()
        self._app = app
        self._folder = folder
        self._count = 0
        self.other = OtherProcess()
        self.clock = StageClock(runs=threads)
        self.runner = CountingRunner() if threads else TurnRunner()
        self._loop: qasync.QEventLoop | None = None
        if threads:
            # Never told to run: its callbacks are Qt's events, which the robot lets through.
            self._loop = qasync.QEventLoop(app)
            asyncio.set_event_loop(self._loop)
        self._session = Session(app, self.runner, Settings(None), clock=self.clock)
        self._session.start_theme("light")
        self._session.listen()
        self._is_up = False
        self.ran: list[str] = []
        """The actions that the window has run."""
        self._complaints: list[str] = []
        self._hook, sys.excepthook = sys.excepthook, self._complain

    @property
    def desk(self) -> Desk:
        return self.person.desk

    @property
    def is_threaded(self) -> bool:
        return isinstance(self.runner, CountingRunner)

    def take_complaints(self) -> list[str]:
        """What went wrong inside the window since this was asked last."""
        taken, self._complaints = self._complaints, []
        return taken

    def _complain(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        self._complaints.append("".join(traceback.format_exception(kind, error, trace)))

    # One project after another

    def open(self, plans: Sequence[int]) -> None:
        """Make a project with plans of these kinds (see `proposals`), and open the window on it."""
        self._count += 1
        self.root = self._folder / f"project-{self._count}"
        self.away = self._folder / f"away-{self._count}"
        self.root.mkdir()
        make_files(self.root)
        for serial, kind in enumerate(plans):
            propose(self.other, self.root, kind, serial)
        self.looker = Looker(self.root)
        QApplication.clipboard().setText("mine")
        control = self._session.open_window(self.root)
        control.window.show()
        if not self._is_up:
            self._start()
        self.person = Person(control, hands_of_this_display(), self.clock)
        self.rest(lambda: control.desk is not None and control.desk.queue.is_loaded)
        QTest.qWaitForWindowActive(control.window)
        self.ran.clear()
        control.actions.triggered.connect(self.ran.append)
        self.pass_time(1.1)
        self.rest()

    def close(self) -> None:
        """Close the window, and take the project and its store away."""
        self.person.window.close()
        self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        self.rest()
        self.looker.close()
        for folder in (self.root, self.away, self.looker.state_folder):
            shutil.rmtree(folder, ignore_errors=True)

    def end(self) -> None:
        """The process ends."""
        sys.excepthook = self._hook
        self._session.close_all()
        self._session.close()
        self.runner.close()
        self.other.close()
        for gone in (self._session, self.runner):
            gone.deleteLater()
        self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        if self._loop is not None:
            self._loop.close()
            asyncio.set_event_loop(None)

    def _start(self) -> None:
        self._app.processEvents()
        if self._loop is not None:
            self.runner.start(self._loop)
        self._session.load_after_paint()
        self._is_up = True

    # Letting things happen

    def go_on(self, turns: int) -> None:
        """Let the window do so many things."""
        self._app.processEvents()
        for _ in range(turns):
            if isinstance(self.runner, TurnRunner):
                self.runner.turn()
                self._app.processEvents()
            else:
                let_pass(_A_TURN)

    def notify(self) -> None:
        """Tell the window that something changed, as its timer and its watcher of files do."""
        self.desk.poll()
        if not self.is_threaded:
            self.desk.queue.disk_changed()

    def rest(self, until: Callable[[], bool] = lambda: True) -> None:
        """Let the window do everything that it has to."""
        runner = self.runner
        if isinstance(runner, TurnRunner):
            for _ in range(_ROUNDS):
                self._app.processEvents()
                runner.finish()
            assert until()
        elif runner.engine_waits:
            let_pass(_WHILE_HELD)
        else:
            wait_for(lambda: runner.is_idle and until(), "the window to come to rest")
            let_pass(_A_TURN)
            wait_for(lambda: runner.is_idle, "the window to come to rest")

    def pass_time(self, seconds: float) -> None:
        """Let that much time go by, in which nobody does anything."""
        self.clock.pass_by(seconds)
        # The timer that says it runs by the clock on the wall.
        self.desk.guards.dead_time.changed.emit()
        self._app.processEvents()


def _let_the_command_line_decide() -> None:
    """The other process has no terminal; what it decides is told apart by how it was seen."""
    folder = Path(os.environ["STUDIO_CONFIG_DIR"])
    (folder / "config.yaml").write_text("review: {command_line: allow}\n")
