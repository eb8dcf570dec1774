"""Step review page: header, banners, diff view, comment and result editors."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from studio.engine import Step, StepState
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.diff import DiffView
from studio.ui.diff.bars.headings import before_heading
from studio.ui.diff.canvas.comment_rows import COMMENT, ShownComment
from studio.ui.diff.canvas.painting import BandAction
from studio.ui.diff.model.cells import Side
from studio.ui.diff.model.moved_lines import MovedLines
from studio.ui.look.states import is_collapsed
from studio.ui.look.words import say
from studio.ui.review.desk import Desk
from studio.ui.review.editor import EditedPreview
from studio.ui.review.queue_state import StepRef
from studio.ui.review.state import ConsentSubject, Tone
from studio.ui.review.unsent import REASON
from studio.ui.step.agent_text import CommentBanner, ReasonBanner, ReasonPurpose
from studio.ui.step.banners import ClosedPlanBanner, ConsentBanner, RevisedBanner, StepBanner
from studio.ui.step.header import StepHeader
from studio.ui.step.result_editor import ResultEditor
from studio.ui.widgets import Surface
from studio.ui.widgets.text_field import is_searching

_DEAD_TIME_FRAME_MS = 30


class StepPane(Surface):
    """One step: what it would write, and the controls to decide it."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._desk = desk
        self.setObjectName("step-pane")
        self.setAccessibleName(self.tr("Step"))
        self.header = StepHeader(desk, self)
        self.closed_sentence = ClosedPlanBanner(desk, self)
        self.banner = StepBanner(desk, self)
        self.revised = RevisedBanner(desk, self)
        self.unread = ConsentBanner(desk, ConsentSubject.UNREAD, self)
        self.secrets = ConsentBanner(desk, ConsentSubject.SECRETS, self)
        self.reason = ReasonBanner(desk, self)
        self.comment = CommentBanner(desk, self)
        self.diff = DiffView(self, runner=desk.project.runner)
        self.editor = ResultEditor(desk, self.diff, self)
        self._edit_at: tuple[int, int] | None = None
        """Line and character of the last double click in the result."""
        self._draft_key = desk.queue.draft_key(REASON)
        self._pending_jump: tuple[StepRef, Callable[[], None]] | None = None
        """Step, and the move to make once its lines are loaded."""
        self._whole: set[str] = set()
        """Ids of the collapsed steps whose diff was asked for."""
        self._dead_frames = QTimer(self, interval=_DEAD_TIME_FRAME_MS)
        self._dead_frames.timeout.connect(self._dead_frame)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.closed_sentence)
        column.addWidget(self.banner)
        column.addWidget(self.revised)
        column.addWidget(self.unread)
        column.addWidget(self.secrets)
        column.addWidget(self.reason)
        column.addWidget(self.comment)
        column.addWidget(self.editor)
        column.addWidget(self.diff, 1)
        self.header.pressed.connect(self.pressed)
        self.banner.pressed.connect(self.pressed)
        self.revised.pressed.connect(self.pressed)
        self.closed_sentence.pressed.connect(self.pressed)
        for closing in (self.reason.closed, self.comment.closed, self.editor.closed):
            closing.connect(self._on_banner_closed)
        self.diff.hunk_toggled.connect(desk.choices.toggle_hunk)
        self.diff.whole_wanted.connect(self.show_whole)
        self.diff.action_pressed.connect(lambda name: self.pressed.emit(Action(name)))
        self.diff.sub_bar.round.clicked.connect(lambda: self.pressed.emit(Action.COMPARE_ROUND))
        self.diff.canvas.double_pressed.connect(self._edit_at_click)
        desk.editor.compared.connect(self._show_contents)
        desk.editor.changed.connect(self._show_contents)
        self.diff.lines_toggled.connect(desk.choices.toggle_lines)
        self.diff.goes_on = True
        self.diff.end_reached.connect(self._go_to_step)
        self.diff.painted.connect(desk.shown.mark_painted)
        desk.queue.current_changed.connect(self._show_other)
        desk.queue.plans_changed.connect(self._describe)
        desk.rebase.staleness_changed.connect(self._describe)
        desk.edit_drafts.changed.connect(self._describe)
        desk.shown.changed.connect(self._show_contents)
        desk.choices.changed.connect(self._show_contents)
        desk.choices.changed.connect(self._describe)
        desk.comments.changed.connect(self._show_comments)
        desk.moved_code.changed.connect(self._show_moved)
        desk.rounds.changed.connect(self._show_contents)
        desk.outcomes.changed.connect(self._show_outcome)
        desk.guards.refresh_wanted.connect(self._refresh)
        desk.guards.dead_time.changed.connect(self._input_guard)
        self._describe()
        self._show_contents()
        self._input_guard()

    def focus_consent(self) -> None:
        """Focus the box that has to be accepted first."""
        boxes = (banner.box for banner in (self.unread, self.secrets) if banner.isVisible())
        box = next((box for box in boxes if not box.isChecked()), None)
        if box is not None:
            box.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def ask_why(self, telling: ReasonPurpose) -> None:
        """Open the editor for a rejection or a request for changes."""
        self.header.set_block_reason(self.tr("Finish or close the message below first."))
        self.reason.ask_for(telling)

    def close_innermost(self) -> bool:
        """Close the innermost editor or banner; return whether there was any."""
        if not self.reason.isHidden():
            self.reason.close_unused()
            return True
        if self.comment.dismiss_banner() or self.editor.close_unused():
            return True
        if self._desk.rounds.comparison is not None:
            self._desk.rounds.close()
            return True
        return False

    def store_draft(self) -> None:
        """Store unsaved text of open fields."""
        if not self.reason.is_stored():
            self.reason.keep_unsent()
        if not self.comment.is_stored():
            self.comment.store_draft()
        if not self.editor.is_stored():
            self.editor.store_draft()

    def show_whole(self) -> None:
        """Show the lines of the current step, even if it is collapsed."""
        step = self._desk.queue.current_step
        if step is not None and step.id not in self._whole:
            self._whole.add(step.id)
            self._show_contents()

    def _go_to_step(self, by: int) -> None:
        """Go to the next step's first (1) or previous's last (-1) change."""
        before = self._desk.queue.current_ref
        (self._desk.walk.next_step if by > 0 else self._desk.walk.previous_step)()
        if self._desk.queue.current_ref == before:
            last, first = self.tr("This is the last change."), self.tr("This is the first change.")
            self._desk.project.report_status(last if by > 0 else first, Tone.NEWS)
        elif by < 0:
            self._pending_jump = self._desk.queue.current_ref, self.diff.last_change

    def jump_to(self, side: str, line: int) -> None:
        """Scroll to a line (from 1) of the current step once loaded."""
        self.show_whole()
        self._pending_jump = self._desk.queue.current_ref, lambda: self.diff.go_to_line(side, line)
        self._jump_when_ready()

    def _jump_when_ready(self) -> None:
        if self._pending_jump is None or self._desk.shown.contents is None or self._desk.shown.is_head:
            return
        position, action = self._pending_jump
        if position == self._desk.queue.current_ref and self.diff.row_count():
            action()
        if position != self._desk.queue.current_ref or self.diff.row_count():
            self._pending_jump = None

    def edit(self) -> None:
        """Edit the result in place, at the current hunk."""
        self.show_whole()
        diff, hunk = self._desk.shown.diff, self.diff.current_hunk()
        self.editor.field.code_font.use(self.diff.canvas.zoom_factor)
        first = diff.hunks[hunk - 1].changes[0].new_first if diff is not None and hunk else 0
        self.editor.open_at(*(self._edit_at or (first, 0)))

    def _edit_at_click(self, line: int, character: int) -> None:
        """Edit at the double click, if editing is possible now."""
        if not self._desk.can(Action.EDIT):
            self._edit_at = line, character
            self.pressed.emit(Action.EDIT)
            # A click without effect must not determine where a later edit starts.
            self._edit_at = None

    def ask_for_comment(self) -> None:
        """Open the comment editor for the current line."""
        position = self.diff.canvas.clicked_line()
        if position is not None:
            side, line = position
            self.comment.ask_for(side.value, line + 1)

    def toggle_comparison(self) -> None:
        """Toggle the comparison with the previous round."""
        if self._desk.rounds.comparison is not None:
            self._desk.rounds.close()
        else:
            self._desk.rounds.compare()

    def _show_other(self) -> None:
        """Update for another step, or a new version of the same one.

        Open editors stay open for the same step, and the old lines stay until the new ones arrive.
        """
        place = self._desk.queue.draft_key(REASON)
        is_other, self._draft_key = place != self._draft_key, place
        if is_other:
            self.reason.close_unused()
        self._describe()
        if is_other and self._desk.queue.current_step is not None:
            self.diff.clear("")

    def _describe(self) -> None:
        plan, step = self._desk.queue.current_plan, self._desk.queue.current_step
        if plan is None or step is None:
            return
        self.header.show_step(plan, step)
        self._update_banners(self.banner.describe_current)

    def _update_banners(self, update: Callable[[], bool]) -> None:
        """Update the banners; focus the diff if a button lost the focus."""
        had_focus = self._banner_has_focus()
        has_lost_focus = update()
        self.revised.describe()
        self.unread.describe()
        self.secrets.describe()
        if has_lost_focus or (had_focus and not self._banner_has_focus()):
            # Qt would focus the toolbar, where letters are no shortcuts.
            self.diff.setFocus(Qt.FocusReason.OtherFocusReason)

    def _banner_has_focus(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and any(
            banner.isVisible() and banner.isAncestorOf(focused) for banner in (self.banner, self.revised)
        )

    def _refresh(self) -> None:
        self.header.refresh()
        self._update_banners(self.banner.refresh)
        self._show_round()

    def _show_contents(self) -> None:
        step, contents = self._desk.queue.current_step, self._desk.shown.contents
        self._show_round()
        if step is None or contents is None:
            return
        plan = self._desk.queue.current_plan
        base = plan.review_base if plan is not None else ""
        self.diff.base_name = say(self.tr("Before · {base}"), base=show_name(base)) if base else ""
        comparison, edit = self._desk.rounds.comparison, self._desk.editor.preview
        if edit is not None:
            self._show_typed(step, contents.base, contents.setting, edit)
        elif comparison is not None:
            before, after = self.tr("As you last viewed it"), self.tr("As currently proposed")
            if comparison.round:
                before = say(self.tr("Round {n} · as proposed"), n=comparison.round)
                after = say(self.tr("Round {n} · this step"), n=self._desk.rounds.number)
            self.diff.set_read_only(True, before, after)
            self.diff.show_step(
                step, comparison.diff, comparison.before, comparison.after, {}, stands_for="comparison",
                setting=contents.setting,
            )  # fmt: skip
        else:
            edited = self._desk.edited.current is not None or (
                step.decision is not None and step.decision.edited
            )
            after = self.tr("After this step · your edited version")
            self.diff.set_read_only(edited, before_heading(step) if edited else "", after if edited else "")
            # The proposal's facts do not apply to an edited result.
            shown_step = self._desk.outcomes.step() if edited else step
            self.diff.show_step(
                shown_step or step, self._desk.shown.diff, contents.base, contents.result,
                self._desk.choices.current.named, stands_for=self._desk.choices.key,
                is_head=self._desk.shown.is_head, setting=contents.setting,
                is_collapsed=is_collapsed(step) and not edited and step.id not in self._whole,
            )  # fmt: skip
        self._jump_when_ready()
        self._update_banners(self.banner.describe_current)
        self._show_actions(step)
        self._show_comments()
        self._show_moved()

    def _show_moved(self) -> None:
        """Show moved and reviewer-written lines of the proposed result only."""
        edit, is_other = self._desk.editor.preview, self._desk.rounds.comparison is not None
        is_proposed = not is_other and edit is None
        own = () if is_other else edit.own if edit is not None else self._desk.shown.own
        self.diff.canvas.set_own(own)
        self.diff.canvas.set_moved(self._desk.moved_code.of_current() if is_proposed else MovedLines())

    def _show_typed(self, step: Step, base: bytes | None, setting: str | None, edit: EditedPreview) -> None:
        """Show the edited text in the lines of the diff."""
        self.diff.set_read_only(True, before_heading(step), self.tr("After this step · your edits so far"))
        self.diff.show_step(
            step, edit.diff, base, edit.result, {}, stands_for="typed", setting=setting
        )  # fmt: skip
        self.editor.typing.catch_up(edit.text)

    def _show_outcome(self) -> None:
        """Update the banners above the lines for what would be written."""
        if self._desk.choices.replace_proposal:
            self._show_contents()
        self.header.show_counts()

    def _show_actions(self, step: Step) -> None:
        """Show Edit and Comment on the current hunk of a pending step."""
        if step.state is not StepState.PENDING:
            self.diff.canvas.set_more_actions(())
            return
        self.diff.canvas.set_more_actions(
            (
                BandAction("edit", "edit", self.tr("Edit"), "E"),
                BandAction(COMMENT, "comment", self.tr("Comment"), "C"),
            )
        )

    def _show_comments(self) -> None:
        step = self._desk.queue.current_step
        shown: dict[tuple[Side, int], ShownComment] = {}
        if step is not None and self._desk.rounds.comparison is None:
            status = self.tr("not sent yet") if step.state is StepState.PENDING else self.tr("sent")
            for comment in self._desk.comments.current:
                side = Side(comment.side)
                words = self.tr("You · old line {n}") if side is Side.BASE else self.tr("You · line {n}")
                title = say(words, n=str(comment.line))
                shown[side, comment.line - 1] = ShownComment(title, comment.text, status)
        self.diff.canvas.set_comments(shown)

    def _show_round(self) -> None:
        """Show the button to compare with an earlier version, if any."""
        rounds, found = self._desk.rounds, self._desk.rounds.before()
        if found is None:
            self.diff.sub_bar.show_round("")
            return
        is_open = rounds.comparison is not None
        if found.round:
            words = (
                self.tr("Round {n} compared with round {before} · back to the step")
                if is_open
                else self.tr("Round {n} · compare with round {before}")
            )
            tip = self.tr("Shows what changed in the result since the previous round.")
        else:
            words = self.tr("Back to the step") if is_open else self.tr("Compare with last viewed version")
            tip = self.tr("Shows what changed in the result since you viewed it.")
        words = say(words, n=rounds.number, before=found.round)
        self.diff.sub_bar.show_round(words, "" if is_open else tip)

    def _on_banner_closed(self) -> None:
        self.header.set_block_reason("")
        if self.isVisible() and not is_searching():
            self.diff.setFocus(Qt.FocusReason.OtherFocusReason)

    def _input_guard(self) -> None:
        if self._desk.guards.dead_time.seconds_left > 0:
            self._dead_frames.start()
        self._dead_frame()

    def _dead_frame(self) -> None:
        share = self._desk.guards.dead_time.share_left
        if share <= 0:
            self._dead_frames.stop()
        self.header.show_guard_share(share)
        self.banner.show_guard_share(share)
        self.revised.show_guard_share(share)
        self.reason.refresh_buttons()
