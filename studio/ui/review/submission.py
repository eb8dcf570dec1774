"""Import of pasted or opened plans; copying replies and commit messages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from studio import engine, formats
from studio.engine import Plan, PlanState, StepState
from studio.errors import NotFound
from studio.formats.limits import SUBMISSION_BYTES
from studio.names import show_name
from studio.system.os_errors import failure
from studio.ui.actions.action import Action
from studio.ui.look.words import say
from studio.ui.review.state import Pasting, Tone
from studio.ui.review.unsent import COMMENT, NOTE, REASON
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import CommitMessage, HistoryEntry, PlanDraft, PlanPreview, Problem
    from studio.formats.submission import SubmittedText
    from studio.ui.review.editor import EditDrafts
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.workspace import Workspace


class PastedText(Value):
    """A text, and what the user says about it.

    An empty title or agent leaves that to the text.
    """

    text: SubmittedText
    title: str = ""
    agent: str = ""
    format: str = formats.detect.AUTO


class Pasted(Value):
    """A text that was parsed and checked, but not proposed.

    `usual_title` is used where neither the user nor the text names one. `mismatches` has, for a text in no
    known format, the first problem that each format finds in it.
    """

    source: PastedText
    usual_title: str
    draft: PlanDraft
    preview: PlanPreview
    mismatches: tuple[tuple[str, Problem], ...] = ()

    @property
    def repairs(self) -> tuple[str, ...]:
        """Repairs that alone would make the text or a step fit.

        None once they were made.
        """
        repairs = (self.draft.repair, *self.preview.repairs)
        return () if self.draft.takes_repairs else tuple(filter(None, repairs))

    @property
    def status(self) -> Pasting:
        """Whether something in it is refused, and whether a repair would help."""
        if self.draft.takes_repairs:
            return Pasting.REPAIRED
        if self.repairs:
            return Pasting.REPAIRABLE
        steps = self.preview.plan.steps
        is_refused = not steps or any(step.state is StepState.INVALID for step in steps)
        return Pasting.REFUSED if is_refused else Pasting.WHOLE


class Submission(QObject):
    """Submission of the user's texts, with the same checks as any.

    A pasted text is previewed first, and so is a file that one repair would make fit: the user decides
    whether to repair it.
    """

    changed = Signal()
    """Another text is previewed, or none."""

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self.pasted: Pasted | None = None
        self._opened = 0
        """How often a preview was opened or closed: a later result for another one is dropped."""
        queue.previews_close_requested.connect(self.cancel)

    def paste(self, text: str) -> None:
        """Preview a pasted text, also an empty one; nothing is stored."""
        title = say(self.tr("Pasted plan, {when}"), when=f"{datetime.now().astimezone():%d %b %H:%M}")
        self._project.runner.call(
            preview_text, self._project.workspace, PastedText(encode_pasted(text)), title, self.tr("you"),
            then=self._show, failed=self._project.report,
        )  # fmt: skip

    def revise(self, source: PastedText, *, repairs: bool = False) -> None:
        """Preview the shown text with what the user changed."""
        if self.pasted is not None:
            self._project.runner.call(
                preview_text, self._project.workspace, source, self.pasted.usual_title, self.tr("you"),
                repairs, then=partial(self._replace_preview, self._opened), failed=self._project.report,
            )  # fmt: skip

    @property
    def status(self) -> Pasting:
        """Status of the previewed text."""
        return Pasting.NOTHING if self.pasted is None else self.pasted.status

    def repair(self) -> None:
        """Preview the repaired text on the current files; store nothing."""
        if self.pasted is not None and not self._guards.can(Action.REPAIR):
            self.revise(self.pasted.source, repairs=True)

    def propose(self) -> None:
        """Propose the previewed text on the current files."""
        pasted = self.pasted
        if pasted is not None:
            self._show(None)
            self._propose(pasted)

    def _propose(self, pasted: Pasted) -> None:
        self._project.runner.call(
            self._project.workspace.proposer.propose, pasted.draft,
            then=self._report_proposed, failed=self._project.report,
        )  # fmt: skip

    def cancel(self) -> None:
        """Close the preview; nothing was stored."""
        if self.pasted is not None:
            self._show(None)

    def submit_files(self, paths: Sequence[Path]) -> None:
        """Propose the plans in files; preview first what is repairable.

        One file is shown where a preview is open already.
        """
        shows = len(paths) == 1 and self.pasted is not None
        for path in paths:
            self._project.runner.call(
                import_file, self._project.workspace, path, self.tr("you"), shows,
                then=partial(self._handle_imported, shows), failed=self._project.report,
            )  # fmt: skip

    def _handle_imported(self, shows: bool, imported: Pasted | Plan) -> None:
        if isinstance(imported, Plan):
            self._report_proposed(imported)
        elif shows:
            self._show(imported)
        elif self.pasted is not None:
            self._propose(imported)  # the text already shown stays
        else:
            self._show(imported)
            title = show_name(imported.preview.plan.title)
            message = say(self.tr("“{title}” can be applied after a repair."), title=title)
            self._project.report_status(message, Tone.WARNING, self.tr("Nothing is stored yet."))

    def _replace_preview(self, opened: int, pasted: Pasted) -> None:
        """Replace the preview, unless it was closed meanwhile."""
        if self._opened == opened:
            self.pasted = pasted
            self.changed.emit()

    def _show(self, pasted: Pasted | None) -> None:
        if pasted is not None:
            self._queue.previews_close_requested.emit()  # a preview of something else would cover this one
        self._opened += 1
        self.pasted = pasted
        self.changed.emit()

    def _report_proposed(self, plan: Plan) -> None:
        self._queue.note_decided(plan.id)  # a plan that the user pasted is not reported as new
        if plan.state is PlanState.INVALID:
            problem = next(iter(plan.problems), None)
            message = problem.message if problem else self.tr("This text is not a plan.")
            self._project.report_status(message, Tone.BAD, problem.hint if problem else "")
        else:
            message = self.tr("“{title}” is in the queue.")
            if plan.duplicate:
                message = self.tr("“{title}” already exists.")
            self._project.report_status(say(message, title=show_name(plan.title)), Tone.NEWS)
        self._queue.reload()


def encode_pasted(text: str) -> SubmittedText:
    """Encode a text from the clipboard or a field, lone surrogates too."""
    return formats.submission.SubmittedText(text.encode("utf-8", "surrogatepass"))


def preview_text(
    workspace: Workspace, source: PastedText, usual_title: str, usual_agent: str, repairs: bool = False
) -> Pasted:
    """Parse and check a text, with `repairs` the repaired one.

    The usual title and agent are used where neither user nor text names one. Runs on the engine thread.
    """
    options = formats.submission.SubmissionOptions(
        format=source.format,
        title=source.title,
        agent=source.agent,
        usual_title=usual_title,
        usual_agent=usual_agent,
        shows_unusable=True,
        repairs=repairs,
        project=workspace.root_path,
    )

    def read(format_name: str) -> PlanDraft:
        return formats.submission.read_submission(
            [source.text], replace(options, format=format_name), limits=workspace.config.limits
        )

    draft = read(source.format)
    is_unknown = any(problem.code == "format.unknown" for problem in draft.problems)
    others = formats.detect.FORMATS[1:] if is_unknown else ()
    mismatches = ((name, problem) for name in others for problem in read(name).problems[:1])
    return Pasted(source, usual_title, draft, workspace.proposer.preview(draft), tuple(mismatches))


def import_file(workspace: Workspace, path: Path, agent: str, shows: bool = False) -> Pasted | Plan:
    """Propose a file's plan, or preview it.

    It is previewed where `shows`, or if a repair would help.

    Runs on the engine thread. Raises NotFound where the file can't be read.
    """
    text = formats.submission.SubmittedText(_read_file(path, SUBMISSION_BYTES + 1), file_name=path.name)
    pasted = preview_text(workspace, PastedText(text), "", agent)
    return pasted if shows or pasted.repairs else workspace.proposer.propose(pasted.draft)


def _read_file(path: Path, limit: int) -> bytes:
    """Read at most `limit` bytes of a regular file.

    A dropped pipe or device must not block the window. Raises NotFound where it can't be read.
    """
    try:
        return engine.read_foreign_file(path, limit, whole=False)
    except OSError as error:
        described = failure(error, f"{show_name(str(path))} can't be read")
        raise NotFound("file.unreadable", described.message, described.hint) from error


class Reply(QObject):
    """Copier of replies, for agents that need them pasted."""

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards

    def copy(self) -> None:
        """Copy the reply about the current step or plan.

        Without a current plan, the reply about the plan applied last.
        """
        plan, step = self._queue.current_plan, self._queue.current_step
        if self._guards.can(Action.COPY_REPLY):
            return
        if plan is not None:
            self._request_reply(plan, None if step is None else [step.number])
        elif self.last_applied is not None:
            self._request_reply(self.last_applied)

    @property
    def last_applied(self) -> Plan | None:
        """The newest agent's plan in the history, None if there is none."""
        return next((entry.plan for entry in self._queue.history if entry.rolls_back is None), None)

    def copy_for_plan(self, plan_id: str) -> None:
        """Copy the reply about an applied plan."""
        plan = next((entry.plan for entry in self._queue.history if entry.plan.id == plan_id), None)
        if plan is not None:
            self._request_reply(plan)

    def _request_reply(self, plan: Plan, numbers: Sequence[int] | None = None) -> None:
        self._project.runner.call(
            self._project.workspace.proposer.reply, plan.id, numbers,
            then=partial(self._copy, plan), failed=self._project.report,
        )  # fmt: skip

    def _copy(self, plan: Plan, reply: str) -> None:
        QGuiApplication.clipboard().setText(reply)
        agent = show_name(plan.agent) or self.tr("the agent")
        self._project.report_status(say(self.tr("Copied the reply for {agent}."), agent=agent), Tone.NEWS)


