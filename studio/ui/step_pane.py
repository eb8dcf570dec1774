"""The middle of the window while a step is selected: header, strips, diff (look.md 4.4)."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from studio.engine.names import show_name
from studio.engine.plan import Plan, PlanState, Step, StepState
from studio.ui import words
from studio.ui.desk import Desk
from studio.ui.diff import DiffView
from studio.ui.reason_strip import ReasonStrip, Telling
from studio.ui.step_header import StepHeader
from studio.ui.widgets import Button, Strip, StripKind, Surface

_DEAD_TIME_FRAME_MS = 30
_RULE_CODES = ("policy", "rule", "path")


class StepPane(Surface):
    """One step: what it would write, and the place to decide it."""

    pressed = Signal(str)
    """The id of the action to run."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._desk = desk
        self.setObjectName("step-pane")
        self.setAccessibleName(self.tr("Step"))
        self.header = StepHeader(desk, self)
        self.strip = Strip(self)
        self.strip.setObjectName("step-strip")
        self.strip.hide()
        self.reason = ReasonStrip(desk, self)
        self.diff = DiffView(self, runner=desk.runner)
        self._choices: list[tuple[Button, str]] = []
        self._dead_frames = QTimer(self)
        self._dead_frames.setInterval(_DEAD_TIME_FRAME_MS)
        self._dead_frames.timeout.connect(self._dead_frame)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.strip)
        column.addWidget(self.reason)
        column.addWidget(self.diff, 1)
        self.header.pressed.connect(self.pressed)
        self.reason.closed.connect(self._reason_closed)
        self.diff.hunk_toggled.connect(desk.toggle_hunk)
        self.diff.painted.connect(desk.mark_painted)
        desk.current_changed.connect(self._show_other)
        desk.plans_changed.connect(self._describe)
        desk.contents_changed.connect(self._show_contents)
        desk.choices_changed.connect(self._show_contents)
        desk.allowed_changed.connect(self.header.refresh)
        desk.allowed_changed.connect(self._refresh_choices)
        desk.dead_time_changed.connect(self._dead_time)
        self._describe()
        self._show_contents()

    def ask_why(self, telling: Telling) -> None:
        """Open the editor for a rejection or for asking for changes."""
        self.header.hold(self.tr("Finish or close the text below first."))
        self.reason.ask_for(telling)

    def close_innermost(self) -> bool:
        """Close the editor if it is open; says whether there was something to close."""
        if self.reason.isHidden():
            return False
        self.reason.give_up()
        return True

    def _show_other(self) -> None:
        self.reason.give_up()
        self._describe()
        if self._desk.current_step is not None:
            self.diff.clear("")

    def _describe(self) -> None:
        plan, step = self._desk.current_plan, self._desk.current_step
        if plan is None or step is None:
            return
        self.header.show_step(plan, step)
        had_focus = self._strip_has_focus()
        self._show_strip(plan, step)
        if had_focus and not self._strip_has_focus():
            # Qt would give the keyboard to the toolbar, where no letter decides or moves.
            self.diff.setFocus(Qt.FocusReason.OtherFocusReason)

    def _strip_has_focus(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and self.strip.isVisible() and self.strip.isAncestorOf(focused)

    def _show_strip(self, plan: Plan, step: Step) -> None:
        self._choices = []
        name = show_name(words.split_path(step.target)[1])
        if step.state is StepState.INVALID:
            self._show_refused(plan, step)
        elif plan.state is PlanState.FAILED:
            said = " ".join(problem.message for problem in plan.problems)
            title = self.tr("Applying “{title}” failed.").replace("{title}", show_name(plan.title))
            self.strip.show_message(StripKind.DANGER, title, show_name(said))
        elif step.state is StepState.STALE:
            self._show_stale(plan, name)
        elif step.state is StepState.ALREADY_APPLIED:
            title = self.tr("{file} already holds this result.").replace("{file}", name)
            self.strip.show_message(StripKind.DONE, title, self.tr("There is nothing to decide or to write."))
        else:
            self.strip.hide()

    def _show_stale(self, plan: Plan, name: str) -> None:
        title = self.tr("{file} changed on disk after this step was proposed.").replace("{file}", name)
        self.strip.show_message(
            StripKind.WARNING,
            title,
            self.tr("Nothing was written. Choose what happens next; approving waits for that."),
            icon="stale",
        )
        agent = show_name(plan.agent) or self.tr("the agent")
        told = self.tr("Tells {agent} that the file has moved on.").replace("{agent}", agent)
        self._add_choice("discard_stale", self.tr("Discard step"), "cross", "", told)

    def _show_refused(self, plan: Plan, step: Step) -> None:
        others = len(plan.valid_steps)
        problem = next(iter(step.problems), None)
        by_rule = problem is not None and problem.code.startswith(_RULE_CODES)
        refused = self.tr("Refused by a rule.") if by_rule else self.tr("Refused by a check.")
        held_up = (
            words.counted(
                others,
                self.tr("This step cannot be approved; the other {n} step is not held up."),
                self.tr("This step cannot be approved; the other {n} steps are not held up."),
            )
            if others
            else self.tr("This step cannot be approved.")
        )
        said = " ".join(f"{each.message} {each.hint}".strip() for each in step.problems)
        self.strip.show_message(StripKind.DANGER, f"{refused} {held_up}", show_name(said), icon="refused")
        named = self.tr("Names the reason and says what to do instead.")
        self._add_choice("copy_reply", self.tr("Copy reply for the agent"), "copy", "Y", named)

    def _add_choice(self, action: str, text: str, icon: str, key: str, explanation: str) -> None:
        button = self.strip.add_choice(text, icon=icon, key=key, explanation=explanation)
        button.setObjectName(f"strip-{action}")
        button.clicked.connect(lambda: self.pressed.emit(action))
        self._choices.append((button, action))
        self._refresh_choices()

    def _refresh_choices(self) -> None:
        """The strip's buttons wait out the dead time like the verdicts, and say so (look.md 9.1)."""
        for button, action in self._choices:
            reason = self._desk.can(action)
            if reason and button.hasFocus():
                self.diff.setFocus(Qt.FocusReason.OtherFocusReason)
            button.set_reason(reason)

    def _show_contents(self) -> None:
        step, contents = self._desk.current_step, self._desk.contents
        self.header.refresh()
        if step is None or contents is None:
            return
        self.diff.show_step(step, self._desk.diff, contents.base, contents.result, self._desk.choices)

    def _reason_closed(self) -> None:
        self.header.hold("")
        if self.isVisible():
            self.diff.setFocus(Qt.FocusReason.OtherFocusReason)

    def _dead_time(self) -> None:
        if self._desk.dead_time.left > 0:
            self._dead_frames.start()
        self._dead_frame()

    def _dead_frame(self) -> None:
        share = self._desk.dead_time.share_left
        if share <= 0:
            self._dead_frames.stop()
        self.header.show_dead_time(share)
        for button, _action in self._choices:
            button.set_dead_time(share)
        self.reason.refresh()
