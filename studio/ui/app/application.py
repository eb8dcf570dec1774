"""Application session: all windows, theme, inter-process notify sockets, agent gate checks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QProcess, QSocketNotifier, QTimer, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from studio.errors import InternalError
from studio.program.own_program import own_command
from studio.resources import resource
from studio.ui import actions, app, review
from studio.ui.app.faults import Faults
from studio.ui.look.theme import THEME_NAMES, follow_desktop, set_theme
from studio.ui.runner import Runner
from studio.ui.settings import Settings
from studio.ui.window.control import WindowControl

if TYPE_CHECKING:
    from studio.errors import StudioError
    from studio.extras.agents import GateStatus
    from studio.program.notify_socket import NotifyListener
    from studio.ui.actions.bindings import Bindings
    from studio.ui.agents.agent_process import AgentProcesses
    from studio.ui.app.attention import Attention, Notifier
    from studio.ui.help.diagnostics_page import Bundle
    from studio.ui.help.fault_banner import Fault
    from studio.ui.review.backlogs import RecentProjects
    from studio.ui.runner import Runner


class Session(QObject):
    """Windows of the process, one per project, on one engine thread.

    Ends when the last window closes.
    """

    ended = Signal()

    def __init__(
        self,
        app: QApplication,
        runner: Runner,
        settings: Settings,
        *,
        clock: Callable[[], float] = time.monotonic,
        agents: Callable[[], AgentProcesses] | None = None,
        is_observing: bool = False,
        bundle: Bundle | None = None,
    ) -> None:
        super().__init__(app)
        self._clock, self._agents, self._is_observing, self._bundle = clock, agents, is_observing, bundle
        self._app = app
        self._runner = runner
        self._settings = settings
        self._listeners: list[tuple[NotifyListener, QSocketNotifier]] = []
        self._bindings: Bindings | None = None
        self._recent_projects: RecentProjects | None = None
        self._attention: Attention | None = None
        self._gates: Gates | None = None
        self._theme = ("system", False)
        self.controls: list[WindowControl] = []
        self.faults = Faults(self._show_fault, self)
        runner.unexpected_error.connect(self._report_unexpected)
        self.faults.disk_filled.connect(self._report_unexpected)
        runner.report_fault = self.faults.report

    def open_window(
        self, project: Path | None, files: list[Path] | None = None, reason: str = ""
    ) -> WindowControl:
        """Open a window on a project, or the start page.

        `reason` says why this project was chosen.
        """
        control = WindowControl(
            self._runner,
            self._settings,
            self,
            clock=self._clock,
            agents=self._agents,
            is_observing=self._is_observing,
            bundle=self._bundle,
        )
        self.controls.append(control)
        control.project_wanted.connect(partial(self._open_from, control))
        control.demo_wanted.connect(self._open_demo)
        control.quit_wanted.connect(self.close_all)
        control.theme_wanted.connect(self.use_theme)
        control.colour_blind_wanted.connect(self._use_colour_blind)
        control.gates_changed.connect(self._read_gates)
        control.opened.connect(partial(self._project_opened, control))
        control.closed.connect(partial(self._window_closed, control))
        if self._bindings is not None:
            control.finish_startup(self._bindings, self._recent_projects)
            control.show_theme(self._theme[0], colour_blind=self._theme[1])
        if self._gates is not None:
            # A window whose project can't be opened shows it, too.
            control.show_gates(self._gates.statuses)
        if project is None:
            control.show_start_page()
        else:
            control.open_project(project, files, reason)
        return control

    def open_path(self, project: Path, files: list[Path] | None = None) -> None:
        """Raise a project's window, or open the project.

        It opens in a window that shows the start page, or in a new one.
        """
        for control in self.controls:
            if control.root_path == project.resolve():
                control.submit_files(list(files or ()))
                _bring_to_front(control)
                return
        for control in self.controls:
            if control.is_free:
                control.open_project(project, files)
                _bring_to_front(control)
                return
        self.open_window(project, files).window.show()

    def listen(self) -> None:
        """Open the notify sockets.

        One receives the arguments of later starts of the program, the other changes by other processes.
        Without them changes are found by polling.
        """
        from studio.program.notify_socket import listen, open_listener

        try:
            window = listen()
        except OSError:
            window = None
        for listener in (window, open_listener()):
            if listener is not None:
                notifier = QSocketNotifier(listener.fileno(), QSocketNotifier.Type.Read, self)
                notifier.activated.connect(self._handle_notifications)
                self._listeners.append((listener, notifier))

    def load_after_paint(self) -> None:
        """Load what the first paint did not need."""
        self._bindings = actions.Bindings(self._settings)
        self._recent_projects = review.RecentProjects(self._runner, self._settings, self._open_roots, self)
        icon = QIcon(str(resource("icons", "studio.svg")))
        self._app.setWindowIcon(icon)
        app.describe_widgets(self._app)
        follow_desktop(self._desktop_changed)
        for control in self.controls:
            control.finish_startup(self._bindings, self._recent_projects)
        self.report_waiters(app.Notifications(self._app, icon))

    def report_waiters(self, notifier: Notifier) -> None:
        """Report agents that wait in open projects to the desktop."""
        self._attention = app.Attention(self._app, notifier, _bring_to_front)
        for control in self.controls:
            if control.desk is not None:
                self._attention.follow(control)

    def watch_gates(self, look: GateReader) -> None:
        """Show the gate status of connected agents in every window."""

        self._gates = gates = Gates(self._runner, look, self._open_roots, self)
        gates.changed.connect(self._show_gates)
        self._app.applicationStateChanged.connect(lambda _state: gates.check())
        gates.check()

    def _open_roots(self) -> tuple[Path, ...]:
        return tuple(control.root_path for control in self.controls if control.root_path is not None)

    def _show_gates(self) -> None:
        for control in self.controls:
            control.show_gates(self._gates.statuses if self._gates is not None else None)

    def _project_opened(self, control: WindowControl) -> None:
        if self._attention is not None:
            self._attention.follow(control)
        self._show_gates()
        self._read_gates()

    def _read_gates(self) -> None:
        if self._gates is not None:
            self._gates.check()

    def use_theme(self, name: str) -> None:
        """Set the theme of every window and of later starts."""
        self._settings.store_text("theme", name)
        self._paint()

    def start_theme(self, name: str | None) -> None:
        """Set the initial theme: given, else stored, else the desktop's."""
        self._paint(name)

    def close_all(self) -> None:
        for control in list(self.controls):
            control.window.close()

    def close(self) -> None:
        """Close the notify sockets."""
        for listener, notifier in self._listeners:
            notifier.setEnabled(False)
            listener.close()
        self._listeners.clear()

    def _open_from(self, control: WindowControl, project: Path) -> None:
        if control.desk is None and all(other.root_path != project.resolve() for other in self.controls):
            control.open_project(project)
        else:
            self.open_path(project)

    def _open_demo(self) -> None:
        # The demo's plans are submitted by a door in a process of its own, which then notifies this window.
        program, *words = own_command()
        QProcess.startDetached(program, [*words, "demo"])

    def _handle_notifications(self) -> None:
        for message in dict.fromkeys(
            message for listener, _ in self._listeners for message in listener.drain()
        ):
            word, _, rest = message.partition(" ")
            if word == "changed":
                self._changed(rest)
            elif word == "open" and rest:
                project, *files = rest.split("\n")
                self.open_path(Path(project), [Path(file) for file in files])
            elif word == "open" and self.controls:
                _bring_to_front(self.controls[-1])

    def _changed(self, key: str) -> None:
        for control in self.controls:
            if control.key == key and control.desk is not None:
                control.desk.queue.reload()
        if self._recent_projects is not None:
            self._recent_projects.backlogs.read_changed(key)

    def _use_colour_blind(self, safe: bool) -> None:
        self._settings.store_text("colour_blind", "yes" if safe else "")
        self._paint()

    def _paint(self, name: str | None = None) -> None:
        chosen = name or self._settings.text("theme")
        if chosen not in (*THEME_NAMES, "system"):
            chosen = "system"
        safe = bool(self._settings.text("colour_blind"))
        set_theme(self._app, chosen, colour_blind=safe)
        self._theme = (chosen, safe)
        for control in self.controls:
            control.show_theme(chosen, colour_blind=safe)

    def _desktop_changed(self) -> None:
        if self._theme[0] == "system":
            self._paint("system")

    def _report_unexpected(self, error: StudioError) -> None:
        if isinstance(error, InternalError):
            return  # its banner says more
        for control in self.controls:
            control.show_status_message(review.StatusMessage(error.message, review.Tone.BAD, error.hint))

    def _show_fault(self, fault: Fault) -> None:
        """Show the fault in every window: its origin is unknown."""
        for control in list(self.controls):
            control.show_fault(fault)

    def _window_closed(self, control: WindowControl) -> None:
        if control in self.controls:
            self.controls.remove(control)
            control.window.deleteLater()
            control.deleteLater()
        if not self.controls:
            self.ended.emit()


