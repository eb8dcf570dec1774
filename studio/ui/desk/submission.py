"""Plans that the person brings: a pasted text, or a file that was opened or dropped."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.names import show_name
from studio.engine.plan import Plan, PlanState
from studio.ui.desk.happening import Tone
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.engine.draft import PlanDraft
    from studio.engine.proposer import PlanPreview
    from studio.engine.workspace import Workspace
    from studio.formats.submission import SubmittedText
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


@dataclass(frozen=True, slots=True)
class Pasted:
    """A text that was read and is not proposed: what it says, and what would become of it."""

    draft: PlanDraft
    preview: PlanPreview


class Submission(QObject):
    """Proposes them; the gateway checks each as any other. A pasted text is shown first."""

    changed = Signal()
    """Another text is previewed, or none."""

    def __init__(self, project: Project, queue: Queue) -> None:
        super().__init__(project)
        self._project, self._queue = project, queue
        self.pasted: Pasted | None = None
        queue.left.connect(self.cancel)

    def paste(self, text: str) -> None:
        """Show what was understood of this text; nothing is stored."""
        if not text.strip():
            said = self.tr("The clipboard holds no text.")
            self._project.say(said, Tone.WARNING, self.tr("Copy a diff or plan."))
            return
        title = say(self.tr("Pasted plan, {when}"), when=f"{datetime.now().astimezone():%d %b %H:%M}")
        self._project.runner.call(
            preview_text, self._project.workspace, text.encode("utf-8", "surrogatepass"), title,
            self.tr("you"), then=self._show, failed=self._project.report,
        )  # fmt: skip

    def propose(self) -> None:
        """Propose what is previewed, on the files as they are by then."""
        pasted = self.pasted
        if pasted is not None:
            self._show(None)
            self._project.runner.call(
                self._project.workspace.proposer.propose, pasted.draft,
                then=self._proposed, failed=self._project.report,
            )  # fmt: skip

    def cancel(self) -> None:
        """Close the preview; nothing was stored."""
        if self.pasted is not None:
            self._show(None)

    def submit_file(self, path: Path) -> None:
        """Propose the plan that stands in a `.diff`, `.patch` or `.json` file."""
        self._project.runner.call(
            propose_file, self._project.workspace, path, self.tr("you"),
            then=self._proposed, failed=self._project.report,
        )  # fmt: skip

    def _show(self, pasted: Pasted | None) -> None:
        if pasted is not None:
            self._queue.left.emit()  # a preview of something else would stand over this one
        self.pasted = pasted
        self.changed.emit()

    def _proposed(self, plan: Plan) -> None:
        self._queue.note_decided(plan.id)  # its own news are no news to the person who pasted it
        if plan.state is PlanState.INVALID:
            problem = next(iter(plan.problems), None)
            said = problem.message if problem else self.tr("This text is no plan.")
            self._project.say(said, Tone.BAD, problem.hint if problem else "")
        else:
            said = self.tr("“{title}” is in the queue.")
            if plan.duplicate:
                said = self.tr("“{title}” is here already.")
            self._project.say(say(said, title=show_name(plan.title)), Tone.NEWS)
        self._queue.reload()


def preview_text(workspace: Workspace, data: bytes, title: str, agent: str) -> Pasted:
    """On the engine thread: what a pasted text (UTF-8) says; title and agent are for where it names none."""
    from studio.formats.submission import SubmittedText

    draft = _draft(workspace, SubmittedText(data), title, agent)
    return Pasted(draft, workspace.proposer.preview(draft))


def propose_file(workspace: Workspace, path: Path, agent: str) -> Plan:
    """On the engine thread: propose what a file says; raises NotFound when it can't be read."""
    from studio.formats.submission import SubmittedText

    text = SubmittedText(partial(_read_file, path), file_name=path.name)
    return workspace.proposer.propose(_draft(workspace, text, "", agent))


def _draft(workspace: Workspace, text: SubmittedText, title: str, agent: str) -> PlanDraft:
    from studio.formats.submission import SubmissionOptions, read_submission

    options = SubmissionOptions(usual_title=title, usual_agent=agent, shows_unusable=True)
    return read_submission([text], options, limits=workspace.config.limits)


def _read_file(path: Path, most: int) -> bytes:
    """At most so many bytes of a regular file; whatever was dropped, the window waits for nobody."""
    from studio.engine.errors import NotFound
    from studio.engine.workspace import failure, read_foreign_file

    try:
        return read_foreign_file(path, most, whole=False)
    except OSError as error:
        failed = failure(error, f"{show_name(str(path))} can't be read")
        raise NotFound("file.unreadable", failed.message, failed.hint) from error
