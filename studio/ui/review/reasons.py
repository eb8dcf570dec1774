"""Reasons why each action is disabled, "" where it is enabled.

What is off says why, in menus, in the palette and beside its button.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from operator import attrgetter
from typing import Final

from studio.engine import Operation, Plan, PlanState, Step, StepState
from studio.journal.file_image import FileImage
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.language import translator
from studio.ui.look import words
from studio.ui.look.words import say
from studio.ui.review.state import (
    DECIDED,
    Choosing,
    Conflicts,
    ConsentSubject,
    Pasting,
    Running,
    Ticked,
    Undecided,
    can_take_back,
)
from studio.values import Value

_tr = translator("Reasons")

_EDITABLE = (Operation.CREATE, Operation.MODIFY, Operation.APPEND, Operation.MOVE, Operation.COPY)


class DeskState(Value, dict=True):
    """Input of `reasons_of`, with the reasons that several actions share.

    A sentence is "" where it does not apply. Each shared reason is computed once for a state.
    """

    plan: Plan | None = None
    step: Step | None = None
    has_folder: bool = False
    """Whether a folder of the plan is the queue's current row."""
    is_loaded: bool = True
    ticked: Ticked | None = None
    """What is ticked while the whole plan is current; None where nothing is."""
    closed_sentence: str = ""
    """How the plan was closed, where it has left the queue."""

    # Blocks everything
    is_gone: bool = False
    """Whether the project's folder is missing."""
    busy: str = ""
    is_deciding: bool = False
    is_input_guarded: bool = False
    """Whether the input guard runs: the view changed just now."""
    needs_recovery: bool = False
    is_stopping: bool | None = None
    """Whether the running apply was asked to stop; None where none runs."""

    is_scanning: bool = False
    """Whether a process scans for changes by others."""
    is_indexing: bool = False
    """Whether that is the first scan."""

    # The step as shown
    painted_revision: str = ""
    has_contents: bool = False
    has_diff: bool = False
    hunks_differ: bool = False
    needs_consent: ConsentSubject | None = None
    """The next consent that the step still needs."""
    is_unit_ready: bool = True
    """Whether the other steps approved with it need no separate check."""
    pasting: Pasting = Pasting.NOTHING
    """Status of the pasted text that covers the step."""
    moves_code: bool = False
    """Whether the plan moves code into or out of the step's file."""
    is_revised: bool = False
    """Whether its agent revised the step after it was seen."""
    is_comparing: bool = False
    """Whether the step is compared with an earlier version."""
    has_other_version: bool = False
    """Whether another version of the step was seen or proposed before."""

    # The reviewer's changes to it
    choice: Choosing = Choosing.ALL
    is_edited: bool = False
    is_edit_needless: bool = False
    """Whether the edited result equals the file on disk."""
    is_editing: bool = False
    is_edit_outdated: bool = False
    has_edit_draft: bool = False
    can_restore_draft: bool = False
    undecided: Undecided = Undecided.APPROVABLE

    # The changed file of a stale step
    has_staleness: bool = False
    stale_refused: str = ""
    conflicts: Conflicts | None = None

    has_call: bool = False
    """Whether an agent's tool call waits for an answer."""
    is_call_unread: bool = False

    # Earlier writes
    has_history: bool = False
    has_reply: bool = False
    """Whether an agent's plan was applied, on which a reply can be copied."""
    has_commit_message: bool = False
    """Whether an applied plan, or the review, has a commit message."""
    is_comparing_files: bool = False
    """Whether a review is being made."""
    no_undo: str = ""
    """Why there is nothing to undo."""
    rollback_files: int | None = None
    """Files chosen in the previewed rollback; None without a preview."""

    # Snapshots and restores
    is_reading: bool = False
    """Whether a snapshot is being made, or the project is read for a preview."""
    restores: int | None = None
    """Paths that the previewed restore would change; None without a preview."""
    restore_refused: str = ""

    running: Running = Running.NOTHING

    # Changes without a plan
    observed: int = 0
    """Number of open observed changes."""
    is_observing: bool = False
    """Whether an observed change covers the step."""

    # The reading view
    is_reading_on: bool = False
    """Whether a file or an applied plan covers the step."""
    can_read_back: bool = False
    can_read_ahead: bool = False
    has_file: bool = False
    """Whether the middle shows a file that may be on disk."""

    @property
    def is_settling(self) -> bool:
        """Whether conflicts are shown."""
        return self.conflicts is not None

    # Shared reasons

    @cached_property
    def not_loaded(self) -> str:
        return "" if self.is_loaded else _tr("Loading plans…")

    @cached_property
    def no_step(self) -> str:
        return "" if self.step is not None else self.not_loaded or _tr("Select a step first.")

    @cached_property
    def step_covered(self) -> str:
        """Return what covers the step and blocks its keys."""
        if self.rollback_files is not None:
            return _tr("Close the rollback preview first.")
        if self.restores is not None:
            return _tr("Close the restore preview first.")
        if self.is_reading_on:
            return _tr("Close the file first.")
        if self.is_observing:
            return _tr("Close the outside change first.")
        return "" if self.pasting is Pasting.NOTHING else _tr("Close the pasted text first.")

    @cached_property
    def no_plan(self) -> str:
        return "" if self.plan is not None else self.not_loaded or _tr("There is no plan to review.")

    @cached_property
    def plan_not_open(self) -> str:
        """Return why the plan's steps can't be decided, "" while open."""
        plan = self.plan
        return self.no_plan or ("" if plan and plan.state.is_open else self.closed_plan)

    @cached_property
    def plan_not_revocable(self) -> str:
        """Return why no decision can be undone, "" where one can."""
        return self.no_plan or ("" if self.plan and can_take_back(self.plan) else self.closed_plan)

    @cached_property
    def step_not_pending(self) -> str:
        """Return why the step can't be decided any more, else ""."""
        return self.no_step or (_decided_step(self.step) if self.step else "")

    @cached_property
    def folder_gone(self) -> str:
        return _tr("The project folder no longer exists.") if self.is_gone else ""

    @cached_property
    def write_running(self) -> str:
        return say(_tr("Wait for this to finish: {what}"), what=self.busy) if self.busy else ""

    @cached_property
    def comparison_open(self) -> str:
        return _tr("Close the comparison first.") if self.is_comparing else ""

    @cached_property
    def editor_open(self) -> str:
        return _tr("Finish editing or close the editor first.") if self.is_editing else ""

    @cached_property
    def input_guarded(self) -> str:
        return _tr("The view just changed. Try again in a second.") if self.is_input_guarded else ""

    @cached_property
    def decision_blocked(self) -> str:
        """Return the reasons that block every decision."""
        if (
            reason := self.folder_gone
            or self.write_running
            or self.step_covered
            or self.comparison_open
            or self.editor_open
        ):
            return reason
        return _tr("Saving your last decision…") if self.is_deciding else self.input_guarded

    @cached_property
    def closed_plan(self) -> str:
        """Return the status of a plan that is not open."""
        plan = self.plan
        if plan is None:
            return ""
        if plan.state is PlanState.EXECUTING and self.needs_recovery:
            return _tr("Applying this plan was interrupted. Resolve this in the banner at the bottom first.")
        return {
            PlanState.REJECTED: _tr("This plan is rejected. Undo that decision first."),
            PlanState.CHANGES_REQUESTED: _tr(
                "Changes were requested. Wait for a new proposal from the agent."
            ),
            PlanState.CANCELLED: _tr("The agent withdrew this plan."),
            PlanState.EXECUTING: _tr("This plan is being applied."),
            PlanState.FAILED: _tr("This plan failed to apply. The agent must propose it again."),
            PlanState.INVALID: _tr("The entire plan was refused."),
            PlanState.COMPLETED: _tr("This plan is already applied. You can roll it back in History."),
        }.get(plan.state, _tr("This plan is closed."))

    @cached_property
    def step_not_open(self) -> str:
        """Return why the current step can't be decided, or ""."""
        if reason := self.no_step or self.plan_not_open or self.step_not_pending or self.decision_blocked:
            return reason
        return "" if self.is_painted else _tr("This step is not on screen yet.")

    @cached_property
    def is_painted(self) -> bool:
        """Whether the current revision of the step is on screen."""
        return self.step is not None and self.painted_revision == self.step.revision

    @cached_property
    def write_blocked(self) -> str:
        return self.folder_gone or self.write_running or self.input_guarded


