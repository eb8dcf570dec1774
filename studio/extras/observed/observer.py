"""Scanner that records changes since the baseline, with hints and git operations.

Any process may scan; each continues from the last recorded scan. The rows always are the difference between
the two trees that the marks name, so every process finds the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from msgspec.structs import asdict, replace

from studio.engine.git_data import GitData, Head, HeldObject
from studio.engine.observed_change import GroupKind, ObservedChange, ObservedGroup
from studio.engine.patterns import PatternList
from studio.engine.plan import Plan
from studio.engine.project.context import Context
from studio.engine.root.hash_cache import HashCache
from studio.engine.session import CallState, SessionState
from studio.engine.snapshot_store import (
    NEVER_KEPT,
    Capture,
    Captured,
    Difference,
    ObjectFolder,
    StoredTree,
    is_damage,
    unreadable,
)
from studio.engine.snapshot_store.capture import Progress
from studio.engine.snapshot_store.walk import IGNORED
from studio.engine.store.applied_plans import WrittenPlans, written_since
from studio.engine.store.observed import ObservedMarks, ObservedRows, Stamp
from studio.errors import NotFound, SnapshotError
from studio.extras.observed.baseline import (
    CHANGED_WHILE_INDEXING,
    BaselineEdit,
    Images,
    advance_baseline,
    own_steps,
)
from studio.extras.observed.comparison import Recent, compare
from studio.extras.observed.differences import UnreadablePaths, changes_of, find_differences
from studio.extras.observed.grouping import grouped
from studio.extras.observed.ignored import IGNORE_FILE, IgnoredPaths
from studio.extras.snapshots.folder import SnapshotFolder
from studio.extras.snapshots.records import BASELINE, publish
from studio.journal.file_image import time_text
from studio.limits import HASHES_KEPT_AFTER_FILES, HINT_SECONDS, HINTED_WORDS_UP_TO, NAMED_LOSSES_UP_TO
from studio.names import show_name

# Who was at work when a change was seen: a hint, not evidence.


def build_hints(context: Context, moment: datetime, applied: tuple[Plan, ...]) -> tuple[str, ...]:
    """Return sentences on active sessions, their allowed commands, and our recent writes."""
    since = moment - timedelta(seconds=HINT_SECONDS)
    states = context.presence.states()
    sessions = {
        session.id: session.agent
        for session in context.store.sessions.all(states)
        if session.state is not SessionState.GONE and session.agent
    }
    hints = [f"{show_name(agent)} was at work here." for agent in sorted(set(sessions.values()))]
    for call in context.store.calls.all(sessions):
        decision = call.decision
        if call.state is CallState.ALLOWED and decision is not None and decision.when >= since:
            agent, command = show_name(call.agent), show_name(call.command[:HINTED_WORDS_UP_TO])
            hints.append(f"{agent} was allowed at {_format_time(decision.when)}: {command}")
    hints += [
        f"“{show_name(plan.title)}” had been written at {_format_time(plan.applied)}."
        for plan in applied
        if plan.is_proposal and plan.applied is not None and plan.applied >= since
    ]
    return tuple(hints)


def _format_time(moment: datetime) -> str:
    return time_text(moment)[11:19] + " UTC"


_HASHES = "hashes-observed"
_FIRST = "files-first"
"""Listing of the first indexing, kept until it is read.

