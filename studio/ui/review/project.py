"""Open project's services: engine calls off the UI thread, drafts, status messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from studio.errors import ErrorKind, StudioError
from studio.ui.review.state import StatusMessage, Tone
from studio.ui.review.unsent import UnsentDrafts

if TYPE_CHECKING:
    from studio.engine import PathVerdict, Plan, RetentionReport, TreeEntry
    from studio.extras.journal_search import JournalFound
    from studio.extras.journal_view import JournalFilter
    from studio.ui.runner import Runner
    from studio.workspace import Reviewer, Workspace


class Project(QObject):
    """Services for every part of the desk: engine, drafts, status messages."""

    status_reported = Signal(object)
    notices_changed = Signal()
    closed = Signal()
    """No call and no callback happens from now on."""

    def __init__(
        self,
        runner: Runner,
        workspace: Workspace,
        reviewer: Reviewer,
        notices: tuple[str, ...],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.runner = runner
        self.workspace = workspace
        self.reviewer = reviewer
        self.unsent = UnsentDrafts(runner, reviewer, self)
        self.name = workspace.name
        self.root_path = workspace.root_path
        self.notices = notices
        """Notices on the store, the folder and the configuration, as read last."""
        self._is_closed = False

    def close(self) -> None:
        """Close; no callback runs afterwards."""
        self._is_closed = True
        self.closed.emit()

    def read_notices(self) -> None:
        """Read the notices again."""
        self.ask(lambda: self.workspace.notices, then=self._set_notices)

    def _set_notices(self, notices: tuple[str, ...]) -> None:
        self.notices = notices
        self.notices_changed.emit()

    def list_folder(self, path: str, then: Callable[[tuple[TreeEntry, ...]], object]) -> None:
        """List one folder of the project ("" is the root), folders first."""
        self.ask(self.workspace.list_folder, path, then=then)

    def count_files(self, then: Callable[[int], object]) -> None:
        """Count the project's files, without those in dot-folders."""
        self.ask(self.workspace.count_files, then=then)

    def find_in_journal(
        self,
        words: str,
        before: int | None,
        only: JournalFilter,
        then: Callable[[JournalFound], object],
        failed: Callable[[StudioError], object] | None = None,
    ) -> None:
        """Find filtered journal entries that contain every word.

        Only those with a position less than `before` (None: all).
        """
        self.ask_in_background(self.workspace.journal.find, words, before, only, then=then, failed=failed)

    def read_retention(self, then: Callable[[RetentionReport], object]) -> None:
        """Read what undo data is kept, its size, and what expires next."""
        self.ask(self.workspace.proposer.retention, then=then)

    def read_undo_expiry(
        self,
        next_plan: str | None,
        *,
        next_is_rollback: bool,
        then: Callable[[RetentionReport | None], object],
    ) -> None:
        """Read which undo the next apply or rollback will discard.

        `next_plan` None means any plan; `then` gets None where no undo is discarded.
        """
        read = partial(self.workspace.proposer.undo_expiry, next_plan, next_is_rollback=next_is_rollback)
        self.ask(read, then=then)

    def check_paths(
        self,
        paths: Sequence[str],
        then: Callable[[tuple[PathVerdict, ...]], object],
        plan: Plan | None = None,
    ) -> None:
        """Check paths against the rules, for an agent's plan or `plan`."""
        check = self.workspace.proposer.check
        if plan is not None:
            check = partial(check, format_name=plan.format, agent=plan.agent)
        self.ask(check, tuple(paths), then=then)

    def ask(
        self,
        call: Callable[..., Any],
        *args: object,
        then: Callable[[Any], object],
        failed: Callable[[StudioError], object] | None = None,
    ) -> None:
        """Call the engine; no answer is delivered after closing."""
        if not self._is_closed:
            self.runner.call(call, *args, then=then, failed=failed or self.report)

    def ask_in_background(
        self,
        call: Callable[..., Any],
        *args: object,
        then: Callable[[Any], object],
        failed: Callable[[StudioError], object] | None = None,
    ) -> None:
        """Run a slow engine call beside the others."""
        if not self._is_closed:
            self.runner.call_in_background(call, *args, then=then, failed=failed or self.report)

    def compute(self, function: Callable[..., Any], *args: object, then: Callable[[Any], object]) -> None:
        """Run a pure function off the UI thread."""
        self.runner.compute(function, *args, then=then, failed=self.report)

    def report_status(self, sentence: str, tone: Tone = Tone.DONE, hint: str = "") -> None:
        """Emit a status message."""
        self.status_reported.emit(StatusMessage(sentence, tone, hint))

    def report(self, error: StudioError) -> None:
        """Report an error as a status message."""
        tone = Tone.WARNING if error.kind is ErrorKind.CONFLICT else Tone.BAD
        is_configuration = tone is Tone.BAD and error.code.startswith("config.")
        self.status_reported.emit(
            StatusMessage(error.message, tone, error.hint, is_configuration=is_configuration)
        )


_POSTPONED_KEY = "trust_put_aside"