def _decided_step(step: Step) -> str:
    """Return the status of a decided step, "" for a pending one."""
    if step.state is StepState.PENDING:
        return ""
    name = show_name(words.split_path(step.target)[1])
    return say(
        {
            StepState.APPROVED: _tr("This step is approved. Undo that decision first."),
            StepState.REJECTED: _tr("This step is rejected. Undo that decision first."),
            StepState.STALE: _tr("{file} changed on disk. First choose how to handle this."),
            StepState.INVALID: _tr("This step was refused by a check and can't be approved."),
            StepState.APPLIED: _tr("This step is already applied. You can roll it back in History."),
            StepState.ROLLED_BACK: _tr("This step was rolled back."),
            StepState.ALREADY_APPLIED: _tr("{file} already matches this result. There is nothing to decide."),
        }[step.state],
        file=name,
    )


class Reasons(dict[Action, str]):
    """Why each action is off and what would enable it, or ""."""

    of = dict[Action, str].__getitem__


_no_step, _no_plan, _write_blocked = map(attrgetter, ("no_step", "no_plan", "write_blocked"))


def reasons_of(state: DeskState) -> Reasons:
    """Return the reasons for all actions."""
    found = {check: check(state) for check in _DISTINCT_CHECKS}
    reasons = Reasons({action: found[check] for action, check in _CHECKS.items()})
    if state.ticked is not None:
        for action, check in _TICKED_CHECKS.items():
            reasons[action] = check(state, state.ticked)
    if state.closed_sentence:
        reasons.update(dict.fromkeys(_PLAN_ACTIONS, state.closed_sentence))
    return reasons