So files that change while the indexing is interrupted are found.
"""


class Observer:
    """One process's scanner; cached hashes make later scans quick. Not thread-safe."""

    def __init__(
        self, context: Context, folder: SnapshotFolder, git: GitData, open_changes: OpenChanges
    ) -> None:
        self._context = context
        self._folder = folder
        self._git = git
        self._open = open_changes
        self._cached: HashCache | None = None
        self._new_hashes = 0
        self._rules = ""
        """The user's exclusions with which `_cached` was collected."""
        self._ignored: IgnoredPaths | None = None
        self._later: set[str] = set()
        self._loss_text = self._unread = ""
        self._hashes: dict[bytes, tuple[str, int]] = {}
        """SHA-256 and size of open contents, by git's object id.

        So one more change does not read thousands again. A full scan reads them all, and so finds damage.
        """

    def scan(self, paths: Collection[str] = (), *, progress: Progress | None = None) -> bool:
        """Scan paths with their subtrees, or everything; return whether the store changed.

        What changes during the scan, or is being written by a plan, is reported by the next one: `unsettled`
        lists it. The very first scan makes the baseline, and may be ended by `progress`. Where stored
        contents are damaged, what the project still has is stored again, and `loss` names what can't be
        reported.
        Raises Refused where the project is larger than may be kept, SnapshotError, FileError.
        """
        self._context.check_root()
        self._loss_text = ""
        try:
            with self._folder.opened() as objects:
                return self._scan(objects, paths, progress)
        except SnapshotError as error:
            if not is_damage(error):
                raise
        with self._folder.opened() as objects:
            return self._rescan_damaged(objects, progress)

    @property
    def loss(self) -> str:
        """Sentence on baseline contents that the last scan found lost; usually ""."""
        return self._loss_text

    @property
    def unread(self) -> str:
        """Sentence on paths that the last scan could not read.

        Nothing is reported of them. "" for none.
        """
        return self._unread

    @property
    def unsettled(self) -> frozenset[str]:
        """The paths that could not be reported yet; scan them again soon."""
        return frozenset(self._later)

    def close(self) -> None:
        """Save the file hashes for the next process."""
        if self._cached is not None and self._new_hashes:
            self._folder.store_hash_cache(_HASHES, self._cached, self._rules)
            self._new_hashes = 0

    def _read_valid_marks(self, objects: ObjectFolder) -> ObservedMarks | None:
        """Return the marks of the last scan, or None before the first.

        Raises SnapshotError where the objects they name are gone or damaged.
        """
        marks = self._context.store.observed.marks()
        if marks is None:
            return None
        if not objects.has(objects.commit(marks.baseline)[0]):
            raise unreadable()
        named = ""
        with suppress(SnapshotError, NotFound):
            named = objects.read_ref(BASELINE)
        if named != marks.baseline:
            objects.publish(BASELINE, marks.baseline)  # a scan ended between the two writes
        return marks

    def _scan(self, objects: ObjectFolder, paths: Collection[str], progress: Progress | None) -> bool:
        marks = self._read_valid_marks(objects)
        if marks is None:
            self._make_baseline(objects, progress)
            return True
        return self._scan_changes(objects, marks, paths, progress)

    def _rescan_damaged(self, objects: ObjectFolder, progress: Progress | None) -> bool:
        """Scan everything after damage; return whether anything changed.

        The baseline starts again where its contents are lost, and the project no longer has them.
        """
        current = StoredTree(objects, self._capture_tree(objects, (), progress).tree)
        try:
            marks = self._read_valid_marks(objects)
            if marks is not None:
                marks = self._drop_lost(objects, marks, current)
        except SnapshotError:
            marks = None
        if marks is None:
            self._make_baseline(objects, progress)
            return True
        return self._scan_changes(objects, marks, (), progress) or bool(self._loss_text)

    def _drop_lost(self, objects: ObjectFolder, marks: ObservedMarks, current: StoredTree) -> ObservedMarks:
        """Return marks of a baseline whose bytes are all there.

        Raises SnapshotError where folders of it are gone.
        """
        store, baseline = self._context.store, StoredTree(objects, objects.commit(marks.baseline)[0])
        lost = tuple(baseline.missing())
        if not lost:
            return marks
        _, commit = self._add_appeared(objects, baseline, current, lost)
        marks = replace(marks, baseline=commit)
        with store.database.write() as connection:
            store.observed.set_marks(connection, marks)
        self._loss_text = describe_loss(lost)
        return marks

    def _make_baseline(self, objects: ObjectFolder, progress: Progress | None) -> None:
        """Make the baseline from the present files, except those that change meanwhile."""
        store = self._context.store
        if store.observed.marks() is not None:
            self._loss_text = describe_loss(())
        start, first = written_since(store, 0), HashCache()
        position = store.observed.indexing_position()
        if position is not None and (first := self._folder.load_hash_cache(_FIRST)).folders:
            start = WrittenPlans(position, (), ())

        def continue_first(capture: Capture) -> None:
            if first.folders:
                capture.resume(first)
            elif capture.is_first:
                self._folder.store_hash_cache(_FIRST, capture.scan_result())
                with store.database.write(durable=False) as connection:
                    store.observed.set_indexing_position(connection, start.position)

        before = start
        captured = self._capture_tree(objects, (), progress, continue_first)
        changed = captured.changed
        while True:
            after = written_since(store, before.position)
            touched = _written_paths(after.ended)
            if not touched:
                break
            # A plan was written meanwhile: scan again the files it wrote.
            captured, before = self._capture_tree(objects, touched, None), after
            changed |= captured.changed
        changed -= _written_paths(_plans_between(start, written_since(store, start.position)))
        if changed:
            current = StoredTree(objects, captured.tree)
            edit = BaselineEdit(objects, current, current)
            for path in changed:
                edit.exclude(path, CHANGED_WHILE_INDEXING)
            _, commit = self._publish_baseline(objects, edit.write(), current)
        else:
            commit = publish(objects, captured, BASELINE, snapshot_id=BASELINE).commit
        obsolete = self._open.read(store.observed)
        marks = ObservedMarks(commit, captured.tree.hex(), after.position, words_of(self._git.head()))
        with store.database.write() as connection:
            store.observed.replace(connection, obsolete, ())
            store.observed.set_marks(connection, marks)
        self._folder.store_hash_cache(_FIRST, HashCache())
        self._context.notify()
        if changed or first.folders:
            self._scan_changes(objects, marks, (), progress)

    def _scan_changes(
        self, objects: ObjectFolder, marks: ObservedMarks, paths: Collection[str], progress: Progress | None
    ) -> bool:
        store = self._context.store
        before = written_since(store, marks.position)
        captured = self._capture_tree(objects, (*paths, *self._later) if paths else (), progress)
        if not paths:
            self._hashes.clear()
        written = written_since(store, marks.position)
        # For what was written meanwhile it is unknown which side was seen.
        unsettled = self._later = _written_paths(
            _plans_between(before, written_since(store, before.position))
        )
        current = StoredTree(objects, captured.tree)
        baseline, commit = self._move_baseline(objects, marks, current, written)
        reportable, appeared = _split_differences(baseline, current)
        if appeared:
            paths_appeared = [found.path for found in appeared]
            baseline, commit = self._add_appeared(objects, baseline, current, paths_appeared)
        found = changes_of(reportable, baseline, current, Images(objects, self._hashes))
        head = self._git.head()
        marks_now = ObservedMarks(commit, captured.tree.hex(), written.position, words_of(head))
        recorded = self._open.read(store.observed)
        comparison = compare(
            recorded,
            [each for each in found if unsettled.isdisjoint(each.paths)],
            unsettled=[change for change in recorded if not unsettled.isdisjoint(change.paths)],
            hints=lambda moment: build_hints(self._context, moment, written.ended),
        )
        if not comparison.is_news and marks_now == marks:
            return False
        by_git = find_git_operation(self._git, marks.git, head, comparison.recent)
        with store.database.write(durable=False) as connection:
            changed = grouped(connection, store.observed, comparison, by_git)
            store.observed.replace(connection, comparison.gone, changed)
            store.observed.set_marks(connection, marks_now)
        if comparison.gone or changed:
            self._context.notify()
        return bool(comparison.gone or changed)

    def _move_baseline(
        self, objects: ObjectFolder, marks: ObservedMarks, current: StoredTree, written: WrittenPlans
    ) -> tuple[StoredTree, str]:
        baseline = StoredTree(objects, objects.commit(marks.baseline)[0])
        own = own_steps(self._context, written.ended)
        moved = advance_baseline(self._context, objects, baseline, current, own)
        if moved is None:
            return baseline, marks.baseline
        return self._publish_baseline(objects, moved, current)

    def _add_appeared(
        self, objects: ObjectFolder, baseline: StoredTree, current: StoredTree, paths: Iterable[str]
    ) -> tuple[StoredTree, str]:
        """Set the baseline to the present content of paths with unknown past."""
        edit = BaselineEdit(objects, baseline, current)
        for path in paths:
            edit.put(path, current.entry(path))
        return self._publish_baseline(objects, edit.write(), current)

    def _publish_baseline(
        self, objects: ObjectFolder, moved: Captured, current: StoredTree
    ) -> tuple[StoredTree, str]:
        manifest = replace(moved.manifest, files=current.manifest.files, bytes=current.manifest.bytes)
        record = publish(objects, replace(moved, manifest=manifest), BASELINE, snapshot_id=BASELINE)
        return StoredTree(objects, moved.tree), record.commit

    def _capture_tree(
        self,
        objects: ObjectFolder,
        paths: Collection[str],
        progress: Progress | None,
        before_reading: Callable[[Capture], None] | None = None,
    ) -> Captured:
        if (
            self._ignored is None
            or any(path.rpartition("/")[2] == IGNORE_FILE for path in paths)
            or not paths
        ):
            # A changed ignore file may affect every path.
            own = self._context.config().observe_ignore
            self._ignored = IgnoredPaths(PatternList(own), self._git)
            self._use_rules("\n".join(own))
            paths = ()
        assert self._cached is not None
        capture = Capture(self._context.root, objects, self._cached, choice=self._ignored)
        inside = [path for path in paths if path.partition("/")[0] != ".git"]
        if not paths:
            capture.scan()
        elif inside:
            capture.scan_paths(inside)
        self._folder.check_room(objects, capture)
        if before_reading is not None:
            before_reading(capture)
        captured = capture.store(progress)
        self._unread = describe_unread(captured.manifest.left_out)
        self._new_hashes += capture.files_read
        if self._new_hashes >= HASHES_KEPT_AFTER_FILES:
            self.close()
        return captured

    def _use_rules(self, rules: str) -> None:
        """Reload the cached hashes if they were collected with other exclusions.

        They would hold files that are excluded now.
        """
        if self._cached is None or rules != self._rules:
            self._rules = rules
            self._cached = self._folder.load_hash_cache(_HASHES, rules)


