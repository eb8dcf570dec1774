"""What the panels of a project ask its desk: each question goes through the runner, none holds up a frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import ErrorKind, StudioError
from studio.ui.desk.happening import Happening, Tone

if TYPE_CHECKING:
    from studio.engine.history import JournalRow
    from studio.engine.plan import Plan
    from studio.engine.policy import PathVerdict
    from studio.engine.proposer import RetentionReport, TreeEntry
    from studio.engine.workspace import Workspace
    from studio.ui.runner import Runner


class AskingDesk(QObject):
    """Asks the open project, and says what happened."""

    happened = Signal(object)

    def __init__(self, runner: Runner, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runner = runner
        self._workspace = workspace
        self._is_closed = False

    def list_folder(self, path: str, then: Callable[[tuple[TreeEntry, ...]], object]) -> None:
        """One folder of the project ("" is the root), folders first."""
        self._ask(self._workspace.list_folder, path, then=then)

    def count_files(self, then: Callable[[int], object]) -> None:
        """How many files the project holds, dot-folders not counted."""
        self._ask(self._workspace.count_files, then=then)

    def read_journal(
        self, before: int | None, limit: int, then: Callable[[tuple[JournalRow, ...]], object]
    ) -> None:
        """Entries of the journal with a position less than `before` (None: all), the latest first."""
        read = partial(self._workspace.journal.newest, before, limit=limit)
        self._ask(read, then=then)

    def read_retention(self, then: Callable[[RetentionReport], object]) -> None:
        """What undo is kept, what it takes, and what goes next."""
        self._ask(self._workspace.proposer.retention, then=then)

    def read_undo_going(
        self,
        next_plan: str | None,
        *,
        next_is_rollback: bool,
        then: Callable[[RetentionReport | None], object],
    ) -> None:
        """Whose undo goes when that plan, or a rollback, is applied next; None: nobody's."""
        ask = partial(self._workspace.proposer.undo_going, next_plan, next_is_rollback=next_is_rollback)
        self._ask(ask, then=then)

    def report(self, error: StudioError) -> None:
        """Say why something was not done."""
        self._report(error)

    def check_paths(
        self,
        paths: Sequence[str],
        then: Callable[[tuple[PathVerdict, ...]], object],
        plan: Plan | None = None,
    ) -> None:
        """What the rules say about paths, as for a step of an agent's plan, or of this one."""
        check = self._workspace.proposer.check
        if plan is not None:
            check = partial(check, format_name=plan.format, agent=plan.agent)
        self._ask(check, tuple(paths), then=then)

    def _ask(self, question: Callable[..., Any], *args: object, then: Callable[[Any], object]) -> None:
        """Ask the open project; a panel that outlives it by a moment gets no answer."""
        if not self._is_closed:
            self.runner.call(question, *args, then=then, failed=self._report)

    def compute(self, function: Callable[..., Any], *args: object, then: Callable[[Any], object]) -> None:
        """Pure work beside the ui thread, for panels that show more than the current step."""
        self.runner.compute(function, *args, then=then, failed=self._report)

    def say(self, sentence: str, tone: Tone = Tone.DONE) -> None:
        """Say what just happened."""
        self._say(sentence, tone)

    def _say(self, sentence: str, tone: Tone = Tone.DONE, hint: str = "", *, undo: str | None = None) -> None:
        self.happened.emit(Happening(sentence, tone, hint, undo))

    def _report(self, error: StudioError) -> None:
        tone = Tone.WARNING if error.kind is ErrorKind.CONFLICT else Tone.BAD
        self._say(error.message, tone, error.hint)