def _uncovered_step(state: DeskState) -> str:
    return state.no_step or state.step_covered


def _mark_viewed(state: DeskState) -> str:
    if state.step is None and state.has_folder:
        return state.step_covered
    if reason := _uncovered_step(state) or state.comparison_open or state.editor_open:
        return reason
    return "" if state.is_painted else _tr("This step is not on screen yet.")


def _approve_step(state: DeskState) -> str:
    step, reason = state.step, state.step_not_open
    if reason or step is None:
        return reason
    if state.choice is Choosing.NOTHING:
        return _tr("All hunks are excluded. Reject the step instead.")
    if state.choice is not Choosing.ALL and state.hunks_differ:
        return _hunks_differ(state)
    if state.is_edit_needless:
        return _tr("The edit leaves the file unchanged. Reject the step instead.")
    if state.needs_consent is ConsentSubject.UNREAD:
        return _tr("Some lines are very long. Accept them first.")
    if state.needs_consent is ConsentSubject.SECRETS:
        return _tr("Some lines may contain secrets. Accept them first.")
    if state.is_revised:
        return _tr(
            "This file was revised after you viewed it. Click “Show what changed” or “Mark as viewed” first."
        )
    if state.has_edit_draft:
        return _tr("This step has an unused draft. Use, edit or discard it first.")
    if not state.is_unit_ready:
        return _tr("Another step in the same change must be reviewed first.")
    return ""


def _take_back(state: DeskState) -> str:
    reason, plan, step = state.plan_not_revocable, state.plan, state.step
    if reason or plan is None:
        return reason
    if step is not None and step.state not in DECIDED:
        return _tr("This step has no decision to undo.")
    if step is None and not any(each.state in DECIDED for each in plan.steps):
        return _tr("This plan has no decision to undo.")
    return state.decision_blocked


def _decidable_plan(state: DeskState) -> str:
    return state.plan_not_open or state.decision_blocked