# Also where nothing can be decided about the plan any more.


class TypedCopy(QObject):
    """Copier of all texts the reviewer typed about a plan."""

    def __init__(self, project: Project, queue: Queue, edit_drafts: EditDrafts) -> None:
        super().__init__(project)
        self._project, self._queue, self._edit_drafts = project, queue, edit_drafts

    def texts(self) -> tuple[str, ...]:
        """Return every draft about the current plan, edited results included."""
        plan_id, unsent = self._queue.plan_id, self._project.unsent
        if plan_id is None:
            return ()
        found: list[str] = []
        for kind in (REASON, NOTE, COMMENT):
            keys = (key for key in unsent.every(kind) if key.plan_id == plan_id)
            found += [unsent.text(key) for key in sorted(keys, key=lambda at: (at.step, at.slot))]
        found += self._edit_drafts.texts_of(plan_id)
        return tuple(text for text in found if text.strip())

    def copy(self) -> None:
        """Copy what was typed about the current plan."""
        texts = self.texts()
        if texts:
            QGuiApplication.clipboard().setText("\n\n".join(texts))
            self._project.report_status(self.tr("Copied your text."), Tone.NEWS)
        else:
            self._project.report_status(self.tr("You have not written any text for this plan."), Tone.NEWS)


# The program makes no commits: content, branch, signature and hooks are the repository owner's decision.


