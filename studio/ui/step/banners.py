"""Banners of a step: stale, refused, edited or revised; consent; closed plan."""

from __future__ import annotations

from functools import partial
from shlex import quote

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.engine import Fact, Plan, PlanState, Problem, Step, StepState, folder_to_allow
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.limits import SHOWN_PROBLEMS_UP_TO
from studio.ui.look import words
from studio.ui.look.states import expired, message_with_line
from studio.ui.look.words import say
from studio.ui.review.desk import Desk
from studio.ui.review.editor import EditDraft
from studio.ui.review.state import ConsentSubject
from studio.ui.widgets import Banner, BannerKind, Button, CheckBox

_RULE_CODES = ("policy", "rule", "path")


def refused_folder(step: Step) -> str | None:
    """Return the folder to allow for a refused step, else None."""
    hints = [problem.hint.removesuffix(".") for problem in step.problems if problem.code == "policy.denied"]
    paths = step.written_paths
    folders = (folder_to_allow(path, folder=is_folder) for path in paths for is_folder in (False, True))
    return next(
        (
            each
            for each in folders
            # Builds before 0.1.0 stored hints that end with the quoted folder.
            if each is not None
            and any(hint.endswith((f" {show_name(each)}", f" {quote(show_name(each))}")) for hint in hints)
        ),
        None,
    )


