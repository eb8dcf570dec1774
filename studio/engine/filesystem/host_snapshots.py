"""Snapshots and crash-safe restores of a disk folder, in a git directory.

A restore is first recorded there: the next process to open the same git directory after a crash finishes or
undoes it.
"""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from studio.engine.disk import Batch, NotRemoved, Obstacles, check_handles, nearest_above, writer_lock
from studio.engine.filesystem.restore_changes import Restoring, restoring
from studio.engine.filesystem.types import FilesystemSnapshot
from studio.engine.root import ProjectRoot
from studio.engine.root.hash_cache import HashCache
from studio.engine.snapshot_store import Capture, ObjectFolder, StoredTree
from studio.engine.snapshot_store.object_folder import FOLDER
from studio.errors import NotFound, SnapshotError, SnapshotRestoreError, StudioError
from studio.names import is_git_alias, show_name
from studio.program.work_folder import WorkFolder
from studio.system.os_errors import wrap_os_errors

_NOTHING = "Nothing was restored"
_LOCK = "writer.lock"
_COMMIT = re.compile(r"[0-9a-f]{40}")


class HostSnapshots:
    """The snapshots of one folder; an object belongs to one thread."""

    def __init__(self, root: ProjectRoot, git_dir: Path | None) -> None:
        """Open the snapshots; without `git_dir` they are temporary until `cleanup`.

        Temporary ones are in a private folder. Raises SnapshotError for a `git_dir` in the folder, or around
        it.
        """
        self._root = root
        self._git_dir = git_dir.resolve() if git_dir is not None else None
        if self._git_dir is not None:
            _check_outside(root, self._git_dir)
        self._own: WorkFolder | None = None
        self._objects: ObjectFolder | None = None
        self._hash_cache = HashCache()
        place = hashlib.sha256(os.fsencode(root.path)).hexdigest()[:32]
        # Ref names of a started restore, and of one that is complete except for removing the replaced files.
        self._started_ref, self._finished_ref = f"restore-begun-{place}", f"restore-done-{place}"

    def snapshot(self, tag: str | None) -> FilesystemSnapshot:
        """Store the current state as a commit.

        Raises SnapshotError, TimedOut where another process restores, FileError for the folder.
        """
        objects = self._open_objects()
        with writer_lock(objects.path / _LOCK), wrap_os_errors("No snapshot was made", it="the folder"):
            if self._find_interrupted(objects):
                raise SnapshotError(
                    "snapshot.interrupted",
                    "No snapshot was made: a restore of this folder was interrupted.",
                    "Open it as writable, which finishes or undoes the restore.",
                )
            now, snapshot_id = datetime.now(UTC), str(uuid.uuid4())
            commit = objects.write_commit(self._capture_tree(objects).object_id, now, tag or "")
            objects.publish(snapshot_id, commit)
        return FilesystemSnapshot(snapshot_id, now, commit, str(self._root.path), str(objects.path), tag)

    def restore(self, snapshot: FilesystemSnapshot) -> None:
        """Restore a snapshot, or change nothing.

        Raises SnapshotError, TimedOut where another process restores, Displaced where another program writes
        meanwhile, or FileError: nothing is changed then. After NotPutBack `finish_interrupted` has to be
        called.
        """
        if snapshot.root_path != str(self._root.path):
            raise SnapshotRestoreError(
                "snapshot.elsewhere",
                f"{_NOTHING}: the snapshot is of {show_name(snapshot.root_path)}.",
                "Restore it there.",
            )
        objects = self._open_objects()
        with writer_lock(objects.path / _LOCK), wrap_os_errors(_NOTHING, it="the folder"):
            self._finish_restore(objects)
            now, target = self._capture_tree(objects), _read_stored(objects, snapshot)
            restore_id = str(uuid.uuid4())
            changes = restoring(now, target, restore_id)
            if not changes.disk_changes:
                return
            self._check_obstacles(changes)
            pair = ((FOLDER, "from", now.object_id), (FOLDER, "to", target.object_id))
            commit = objects.write_commit(objects.write_tree(pair), datetime.now(UTC), restore_id)
            self._write_changes(objects, commit, changes)

    def finish_interrupted(self) -> None:
        """Finish or undo an interrupted restore. Raises as `restore`."""
        if self._git_dir is None or not (self._git_dir / "HEAD").exists():
            return
        objects = self._open_objects()
        if self._find_interrupted(objects):
            # Replaced files that can't be removed do not make the state inconsistent.
            with (
                writer_lock(objects.path / _LOCK),
                wrap_os_errors(_NOTHING, it="the folder"),
                suppress(NotRemoved),
            ):
                self._finish_restore(objects)

    def cleanup(self) -> None:
        """Close the git directory; a private one is removed with its snapshots."""
        if self._objects is not None:
            self._objects.close()
            self._objects = None
        if self._own is not None:
            self._own.close()
            self._own = None
        self._hash_cache = HashCache()

    def _open_objects(self) -> ObjectFolder:
        if self._objects is None:
            place = self._git_dir
            if place is None:
                self._own = self._own or WorkFolder("snapshots")
                place = self._own.path / "snapshots.git"
            self._objects = ObjectFolder(place)
            with suppress(SnapshotError):  # a full disk: what is damaged shows later
                self._objects.check_after_start()
        return self._objects

    def _capture_tree(self, objects: ObjectFolder) -> StoredTree:
        capture = Capture(self._root, objects, self._hash_cache)
        capture.scan()
        return StoredTree(objects, capture.store().tree)

    def _check_obstacles(self, changes: Restoring) -> None:
        """Raise SnapshotRestoreError where something would stop the writing half-way."""
        check_handles()
        new_folders = {item.path for item in changes.disk_changes if item.becomes_folder}
        with Obstacles(self._root) as obstacles:
            for item in changes.disk_changes:
                found = obstacles.of(item.path, item.temporary, nearest_above(item.path, new_folders))
                if found is not None:
                    raise SnapshotRestoreError(
                        "snapshot.unchangeable",
                        f"{_NOTHING}: {show_name(item.path)} can't be changed: {found.reason}.",
                        found.hint,
                    )

    def _write_changes(self, objects: ObjectFolder, commit: str, changes: Restoring) -> None:
        batch = Batch(self._root, changes.disk_changes, changes.content)
        objects.publish(self._started_ref, commit)
        try:
            batch.prepare()
            batch.commit()
            objects.publish(self._finished_ref, commit)
        except BaseException:
            # Before the abort, for recovery after a crash: what is rolled back now is not done.
            _unpublish(objects, self._finished_ref)
            batch.abort()
            _unpublish(objects, self._started_ref)
            raise
        with suppress(OSError, StudioError):  # it is done: the next process removes what is left
            self._remove_replaced(objects, batch)

    def _find_interrupted(self, objects: ObjectFolder) -> str:
        """Return the ref that an interrupted restore left, or ""."""
        names = objects.names()
        return next((name for name in (self._finished_ref, self._started_ref) if name in names), "")

    def _finish_restore(self, objects: ObjectFolder) -> None:
        name = self._find_interrupted(objects)
        if not name:
            return
        commit = objects.read_ref(name)
        tree, restore_id = objects.commit(commit)
        # Sorted by git: the previous state, then the wanted state.
        before, target = (StoredTree(objects, object_id) for _, _, object_id in objects.tree(tree))
        changes = restoring(before, target, restore_id.strip())
        batch = Batch(self._root, changes.disk_changes, changes.content)
        if name == self._started_ref and not batch.is_done():
            batch.abort()
            _unpublish(objects, name)
            return
        if name == self._started_ref:
            batch.complete()
            objects.publish(self._finished_ref, commit)
        self._remove_replaced(objects, batch)

    def _remove_replaced(self, objects: ObjectFolder, batch: Batch) -> None:
        """Remove the replaced files of a completed restore, and its record."""
        _unpublish(objects, self._started_ref)
        batch.finish()
        _unpublish(objects, self._finished_ref)


def _unpublish(objects: ObjectFolder, name: str) -> None:
    with suppress(NotFound):
        objects.unpublish(name)


def _read_stored(objects: ObjectFolder, snapshot: FilesystemSnapshot) -> StoredTree:
    if not _COMMIT.fullmatch(snapshot.commit_ref) or not objects.has(bytes.fromhex(snapshot.commit_ref)):
        raise SnapshotRestoreError(
            "snapshot.missing",
            f"There is no snapshot {show_name(snapshot.commit_ref)} here.",
            "Restore a snapshot with the same git directory.",
        )
    return StoredTree(objects, objects.commit(snapshot.commit_ref)[0])


def _check_outside(root: ProjectRoot, git_dir: Path) -> None:
    if git_dir.is_relative_to(root.path) or root.path.is_relative_to(git_dir) or is_git_alias(git_dir.name):
        raise SnapshotError(
            "snapshot.place",
            f"Snapshots can't be stored in {show_name(str(git_dir))}.",
            "Specify a separate folder, outside the saved one.",
        )