def _approve_undecided(state: DeskState) -> str:
    reason = _decidable_plan(state)
    if reason or state.plan is None:
        return reason
    if not any(step.state is StepState.PENDING for step in state.plan.steps):
        return _tr("All steps in this plan that can be approved are already decided.")
    if state.undecided is not Undecided.APPROVABLE:
        if state.undecided is Undecided.HAS_DRAFTS:
            return _tr(
                "All remaining steps have unused drafts, very long lines or possible "
                "secrets. Open each step first."
            )
        if state.undecided is Undecided.REVISED:
            return _tr("The remaining steps were revised after you viewed them. Open each step first.")
        return _tr(
            "All remaining steps have very long lines or possible secrets. Open each step "
            "and accept them there."
        )
    return ""


def _dismiss(state: DeskState) -> str:
    plan = state.plan
    if plan is None:
        return state.no_plan
    if not plan.is_dismissible:
        return _tr("Only closed plans that were not applied can be dismissed.")
    return state.decision_blocked


def _edit(state: DeskState) -> str:
    step, reason = state.step, state.no_step or state.step_covered or state.step_not_pending
    if state.is_settling:
        return ""
    if reason or step is None:
        return reason
    if step.op not in _EDITABLE or step.result is None or step.result.sha256 is None:
        return _tr("This step has no text to edit.")
    if not state.has_contents:
        return _tr("This step is not on screen yet.")
    if not state.has_diff:
        return _tr("This file can't be edited as text. Approve or reject it as a whole.")
    return state.comparison_open or (_tr("The editor is already open.") if state.is_editing else "")


def _finish_edit(state: DeskState) -> str:
    step = state.step
    if not state.is_editing or step is None:
        return _tr("No editor is open.")
    if step.state is StepState.STALE:
        return _tr(
            "The file changed on disk. Close the editor (your draft is kept), then choose an option above."
        )
    if decided := state.step_not_pending:
        return decided
    if state.is_edit_outdated:
        return _tr(
            "The contents changed while you were editing. Close and reopen the editor (your draft is kept)."
        )
    return ""


def _draft_text(state: DeskState) -> str:
    has_text = state.is_editing or state.has_edit_draft
    none = "" if has_text else _tr("This step has no draft.")
    return state.no_step or none or state.decision_blocked


def _use_text(state: DeskState) -> str:
    unpainted = "" if state.has_contents else _tr("This step is not on screen yet.")
    return _draft_text(state) or state.step_not_pending or unpainted


def _put_back_text(state: DeskState) -> str:
    return state.decision_blocked if state.can_restore_draft else _tr("This step has no discarded draft.")


def _comment(state: DeskState) -> str:
    if reason := state.no_step or state.step_covered or state.step_not_pending:
        return reason
    return "" if state.has_diff else _tr("There are no lines to comment on.")


def _stale(state: DeskState) -> str:
    return _not_stale(state) or state.stale_refused or state.decision_blocked


def _not_stale(state: DeskState) -> str:
    is_stale = state.step is not None and state.step.state is StepState.STALE
    return state.no_step or ("" if is_stale else _tr("This step is not stale."))


def _rebase(state: DeskState) -> str:
    if _is_of_review(state):
        return _tr("Use “Review again” instead. Unchanged steps keep their decisions.")
    if state.is_settling:
        return _tr("The conflicts are already shown.")
    return _stale(state) or ("" if state.has_staleness else _tr("Checking the file…"))


def _use_result(state: DeskState) -> str:
    if state.conflicts is None:
        return _tr("There are no conflicts to resolve.")
    if state.step is not None and state.step.state is not StepState.STALE:
        return _tr("This step is no longer stale. Press Esc to go back (your edits are kept).")
    if state.conflicts.is_outdated:
        return _tr(
            "The file changed again. Press Esc to close the editor (your draft is kept), "
            "then review the file again."
        )
    if state.conflicts.open:
        return words.counted(
            state.conflicts.open,
            _tr("{n} conflict is unresolved."),
            _tr("{n} conflicts are unresolved."),
        )
    if state.conflicts.unused_drafts:
        sentence = _tr(
            "Your edit to conflict {n} is not used yet. Reopen the edit and click Done, or choose a side."
        )
        return say(sentence, n=min(state.conflicts.unused_drafts) + 1)
    return _stale(state)


