"""Baseline snapshot's update with applied steps, so only others' changes differ.

Our own writes are recognised by content: where the baseline holds what a step found, it holds afterwards what
the step left. Where others had changed the file before, a three-way merge leaves their lines out: what they
wrote remains a difference, what we wrote does not.
"""

from __future__ import annotations

import enum
import hashlib
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from studio.engine.diff import compute, merge_typed
from studio.engine.history.generated_plan import APPLIED_STEP_STATES
from studio.engine.plan import REVIEW_FORMAT, Effect, Operation, Plan, Step
from studio.engine.project.context import Context
from studio.engine.project.rollback_titles import first_of, stored_plans, turn_of
from studio.engine.snapshot_store import Captured, ObjectFolder, StoredEntry, StoredTree, TreeEdit, image_of
from studio.errors import Refused, SnapshotError
from studio.extras.snapshots.records import BASELINE
from studio.journal.file_image import FileImage
from studio.values import Value

CHANGED_WHILE_INDEXING: Final = "changed while indexing"
"""Reason for a missing baseline entry: it changed during the first indexing.

It was changed or removed between the listing of all files and its own reading, so its earlier content is
unknown.
"""


def unindexed_in(baseline: StoredTree) -> frozenset[str]:
    """Return the paths of files that changed while the baseline was made."""
    excluded = baseline.manifest.left_out
    return frozenset(path for path, why in excluded.items() if why == CHANGED_WHILE_INDEXING)


class Images:
    """File images of snapshot entries, reading each object only once."""

    def __init__(self, objects: ObjectFolder, hashes: dict[bytes, tuple[str, int]] | None = None) -> None:
        """Start with `hashes` (SHA-256, size) by object id, which new reads extend."""
        self._objects = objects
        self._hashes = {} if hashes is None else hashes

    def of(self, entry: StoredEntry | None) -> FileImage | None:
        """Return the image of an entry, or None for no entry.

        Raises SnapshotError where the bytes are gone.
        """
        if entry is None:
            return None
        if entry.is_folder or entry.is_link:
            return image_of(entry, None if entry.is_folder else self._objects.blob(entry.object_id))
        sha256, size = self._hash_object(entry.object_id)
        return FileImage(sha256, size, stat.S_IMODE(entry.mode))

    def _hash_object(self, object_id: bytes) -> tuple[str, int]:
        cached = self._hashes.get(object_id)
        if cached is None:
            data = self._objects.blob(object_id)
            cached = self._hashes[object_id] = (hashlib.sha256(data).hexdigest(), len(data))
        return cached


class GeneratedStep(Value):
    """An applied step, and its effect on others' open changes."""

    step: Step
    over_others: OverOthers


class OverOthers(enum.Enum):
    """What happens to others' changes of a file that a step writes."""

    MERGED = "merged"
    """Changes on other lines stay open.

    The step was decided over the file as they left it.
    """
    REPLACED = "replaced"
    """No change stays open: the whole file is what a snapshot held."""
    OPEN = "open"
    """All changes stay open: the baseline already has what the step wrote."""


def own_steps(context: Context, plans: Iterable[Plan]) -> Iterator[GeneratedStep]:
    """Yield the applied steps of these plans, in order.

    Excludes the undo of a revert of observed changes: those changes are open again.
    """
    plans_by_id = stored_plans(context)
    for plan in plans:
        if not plan.parts:
            continue
        first = first_of(plan, plans_by_id)
        restores = first.restores if first.format != REVIEW_FORMAT else None
        if restores == BASELINE and turn_of(plan, plans_by_id).is_redo:
            continue
        over_others = OverOthers.MERGED
        if restores is not None:
            over_others = OverOthers.OPEN if restores == BASELINE else OverOthers.REPLACED
        for step in plan.steps:
            if step.state in APPLIED_STEP_STATES:
                yield GeneratedStep(step, over_others)


def advance_baseline(
    context: Context,
    objects: ObjectFolder,
    baseline: StoredTree,
    current: StoredTree,
    own: Iterable[GeneratedStep],
) -> Captured | None:
    """Return the baseline updated with our own writes, None if unchanged.

    `current` is the project as of the last scan. Raises SnapshotError.
    """
    edit, images = BaselineEdit(objects, baseline, current), Images(objects)
    unindexed = set(unindexed_in(baseline))
    changed: dict[str, StoredEntry | None] = {}

    def entry_at(path: str) -> StoredEntry | None:
        return changed[path] if path in changed else baseline.entry(path)

    for each in own:
        step, source = each.step, entry_at(each.step.path)
        is_unindexed = step.path in unindexed
        for effect in step.effects:
            path = effect.path
            if path not in step.written_paths:
                continue
            entry = entry_at(path)
            if effect.before is None and edit.drop_emptied(path):
                entry = None  # removed by an earlier step together with its last file
            # Changes by others to a file move with it.
            is_moved = step.op is Operation.MOVE and path == step.target
            if is_moved and is_unindexed:
                changed[path] = None
                unindexed.add(path)
                edit.exclude(path, CHANGED_WHILE_INDEXING)
                continue
            previous = _Then(source, step.base) if is_moved else _Then(entry, effect.before)
            is_found = _is_found(images.of(previous.entry), previous.before)
            if not is_found and each.over_others is OverOthers.OPEN:
                continue
            is_theirs = not is_found and each.over_others is OverOthers.MERGED
            after = _apply_effect(context, objects, effect, previous, is_theirs=is_theirs)
            # What others removed from here, or put in its place, is still to be reported.
            is_gone = after is None and path in unindexed and effect.after is None
            if (after != entry or is_gone) and edit.has_room_for(path, after):
                changed[path] = after
                unindexed.discard(path)
                edit.put(path, after)
    return edit.write() if changed else None