class CommitMessages(QObject):
    """Copier of the commit message of an applied plan or a review."""

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards

    @property
    def last(self) -> Plan | None:
        """The current review, or the last plan still applied.

        Not the rollback of a part of it: what is left to commit is the rest.
        """
        current = self._queue.current_plan
        if current is not None and current.is_review and current.approved:
            return current
        applied = [entry for entry in self._queue.history if has_message(entry)]
        reverted = applied[0].rolls_back if applied else None
        partly = (entry.plan for entry in applied if entry.plan.id == reverted)
        return next(partly, applied[0].plan if applied else None)

    def copy(self) -> None:
        """Copy the commit message of the plan applied last."""
        plan = self.last
        if plan is not None and not self._guards.can(Action.COPY_MESSAGE):
            self.copy_for_plan(plan.id)

    def copy_for_plan(self, plan_id: str) -> None:
        """Copy the commit message of an applied plan."""
        self._project.runner.call(
            self._project.workspace.proposer.commit_message, plan_id,
            then=self._copy, failed=self._project.report,
        )  # fmt: skip

    def _copy(self, message: CommitMessage) -> None:
        QGuiApplication.clipboard().setText(message.text)
        self._project.report_status(self.tr("Copied the commit message. No commit was made."), Tone.NEWS)


def has_message(entry: HistoryEntry) -> bool:
    """Return whether something the plan wrote is still applied."""
    return any(step.state is StepState.APPLIED for step in entry.plan.steps)