def _settle(state: DeskState) -> str:
    return "" if state.is_settling else _tr("There are no conflicts to resolve.")


def _compare_round(state: DeskState) -> str:
    unchanged = "" if state.has_other_version else _tr("No other version of this file was proposed.")
    unpainted = "" if state.has_contents else _tr("This step is not on screen yet.")
    return state.no_step or unchanged or state.editor_open or unpainted


def _toggle_hunk(state: DeskState) -> str:
    step, reason = state.step, state.step_not_pending
    if reason or step is None:
        return reason
    if state.is_edited:
        return _tr("An edited result can only be applied as a whole. To choose hunks, discard your edit.")
    if step.unit is not None:
        return _tr(
            "This step is part of a larger change. Approve or reject all steps of that change together."
        )
    return _hunks_differ(state)


def _hunks_differ(state: DeskState) -> str:
    if state.hunks_differ:
        return _tr(
            "The hunks shown differ from those stored with this step. Approve or reject the step as a whole."
        )
    return ""


def _lines(state: DeskState) -> str:
    reason = _toggle_hunk(state)
    step = state.step
    if reason or step is None:
        return reason
    if step.base is None or step.result is None:
        return _tr("This file exists on one side only. It can only be included or excluded as a whole.")
    return "" if step.hunks else _tr("There are no changed lines here.")


def _apply(state: DeskState) -> str:
    """Return why Apply is off; it needs an approved step."""
    plan = state.plan
    if plan is None or state.busy:
        return state.write_running or state.no_plan
    title = show_name(plan.title)
    if plan.is_review:
        return _take_back_rejected(state, plan)
    if plan.state in (PlanState.PENDING, PlanState.APPROVED, PlanState.PAUSED) and plan.approved:
        return state.decision_blocked
    if plan.state is PlanState.PENDING:
        return say(
            words.counted(
                len(plan.undecided),
                _tr("{n} step in “{title}” is undecided."),
                _tr("{n} steps in “{title}” are undecided."),
            ),
            title=title,
        )
    return state.closed_plan


def _take_back_rejected(state: DeskState, plan: Plan) -> str:
    nothing = "" if plan.unwanted else _tr("Reject some changes first.")
    return nothing or _review_changes(state) or state.decision_blocked


def _review_changes(state: DeskState) -> str:
    comparing = _tr("The files are being compared.") if state.is_comparing_files else ""
    return state.folder_gone or state.write_running or comparing


def _propose_approved(state: DeskState) -> str:
    plan = state.plan
    if plan is None or not plan.is_of_commits:
        return _tr("Select a review of commits first.")
    nothing = "" if plan.approved else _tr("Approve some changes first.")
    return nothing or _review_changes(state) or state.decision_blocked


def _request_changes(state: DeskState) -> str:
    return (
        _tr("This review has no agent to request changes from.")
        if _is_of_review(state)
        else _decidable_plan(state)
    )


def _is_of_review(state: DeskState) -> bool:
    return state.plan is not None and state.plan.is_review


def _stop(state: DeskState) -> str:
    if state.is_stopping is None:
        return "" if state.is_indexing and not state.busy else _tr("Nothing to stop.")
    return _tr("Stopping…") if state.is_stopping else ""


def _look_again(state: DeskState) -> str:
    if not state.is_scanning:
        return _tr("This window is not watching for outside changes.")
    return _tr("The project is being indexed.") if state.is_indexing else ""


def _roll_back(state: DeskState) -> str:
    if state.rollback_files is None:
        return _tr("Choose an applied plan in History first.")
    if not state.busy and not state.rollback_files:
        return _tr("No file is selected. Select at least one that has not changed in the meantime.")
    return state.write_running or state.input_guarded


def _preview_rollback(state: DeskState) -> str:
    nothing = "" if state.has_history else _tr("Nothing has been applied in this project yet.")
    return state.write_running or state.not_loaded or nothing


def _keep_all(state: DeskState) -> str:
    return state.write_blocked if state.observed else _tr("There are no outside changes.")