def _split_differences(
    baseline: StoredTree, current: StoredTree
) -> tuple[list[Difference], list[Difference]]:
    """Return the reportable differences, and those whose earlier content was unknown."""
    excluded = UnreadablePaths(baseline, current)
    reportable: list[Difference] = []
    appeared: list[Difference] = []
    for found in find_differences(baseline, current):
        if excluded.is_unknown(found.path):
            continue
        (appeared if excluded.is_new(found.path) else reportable).append(found)
    return reportable, appeared


def describe_loss(paths: Sequence[str]) -> str:
    """Return the sentence on lost baseline contents.

    No path means those of the whole project.
    """
    if not paths:
        return (
            "What was kept of the project is gone or damaged, so what others changed before now can't be"
            " told: it is known as it is now."
        )
    named = ", ".join(map(show_name, paths[:NAMED_LOSSES_UP_TO]))
    more = f" and {len(paths) - NAMED_LOSSES_UP_TO:,} more" if len(paths) > NAMED_LOSSES_UP_TO else ""
    return (
        f"What was kept of {named}{more} is gone or damaged, so what others changed there before now can't be"
        " told: it is known as it is now."
    )


def describe_unread(excluded: Mapping[str, str]) -> str:
    """Return the sentence on excluded paths that were unreadable; "" for none."""
    unread = sorted(path for path, why in excluded.items() if why != IGNORED and why not in NEVER_KEPT)
    if not unread:
        return ""
    named = ", ".join(f"{show_name(path)} ({excluded[path]})" for path in unread[:NAMED_LOSSES_UP_TO])
    more = f" and {len(unread) - NAMED_LOSSES_UP_TO:,} more" if len(unread) > NAMED_LOSSES_UP_TO else ""
    return f"Nothing is told of what can't be read: {named}{more}."


