"""API of a project's changes by other programs: scan, list, contents, preview."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence

from studio.engine.git_data import GitData
from studio.engine.observed_change import ObservedChange
from studio.engine.project.context import Context
from studio.engine.snapshot_store.capture import Progress
from studio.errors import SnapshotError, TimedOut
from studio.extras.observed.baseline import CHANGED_WHILE_INDEXING
from studio.extras.observed.observer import Observer, OpenChanges
from studio.extras.observed.reverting import (
    Choices,
    as_baseline_damage,
    bytes_at,
    filter_revertible,
    read_trees,
    restoration_of,
    title_of,
)
from studio.extras.snapshots import restoring
from studio.extras.snapshots.folder import SnapshotFolder
from studio.extras.snapshots.records import BASELINE
from studio.extras.snapshots.restoring import RestorePreview
from studio.system.os_errors import reason
from studio.values import Value


class ObservedContents(Value):
    """The bytes before and after a change, None for no file.

    `setting` is the project's encoding for its path.
    """

    before: bytes | None
    after: bytes | None
    setting: str | None


class Observed:
    """The observed changes of one project; thread-safe."""

    def __init__(self, context: Context, folder: SnapshotFolder, git: GitData) -> None:
        """Store the sources; others may use `git` too."""
        self._context = context
        self._folder = folder
        self._turn = threading.Lock()
        self._observer: Observer | None = None
        self._open = OpenChanges()
        self._git = git

    def look(self, paths: Collection[str] = (), *, progress: Progress | None = None) -> bool:
        """Scan these paths with their subtrees, or everything; return whether anything changed.

        The very first scan makes the baseline; an exception raised by `progress` ends it. See
        `Observer.look`.
        Raises SnapshotError also where the disk fails.
        """
        with self._turn:
            self._observer = self._observer or Observer(self._context, self._folder, self._git, self._open)
            try:
                return self._observer.scan(paths, progress=progress)
            except TimedOut:
                raise
            except OSError as error:
                raise SnapshotError(
                    "observed.disk",
                    f"The project can't be looked at: {reason(error)}.",
                    "Fix that, then scan again.",
                ) from error

    @property
    def unsettled(self) -> frozenset[str]:
        """Paths that a plan was writing meanwhile; scan them again soon."""
        return frozenset() if self._observer is None else self._observer.unsettled

    @property
    def loss(self) -> str:
        """Sentence on baseline contents that the last scan found lost; usually ""."""
        return "" if self._observer is None else self._observer.loss

    @property
    def unread(self) -> str:
        """Sentence on paths that the last scan could not read.

        Nothing is reported of them. "" for none.
        """
        return "" if self._observer is None else self._observer.unread

    @property
    def has_baseline(self) -> bool:
        """Whether the project has been scanned before."""
        return self._context.store.observed.marks() is not None

    def open(self) -> tuple[ObservedChange, ...]:
        """Return the open changes in the order first seen.

        The same tuple object as long as none of them changes.
        """
        return self._open.read(self._context.store.observed)

    def all(self) -> tuple[ObservedChange, ...]:
        """Return every recorded change, with the newest of the decided ones."""
        return self._context.store.observed.all()

    def find(self, wanted: str) -> ObservedChange:
        """Return the change with that id, or unique prefix of it.

        Raises NotFound or UsageError.
        """
        return self._context.store.observed.get(wanted)

    def close(self) -> None:
        """Save the file hashes."""
        with self._turn:
            if self._observer is not None:
                self._observer.close()

    def contents(self, change: ObservedChange) -> ObservedContents:
        """Return the bytes on both sides of an open change.

        Raises SnapshotError where they are gone.
        """
        with as_baseline_damage(), self._folder.read() as objects:
            baseline, current = read_trees(self._context, objects)
            before, after = bytes_at(baseline, change.path), bytes_at(current, change.target)
        return ObservedContents(before, after, self._context.config().encoding_for(change.target))

    def preview(self, changes: Sequence[ObservedChange], choices: Choices | None = None) -> RestorePreview:
        """Preview, file by file, what reverting these changes would do.

        What changed while indexing stays. Raises Refused where all did, Conflict where one is no longer open
        or has changed.
        """
        self._context.store.observed.check_open(changes)
        with as_baseline_damage(), self._folder.read() as objects:
            revertible = filter_revertible(changes)
            restored = restoration_of(self._context, objects, revertible, choices or {})
            plan = restoring.plan_of(restored, title_of(revertible), BASELINE)
            refusal = restoring.rehearse(self._context, plan, restored) if restored.steps else None
            excluded = {each.path: CHANGED_WHILE_INDEXING for each in changes if each.is_before_unknown}
            return RestorePreview(
                plan.title, restored.steps, restored.fingerprint, left_out=excluded, refusal=refusal
            )