def _new_snapshot(state: DeskState) -> str:
    reading = _tr("Project files are still being read.") if state.is_reading else ""
    return state.folder_gone or state.write_running or reading


def _restore(state: DeskState) -> str:
    if state.restores is None:
        return _tr("Choose a snapshot first.")
    same = "" if state.restores else _tr("The project already matches the snapshot.")
    return state.write_running or state.restore_refused or same or state.input_guarded


def _waiting_call(state: DeskState) -> str:
    return (state.folder_gone or state.input_guarded) if state.has_call else _tr("No tool call is waiting.")


def _repair(state: DeskState) -> str:
    return {
        Pasting.NOTHING: _tr("Paste some text first."),
        Pasting.WHOLE: _tr("Nothing in this text was refused."),
        Pasting.REFUSED: _tr("No single repair would fix the refused steps."),
        Pasting.REPAIRABLE: "",
        Pasting.REPAIRED: _tr("This text was repaired. Review it again."),
    }[state.pasting]


def _approve_ticked(state: DeskState, ticked: Ticked) -> str:
    reason = _undecided_ticked(state, ticked)
    if reason or ticked.approvable:
        return reason
    return _tr("All selected steps have issues to resolve or lines to accept. Open each step first.")


def _undecided_ticked(state: DeskState, ticked: Ticked) -> str:
    decided = (
        "" if ticked.undecided else _tr("All selected steps are already decided. Undo those decisions first.")
    )
    return state.plan_not_open or decided or state.decision_blocked


def _take_back_ticked(state: DeskState, ticked: Ticked) -> str:
    nothing = "" if ticked.decided else _tr("None of the selected steps has a decision to undo.")
    return state.plan_not_revocable or nothing or state.decision_blocked


_TICKED_CHECKS: Final[Mapping[Action, Callable[[DeskState, Ticked], str]]] = {
    Action.APPROVE_STEP: _approve_ticked,
    Action.REJECT_STEP: _undecided_ticked,
    Action.TOGGLE_HUNK: _undecided_ticked,
    Action.REVOKE_DECISION: _take_back_ticked,
    Action.MARK_VIEWED: lambda state, _ticked: state.step_covered,
}
"""What a step's keys do to all ticked steps while the whole plan is current."""


def _start_command(state: DeskState) -> str:
    is_free = state.running is Running.NOTHING
    return state.folder_gone or (
        "" if is_free else _tr("A command is running. Stop it or wait until it finishes.")
    )


def _try_plan(state: DeskState) -> str:
    reason, plan = state.plan_not_open, state.plan
    if reason or plan is None:
        return reason
    if plan.is_review:
        return _tr("The reviewed changes are already on disk.")
    by_state = {step.state: step for step in reversed(plan.steps)}
    if StepState.STALE in by_state:
        return _decided_step(by_state[StepState.STALE])
    if not by_state.keys() & {StepState.PENDING, StepState.APPROVED}:
        return _tr("This plan would not write any files.")
    return ""


def _propose_now(state: DeskState) -> str:
    if state.running is Running.TRIAL:
        return _tr("Changes made by a command during a trial can't be proposed.")
    return _stop_command(state)


def _stop_command(state: DeskState) -> str:
    return "" if state.running is not Running.NOTHING else _tr("No command is running in this window.")


def _read_base(state: DeskState) -> str:
    base = None if state.step is None else state.step.base
    return state.no_step or _no_bytes(base, _tr("The file did not exist before this step."))


def _read_result(state: DeskState) -> str:
    result = None if state.step is None else state.step.result
    return state.no_step or _no_bytes(result, _tr("The file does not exist after this step."))


def _no_bytes(side: FileImage | None, sentence: str) -> str:
    return "" if side is not None and side.sha256 is not None else sentence


def _shown_file(state: DeskState) -> str:
    return "" if state.has_file else _tr("Select a step or open a file first.")


def _other_end(state: DeskState) -> str:
    if reason := state.no_step or state.step_covered or state.comparison_open or state.editor_open:
        return reason
    return "" if state.moves_code else _tr("There is no moved code in this file.")


