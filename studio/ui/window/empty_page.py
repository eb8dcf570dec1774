"""Page of an empty review queue: last decision, next actions, agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QScrollArea, QVBoxLayout, QWidget

from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.look import words
from studio.ui.look.icons import Sign
from studio.ui.look.theme import px
from studio.ui.look.words import moment, say, utc_now
from studio.ui.review.apply import RecoveryNeed
from studio.ui.review.desk import Desk
from studio.ui.widgets import STRETCH, STYLE_GAP, Label, Surface, column_of, row_of
from studio.ui.window.choice_row import ChoiceRow

if TYPE_CHECKING:
    from studio.ui.agents.agents_part import AgentsPart

_WIDTH, _WIDTH_WITH_AGENTS = 640, 860


class EmptyPage(Surface):
    """Page with what waits, the last decision, and next actions."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._desk = desk
        self.setObjectName("empty-page")
        self._sign = Sign("empty-sign", self, icon="check", token="ok", size=32)
        self._title = Label(size=17, weight=600)
        self._last_decision = Label(size=12, token="muted", wrap=True)
        self.settle = ChoiceRow(
            self.tr("Resolve it now"),
            self.tr("Shows each file and the available options"),
            self,
            icon="look-out",
            pressed=desk.recovery.ask_again,
        )
        self.settle.setObjectName("empty-settle")
        self.connect_agent = ChoiceRow(
            self.tr("Connect an agent"),
            self.tr("Shows a diff before changing the settings of Claude Code, Codex, Gemini and others"),
            self,
            icon="agent",
            pressed=lambda: self.pressed.emit(Action.CONNECT_AGENTS),
        )
        self.review = ChoiceRow(
            self.tr("Review uncommitted changes"),
            self.tr("Changes already on disk, compared with HEAD or a snapshot"),
            self,
            icon="side-by-side",
            key="Ctrl+Shift+R",
            pressed=lambda: self.pressed.emit(Action.REVIEW_CHANGES),
        )
        self.review.setObjectName("empty-review")
        self.paste = ChoiceRow(
            self.tr("Paste or drop a diff"),
            self.tr("A diff, patch file or JSON plan from any chat"),
            self,
            icon="paste",
            key="Ctrl+Shift+V",
            pressed=lambda: self.pressed.emit(Action.PASTE),
        )
        self.history = ChoiceRow(
            self.tr("Roll back…"),
            self.tr("History of all applied plans"),
            self,
            icon="rolled-back",
            key="Alt+1",
            pressed=lambda: self.pressed.emit(Action.DOCK_1),
        )
        self.reply = ChoiceRow(
            self.tr("Copy reply for the agent"),
            self.tr("What was applied, changed and excluded, and why"),
            self,
            icon="copy",
            key="Y",
            pressed=lambda: self.pressed.emit(Action.COPY_REPLY),
        )
        self.message = ChoiceRow(
            self.tr("Copy commit message"),
            self.tr("Summary of what was applied, for your own commit"),
            self,
            icon="copy",
            pressed=lambda: self.pressed.emit(Action.COPY_MESSAGE),
        )
        self.message.setObjectName("empty-message")
        self._had_history = False
        self.agents: AgentsPart | None = None
        """The agents below their action, once it was pressed."""
        self.demo = ChoiceRow(
            self.tr("Try the demo"),
            self.tr("A small project with plans to review, in its own folder"),
            self,
            icon="plan",
            pressed=lambda: self.pressed.emit(Action.DEMO),
        )
        self._lay_out()
        desk.queue.plans_changed.connect(self._describe)
        desk.queue.history_changed.connect(self._describe)
        desk.recovery.changed.connect(self._describe)
        self._describe()

    def _lay_out(self) -> None:
        texts = column_of(self._title, self._last_decision, spacing=px(6))
        head = row_of(
            (self._sign, 0, Qt.AlignmentFlag.AlignTop), (texts, 1), margins=(px(4), 0, 0, 0), spacing=px(10)
        )
        frame = self._frame = QWidget(self)
        frame.setObjectName("empty-frame")
        frame.setMaximumWidth(px(_WIDTH))
        self._actions = column_of(
            head,
            px(18),
            self.settle,
            self.connect_agent,
            self.review,
            self.paste,
            self.reply,
            self.message,
            self.history,
            self.demo,
            parent=frame,
            spacing=px(2),
        )
        # Not by its alignment: Qt would compute the text's height for the page's width.
        middle = row_of(STRETCH, (frame, 1000), STRETCH, spacing=STYLE_GAP)
        inside = Surface("content", self)
        page = QVBoxLayout(inside)
        page.addStretch(2)
        page.addLayout(middle)
        page.addStretch(5)
        self._area = QScrollArea(self)
        self._area.setObjectName("empty-area")
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(inside)
        column_of(self._area, parent=self)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self._reveal_timer = QTimer(self, singleShot=True, interval=0)
        self._reveal_timer.timeout.connect(self._show_focused)
        app.focusChanged.connect(self._follow_focus)

    def show_agents(self, make: Callable[[QWidget], AgentsPart]) -> None:
        """List the agents below their action; `make` creates the list."""
        if self.agents is None:
            part = self.agents = make(self._frame)
            part.pressed.connect(self.pressed)
            part.listed.connect(self._focus_agents)
            self._actions.insertWidget(self._actions.indexOf(self.connect_agent) + 1, part)
            self._frame.setMaximumWidth(px(_WIDTH_WITH_AGENTS))
        self.agents.show()
        self.connect_agent.setFocus(Qt.FocusReason.OtherFocusReason)

    def _focus_agents(self) -> None:
        """Move the focus from the action to the first agent."""
        if self.agents is not None and self.connect_agent.hasFocus():
            self.agents.focus_first()

    def _follow_focus(self) -> None:
        self._reveal_timer.start()  # once what the focus opened is laid out

    def _show_focused(self) -> None:
        """Scroll to the focused widget."""
        focused = QApplication.focusWidget()
        if focused is not None and self._frame.isAncestorOf(focused):
            self._area.ensureWidgetVisible(focused)

    def _describe(self) -> None:
        loaded = self._desk.queue.is_loaded
        self._sign.setVisible(loaded)
        need = self._desk.recovery.need
        self._sign.show_icon(*(("check", "ok") if need is None else ("look-out", "warn")))
        title = self.tr("Nothing to review") if loaded else self.tr("Loading…")
        if loaded and need is not None:
            title = self._waits(need)
        self._title.setText(title)
        self.setAccessibleName(title)
        self.settle.setVisible(need is not None and self._desk.recovery.is_postponed)
        self.history.setVisible(bool(self._desk.queue.history))
        self.demo.setVisible(not self._desk.queue.history)
        if self.agents is not None and self._desk.queue.history and not self._had_history:
            self.agents.hide()  # the first plan was applied
        self._had_history = bool(self._desk.queue.history)
        self.message.setVisible(self._desk.commit_messages.last is not None)
        self.reply.setVisible(self._desk.reply.last_applied is not None)
        if need is not None:
            self._last_decision.setText(self._next_action(need))
            return
        newest = next(iter(self._desk.queue.history), None)
        if newest is None:
            self._last_decision.setText(
                self.tr("Plans appear here when an agent proposes changes or you paste a diff.")
                if loaded
                else ""
            )
            return
        template = self.tr("Last apply: “{title}”, {when}, {files}.")
        when = moment(newest.applied_at, utc_now())
        title, changed = show_name(newest.plan.title), words.files(newest.files)
        self._last_decision.setText(say(template, title=title, when=when, files=changed))

    def _waits(self, need: RecoveryNeed) -> str:
        if need.is_same_folder:
            return self.tr("An apply was interrupted")
        return self.tr("Confirm this folder")

    def _next_action(self, need: RecoveryNeed) -> str:
        if need.is_same_folder:
            until = self.tr("Nothing can be applied until this is resolved.")
            return f"{show_name(need.sentence)} {until}"
        return self.tr(
            "The history of this project belongs to another folder. Nothing is written "
            "until you confirm that it is the same project."
        )