def _plans_between(before: WrittenPlans, after: WrittenPlans) -> Iterator[Plan]:
    """Yield the plans that may have written their files between two moments.

    `after` has what was applied since the position of `before`.
    """
    yield from after.ended
    yield from before.unfinished
    yield from after.unfinished


def _written_paths(plans: Iterable[Plan]) -> set[str]:
    return {path for plan in plans for step in plan.steps for path in step.written_paths}


_MOVING = ("am", "checkout", "cherry-pick", "clone", "merge", "pull", "rebase", "reset", "revert")
"""Prefixes of HEAD reflog lines where git changed files.

A commit changes none.
"""

_STASH = "stash"
_STASHED = "git stash"


def words_of(head: Head | None) -> Mapping[str, str | None]:
    """Return git's state in the form in which the marks store it."""
    return {} if head is None else asdict(head)


def find_git_operation(
    git: GitData, before: Mapping[str, str | None], head: Head | None, recent: Sequence[Recent]
) -> tuple[str, frozenset[str]]:
    """Return git's latest operation as a name, with the changes it made.

    `before` is git's state at the last scan.
    """
    if head is None or not recent or words_of(head) == before:
        return "", frozenset()
    paths = sorted({path for each in recent for path in each.change.paths})
    for name, commit in _read_git_moves(before, head):
        committed = git.blobs_at(commit, paths)
        if committed is None:
            continue
        changed = frozenset(
            each.change.id
            for each in recent
            if _is_as_held(each, committed) and not (name.startswith(_STASHED) and _is_of_git(each))
        )
        if changed:
            return name, changed
    return "", frozenset()