_PLAN_ACTIONS = frozenset(
    {
        Action.MARK_VIEWED,
        Action.NOTE,
        Action.APPROVE_STEP,
        Action.REJECT_STEP,
        Action.REVOKE_DECISION,
        Action.APPROVE_UNDECIDED,
        Action.REJECT_PLAN,
        Action.REQUEST_CHANGES,
        Action.DISMISS,
        Action.DISCARD_STALE,
        Action.EDIT,
        Action.DROP_EDIT,
        Action.FINISH_EDIT,
        Action.COMMENT,
        Action.REBASE,
        Action.PREVIEW_AGAIN,
        Action.USE_RESULT,
        Action.RESOLVE_WITH_DISK,
        Action.RESOLVE_WITH_PROPOSED,
        Action.RESOLVE_WITH_BOTH,
        Action.TOGGLE_HUNK,
        Action.ONLY_THIS,
        Action.USE_TEXT,
        Action.DISCARD_TEXT,
        Action.RESTORE_TEXT,
        Action.APPLY,
    }
)
"""Actions on the current plan, all disabled once it has left the queue."""

_WINDOW_ACTIONS = (
    Action.OPEN,
    Action.SWITCH_PROJECT,
    Action.PASTE,
    Action.SUBMIT_FILE,
    Action.DEMO,
    Action.CLOSE_WINDOW,
    Action.QUIT,
    Action.FIRST_STEPS,
    Action.DOCUMENTATION,
    Action.COPY,
    Action.FIND,
    Action.FIND_ACROSS,
    Action.FIND_NEXT,
    Action.FIND_PREVIOUS,
    Action.GO_TO_LINE,
    Action.PALETTE,
    Action.GO_TO_FILE,
    Action.UNIFIED,
    Action.WHITE_SPACE,
    Action.IGNORE_SPACE,
    Action.FOLDS,
    Action.WRAP,
    Action.COMPARE_IMAGES,
    Action.TEXT,
    Action.ZOOM_IN,
    Action.ZOOM_OUT,
    Action.ZOOM_RESET,
    Action.CODE_FONT,
    Action.LEFT_COLUMN,
    Action.FACTS,
    Action.DOCK,
    Action.DOCK_1,
    Action.DOCK_2,
    Action.DOCK_3,
    Action.DOCK_4,
    Action.JOURNAL,
    Action.NEXT_PANE,
    Action.PREVIOUS_PANE,
    Action.BACK,
    Action.LIGHT,
    Action.DARK,
    Action.CONTRAST,
    Action.SYSTEM,
    Action.COLOUR_BLIND,
    Action.NEXT_CHANGE,
    Action.PREVIOUS_CHANGE,
    Action.READ_ON,
    Action.READ_BACK,
    Action.KEYS,
    Action.MENU_BAR,
    Action.GATES,
    Action.ASK_AGENT,
    Action.DIAGNOSTICS,
    Action.LETTERS,
    Action.PROBLEMS,
    Action.COMMENTS,
    Action.RUN_COMMAND,
    Action.BROWSE_FOLDER,
    Action.SETTINGS,
    Action.RULES,
    Action.ALLOW_FOLDER,
    Action.CONNECT_AGENTS,
    Action.TRUST,
)
"""Actions that are always enabled here; the window may disable them."""

