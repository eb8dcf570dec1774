"""Opener of the settings page, created on first use, at a section."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from studio.engine import PROJECT_FOLDERS
from studio.ui import agents, window
from studio.ui.configuration.parts import Part
from studio.ui.review.state import StatusMessage
from studio.ui.window.interface_settings import LanguageChoice

if TYPE_CHECKING:
    from studio.ui.actions.action import Action
    from studio.ui.actions.actions import Actions
    from studio.ui.agents.agent_process import AgentProcesses
    from studio.ui.agents.agents_part import AgentsPart
    from studio.ui.review.desk import Desk
    from studio.ui.runner import Runner
    from studio.ui.settings import Settings
    from studio.ui.window.main_window import MainWindow
    from studio.ui.window.settings_page import SettingsPage


class SettingsDoor(QObject):
    """Opener of one window's settings page."""

    gates_changed = Signal()
    """Emitted when an agent was connected, disconnected or verified."""
    message_sent = Signal(object)
    """Emitted with a status message (`StatusMessage`) to show."""

    def __init__(
        self,
        window: MainWindow,
        runner: Runner,
        agents: Callable[[], AgentProcesses] | None,
        actions: Callable[[], Actions],
        parent: QObject,
        *,
        settings: Settings,
    ) -> None:
        super().__init__(parent)
        self._window, self._runner, self._agents, self._actions = window, runner, agents, actions
        self._settings = settings
        self._desk: Desk | None = None
        self._page: SettingsPage | None = None

    @property
    def page(self) -> SettingsPage:
        """The settings page, created on first use."""
        if self._page is None:
            page = self._page = window.SettingsPage(
                self._runner, self._actions(), self._window, extras=self._make_extra
            )
            page.left.connect(self._window.close_over)
            page.message_sent.connect(self._report_written)
            page.follow(self._desk)
        return self._page

    def follow(self, desk: Desk | None) -> None:
        """Use the project of this desk from now on."""
        self._desk = desk
        if self._page is not None:
            self._page.follow(desk)

    def open_page(self) -> None:
        """Show the page in its last state, or close it if open."""
        if self._window.over is not None and self._window.over is self._page:
            self._window.close_over()
        else:
            self._window.show_over(self.page)

    def open_rules(self) -> None:
        """Show the file rules with a focused field for a new one."""
        self._open_at(Part.RULES)

    def open_allow(self, folder: str) -> None:
        """Show the change that would allow this folder; "" asks for one."""
        self._open_at(Part.RULES)
        self.page.propose(Part.RULES, PROJECT_FOLDERS, folder)

    def open_agents(self) -> None:
        """Show the agents that can be connected."""
        self._open_at(Part.CONNECT)

    def open_trust(self) -> None:
        """Show what the project's own file would allow."""
        self._open_at(Part.TRUST)

    def _open_at(self, part: Part) -> None:
        self.page.show_part(part)
        self._window.show_over(self.page)

    def _make_extra(self, part: Part, parent: QWidget) -> QWidget | None:
        """Return the extra widget of a part: languages, or local agents."""
        if part is Part.LOOK:
            return LanguageChoice(self._settings, self._runner, parent)
        if part is not Part.CONNECT:
            return None

        agents_part = self.make_agents_part(parent)
        agents_part.pressed.connect(self._leave_for)
        return agents_part

    def make_agents_part(self, parent: QWidget) -> AgentsPart:
        """Return a list of the agents that can be connected."""
        part = agents.AgentsPart(
            self._agents, self._runner, parent, projects=self._projects, awaits_plan=self._awaits_plan
        )
        part.changed.connect(self.gates_changed)
        return part

    def _leave_for(self, action: Action) -> None:
        self._window.close_over()
        self._actions().trigger(action)

    def _awaits_plan(self) -> bool:
        return self._desk is None or not self._desk.queue.history

    def _projects(self) -> tuple[Path, ...]:
        return (self._desk.project.root_path,) if self._desk is not None else ()

    def _report_written(self, sentence: str) -> None:
        self.message_sent.emit(StatusMessage(sentence))
        if self._desk is not None:
            self._desk.queue.reload()
