"""The window process of one person, started inside the test process."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import qasync
from PySide6.QtCore import QEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.open_window import agent_processes, bundle_text
from studio.program.app_folders import state_directory
from studio.ui import worker
from studio.ui.agents import agent_process
from studio.ui.app.application import Session
from studio.ui.language import LANGUAGE, use_language
from studio.ui.process_pool import process_pool
from studio.ui.runner import Runner
from studio.ui.settings import Settings
from studio.ui.translation import Translation
from studio.ui.window.control import WindowControl
from tests.journeys.clock import Clock
from tests.journeys.hands import hands_of_this_display, wait_for
from tests.journeys.person import Person


class SharedProcess(Executor):
    """One child process for the pure work of all windows of a session; a runner that closes leaves it."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave it to the next window."""


@contextmanager
def shared_process() -> Iterator[SharedProcess]:
    """Start it, and end it at the end of the session: it took 0.36 s of CPU per window."""
    with process_pool() as pool:
        _shared.add(pool.submit(os.getpid).result())
        yield SharedProcess(pool)


_shared: set[int] = set()


def children() -> list[BaseProcess]:
    """Return the child processes that multiprocessing knows, but for the shared one."""
    return [each for each in multiprocessing.active_children() if each.pid not in _shared]


class WindowRunner(Runner):
    """The program's runner, with a child process that outlives it."""

    def __init__(self, process: SharedProcess) -> None:
        super().__init__()
        self._process = process

    def _child_process(self) -> Executor:
        return self._process


class Desktop:
    """The window process of one person: started as `studio` starts it, with its own event loop.

    Only Python's looks for garbage stay its own: those of the program would bring all that the tests loaded
    into the look after each of them.
    """

    def __init__(
        self,
        app: QApplication,
        loop: qasync.QEventLoop,
        process: SharedProcess | None = None,
        *,
        is_observing: bool = False,
        is_first_day: bool = False,
    ) -> None:
        """`process` computes for it, and outlives it. `is_observing`: as the program does it; a process more
        for each window. `is_first_day`: nobody has seen the first steps, unless the settings say so."""
        self._app = app
        self._loop = loop
        self.runner = Runner() if process is None else WindowRunner(process)
        self.clock = Clock()
        settings = Settings(state_directory() / "window.ini")
        if not is_first_day:
            settings.end_first_day()
        use_language(app, settings.text(LANGUAGE))
        self.session = Session(
            app,
            self.runner,
            settings,
            clock=self.clock,
            agents=agent_processes,
            is_observing=is_observing,
            bundle=bundle_text,
        )
        self.session.start_theme("light")
        self._is_up = False

    def open(self, root: Path | None) -> Person:
        """Open a project, or the start page, and wait until it is filled and in front."""
        control = self.session.open_window(root)
        control.window.show()
        if not self._is_up:
            self._start(control)
        QTest.qWaitForWindowActive(control.window)
        wait_for(lambda: not control.is_opening, "the project")
        person = Person(control, hands_of_this_display(), self.clock)
        if root is not None:
            wait_for(lambda: person.desk.queue.is_loaded, "the first look at the store")
            wait_for(person.is_free_to_press, "the end of the dead time")
        return person

    def _start(self, control: WindowControl) -> None:
        """What follows the first paint, in the order of `studio.ui.app.main`."""
        painted: list[bool] = []
        control.window.first_painted.connect(lambda: painted.append(True))
        wait_for(lambda: painted, "the first paint")
        self.runner.start(self._loop)
        self.session.load_after_paint()
        self.session.listen()
        self._is_up = True

    def close(self) -> None:
        self.session.close_all()
        self.session.close()
        self.runner.close()
        # A widget ends its process once it is destroyed.
        self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        for thread in threading.enumerate():
            if thread.name in (agent_process.THREAD, worker.THREAD):
                thread.join()
        for gone in (self.session, self.runner, *self._app.findChildren(Translation)):
            gone.deleteLater()
        self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