_CHECKS: dict[Action, Callable[[DeskState], str]] = {
    Action.NEXT_STEP: _no_plan,
    Action.PREVIOUS_STEP: _no_plan,
    Action.NEXT_UNVIEWED: _no_plan,
    Action.NEXT_UNDECIDED: _no_plan,
    Action.COPY_PATH: _no_step,
    Action.NEXT_PLAN: _no_plan,
    Action.PREVIOUS_PLAN: _no_plan,
    Action.QUEUE_FILTER: _no_plan,
    Action.QUEUE_ORDER: _no_plan,
    Action.QUEUE_PATH: _no_plan,
    Action.QUEUE_ALL: _no_plan,
    Action.TICK_KIND: lambda s: s.plan_not_open or s.step_covered,
    Action.MARK_VIEWED: _mark_viewed,
    Action.NOTE: _uncovered_step,
    Action.APPROVE_STEP: _approve_step,
    Action.REJECT_STEP: lambda s: s.step_not_open,
    Action.REVOKE_DECISION: _take_back,
    Action.APPROVE_UNDECIDED: _approve_undecided,
    Action.REJECT_PLAN: _decidable_plan,
    Action.REQUEST_CHANGES: _request_changes,
    Action.REVIEW_CHANGES: _review_changes,
    Action.PROPOSE_APPROVED: _propose_approved,
    Action.DISMISS: _dismiss,
    Action.DISCARD_STALE: lambda s: _not_stale(s) or s.decision_blocked,
    Action.EDIT: _edit,
    Action.DROP_EDIT: lambda s: "" if s.is_edited else _tr("The proposed result has not been edited."),
    Action.FINISH_EDIT: _finish_edit,
    Action.USE_TEXT: _use_text,
    Action.DISCARD_TEXT: _draft_text,
    Action.RESTORE_TEXT: _put_back_text,
    Action.COMMENT: _comment,
    Action.REBASE: _rebase,
    Action.PREVIEW_AGAIN: _rebase,
    Action.USE_RESULT: _use_result,
    Action.RESOLVE_WITH_DISK: _settle,
    Action.RESOLVE_WITH_PROPOSED: _settle,
    Action.RESOLVE_WITH_BOTH: _settle,
    Action.SHOW_BASE: _settle,
    Action.COMPARE_ROUND: _compare_round,
    Action.COPY_REPLY: lambda s: "" if s.has_reply else s.no_plan,
    Action.COPY_MESSAGE: lambda s: "" if s.has_commit_message else _tr("Nothing to commit."),
    Action.ALLOW_CALL: lambda s: (
        _waiting_call(s) or (_tr("Scroll to the end first.") if s.is_call_unread else "")
    ),
    Action.DENY_CALL: _waiting_call,
    Action.COPY_TYPED: _no_plan,
    Action.TOGGLE_HUNK: _toggle_hunk,
    Action.ONLY_THIS: _toggle_hunk,
    Action.LINES: _lines,
    Action.REPAIR: _repair,
    Action.APPLY: _apply,
    Action.STOP: _stop,
    Action.RESCAN_OBSERVED: _look_again,
    Action.PREVIEW_ROLLBACK: _preview_rollback,
    Action.ROLL_BACK: _roll_back,
    Action.UNDO_LAST: lambda state: state.no_undo,
    Action.DISCARD_UNDO: _write_blocked,
    Action.NEW_SNAPSHOT: _new_snapshot,
    Action.PREVIEW_RESTORE: _new_snapshot,
    Action.RESTORE: _restore,
    Action.DELETE_SNAPSHOT: lambda s: _new_snapshot(s) or s.input_guarded,
    Action.PREVIEW_REVERT: _new_snapshot,
    Action.KEEP_OBSERVED: _write_blocked,
    Action.KEEP_ALL_OBSERVED: _keep_all,
    Action.START_COMMAND: _start_command,
    Action.TRY_PLAN: _try_plan,
    Action.START_TRIAL: lambda s: _try_plan(s) or _start_command(s),
    Action.PREVIEW_RESULT: _propose_now,
    Action.STOP_COMMAND: _stop_command,
    Action.READ_FILE: _no_step,
    Action.READ_BASE: _read_base,
    Action.READ_RESULT: _read_result,
    Action.OPEN_IN_EDITOR: _shown_file,
    Action.SHOW_IN_FOLDER: _shown_file,
    Action.OTHER_END: _other_end,
    Action.READ_EARLIER: lambda s: "" if s.can_read_back else _tr("Nothing to go back to."),
    Action.READ_LATER: lambda s: "" if s.can_read_ahead else _tr("Nothing to go forward to."),
    **dict.fromkeys(_WINDOW_ACTIONS, lambda _state: ""),
}
_DISTINCT_CHECKS = frozenset(_CHECKS.values())
