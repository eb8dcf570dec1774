"""The open project: what is asked of it goes through the runner, none of it holds up a frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import ErrorKind, StudioError
from studio.ui.desk.happening import Happening, Tone
from studio.ui.desk.unsent import UnsentDrafts

if TYPE_CHECKING:
    from studio.engine.history import JournalFound, JournalRow
    from studio.engine.plan import Plan
    from studio.engine.policy import PathVerdict
    from studio.engine.proposer import RetentionReport, TreeEntry
    from studio.engine.workspace import Reviewer, Workspace
    from studio.ui.runner import Runner


class Project(QObject):
    """What every part of the desk works with: the engine's faces, unsent texts, and news of what happened."""

    happened = Signal(object)
    notices_changed = Signal()
    closed = Signal()
    """Nothing is asked or called back from now on."""

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
        """What a person should read about the store, the folder and the configuration, as read last."""
        self._is_closed = False

    def close(self) -> None:
        """Ask nothing more; nothing is called back afterwards."""
        self._is_closed = True
        self.closed.emit()

    def read_notices(self) -> None:
        """Read the notices anew."""
        self.ask(lambda: self.workspace.notices, then=self._notices_read)

    def _notices_read(self, notices: tuple[str, ...]) -> None:
        self.notices = notices
        self.notices_changed.emit()

    def list_folder(self, path: str, then: Callable[[tuple[TreeEntry, ...]], object]) -> None:
        """One folder of the project ("" is the root), folders first."""
        self.ask(self.workspace.list_folder, path, then=then)

    def count_files(self, then: Callable[[int], object]) -> None:
        """How many files the project holds, dot-folders not counted."""
        self.ask(self.workspace.count_files, then=then)

    def read_journal(
        self, before: int | None, limit: int, then: Callable[[tuple[JournalRow, ...]], object]
    ) -> None:
        """Entries of the journal with a position less than `before` (None: all), the latest first."""
        read = partial(self.workspace.journal.newest, before, limit=limit)
        self.ask(read, then=then)

    def find_in_journal(
        self,
        words: str,
        before: int | None,
        then: Callable[[JournalFound], object],
        failed: Callable[[StudioError], object],
    ) -> None:
        """Entries in which every word stands, with a position less than `before` (None: all)."""
        self.ask_aside(self.workspace.journal.find, words, before, then=then, failed=failed)

    def read_retention(self, then: Callable[[RetentionReport], object]) -> None:
        """What undo is kept, what it takes, and what goes next."""
        self.ask(self.workspace.proposer.retention, then=then)

    def read_undo_going(
        self,
        next_plan: str | None,
        *,
        next_is_rollback: bool,
        then: Callable[[RetentionReport | None], object],
    ) -> None:
        """Whose undo goes when that plan, or a rollback, is applied next; None: nobody's."""
        ask = partial(self.workspace.proposer.undo_going, next_plan, next_is_rollback=next_is_rollback)
        self.ask(ask, then=then)

    def check_paths(
        self,
        paths: Sequence[str],
        then: Callable[[tuple[PathVerdict, ...]], object],
        plan: Plan | None = None,
    ) -> None:
        """What the rules say about paths, as for a step of an agent's plan, or of this one."""
        check = self.workspace.proposer.check
        if plan is not None:
            check = partial(check, format_name=plan.format, agent=plan.agent)
        self.ask(check, tuple(paths), then=then)

    def ask(
        self,
        question: Callable[..., Any],
        *args: object,
        then: Callable[[Any], object],
        failed: Callable[[StudioError], object] | None = None,
    ) -> None:
        """Ask the open project; a panel that outlives it by a moment gets no answer."""
        if not self._is_closed:
            self.runner.call(question, *args, then=then, failed=failed or self.report)

    def ask_aside(
        self,
        question: Callable[..., Any],
        *args: object,
        then: Callable[[Any], object],
        failed: Callable[[StudioError], object] | None = None,
    ) -> None:
        """Ask the open project what takes long, beside all else that it is asked."""
        if not self._is_closed:
            self.runner.call_aside(question, *args, then=then, failed=failed or self.report)

    def compute(self, function: Callable[..., Any], *args: object, then: Callable[[Any], object]) -> None:
        """Pure work beside the ui thread, for panels that show more than the current step."""
        self.runner.compute(function, *args, then=then, failed=self.report)

    def say(self, sentence: str, tone: Tone = Tone.DONE, hint: str = "") -> None:
        """Say what just happened."""
        self.happened.emit(Happening(sentence, tone, hint))

    def report(self, error: StudioError) -> None:
        """Say why something was not done."""
        self.say(error.message, Tone.WARNING if error.kind is ErrorKind.CONFLICT else Tone.BAD, error.hint)
