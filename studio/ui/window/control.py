"""Controller of one window: start page, opening a project, actions, theme, messages."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio import extras
from studio.ui import actions, review, window
from studio.ui.actions.action import Action
from studio.ui.look.theme import set_code_family
from studio.ui.settings import Settings
from studio.ui.window.main_window import MainWindow

if TYPE_CHECKING:
    from studio.errors import StudioError
    from studio.extras.agents import GateStatus
    from studio.extras.observed import WatchState
    from studio.ui.actions.actions import Actions
    from studio.ui.actions.bindings import Bindings
    from studio.ui.agents.agent_process import AgentProcesses
    from studio.ui.help.diagnostics_page import Bundle
    from studio.ui.help.fault_banner import Fault
    from studio.ui.review.backlogs import RecentProjects
    from studio.ui.review.desk import Desk
    from studio.ui.review.observed import ScanClient
    from studio.ui.review.state import StatusMessage
    from studio.ui.runner import Runner
    from studio.ui.window.first_steps import FirstDay
    from studio.ui.window.handlers import WindowActions
    from studio.ui.window.opening import OpenedProject
    from studio.ui.window.panes import Panes
    from studio.ui.window.start_page import StartPage
    from studio.ui.window.window_help import WindowHelp


_CODE_FONT = "code_font"


class WindowControl(QObject):
    """Controller of a window: opens a project or shows the start page.

    What the first paint does not need is loaded in `finish_startup` and later.
    """

    project_wanted = Signal(object)
    """Emitted with the `Path` of a project to open."""
    demo_wanted = Signal()
    quit_wanted = Signal()
    theme_wanted = Signal(str)
    colour_blind_wanted = Signal(bool)
    gates_changed = Signal()
    """Emitted when an agent was connected, disconnected or verified in this window."""
    opened = Signal()
    """Emitted once the project's panes are filled."""
    closed = Signal()

    def __init__(
        self,
        runner: Runner,
        settings: Settings,
        parent: QObject | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        agents: Callable[[], AgentProcesses] | None = None,
        is_observing: bool = False,
        bundle: Bundle | None = None,
    ) -> None:
        """Create the controller of a window.

        With `is_observing`, a process scans the open project for changes by others. `bundle` creates the text
        of the diagnostics.
        """
        super().__init__(parent)
        self._clock = clock
        self._is_observing = is_observing
        self.scan_client: ScanClient | None = None
        self._agents = agents
        self._bundle = bundle
        self._help: WindowHelp | None = None
        self._fault: Fault | None = None
        """Failure that happened before it could be shown."""
        self._runner = runner
        self._settings = settings
        self._project: OpenedProject | None = None
        self._watch_state: WatchState | None = None
        self._invalid_configuration: StatusMessage | None = None
        self._files: list[Path] = []
        self._root_reason = ""
        self._theme = ("system", False)
        self._window_actions: WindowActions | None = None
        self._recent_projects: RecentProjects | None = None
        self._start_page: StartPage | None = None
        self._first_day: FirstDay | None = None
        self.is_opening = False
        self.failure: StudioError | None = None
        self.desk: Desk | None = None
        self.panes: Panes | None = None
        self.window = MainWindow(settings)
        self.window.pressed.connect(self.trigger)
        self.window.closing.connect(self._close)
        self.window.activated.connect(self._activated)
        self.window.dropped.connect(self._open_dropped)
        self.window.text_dropped.connect(self._on_text_dropped)
        self.window.over_changed.connect(self._show_invalid_configuration)

    @property
    def key(self) -> str:
        """The name of the open project's store, "" without one.

        Notifications between processes contain it.
        """
        return self._project.workspace.key if self._project is not None else ""

    @property
    def root_path(self) -> Path | None:
        return self.desk.project.root_path if self.desk is not None else None

    @property
    def actions(self) -> Actions:
        """The window's actions; requires `finish_startup`."""
        assert self._window_actions is not None
        return self._window_actions.actions

    @property
    def bindings(self) -> Bindings:
        """The keyboard shortcuts; requires `finish_startup`."""
        return self.actions.bindings

    def finish_startup(
        self, bindings: Bindings | None = None, projects: RecentProjects | None = None
    ) -> None:
        """Create actions and menus after the first paint.

        All windows share their `bindings` and the cache of `projects` projects.
        """
        set_code_family(self._settings.text(_CODE_FONT))
        projects = self._recent_projects = projects or review.RecentProjects(
            self._runner, self._settings, self._own_roots, self
        )
        projects.backlogs.changed.connect(self._show_backlog)
        self._help = window.WindowHelp(self.window, self._runner, self._bundle, self)
        settings = window.SettingsDoor(
            self.window, self._runner, self._agents, lambda: self.actions, self, settings=self._settings
        )
        settings.message_sent.connect(self.show_status_message)
        settings.gates_changed.connect(self.gates_changed)
        handlers = self._window_actions = window.WindowActions(
            self.window,
            bindings or actions.Bindings(self._settings),
            self,
            recent_projects=projects,
            window_help=self._help,
            settings=settings,
        )
        for signal, target in (
            (handlers.project_wanted, self.project_wanted),
            (handlers.demo_wanted, self.demo_wanted),
            (handlers.quit_wanted, self.quit_wanted),
            (handlers.theme_wanted, self.theme_wanted),
            (handlers.colour_blind_wanted, self.colour_blind_wanted),
        ):
            signal.connect(target)
        handlers.file_chosen.connect(lambda file: self.submit_files([file]))
        handlers.font_chosen.connect(self.store_code_font)
        handlers.first_steps_wanted.connect(self.show_first_steps)
        self.show_theme(self._theme[0], colour_blind=self._theme[1])
        self._follow_backlogs()
        if self._fault is not None:
            self._help.show_fault(self._fault)

    def show_fault(self, fault: Fault) -> None:
        """Show that something in this process failed, and what is safe."""
        if self._help is not None:
            self._help.show_fault(fault)
        else:
            self._fault = fault

    def trigger(self, action: Action) -> None:
        """Run an action as its shortcut would."""
        if self._window_actions is not None:
            self._window_actions.actions.trigger(action)

    def store_code_font(self, family: str) -> None:
        """Use this code font, now and after the next start."""
        set_code_family(family)
        self._settings.store_text(_CODE_FONT, family)
        if self.panes is not None:
            self.panes.redraw_code()

    def show_start_page(self) -> None:
        """Show the page without a project."""
        page = self._start_page = window.StartPage(self._settings.recent_projects(), self.window)
        page.pressed.connect(self.trigger)
        page.chosen.connect(self.project_wanted)
        self.window.show_start_page(page)
        self._follow_backlogs()
        if self.failure is None and self._settings.is_first_day:
            self.show_first_steps()

    def show_first_steps(self) -> None:
        """Show the first steps over the current page."""
        self._first_steps().show_page()

    def _first_steps(self) -> FirstDay:
        if self._first_day is None:
            self._first_day = window.FirstDay(self.window, self._settings, self._runner, self)
            self._first_day.pressed.connect(self.trigger)
        return self._first_day

    def _follow_backlogs(self) -> None:
        """Show each recent project's backlog on the start page, with updates."""
        if self._recent_projects is not None and self._start_page is not None:
            page, backlogs = self._start_page, self._recent_projects.backlogs
            for root in page.recent:
                page.show_backlog(root, backlogs.of(root))
            backlogs.watch(page, lambda: page.recent)

    def _show_backlog(self, root: Path) -> None:
        if self._recent_projects is not None and self._start_page is not None:
            self._start_page.show_backlog(root, self._recent_projects.backlogs.of(root))

    def _own_roots(self) -> tuple[Path, ...]:
        return (self.root_path,) if self.root_path is not None else ()

    @property
    def is_free(self) -> bool:
        """Whether this window shows the start page and is opening no project."""
        return self.desk is None and not self.is_opening

    def open_project(self, path: Path, files: list[Path] | None = None, reason: str = "") -> None:
        """Open a project, then propose the plans of some files.

        `reason` says why this project was chosen, where the user named none.
        """
        self._root_reason = reason
        self._files = list(files or ())
        self.is_opening = True
        self.failure = None
        if self._first_day is not None:
            self._first_day.project_opens()
        self.window.prepare_project(path.name)
        self._runner.call(_open_project, path, then=self._on_opened, failed=self._on_open_failed)

    def _on_text_dropped(self, text: str) -> None:
        if self.desk is None:
            self._show_no_project()
        elif not self.desk.can(Action.PASTE):
            self.desk.submission.paste(text)

    def _show_no_project(self) -> None:
        sentence = self.tr("No project is open, so nothing was imported.")
        self.show_status_message(
            review.StatusMessage(sentence, review.Tone.WARNING, self.tr("Open a project, then try again."))
        )

    def submit_files(self, files: list[Path]) -> None:
        """Import plan files, after opening if the project is still being opened."""
        if self.desk is None:
            self._files += files
            return
        self.desk.submission.submit_files(files)

    def show_gates(self, statuses: Sequence[GateStatus] | None) -> None:
        """Update the gate indicator; None is not read yet."""
        self.window.toolbar.gate_indicator.set_gates(statuses)
        if self.panes is not None:
            self.panes.dock.agents.conversations.check_gate()

    def show_theme(self, name: str, *, colour_blind: bool) -> None:
        """Check the theme's menu entry and recolour the icons."""
        self._theme = (name, colour_blind)
        if self._window_actions is not None:
            self._window_actions.show_theme(name, colour_blind=colour_blind)

    def show_status_message(self, message: StatusMessage) -> None:
        """Show a message in the status bar, failures also in a banner."""
        if message.is_configuration:
            self._invalid_configuration = message
            self._show_invalid_configuration()
            return
        self.window.status.show_status_message(message)
        if message.tone.value == "bad":
            self._invalid_configuration = None
            self.window.show_failure(message.sentence, message.hint)
        elif message.tone.value == "done" and message.decided is None:
            # A decision writes nothing: a failed write must still be visible.
            self._invalid_configuration = None
            self.window.notice.close_banner()

    def _show_invalid_configuration(self) -> None:
        """Show what makes it invalid, once: the settings show it, too."""
        message = self._invalid_configuration
        if message is not None and self.window.over is None:
            mend = partial(self.trigger, Action.SETTINGS)
            self.window.show_failure(message.sentence, message.hint, mend=mend)
        elif message is not None:
            self.window.notice.close_banner()

    def _on_opened(self, project: OpenedProject) -> None:
        self._project = project
        self.is_opening = False
        workspace = project.workspace
        settings = Settings(workspace.state_folder / "window.ini")
        self.window.use_settings(settings)
        self._settings.store_recent_project(workspace.root_path)
        self._first_steps().project_opened(is_demo=project.is_demo)
        desk = self.desk = review.Desk(
            self._runner,
            workspace,
            project.reviewer,
            notices=project.notices,
            settings=settings,
            clock=self._clock,
            parent=self,
        )
        desk.project.status_reported.connect(self.show_status_message)
        desk.undo_expiry.changed.connect(
            lambda: self.window.status.show_discard_notice(desk.undo_expiry.sentence)
        )
        self.panes = window.Panes(
            desk, self.actions, self.window, self._agents() if self._agents is not None else None
        )
        assert self._window_actions is not None
        self._window_actions.follow(desk, self.panes)
        trust = window.TrustBanner(desk.trust, self.window)
        trust.check_wanted.connect(self._window_actions.settings.open_trust)
        trust.dismissed.connect(self.panes.focus_middle)
        self.panes.menus.allow_wanted.connect(self._window_actions.settings.open_allow)
        self.window.add_banner(trust)
        if self._help is not None:
            self._help.follow(desk, self.panes)
        banner = window.RecoveryBanner(desk.recovery, self.window)
        banner.dismissed.connect(self.panes.focus_middle)
        self.window.add_banner(banner)
        desk.start()
        desk.recovery.check()
        for message in window.first_messages(project, self._root_reason):
            self.show_status_message(message)
        self._observe(desk, workspace.root_path)
        self._watch()
        desk.root_watch.root_restored.connect(self._watch)
        files, self._files = self._files, []
        self.submit_files(files)
        self.opened.emit()

    def _on_open_failed(self, error: StudioError) -> None:
        self.is_opening = False
        self.failure = error
        self.show_start_page()
        self.show_status_message(review.StatusMessage(error.message, review.Tone.BAD, error.hint))

    def _watch(self) -> None:
        """Watch the project's tree, instead of the previous one."""
        if self.desk is not None and self._project is not None:
            on_change = partial(self._runner.post, self._disk_changed)
            # Changes before the watch started were not reported.
            self._runner.compute(partial(self._project.workspace.listen, on_change), then=self._disk_changed)

    def _observe(self, desk: Desk, root: Path) -> None:
        """Start the process that detects changes by others.

        Its first scan ever records the baseline.
        """
        if self._is_observing:
            self.scan_client = review.ScanClient(self._runner, root, self)
            desk.observed.follow(self.scan_client)

    def _disk_changed(self, paths: frozenset[str] | None) -> None:
        if self.desk is not None and self._project is not None:
            if self.scan_client is not None:
                self.scan_client.disk_changed(paths or ())
            self.desk.queue.disk_changed()
            if any(map(_may_be_settings, paths or ())):
                self.gates_changed.emit()
            self._show_watch_state(self._project.workspace.watch_state)

    def _show_watch_state(self, state: WatchState) -> None:
        """Report once why changes on disk are detected late.

        The desk itself reports a folder that is gone.
        """
        if state != self._watch_state:
            self._watch_state = state
            if state.mode is extras.observed.WatchMode.POLLING:
                self.show_status_message(review.StatusMessage(state.reason, review.Tone.WARNING))

    def _activated(self) -> None:
        """Start the input guard: the click that activates the window decides nothing."""
        if self.desk is not None:
            self.desk.window_activated()

    def _open_dropped(self, files: list[Path]) -> None:
        """Open dropped folders and import dropped plan files.

        `studio PATH...` treats them alike.
        """
        folders = [file for file in files if _is_folder(file)]
        for folder in folders:
            self.project_wanted.emit(folder)
        plans = [file for file in files if file not in folders]
        if self.desk is not None or self.is_opening:
            self.submit_files(plans)
        elif plans and not folders:
            self._show_no_project()

    def _close(self) -> None:
        if self.desk is not None and self._project is not None:
            self._project.workspace.stop_listening()
            if self.scan_client is not None:
                self.scan_client.stop()
            self.window.store_sizes(self.desk.settings)
            if self.panes is not None:
                self.panes.stop()
            self.desk.close()
            # Each thread closes its own store.
            self._runner.call_in_background(self._project.workspace.close_thread)
            self._runner.call_last(window.close_project, self._project.workspace)
            # Late events of the watcher or a window activation must not reach a closed project.
            self.desk = None
        self.closed.emit()


def _may_be_settings(path: str) -> bool:
    """Return whether an agent's settings may be at a path.

    They are in a hidden folder, or are a hidden file.
    """
    return any(part.startswith(".") and part != ".git" for part in path.split("/")[-2:])


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False  # the reader reports why it is inaccessible


def _open_project(path: Path) -> OpenedProject:
    return window.open_project(path)