class StepBanner(Banner):
    """Banner for a stale, refused or edited step, or a draft."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="step-strip")
        self._desk = desk
        self._rebase_button: Button | None = None
        self._waits: Fact | None = None
        """Why the step waits for another plan of its session, where it does."""
        self._signature: object = None

    def describe_current(self) -> bool:
        """Update for the current step; return whether a button lost focus."""
        plan, step = self._desk.queue.current_plan, self._desk.queue.current_step
        return plan is not None and step is not None and self._describe(plan, step)

    def _describe(self, plan: Plan, step: Step) -> bool:
        edited, draft = self._desk.edited.current is not None, self._desk.edit_drafts.summary_of(plan, step)
        forgotten = step.state is StepState.PENDING and self._desk.edit_drafts.can_restore_discarded
        signature = (plan.id, plan.state, plan.problems, step.id, step.revision, edited, draft, forgotten)
        if signature == self._signature:
            # A repeated disk check changes only text, never a button that is about to be clicked.
            if step.state is StepState.STALE and not plan.is_review:
                self._show_stale_words()
            return self.refresh()
        self._signature = signature
        self._rebase_button = None
        name = show_name(words.split_path(step.target)[1])
        if step.state is StepState.INVALID:
            self._show_refused(plan, step)
        elif plan.state is PlanState.FAILED:
            sentence = " ".join(problem.message for problem in plan.problems)
            title = say(self.tr("Applying “{title}” failed."), title=show_name(plan.title))
            self.show_message(BannerKind.DANGER, title, show_name(sentence))
        elif step.state is StepState.STALE:
            self._show_stale(plan, step, name)
        elif step.state is StepState.ALREADY_APPLIED:
            title = say(self.tr("{file} already matches this result."), file=name)
            self.show_message(BannerKind.DONE, title, self.tr("There is nothing to decide or write."))
        elif draft is not None:
            self._show_draft(step, draft)
        elif forgotten:
            self._show_forgotten()
        elif edited:
            self._show_edited()
        elif step.state is StepState.PENDING and (old := expired(plan)) is not None:
            title = self.tr("The approvals for this plan have expired.")
            sentence = f"{old.message} {old.hint}".strip()
            self.show_message(BannerKind.WARNING, title, show_name(sentence), icon="stale")
        else:
            self.hide()
        return False

    def _show_stale(self, plan: Plan, step: Step, name: str) -> None:
        if plan.is_review:
            title = say(self.tr("{file} has changed since this review."), file=name)
            self.show_message(BannerKind.WARNING, title, self.tr("This step is undecided."), icon="stale")
            kept = self.tr("Compares the files again. Unchanged steps keep their decisions.")
            self._add(Action.REVIEW_CHANGES, self.tr("Review again"), "observed", "", kept)
            return
        title = say(self.tr("{file} changed on disk after this step was proposed."), file=name)
        self._waits = next((fact for fact in step.facts if fact.kind == "waits_for_plan"), None)
        if self._waits is not None:
            title = show_name(self._waits.message)
        self.show_message(BannerKind.WARNING, title, self._stale_words(), icon="stale")
        self._rebase_button = self._add(Action.REBASE, self.tr("Rebase"), "merge", "B", self._rebase_words())
        again = self.tr("Compares with the current file.")
        self._add(Action.PREVIEW_AGAIN, self.tr("Preview again"), "observed", "P", again)
        agent = show_name(plan.agent) or self.tr("the agent")
        tip = say(self.tr("Notifies {agent}."), agent=agent)
        self._add(Action.DISCARD_STALE, self.tr("Discard step"), "cross", "", tip)

    def _show_stale_words(self) -> None:
        self.words.setText(self._stale_words())
        self.setAccessibleDescription(self.words.text())
        if self._rebase_button is not None:
            self.set_explanation(self._rebase_button, self._rebase_words())

    def _stale_words(self) -> str:
        if self._waits is not None:
            return self.tr("Apply that plan first, or rebase or reject this step.")
        staleness = self._desk.rebase.staleness
        parts = [self.tr("Nothing was written. Choose what to do before you approve.")]
        if self._keeps_text():
            parts.append(self.tr("Your draft is kept."))
        if staleness is not None and staleness.differing:
            differ = self.tr("{n} line has changed."), self.tr("{n} lines have changed.")
            parts.insert(0, words.counted(staleness.differing, *differ))
        if staleness is not None and staleness.preview.only_formatting:
            parts.insert(1, self.tr("Only whitespace and line endings changed, for example by reformatting."))
        return " ".join(parts)

    def _rebase_words(self) -> str:
        staleness = self._desk.rebase.staleness
        if staleness is None:
            return self.tr("Rebases onto the current file.")
        if not staleness.preview.conflicts:
            return self.tr("Rebases without conflicts.")
        return words.counted(
            len(staleness.preview.conflicts),
            self.tr("{n} conflict to resolve."),
            self.tr("{n} conflicts to resolve."),
        )

    def _keeps_text(self) -> bool:
        plan, step = self._desk.queue.current_plan, self._desk.queue.current_step
        return plan is not None and step is not None and self._desk.edit_drafts.has(plan, step)

    def _show_draft(self, step: Step, draft: EditDraft) -> None:
        sentences: list[str] = []
        if draft.line:
            begins = self.tr("The first change in the draft is at line {n}: “{text}”.")
            sentences.append(say(begins, n=str(draft.line), text=draft.excerpt))
        if draft.of_another:
            sentences.append(
                self.tr(
                    "The step has changed since you wrote the draft. The draft will be "
                    "applied to the current text."
                )
            )
        waits = self.tr("Choose an option before you approve.")
        sentences.append(
            self.tr("The approval does not include the draft.") if step.state is StepState.APPROVED else waits
        )
        title = self.tr("Your draft is not part of this result.")
        self.show_message(BannerKind.WARNING, title, " ".join(sentences), icon="edit")
        self._add(Action.EDIT, self.tr("Edit"), "edit", "E", self.tr("Opens the editor with the draft."))
        use_tip = self.tr("Uses the draft as this step's result. Nothing is written.")
        self._add(Action.USE_TEXT, self.tr("Use draft"), "check", "", use_tip)
        self._add(
            Action.DISCARD_TEXT,
            self.tr("Discard draft"),
            "cross",
            "",
            self.tr("Discards the draft. The result stays as shown."),
        )

    def _show_forgotten(self) -> None:
        title = self.tr("You discarded your draft for this step.")
        words = self.tr("The version on the right will be written.")
        self.show_message(BannerKind.INFO, title, words, icon="edit")
        self._add(Action.RESTORE_TEXT, self.tr("Restore"), "undo", "", self.tr("Restores the draft."))

    def _show_edited(self) -> None:
        self.show_message(
            BannerKind.INFO,
            self.tr("You edited this result."),
            self.tr("The version on the right will be written."),
            icon="edit",
        )
        self._add(Action.EDIT, self.tr("Edit"), "edit", "E", self.tr("Reopens the editor."))
        discard_tip = self.tr("Discards your edit.")
        self._add(Action.DROP_EDIT, self.tr("Revert to proposed result"), "undo", "", discard_tip)

    def _show_refused(self, plan: Plan, step: Step) -> None:
        others = len(plan.valid_steps)
        problem = next(iter(step.problems), None)
        by_rule = problem is not None and problem.code.startswith(_RULE_CODES)
        refused = self.tr("Refused by a rule.") if by_rule else self.tr("Refused by a check.")
        held_up = (
            words.counted(
                others,
                self.tr("This step can't be approved, but the other {n} step can."),
                self.tr("This step can't be approved, but the other {n} steps can."),
            )
            if others
            else self.tr("This step can't be approved.")
        )
        problems = Problem.shorten(step.problems, SHOWN_PROBLEMS_UP_TO)
        sentence = " ".join(f"{message_with_line(each)} {each.hint}".strip() for each in problems)
        self.show_message(BannerKind.DANGER, f"{refused} {held_up}", show_name(sentence), icon="refused")
        named = self.tr("Includes the reason and what the agent should do instead.")
        self._add(Action.COPY_REPLY, self.tr("Copy reply for the agent"), "copy", "Y", named)
        if refused_folder(step) is not None:
            preview = self.tr("Shows which files would be allowed.")
            self._add(Action.ALLOW_FOLDER, self.tr("Allow this folder…"), "folder", "", preview)

    def _add(self, action: Action, text: str, icon: str, key: str, explanation: str) -> Button:
        return self.add_choice(
            text,
            icon=icon,
            key=key,
            explanation=explanation,
            name=f"strip-{action}",
            pressed=lambda: self.pressed.emit(action),
            reason=lambda: self._desk.reasons.of(action),
        )


class RevisedBanner(Banner):
    """Banner of a step that its agent revised after it was seen.

    Approving waits until the reviewer compares the versions, or says that the new one is seen.
    """

    pressed = Signal(object)
    """Emitted with the id of the action to run."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="revised-strip")
        self._desk = desk
        self._signature: object = None

    def describe(self) -> None:
        """Show who revised the current step and when, or hide."""
        plan, step = self._desk.queue.current_plan, self._desk.queue.current_step
        if plan is None or step is None or not self._desk.viewed.is_revised(plan, step):
            self.leave()
            self._signature = None
            return
        moment = self._desk.viewed.revised_at(plan, step)
        signature = plan.id, step.id, step.revision, moment
        if signature == self._signature:
            self.refresh()
            return
        self._signature = signature
        agent = show_name(plan.agent) or self.tr("The agent")
        title = say(self.tr("{agent} revised this file after you viewed it."), agent=agent)
        if moment is not None:
            at = words.full_moment(moment, words.utc_now())
            title = say(self.tr("{agent} revised this file at {time}."), agent=agent, time=at)
        waits = self.tr("Choose an option before you approve.")
        self.show_message(BannerKind.WARNING, title, waits, icon="difference")
        for action, text, icon, key in (
            (Action.COMPARE_ROUND, self.tr("Show what changed"), "side-by-side", "D"),
            (Action.MARK_VIEWED, self.tr("Mark as viewed"), "check", "V"),
        ):
            self.add_choice(
                text,
                icon=icon,
                key=key,
                name=f"revised-{action}",
                pressed=partial(self.pressed.emit, action),
                reason=partial(self._reason, action),
            )

    def _reason(self, action: Action) -> str:
        return self._desk.reasons.of(action)


