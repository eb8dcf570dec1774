"""What is observed in a project, for any process to look at. A person does more: `ObservedDecisions`."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from studio.engine.errors import SnapshotError
from studio.engine.git_data import GitData
from studio.engine.observed.baseline import CHANGED_WHILE_INDEXING
from studio.engine.observed.observer import Observer, OpenChanges
from studio.engine.observed.reverting import (
    Choices,
    bytes_at,
    restoration_of,
    title_of,
    told_of_damage,
    trees_of,
    with_known_before,
)
from studio.engine.observed_change import ObservedChange
from studio.engine.project.context import Context
from studio.engine.snapshot_store.capture import Progress
from studio.engine.snapshots import restoring
from studio.engine.snapshots.folder import SnapshotFolder
from studio.engine.snapshots.records import BASELINE
from studio.engine.snapshots.restoring import RestorePreview
from studio.engine.system.os_errors import reason


@dataclass(frozen=True, slots=True)
class ObservedContents:
    """The bytes before and after a change, None where no file was or is; `setting` is the project's encoding
    for its path."""

    before: bytes | None
    after: bytes | None
    setting: str | None


class Observed:
    """The observed changes of one project; for all threads."""

    def __init__(self, context: Context, folder: SnapshotFolder, git: GitData) -> None:
        """`git` may be asked by others, too."""
        self._context = context
        self._folder = folder
        self._turn = threading.Lock()
        self._observer: Observer | None = None
        self._open = OpenChanges()
        self._git = git

    def look(self, paths: Collection[str] = (), *, progress: Progress | None = None) -> bool:
        """Look at these paths and beneath them, or at everything; whether anything is told otherwise now.

        The first look ever makes the baseline; what `progress` raises ends it. See `Observer.look`.
        Raises SnapshotError also where the disk fails.
        """
        with self._turn:
            self._observer = self._observer or Observer(self._context, self._folder, self._git, self._open)
            try:
                return self._observer.look(paths, progress=progress)
            except OSError as error:
                raise SnapshotError(
                    "observed.disk",
                    f"The project can't be looked at: {reason(error)}.",
                    "Mend that, then look again: studio observed list",
                ) from error

    @property
    def unsettled(self) -> frozenset[str]:
        """Paths at which the last look found a plan, so that another look at them should follow soon."""
        return frozenset() if self._observer is None else self._observer.unsettled

    @property
    def loss(self) -> str:
        """What the last look found to be lost of the baseline, as a sentence; "" nearly always."""
        return "" if self._observer is None else self._observer.loss

    @property
    def unread(self) -> str:
        """What the last look could not read, so that nothing is told of it, as a sentence; "" for nothing."""
        return "" if self._observer is None else self._observer.unread

    @property
    def has_baseline(self) -> bool:
        """Whether anybody looked here before."""
        return self._context.store.observed.marks() is not None

    def open(self) -> tuple[ObservedChange, ...]:
        """What waits for a person's word, in the order in which it was first seen; the very same tuple as
        long as nothing of it changes."""
        return self._open.read(self._context.store.observed)

    def all(self) -> tuple[ObservedChange, ...]:
        """Every change that is known, the newest of those that were decided too."""
        return self._context.store.observed.all()

    def find(self, wanted: str) -> ObservedChange:
        """The change with that id, or unique prefix of it. Raises NotFound or UsageError."""
        return self._context.store.observed.get(wanted)

    def close(self) -> None:
        """Keep what is known of the files."""
        with self._turn:
            if self._observer is not None:
                self._observer.close()

    def contents(self, change: ObservedChange) -> ObservedContents:
        """What an open change is about. Raises SnapshotError where its bytes are gone."""
        with told_of_damage(), self._folder.read() as objects:
            baseline, here = trees_of(self._context, objects)
            before, after = bytes_at(baseline, change.path), bytes_at(here, change.target)
        return ObservedContents(before, after, self._context.config().encoding_for(change.target))

    def preview(self, changes: Sequence[ObservedChange], choices: Choices | None = None) -> RestorePreview:
        """What taking them back would do, file by file. What changed while indexing stays.

        Raises Refused where all did, Conflict where one is not open, or another change by now.
        """
        self._context.store.observed.check_open(changes)
        with told_of_damage(), self._folder.read() as objects:
            known = with_known_before(changes)
            restored = restoration_of(self._context, objects, known, choices or {})
            plan = restoring.plan_of(restored, title_of(known), BASELINE)
            refusal = restoring.rehearse(self._context, plan, restored) if restored.steps else None
            left_out = {each.path: CHANGED_WHILE_INDEXING for each in changes if each.is_before_unknown}
            return RestorePreview(
                plan.title, restored.steps, restored.fingerprint, left_out=left_out, refusal=refusal
            )