def _read_git_moves(before: Mapping[str, str | None], head: Head) -> Iterator[tuple[str, str]]:
    """Yield possible git operations, each with the commit checked out afterwards."""
    stash = before.get(_STASH)
    if head.commit is not None and head.stash is not None and head.stash != stash:
        yield _STASHED, head.commit
    keys = ("commit", "action", "in_progress")
    is_moved = (head.commit, head.action, head.in_progress) != tuple(before.get(key) for key in keys)
    if head.commit is not None and is_moved and head.action.startswith(_MOVING):
        yield f"git {show_name(head.action)}", head.commit
    if stash is not None and head.stash != stash:
        yield f"{_STASHED} pop", stash


def _is_of_git(each: Recent) -> bool:
    """Return whether the change is already attributed to git.

    A stash comes and goes on top of what a checkout left.
    """
    return each.change.group is not None and each.change.group.kind is GroupKind.GIT


def _is_as_held(each: Recent, committed: Mapping[str, HeldObject]) -> bool:
    change = each.change
    if change.to is not None and change.path in committed:
        return False
    target = committed.get(change.target)
    if each.object_id is None:
        return target is None
    return target is not None and target.object_id == each.object_id.hex()


class OpenChanges:
    """Thread-safe cache of a store's open changes."""

    def __init__(self) -> None:
        """Start with an empty cache."""
        self._turn = threading.Lock()
        self._writings = -1
        self._cached: dict[Stamp, ObservedChange] = {}
        self._groups: Mapping[int, ObservedGroup] = {}
        self._all: tuple[ObservedChange, ...] = ()

    def read(self, rows: ObservedRows) -> tuple[ObservedChange, ...]:
        """Return the open changes in the order first seen.

        The same tuple object as long as none of them changes.
        """
        with self._turn:
            since = rows.open_since(self._writings, self._cached.keys())
            if since is not None:
                changes = {**self._cached, **since.read}
                renamed = since.groups.keys() - {
                    number for number, group in self._groups.items() if since.groups.get(number) == group
                }
                self._cached = {
                    stamp: replace(changes[stamp], group=since.groups[stamp[2]])
                    if stamp[2] in renamed
                    else changes[stamp]
                    for stamp in since.stamps
                }
                self._writings, self._groups = since.writings, since.groups
                self._all = tuple(self._cached.values())
            return self._all
