"""The baseline: the newest automatic snapshot, and how it moves on with what we write ourselves (design 2).

Own writes are known by content: where the baseline holds what a step of ours found, it holds afterwards what
the step left. What somebody else wrote in between stays a difference.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping

from studio.engine import disk
from studio.engine.errors import Refused, SnapshotError
from studio.engine.history.own_plan import APPLIED_PLAN_STATES, APPLIED_STEP_STATES
from studio.engine.plan import Effect, FileImage, Plan, Step
from studio.engine.project.context import Context
from studio.engine.project.turns import first_of, stored_plans
from studio.engine.snapshot_store import Captured, ObjectFolder, StoredEntry, StoredTree, TreeEdit
from studio.engine.snapshots.records import BASELINE
from studio.engine.snapshots.restoring import image_of


class Images:
    """What kept entries are, as steps say it; bytes are read once."""

    def __init__(self, objects: ObjectFolder, hashes: dict[bytes, tuple[str, int]] | None = None) -> None:
        """`hashes` are those that were read before, by git's raw name, and take in what is read."""
        self._objects = objects
        self._hashes = {} if hashes is None else hashes

    def of(self, entry: StoredEntry | None) -> FileImage | None:
        """None for nothing. Raises SnapshotError where the bytes are gone."""
        if entry is None:
            return None
        if entry.is_folder:
            return image_of(entry, None)
        if entry.is_link:
            return disk.link_image(self._objects.blob(entry.object_id))
        sha256, size = self._known(entry.object_id)
        return FileImage(sha256, size, stat.S_IMODE(entry.mode))

    def _known(self, object_id: bytes) -> tuple[str, int]:
        known = self._hashes.get(object_id)
        if known is None:
            data = self._objects.blob(object_id)
            known = self._hashes[object_id] = (hashlib.sha256(data).hexdigest(), len(data))
        return known


def own_effects(context: Context, plans: Iterable[Plan]) -> Iterator[Effect]:
    """What the applied steps of these plans did to each path, in order.

    What takes observed changes back, and what takes that back, is left out: the baseline has it already, or
    shall go on telling of it.
    """
    known = stored_plans(context)
    for plan in plans:
        if plan.state in APPLIED_PLAN_STATES and first_of(plan, known).restores != BASELINE:
            for step in plan.steps:
                if step.state in APPLIED_STEP_STATES:
                    yield from _written(step)


def _written(step: Step) -> Iterator[Effect]:
    return (effect for effect in step.effects if effect.path in step.written_paths)


def moved_on(
    context: Context, objects: ObjectFolder, baseline: StoredTree, here: StoredTree, effects: Iterable[Effect]
) -> Captured | None:
    """The baseline with our own writes in it; None where that changes nothing. `here` is the project as it
    was seen last. Raises SnapshotError."""
    edit, images = BaselineEdit(objects, baseline, here), Images(objects)
    standing: dict[str, StoredEntry | None] = {}
    for effect in effects:
        path = effect.path
        entry = standing[path] if path in standing else baseline.entry(path)
        if effect.before is None and edit.drop_emptied(path):
            entry = None  # a folder that a step before took away with the last file in it
        now = images.of(entry)
        if not _is_found(now, effect.before):
            continue
        after = _entry_after(context, objects, effect, now)
        # What others took from there, or put in its way, is still to be told.
        if after != entry and edit.has_room_for(path, after):
            standing[path] = after
            edit.put(path, after)
    return edit.write() if standing else None


def _is_found(now: FileImage | None, before: FileImage | None) -> bool:
    """Whether a step found what the baseline holds, but for permissions, which others may have changed."""
    if now is None or before is None:
        return now is before
    return (now.sha256, now.is_link) == (before.sha256, before.is_link)


def _entry_after(
    context: Context, objects: ObjectFolder, effect: Effect, now: FileImage | None
) -> StoredEntry | None:
    """What the baseline holds once a step was written; permissions that it did not change stay as they are
    there, so that a change of theirs by others is still told."""
    before, after = effect.before, effect.after
    if after is None:
        return None
    keeps_mode = now is not None and before is not None and before.mode == after.mode
    mode = now.mode if keeps_mode and now is not None else after.mode
    if after.sha256 is None:
        return StoredEntry(effect.path, stat.S_IFDIR | mode, b"")
    try:
        data = context.store.blobs.get(after.sha256)
    except Refused as error:
        raise SnapshotError(error.code, error.message, error.hint) from error
    kind = stat.S_IFLNK if after.is_link else stat.S_IFREG | mode
    return StoredEntry(effect.path, kind, objects.write_blob(data))


class BaselineEdit:
    """Changes to the baseline; folders above what was changed come and go as the project has them."""

    def __init__(self, objects: ObjectFolder, baseline: StoredTree, here: StoredTree) -> None:
        self._edit = TreeEdit(objects, baseline)
        self._here = here
        self._folders: dict[str, int | None] = {}
        self._above: set[str] = set()

    def put(self, path: str, entry: StoredEntry | None) -> None:
        """Have this entry at a path of the baseline."""
        self._above.update(_above(path))
        bits: Mapping[str, int] = {
            each: mode for each in _above(path) if (mode := self._bits(each)) is not None
        }
        self._edit.put(path, entry, bits)

    def has_room_for(self, path: str, entry: StoredEntry | None) -> bool:
        """Whether nothing else of the baseline would go."""
        return self._edit.has_room_for(path, entry)

    def write(self) -> Captured:
        """Store it. Raises SnapshotError."""
        self._drop_emptied(self._above)
        return self._edit.write()

    def drop_emptied(self, folder: str) -> bool:
        """Have a folder go that was emptied here, and that the project has no more, with such in it; whether
        it went."""
        if folder not in self._above:
            return False
        within = {each for each in self._above if each == folder or each.startswith(f"{folder}/")}
        return folder in self._drop_emptied(within)

    def _drop_emptied(self, folders: Collection[str]) -> set[str]:
        gone: set[str] = set()
        for path in sorted(folders, key=lambda each: -each.count("/")):
            if self._bits(path) is None and self._edit.is_empty_folder(path):
                self._edit.put(path, None, {})
                gone.add(path)
        return gone

    def _bits(self, folder: str) -> int | None:
        """Of a folder of the project; None where there is none."""
        if folder not in self._folders:
            entry = self._here.entry(folder)
            is_there = entry is not None and entry.is_folder
            self._folders[folder] = stat.S_IMODE(entry.mode) if entry is not None and is_there else None
        return self._folders[folder]


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path