class ConsentBanner(Banner):
    """Banner that requires consent to lines: very long ones, or secrets.

    Approving must not include lines that nobody reads to the end, or probable secrets, without consent.
    """

    def __init__(self, desk: Desk, matter: ConsentSubject, parent: QWidget | None = None) -> None:
        super().__init__(parent, name=f"{matter.name.lower()}-strip")
        self._desk = desk
        self._matter = matter
        self._count = 0
        self.box = CheckBox(
            "",
            self,
            name=f"{matter.name.lower()}-accept",
            pressed=lambda accepted: desk.consent.set_consent(matter, accepted),
        )
        self.body.addWidget(self.box)

    def describe(self) -> None:
        """Show the number of lines; hide if there is nothing to decide."""
        step = self._desk.queue.current_step
        is_pending = step is not None and step.state is StepState.PENDING
        count = self._desk.consent.lines(self._matter) if is_pending else 0
        if self._desk.rounds.comparison is not None:
            count = 0
        if count and count != self._count:
            title, explanation, accept = self._words(count)
            self.show_message(BannerKind.WARNING, title, explanation)
            self.box.setText(accept)
            self.box.setAccessibleName(accept)
            self.box.updateGeometry()
        self._count = count
        self.box.setChecked(self._desk.consent.is_given(self._matter))
        self.setVisible(count > 0)

    def _words(self, count: int) -> tuple[str, str, str]:
        """Return title, consequence of approving, and label of the check box."""
        if self._matter is ConsentSubject.UNREAD:
            title = words.counted(
                count, self.tr("{n} line is very long."), self.tr("{n} lines are very long.")
            )
            accept = words.counted(
                count, self.tr("Accept {n} very long line"), self.tr("Accept {n} very long lines")
            )
            return (
                title,
                self.tr("Only the text around each change is shown. Read all of it before approving."),
                accept,
            )
        title = words.counted(
            count,
            self.tr("{n} line may contain a secret."),
            self.tr("{n} lines may contain secrets."),
        )
        accept = words.counted(
            count,
            self.tr("Accept {n} possible secret"),
            self.tr("Accept {n} possible secrets"),
        )
        return title, self.tr("Once written, the files may be committed and seen by others."), accept