class _Then(Value):
    """A file's baseline entry, and what a step found on disk."""

    entry: StoredEntry | None
    before: FileImage | None

    @property
    def mode(self) -> int | None:
        return None if self.entry is None else stat.S_IMODE(self.entry.mode)


def _is_found(now: FileImage | None, before: FileImage | None) -> bool:
    """Return whether a step found the baseline's content, ignoring permissions.

    Others may have changed the permissions alone.
    """
    if now is None or before is None:
        return now is before
    return (now.sha256, now.is_link) == (before.sha256, before.is_link)


def _apply_effect(
    context: Context, objects: ObjectFolder, effect: Effect, previous: _Then, *, is_theirs: bool
) -> StoredEntry | None:
    """Return the baseline entry after a step's effect, None for nothing.

    Permissions that the step did not change stay as the baseline has them, so that a change of them by others
    is still reported. With `is_theirs`, so does what others changed in the file that the step found.
    """
    before, after = previous.before, effect.after
    if after is None:
        return None
    is_same = before is not None and _is_found(after, before)
    if is_theirs and previous.entry is None and is_same:
        return None
    keeps_mode = previous.mode is not None and before is not None and before.mode == after.mode
    mode = previous.mode if keeps_mode and previous.mode is not None else after.mode
    if is_theirs and previous.entry is not None and is_same:
        return StoredEntry(effect.path, stat.S_IFMT(previous.entry.mode) | mode, previous.entry.object_id)
    if after.sha256 is None:
        return StoredEntry(effect.path, stat.S_IFDIR | mode, b"")
    try:
        data = context.store.blobs.get(after.sha256)
    except Refused as error:
        raise SnapshotError(error.code, error.message, error.hint) from error
    if is_theirs:
        content = _merge_own_change(context, objects, effect.path, previous, data)
        if content is None:
            return None
        data = content
    kind = stat.S_IFLNK if after.is_link else stat.S_IFREG | mode
    return StoredEntry(effect.path, kind, objects.write_blob(data))


def _merge_own_change(
    context: Context, objects: ObjectFolder, path: str, previous: _Then, data: bytes
) -> bytes | None:
    """Return our result without the earlier changes by others.

    None where others created the file and lines of theirs are left. Where both changed the same lines, ours
    replaced theirs.
    """
    before, entry = previous.before, previous.entry
    if before is None or before.sha256 is None or before.is_link:
        return data
    if entry is not None and (entry.is_folder or entry.is_link):
        return data
    setting = context.config().encoding_for(path)
    try:
        found = context.store.blobs.get(before.sha256)
        if entry is not None:
            return merge_typed(found, objects.blob(entry.object_id), data, setting)
        lines = compute(found, data, 0, setting)
    except Refused:  # no text, or its bytes are gone
        return data
    return data if lines.removed == lines.base_total else None


class BaselineEdit:
    """Baseline edit that adds and removes parent folders as the project does."""

    def __init__(self, objects: ObjectFolder, baseline: StoredTree, here: StoredTree) -> None:
        self._edit = TreeEdit(objects, baseline)
        self._here = here
        self._folders: dict[str, int | None] = {}
        self._above: set[str] = set()

    def put(self, path: str, entry: StoredEntry | None) -> None:
        """Set or remove the entry at a path of the baseline."""
        self._above.update(_above(path))
        bits: Mapping[str, int] = {
            each: mode for each in _above(path) if (mode := self._read_folder_bits(each)) is not None
        }
        self._edit.put(path, entry, bits)

    def exclude(self, path: str, why: str) -> None:
        """Exclude a path from the baseline, for this reason."""
        self._edit.exclude(path, why)

    def has_room_for(self, path: str, entry: StoredEntry | None) -> bool:
        """Return whether an entry fits without removing anything else of the baseline."""
        return self._edit.has_room_for(path, entry)

    def write(self) -> Captured:
        """Store the edited baseline.

        Raises SnapshotError.
        """
        self._drop_emptied(self._above)
        return self._edit.write()

    def drop_emptied(self, folder: str) -> bool:
        """Remove a folder emptied by this edit and gone from the project.

        Also removes such folders in it. Returns whether it was removed.
        """
        if folder not in self._above:
            return False
        within = {each for each in self._above if each == folder or each.startswith(f"{folder}/")}
        return folder in self._drop_emptied(within)

    def _drop_emptied(self, folders: Collection[str]) -> set[str]:
        removed: set[str] = set()
        for path in sorted(folders, key=lambda each: -each.count("/")):
            if self._read_folder_bits(path) is None and self._edit.is_empty_folder(path):
                self._edit.put(path, None, {})
                removed.add(path)
        return removed

    def _read_folder_bits(self, folder: str) -> int | None:
        """Return a project folder's permission bits, or None if it is missing."""
        if folder not in self._folders:
            entry = self._here.entry(folder)
            is_there = entry is not None and entry.is_folder
            self._folders[folder] = stat.S_IMODE(entry.mode) if entry is not None and is_there else None
        return self._folders[folder]


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path