def _bring_to_front(control: WindowControl) -> None:
    control.window.show()
    control.window.raise_()
    control.window.activateWindow()


# Periodic check of the gates of connected agents.

GateReader = Callable[[Sequence[Path]], Sequence["GateStatus"]]
"""Returns the gate status of the agents in these projects."""
_PAUSE_MS = 60_000


class Gates(QObject):
    """Gate status of connected agents, one for the process.

    Clients are updated and configurations changed without notice, so it checks each minute, when a window
    comes to the front, and when a project is opened.
    """

    changed = Signal(object)
    """Carries all statuses, as a tuple."""

    def __init__(
        self, runner: Runner, look: GateReader, projects: Callable[[], Sequence[Path]], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._runner, self._read_statuses, self._projects = runner, look, projects
        self._is_reading = self._is_wanted = False
        self.statuses: tuple[GateStatus, ...] | None = None
        timer = QTimer(self, interval=_PAUSE_MS)
        timer.timeout.connect(self.check)
        timer.start()

    def check(self) -> None:
        """Check the gates off the UI thread.

        One check at a time; a call meanwhile causes another one.
        """
        self._is_wanted = self._is_reading
        if not self._is_reading:
            self._is_reading = True
            # It may wait for Codex's server, which ends with this process; nothing here waits for it.
            self._runner.compute_alone(
                self._read_statuses, self._projects(), then=self._store_statuses, failed=self._failed
            )

    def _store_statuses(self, statuses: Sequence[GateStatus]) -> None:
        self._is_reading = False
        if self.statuses != tuple(statuses):
            self.statuses = tuple(statuses)
            self.changed.emit(self.statuses)
        if self._is_wanted:
            self.check()

    def _failed(self, error: StudioError) -> None:
        self._is_reading = False
        self._runner.unexpected_error.emit(error)
