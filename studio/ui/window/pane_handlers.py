"""Tables mapping actions to calls on an opened project's panes and controllers.

Those of the window itself are in `handlers`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from studio.extras.conflict_choices import ConflictChoice
from studio.ui.actions.action import Action
from studio.ui.commands.panel import Aim
from studio.ui.diff.model.cells import Side

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.ui.diff import DiffView
    from studio.ui.review.desk import Desk
    from studio.ui.window.panes import Panes

TABS = {Action.DOCK_1: 1, Action.DOCK_2: 2, Action.DOCK_3: 3, Action.DOCK_4: 4}
"""Tabs of the dock, counted from 1."""

_DIFF_CALLS: dict[Action, Callable[[DiffView], object]] = {
    Action.COPY: lambda diff: diff.copy(),
    Action.WRAP: lambda diff: diff.toggle_wrap(),
    Action.TEXT: lambda diff: diff.toggle_text(),
    Action.LINES: lambda diff: diff.toggle_lines_mode(),
    Action.UNIFIED: lambda diff: diff.toggle_mode(),
    Action.WHITE_SPACE: lambda diff: diff.toggle_whitespace(),
    Action.IGNORE_SPACE: lambda diff: diff.toggle_ignored_space(),
    Action.ZOOM_IN: lambda diff: diff.zoom(1),
    Action.ZOOM_OUT: lambda diff: diff.zoom(-1),
    Action.ZOOM_RESET: lambda diff: diff.zoom(0),
}


def _in_diff(name: Action, panes: Panes) -> None:
    diff = panes.diff()
    if diff is not None:
        _DIFF_CALLS[name](diff)


def _show_tab(number: int, panes: Panes) -> None:
    panes.show_tab(number)


def _copy_path(desk: Desk) -> None:
    if desk.queue.current_step is not None:
        QGuiApplication.clipboard().setText(desk.queue.current_step.target)


def _toggle_viewed(desk: Desk) -> None:
    plan, step = desk.queue.current_plan, desk.queue.current_step
    if plan is not None and step is None:
        desk.ticked.mark_viewed(desk.walk.steps_of_row())
    elif plan is not None and step is not None:
        desk.walk.mark_viewed(desk.viewed.is_revised(plan, step) or not desk.viewed.has(plan, step))


def _take_back(desk: Desk) -> None:
    (desk.decisions if desk.ticked.state() is None else desk.ticked).take_back()


def _approve(panes: Panes) -> None:
    """Approve the current step, or ask before approving ticked steps."""
    if panes.desk.ticked.state() is None:
        panes.desk.decisions.approve_step()
    else:
        panes.pages.plan.ask_before_approving(panes.desk.ticked.numbers)


DESK_HANDLERS: dict[Action, Callable[[Desk], object]] = {
    Action.COPY_PATH: _copy_path,
    Action.READ_EARLIER: lambda d: d.reading.go_back(),
    Action.READ_LATER: lambda d: d.reading.go_forward(),
    Action.REPAIR: lambda d: d.submission.repair(),
    Action.PREVIEW_RESULT: lambda d: d.commands.propose_now(),
    Action.STOP_COMMAND: lambda d: d.commands.stop(),
    Action.NEXT_UNVIEWED: lambda d: d.walk.next_unviewed(),
    Action.NEXT_UNDECIDED: lambda d: d.walk.next_undecided(),
    Action.COPY_REPLY: lambda d: d.reply.copy(),
    Action.ALLOW_CALL: lambda d: d.calls.allow(),
    Action.REVIEW_CHANGES: lambda d: d.reviews.start(),
    Action.PROPOSE_APPROVED: lambda d: d.reviews.propose(),
    Action.COPY_MESSAGE: lambda d: d.commit_messages.copy(),
    Action.STOP: lambda d: d.stop(),
    Action.RESCAN_OBSERVED: lambda d: d.observed.rescan(),
    Action.DISMISS: lambda d: d.decisions.dismiss(),
    Action.REVOKE_DECISION: _take_back,
    Action.DROP_EDIT: lambda d: d.edited.drop(),
    Action.USE_TEXT: lambda d: d.edit_drafts.use(),
    Action.DISCARD_TEXT: lambda d: d.edit_drafts.discard(),
    Action.RESTORE_TEXT: lambda d: d.edit_drafts.restore_discarded(),
    Action.REBASE: lambda d: d.rebase.start(),
    Action.PREVIEW_AGAIN: lambda d: d.rebase.preview_again(),
    Action.USE_RESULT: lambda d: d.rebase.use_resolved_conflicts(),
    Action.DISCARD_STALE: lambda d: d.decisions.discard_stale(),
    Action.NEXT_STEP: lambda d: d.walk.next_step(),
    Action.PREVIOUS_STEP: lambda d: d.walk.previous_step(),
    Action.NEXT_PLAN: lambda d: d.walk.next_plan(1),
    Action.PREVIOUS_PLAN: lambda d: d.walk.next_plan(-1),
    Action.MARK_VIEWED: _toggle_viewed,
}

PANE_HANDLERS: dict[Action, Callable[[Panes], object]] = {
    Action.READ_FILE: lambda p: p.read_file(),
    Action.BROWSE_FOLDER: lambda p: p.browse_folder(),
    Action.READ_BASE: lambda p: p.read_side(Side.BASE),
    Action.READ_RESULT: lambda p: p.read_side(Side.RESULT),
    Action.OPEN_IN_EDITOR: lambda p: p.open_in_editor(),
    Action.SHOW_IN_FOLDER: lambda p: p.show_in_folder(),
    Action.FIND_ACROSS: lambda p: p.find_across(),
    Action.ASK_AGENT: lambda p: p.ask_agent(),
    Action.RUN_COMMAND: lambda p: p.ask_for_command(Aim.RUN),
    Action.TRY_PLAN: lambda p: p.ask_for_command(Aim.TRY),
    Action.GO_TO_FILE: lambda p: p.go_to_file.open_finder(),
    Action.QUEUE_FILTER: lambda p: p.queue.tools.open_filter(),
    Action.QUEUE_ORDER: lambda p: p.queue.tools.open_order(),
    Action.QUEUE_PATH: lambda p: p.filter_queue(),
    Action.QUEUE_ALL: lambda p: p.queue.tools.show_all(),
    Action.DENY_CALL: lambda p: p.calls.ask_to_deny(),
    Action.COPY_TYPED: lambda p: p.copy_typed(),
    Action.JOURNAL: lambda p: p.show_journal(),
    Action.PROBLEMS: lambda p: p.show_problems(),
    Action.COMMENTS: lambda p: p.show_comments(),
    Action.KEEP_ALL_OBSERVED: lambda p: p.confirm_keep_observed(),
    Action.NEW_SNAPSHOT: lambda p: p.ask_for_snapshot(),
    Action.PREVIEW_ROLLBACK: lambda p: p.show_history(),
    Action.DOCK: lambda p: p.toggle_dock(),
    Action.NEXT_PANE: lambda p: p.next_pane(1),
    Action.PREVIOUS_PANE: lambda p: p.next_pane(-1),
    Action.APPROVE_STEP: _approve,
    Action.REJECT_STEP: lambda p: p.ask_reject_step(),
    Action.REJECT_PLAN: lambda p: p.ask_reject_plan(),
    Action.REQUEST_CHANGES: lambda p: p.ask_for_changes(),
    Action.APPROVE_UNDECIDED: lambda p: p.ask_approve_undecided(),
    Action.FIND: lambda p: p.find(),
    Action.TICK_KIND: lambda p: p.tick_kind(),
    Action.FIND_NEXT: lambda p: p.bars.step(1),
    Action.FIND_PREVIOUS: lambda p: p.bars.step(-1),
    Action.GO_TO_LINE: lambda p: p.bars.open_go(),
    Action.NOTE: lambda p: p.focus_note(),
    Action.READ_ON: lambda p: p.read_on(),
    Action.READ_BACK: lambda p: p.read_back(),
    Action.EDIT: lambda p: p.edit(),
    Action.COMMENT: lambda p: p.pages.step.ask_for_comment(),
    Action.COMPARE_ROUND: lambda p: p.pages.step.toggle_comparison(),
    Action.RESOLVE_WITH_DISK: lambda p: p.pages.conflict.resolve_current(ConflictChoice.DISK),
    Action.RESOLVE_WITH_PROPOSED: lambda p: p.pages.conflict.resolve_current(ConflictChoice.PROPOSED),
    Action.RESOLVE_WITH_BOTH: lambda p: p.pages.conflict.resolve_current(ConflictChoice.BOTH),
    Action.FOLDS: lambda p: p.toggle_folds(),
    Action.COMPARE_IMAGES: lambda p: p.compare_images(),
    Action.SHOW_BASE: lambda p: p.pages.conflict.toggle_base(),
    Action.NEXT_CHANGE: lambda p: p.move_change(1),
    Action.PREVIOUS_CHANGE: lambda p: p.move_change(-1),
    Action.TOGGLE_HUNK: lambda p: p.toggle_current_hunk(),
    Action.ONLY_THIS: lambda p: p.choose_only_this(),
    Action.OTHER_END: lambda p: p.go_to_other_end(),
}
PANE_HANDLERS |= {action: partial(_show_tab, number) for action, number in TABS.items()}
PANE_HANDLERS |= {name: partial(_in_diff, name) for name in _DIFF_CALLS}
