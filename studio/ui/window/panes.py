"""Panes of an opened project: creation, page switching, focus, pane actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from studio.engine import StepState
from studio.extras.reader import FolderQuery
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.actions.actions import Actions
from studio.ui.commands.panel import Aim
from studio.ui.conflict.pane import ConflictPane
from studio.ui.diff import DiffView
from studio.ui.diff.model.cells import Side
from studio.ui.diff.page_bars import PageBars
from studio.ui.facts.panel import FactsPanel
from studio.ui.finders.go_to_file import GoToFile
from studio.ui.history.history_rows import why_not_rolled_back
from studio.ui.history.journal_lines import HistoryShow
from studio.ui.history.observed_pane import ObservedPane
from studio.ui.history.panels import ProblemsCard
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.plan.pane import PlanPane
from studio.ui.queue.panel import QueuePanel
from studio.ui.review.desk import Desk
from studio.ui.review.reading import FileLocation, FolderLocation, PlanLocation
from studio.ui.step.agent_text import ReasonPurpose
from studio.ui.step.pane import StepPane
from studio.ui.tree.panel import TreePanel
from studio.ui.widgets.text_field import CodeFont
from studio.ui.window.call_strip import CallStrip
from studio.ui.window.context_menus import ContextMenus
from studio.ui.window.dock import Dock
from studio.ui.window.empty_page import EmptyPage
from studio.ui.window.main_window import MainWindow
from studio.ui.window.pages import WITH_ACTIONS, WITHOUT_FACTS, Pages, diff_of, set_tab_order

if TYPE_CHECKING:
    from studio.extras.reader import LineHit
    from studio.ui.agents.agent_process import AgentProcesses

_HIGH_DOCK = 330
"""Dock height for long texts with reply fields, which leaves as much to the diff."""


class Panes(QObject):
    """Queue, tree, centre, facts and dock of one project in one window."""

    note_left = Signal()

    def __init__(
        self, desk: Desk, actions: Actions, window: MainWindow, agents: AgentProcesses | None = None
    ) -> None:
        super().__init__(window)
        self.desk = desk
        self._window = window
        self.queue = QueuePanel(desk, window)
        self.tree = TreePanel(desk, window)
        self.facts = FactsPanel(desk, window)
        self.dock = Dock(desk, window, agents)
        self.pages = Pages(desk, window.middle, window)
        self.calls = CallStrip(desk, window)
        self.calls.dismissed.connect(self.focus_middle)
        window.add_banner(self.calls)
        self.go_to_file = GoToFile(desk, window)
        self.facts.line.clicked.connect(window.toggle_facts)
        self.problems = ProblemsCard(desk, window)
        self.problems.closed.connect(self.focus_middle)
        self.problems.count_changed.connect(self.queue.show_problem_count)
        self.queue.show_problem_count(self.problems.count())
        window.add_banner(self.problems)
        self.bars = PageBars(self.diff, self.focus_middle, window)
        window.add_below_page(self.bars)
        window.fill(self.queue, self.tree, self.facts, self.dock)
        self.queue.height_changed.connect(window.left.fit)
        self._actions = actions
        actions.add_review_pane(self.queue)
        window.status.set_tabs(self.dock.tabs)
        window.status.roll_back_pressed.connect(self._preview_rollback_of_last)
        self.dock.folded_changed.connect(window.fit_dock)
        self.dock.needs_height.connect(self._fit_dock)
        self.dock.search.shown.connect(self._show_hit)
        self.dock.search.left.connect(self.focus_middle)
        self.menus = ContextMenus(desk, actions, self.go_to_file, self)
        self.menus.offer(self.queue.view, self.tree.view, self.dock.history)
        self.pages.page_created.connect(self._on_page_created)
        self._shown: QWidget | None = None
        self.queue.activated.connect(self.focus_middle)
        self.facts.note_left.connect(self.note_left)
        desk.queue.current_changed.connect(self._show_page)
        desk.rollback.changed.connect(self._show_page)
        desk.restore.changed.connect(self._show_page)
        desk.observed.shown_changed.connect(self._show_page)
        self.queue.observed_wanted.connect(self.show_observed)
        self.queue.problems_wanted.connect(self.show_problems)
        desk.submission.changed.connect(self._show_page)
        desk.reading.changed.connect(self._show_page)
        desk.rebase.conflicts_changed.connect(self._show_page)
        desk.queue.plans_changed.connect(self._show_page)
        desk.queue.history_changed.connect(self._show_last_apply)
        desk.guards.refresh_wanted.connect(self._show_last_apply)
        self._show_page()
        self._show_last_apply()
        self.queue.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_page_created(self, page: QWidget) -> None:
        if not isinstance(page, EmptyPage):
            self._actions.add_review_pane(page)
        if isinstance(page, WITH_ACTIONS):
            page.pressed.connect(self._actions.trigger)
        if isinstance(page, PlanPane):
            page.comments.shown.connect(self._show_comment)
        diff = diff_of(page)
        if diff is not None:
            self.bars.watch(diff)
        self.menus.offer_on(page)
        set_tab_order(page, self.bars)

    def stop(self) -> None:
        """Store drafts and stop all requests, as the project is being closed."""
        self.store_draft()
        self.tree.stop()

    def store_draft(self) -> None:
        """Store what was typed since the last pause."""
        for keep in self.draft_savers():
            keep()

    def draft_savers(self) -> list[Callable[[], object]]:
        """Return the functions that store the drafts of each pane."""
        found: list[Callable[[], object]] = [self.facts.store_note]
        for page in self.pages.created_pages():
            if isinstance(page, StepPane | ConflictPane):
                found.append(page.store_draft)
            elif isinstance(page, PlanPane) and not page.reason.is_stored():
                found.append(page.reason.keep_unsent)
        return found

    def diff(self) -> DiffView | None:
        """Return the diff in the centre, else None."""
        return diff_of(self.pages.current)

    def find(self) -> None:
        """Open the find bar, or the step filter on a plan."""
        page = self.pages.current
        if isinstance(page, PlanPane):
            self.filter_queue()
        else:
            self.bars.open_find()

    def filter_queue(self) -> None:
        """Focus the filter of the queue, in front of the files."""
        self.focus_queue()
        self.queue.tools.open_field()

    def tick_kind(self) -> None:
        """Open the menu of similar steps of the plan."""
        self._show_whole_plan()
        self.pages.plan.tools.open_kinds()

    def find_across(self) -> None:
        """Open the search in all files, with the selected words.

        Without a selection, it is the word that was clicked in the diff.
        """
        diff = self.diff()
        words = diff.canvas.chosen_words() if diff is not None else ""
        self.dock.show_panel(self.dock.search)
        self.dock.search.ask(words)

    def _show_hit(self, hit: LineHit) -> None:
        """Show a search hit without moving the focus."""
        if not hit.plan_id:
            self.desk.reading.show(FileLocation(hit.path, hit.line))
        elif any(plan.id == hit.plan_id for plan in self.desk.queue.plans):
            self.desk.select(hit.plan_id, hit.step)
            self.pages.step.jump_to(hit.side, hit.line)
        else:
            self._show_past(hit)

    def _show_past(self, hit: LineHit) -> None:
        self.desk.reading.show(PlanLocation(hit.plan_id, hit.step))
        self.pages.past_plan.jump_to(hit.side, hit.line)

    def _show_comment(self, hit: LineHit) -> None:
        """Show a comment's line; earlier rounds are shown as decided.

        The current plan stays current.
        """
        plan = self.desk.queue.current_plan
        if plan is not None and plan.id == hit.plan_id:
            self.desk.reading.close()
            self._show_hit(hit)
        else:
            self._show_past(hit)

    def go_to_other_end(self) -> None:
        """Go to the counterpart of the moved code at the current line.

        Without one, it is that of the file's first moved block.
        """
        plan, canvas = self.desk.queue.current_plan, self.pages.step.diff.canvas
        position = canvas.clicked_line()
        part = canvas.moved.part(*position) if position is not None else None
        part = part or canvas.moved.first()
        if plan is not None and part is not None:
            self.desk.select(plan.id, part.other_step)
            self.pages.step.jump_to(part.other_side.value, part.other_first + 1)

    def read_file(self) -> None:
        """Open the current step's file at the current line, with blame."""
        step = self.desk.queue.current_step
        if step is None:
            return
        is_there = step.base is not None
        line = self._clicked_line(Side.BASE if is_there else Side.RESULT)
        self.desk.reading.show(FileLocation(step.path if is_there else step.target, line))

    def browse_folder(self) -> None:
        """Browse the current file's folder, or the project root."""
        folder = self.desk.external_programs.path.rpartition("/")[0]
        self.desk.reading.show(FolderLocation(FolderQuery(folder)))

    def read_side(self, side: Side) -> None:
        """Open the current step's file as it is before or after it."""
        plan, step = self.desk.queue.current_plan, self.desk.queue.current_step
        if plan is not None and step is not None:
            path = step.path if side is Side.BASE else step.target
            line = self._clicked_line(side)
            self.desk.reading.show(FileLocation(path, line, plan.id, step.number, side.value))

    def open_in_editor(self) -> None:
        """Open the current file in the user's editor, at the current line."""
        diff, plan, step = self.diff(), self.desk.queue.current_plan, self.desk.queue.current_step
        is_written = step is None or step.state is StepState.APPLIED or (plan is not None and plan.is_review)
        # The file on disk is the left side of a step that is not written.
        side = Side.BASE if isinstance(self.pages.current, StepPane) and not is_written else Side.RESULT
        line = diff.current_line_of(side) if diff is not None else 1
        self.desk.external_programs.open_in_editor(self.desk.external_programs.path, line)

    def show_in_folder(self) -> None:
        self.desk.external_programs.show_in_folder(self.desk.external_programs.path)

    def _clicked_line(self, side: Side) -> int:
        """Return the line of a side (from 1) clicked last, else 0."""
        page = self.pages.current
        position = page.diff.canvas.clicked_line() if isinstance(page, StepPane) else None
        return position[1] + 1 if position is not None and position[0] is side else 0

    def redraw_code(self) -> None:
        """Redraw code after a change of its font."""
        for page in self.pages.created_pages():
            diff = diff_of(page)
            if diff is not None:
                diff.canvas.redraw()
            elif isinstance(page, ConflictPane):
                page.view.redraw()
        for font in self._window.findChildren(CodeFont):
            font.use()

    def focus_middle(self) -> None:
        """Focus the page in the centre."""
        diff = self.diff()
        page = self.pages.current or self.pages.page_to_show()
        target = diff if diff is not None else page
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _visible_panes(self) -> list[QWidget]:
        every: tuple[QWidget, ...] = (
            self.queue,
            self.tree,
            self._window.middle_column,
            self.facts,
            self.dock,
        )
        in_sidebar = (self.queue, self.tree) if self._window.left.isVisible() else ()
        return [pane for pane in every if pane.isVisible() or pane in in_sidebar]

    def _pane_index(self, order: list[QWidget]) -> int:
        """Return the index of the focused pane, or -1."""
        inside = QApplication.focusWidget() or self._window
        return next((i for i, pane in enumerate(order) if pane is inside or pane.isAncestorOf(inside)), -1)

    def next_pane(self, by: int) -> None:
        """Focus the next (1) or previous (-1) visible pane."""
        middle = self._window.middle_column
        order = self._visible_panes()
        position = self._pane_index(order)
        pane = order[(position + by) % len(order)]
        if pane is middle:
            self.focus_middle()
            return
        if pane in (self.queue, self.tree):
            self._window.left.show_pane(pane)
        pane.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focus_queue(self) -> None:
        """Focus the queue, in front of the files."""
        self._window.left.show_pane(self.queue)
        self.queue.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_innermost(self) -> bool:
        """Close the innermost banner or preview without deciding.

        Returns whether there was any.
        """
        if self.bars.close_innermost(focused=True):
            return True
        if any(panel.close_innermost() for panel in (self.dock.history, self.dock.observed)):
            return True
        if self.problems.close_card():
            return True
        page = self.pages.current
        if isinstance(page, StepPane | PlanPane) and page.close_innermost():
            return True
        if self.bars.close_innermost():
            return True
        if isinstance(page, ConflictPane):
            return page.close_innermost()
        diff = self.diff()
        if diff is not None and diff.close_innermost():
            return True
        if self.desk.rollback.preview is not None:
            self.desk.rollback.cancel()
            return True
        if self.desk.restore.preview is not None:
            self.desk.restore.cancel()
            return True
        if self.desk.observed.shown_row is not None:
            self.desk.observed.cancel()
            return True
        if self.desk.reading.is_open:
            self.desk.reading.close()
            return True
        if self.desk.submission.pasted is not None:
            self.desk.submission.cancel()
            return True
        return False

    def read_on(self) -> None:
        """Page down; at the end mark the step viewed and go on.

        The next step is the next one not viewed.
        """
        diff = self.diff()
        if isinstance(self.pages.current, StepPane) and self.desk.shown.contents is None:
            return  # nothing was read yet
        if diff is not None and not diff.page(1) and isinstance(self.pages.current, StepPane):
            self.desk.walk.mark_viewed(True)
            self.desk.walk.next_unviewed()

    def read_back(self) -> None:
        diff = self.diff()
        if diff is not None:
            diff.page(-1)

    def toggle_current_hunk(self) -> None:
        """Toggle the current hunk; exclude ticked steps on a plan."""
        diff = self.diff()
        if self.desk.ticked.state() is not None:
            self.desk.ticked.reject_silently()
        if diff is not None and isinstance(self.pages.current, StepPane | ObservedPane):
            diff.toggle_current()

    def choose_only_this(self) -> None:
        """Include only the current hunk, or its selected lines."""
        diff = self.diff()
        if diff is not None and isinstance(self.pages.current, StepPane) and diff.current_hunk():
            self.desk.choices.choose_only(diff.current_hunk(), diff.chosen_lines())

    def edit(self) -> None:
        """Edit the result of the step, or of the current conflict."""
        if self.desk.rebase.settling is not None:
            self.pages.conflict.edit()
        else:
            self.pages.step.edit()

    def move_change(self, by: int) -> None:
        """Go to the next (1) or previous (-1) change or conflict."""
        diff = self.diff()
        if self.desk.rebase.settling is not None:
            self.pages.conflict.step(by)
        elif diff is not None:
            (diff.next_change if by > 0 else diff.previous_change)()

    def shows_base(self) -> bool:
        """Return whether a conflict is shown with its common base."""
        return self.pages.is_created(ConflictPane) and self.pages.conflict.base.isChecked()

    def toggle_folds(self) -> None:
        """Fold or unfold unchanged lines, in the diff or around conflicts."""
        diff = self.diff()
        if self.desk.rebase.settling is not None:
            self.pages.conflict.view.toggle_folds()
        elif diff is not None:
            diff.toggle_folds()

    def compare_images(self) -> None:
        """Switch to the next comparison mode of the images."""
        diff = self.diff()
        if diff is not None:
            diff.card.images.next_mode()

    def why_no_images(self) -> str:
        """Return why no images can be compared, else ""."""
        diff = self.diff()
        if diff is None or diff.card.images.isHidden() or diff.card.isHidden():
            return self.tr("This step has no images to compare.")
        return diff.card.images.why_not_comparable()

    def copy_typed(self) -> None:
        """Copy all text typed about the current plan, including the last letters."""
        self.store_draft()
        self.desk.typed_copy.copy()

    def focus_consent(self) -> None:
        """Focus the box that has to be accepted before approving."""
        if isinstance(self.pages.current, StepPane):
            self.pages.step.focus_consent()

    def ask_reject_step(self) -> None:
        if self.desk.ticked.state() is None:
            self.pages.step.ask_why(ReasonPurpose.REJECT_STEP)
        else:
            self.pages.plan.ask_why(ReasonPurpose.REJECT_TICKED)

    def ask_reject_plan(self) -> None:
        self._show_whole_plan()
        self.pages.plan.ask_to_reject()

    def ask_for_changes(self) -> None:
        """Open the editor below the header of the step or plan."""
        page = self.pages.plan if self.desk.queue.current_step is None else self.pages.step
        page.ask_why(ReasonPurpose.ASK_FOR_CHANGES)

    def ask_approve_undecided(self) -> None:
        self._show_whole_plan()
        self.pages.plan.ask_before_approving()

    def show_history(self) -> None:
        """Show the history with the applied plans."""
        if not self.dock.history.tools.kind.has_plans:
            self.dock.history.tools.choose(HistoryShow.CHANGES)
        self.dock.show_panel(self.dock.history)

    def show_journal(self) -> None:
        """Show the history with every entry of the journal."""
        self.dock.history.tools.choose(HistoryShow.JOURNAL)
        self.dock.show_panel(self.dock.history)

    def show_tab(self, number: int) -> None:
        """Focus a tab of the dock, numbered from 1."""
        self.dock.show_tab(number)

    def why_no_tab(self, number: int) -> str:
        """Return why the dock has no tab of that number, else ""."""
        return "" if number <= self.dock.tab_count() else self.tr("The dock does not have this tab.")

    def ask_agent(self) -> None:
        """Focus the agent panel's input."""
        self.dock.show_panel(self.dock.agents)

    def ask_for_command(self, aim: Aim) -> None:
        """Focus the command panel's input, for a run or a trial."""
        self.dock.show_panel(self.dock.commands)
        self.dock.commands.aim(aim)

    def show_observed(self) -> None:
        self.dock.show_panel(self.dock.observed)

    def confirm_keep_observed(self) -> None:
        """Show the observed changes and ask whether to keep them all."""
        self.show_observed()
        self.desk.observed.confirm_keep_all()

    def show_problems(self) -> None:
        self.problems.open_card()

    def show_comments(self) -> None:
        """Show the plan and focus its comments."""
        self._show_whole_plan()
        self.pages.plan.comments.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def ask_for_snapshot(self) -> None:
        """Show the history and ask for a new snapshot's name."""
        self.show_history()
        self.dock.history.snapshots.ask_for_new()

    def focus_note(self) -> None:
        """Open the facts at the note, where one can be given."""
        if self.facts.note.isVisibleTo(self.facts):
            self._window.open_facts()
            self.facts.focus_note()

    def _show_last_apply(self) -> None:
        """Show the last apply in the status bar, with its rollback."""
        entry = next(iter(self.desk.queue.history), None)
        if entry is not None:
            words = say(self.tr("Last apply: “{title}”"), title=show_name(entry.plan.title))
            reason = why_not_rolled_back(entry) or self.desk.reasons.of(Action.PREVIEW_ROLLBACK)
            self._window.status.show_last_apply(words, reason)

    def _preview_rollback_of_last(self) -> None:
        entry = next(iter(self.desk.queue.history), None)
        if entry is not None:
            self.dock.history.preview(entry.key)

    def _fit_dock(self, is_high: bool) -> None:
        if is_high:
            self._window.lift_dock(px(_HIGH_DOCK))
        else:
            self._window.lower_dock()

    def toggle_dock(self) -> None:
        self.dock.set_folded(not self.dock.is_folded())

    def dock_is_folded(self) -> bool:
        return self.dock.is_folded()

    def _show_whole_plan(self) -> None:
        plan = self.desk.queue.current_plan
        if plan is not None and self.desk.queue.current_step is not None:
            self.desk.select(plan.id, None)

    def _show_page(self) -> None:
        page = self.pages.page_to_show()
        if page is self._shown:
            return
        self._shown = page
        had_focus = self._window.middle.isAncestorOf(QApplication.focusWidget() or self._window)
        self._window.show_page(page)
        if not isinstance(page, WITHOUT_FACTS):
            layout = page.layout()
            assert isinstance(layout, QVBoxLayout)
            layout.insertWidget(1, self.facts.line)  # below the header
        is_conflict = isinstance(page, ConflictPane)
        self.bars.page_changed(self.tr("Conflicts can't be searched") if is_conflict else "")
        self._window.show_facts(not isinstance(page, WITHOUT_FACTS))
        if had_focus:
            self.focus_middle()
