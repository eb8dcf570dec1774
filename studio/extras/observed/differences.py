"""Differences between project and baseline, as changes that a person can decide.

Moves are detected; a folder is listed only where none of its contents is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from studio.engine.plan import Operation
from studio.engine.root.editor_files import HEAD_BYTES, is_editor_file, may_be_editor_file
from studio.engine.snapshot_store import Difference, StoredEntry, StoredTree
from studio.engine.snapshot_store.walk import NO_FILE
from studio.extras.observed.baseline import Images, unindexed_in
from studio.extras.snapshots.restoring import operation_of
from studio.journal.file_image import FileImage
from studio.values import Value


class DetectedChange(Value):
    """One difference between two stored states."""

    op: Operation
    path: str
    to: str | None
    before: FileImage | None
    after: FileImage | None
    entry: StoredEntry | None
    """The project's present entry, at `to` for a move."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that the change involves."""
        return (self.path,) if self.to is None else (self.path, self.to)


class UnreadablePaths:
    """Paths that a state could not store, so no change is reported.

    Files that changed while indexing are the exception.
    """

    def __init__(self, baseline: StoredTree, current: StoredTree) -> None:
        self._before = baseline.manifest.left_out.keys() - unindexed_in(baseline)
        # What is no longer a regular file is gone, and can be reported as such.
        self._now = {path for path, why in current.manifest.left_out.items() if why != NO_FILE}

    def is_unknown(self, path: str) -> bool:
        """Return whether the present content of a path is unknown."""
        return any(above in self._now for above in _yield_with_parents(path))

    def is_new(self, path: str) -> bool:
        """Return whether the earlier content of a path is unknown."""
        return any(above in self._before for above in _yield_with_parents(path))


def _yield_with_parents(path: str) -> Iterator[str]:
    yield path
    while path := path.rpartition("/")[0]:
        yield path


def find_differences(baseline: StoredTree, current: StoredTree) -> list[Difference]:
    """Return two trees' differences by path, with files that changed while indexing."""
    unindexed = unindexed_in(baseline)
    found = [each for each in baseline.differences(current) if each.path not in unindexed]
    found += [Difference(path, None, current.entry(path)) for path in unindexed]
    return sorted(found, key=lambda each: each.path)


def changes_of(
    differences: Iterable[Difference], baseline: StoredTree, current: StoredTree, images: Images
) -> tuple[DetectedChange, ...]:
    """Return the reportable changes, sorted by path.

    Raises SnapshotError where bytes are gone.
    """
    reportable = [
        found
        for found in differences
        if _is_reported(found, baseline, current) and not _is_of_editor(found, baseline, current)
    ]
    unindexed = unindexed_in(baseline)
    moves = dict(_match_moves([found for found in reportable if found.path not in unindexed]))
    arrived = {found.path for found in moves.values()}
    return tuple(_yield_changes(reportable, moves, arrived, unindexed, images))


def _yield_changes(
    reportable: Sequence[Difference],
    moves: dict[str, Difference],
    arrived: set[str],
    unindexed: frozenset[str],
    images: Images,
) -> Iterator[DetectedChange]:
    for found in reportable:
        before = images.of(found.before)
        if found.path in moves:
            target = moves[found.path]
            yield DetectedChange(
                Operation.MOVE, found.path, target.path, before, images.of(target.after), target.after
            )
        elif found.path not in arrived:
            after = images.of(found.after)
            op = operation_of(before, after)
            if found.path in unindexed:
                op = Operation.DELETE if after is None else Operation.MODIFY
            yield DetectedChange(op, found.path, None, before, after, found.after)


def _is_reported(found: Difference, baseline: StoredTree, current: StoredTree) -> bool:
    """Return whether to report a difference; of folders only empty ones.

    Any other folder comes and goes with its contents.
    """
    before, after = found.before, found.after
    if before is not None and after is not None:
        return True
    tree, entry = (current, after) if before is None else (baseline, before)
    return entry is None or not entry.is_folder or found.path in tree.empty_folders


def _is_of_editor(found: Difference, baseline: StoredTree, current: StoredTree) -> bool:
    """Return whether an editor created the file beside an open one.

    Another content under such a name is reported.
    """
    above, slash, name = found.path.rpartition("/")
    if not may_be_editor_file(name):
        return False

    def is_beside(other: str) -> bool:
        path = f"{above}{slash}{other}"
        return current.entry(path) is not None or baseline.entry(path) is not None

    sides = ((baseline, found.before), (current, found.after))
    return all(
        not entry.is_folder
        and is_editor_file(name, tree.content(entry)[:HEAD_BYTES], is_link=entry.is_link, is_beside=is_beside)
        for tree, entry in sides
        if entry is not None
    )


def _match_moves(reportable: Sequence[Difference]) -> Iterator[tuple[str, Difference]]:
    """Yield each removed path with the one it was moved to.

    Bytes and mode must be equal, and the target the only one of that name, or the only one at all.
    """
    removed: defaultdict[tuple[bytes, int], list[Difference]] = defaultdict(list)
    came: defaultdict[tuple[bytes, int], list[Difference]] = defaultdict(list)
    for found in reportable:
        if found.after is None and found.before is not None and not found.before.is_folder:
            removed[found.before.object_id, found.before.mode].append(found)
        elif found.before is None and found.after is not None and not found.after.is_folder:
            came[found.after.object_id, found.after.mode].append(found)
    for key, left in removed.items():
        candidates = came.get(key, [])
        named: defaultdict[str, list[Difference]] = defaultdict(list)
        for found in candidates:
            named[_file_name(found.path)].append(found)
        targets: set[str] = set()
        for found in left:
            same = [each for each in named[_file_name(found.path)] if each.path not in targets]
            if not same and len(left) == 1 and len(candidates) == 1:
                same = candidates
            if len(same) == 1:
                targets.add(same[0].path)
                yield found.path, same[0]


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]