# Banner that says what happened to a plan that left the queue while on display, and offers the typed text


class ClosedPlanBanner(Banner):
    """Banner of a closed plan, which stays until the user leaves.

    Nothing can be decided on it.
    """

    pressed = Signal(object)
    """Emitted with the id of the action to run."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="departed-strip")
        self._desk = desk
        self._described = "", False
        """The sentence shown, and whether the typed text is offered."""
        desk.queue.plans_changed.connect(self.describe)
        desk.project.unsent.changed.connect(self.describe)
        desk.queue.current_changed.connect(self.describe)
        self.describe()

    def describe(self) -> None:
        """Show what happened to the current plan, or hide."""
        closed_plan = self._desk.queue.closed_plan
        sentence = closed_plan.sentence if closed_plan is not None else ""
        has_text = bool(sentence and self._desk.typed_copy.texts())
        if (sentence, has_text) == self._described:
            return
        self._described = sentence, has_text
        if not sentence:
            self.hide()
            return
        detail = self.tr(
            "This plan can no longer be approved or rejected. Select another plan when you are ready."
        )
        if has_text:
            detail = self.tr("This plan can no longer be approved or rejected. Your text is kept.")
        self.show_message(BannerKind.WARNING, sentence, detail, icon="stale")
        if not has_text:
            return
        self.add_choice(
            self.tr("Copy my text"),
            icon="copy",
            icon_token="text",
            name="departed-copy",
            pressed=lambda: self.pressed.emit(Action.COPY_TYPED),
        )
