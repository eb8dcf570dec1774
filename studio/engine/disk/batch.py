"""Batches of file changes: prepared, then committed or aborted as a whole."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TypeVar

from msgspec.structs import replace

from studio.engine.disk import disk_writes, folders, undoing
from studio.engine.disk.disk_change import (
    OWNER,
    ContentReader,
    DiskChange,
    DiskState,
    changes_kind,
    folders_to_flush,
    image_of,
    nearest_above,
)
from studio.engine.disk.open_folders import HELD_UP_TO, Beneath, HeldFolders
from studio.engine.disk.undoing import PutBack
from studio.engine.root import ProjectRoot
from studio.errors import FileError, Refused, WriteError
from studio.journal.file_image import sha256
from studio.limits import NAMED_FILES_UP_TO
from studio.names import show_name
from studio.system.os_errors import failure, reason, wrap_os_errors
from studio.values import Value

T = TypeVar("T")

SafePoint = Callable[[], None]
"""Called where an apply can stop: between two files."""

# Measured on ext4 with two cores: 1,000 files of 20 KB
# are removed in 1.6 s by one thread and in 0.3 s by four.
_TOGETHER_FROM = 64
_AT_ONCE = 4
"""The number of threads that remove old files; each further one needs `_TOGETHER_FROM` files."""

AGAIN_SECONDS = 2.0
"""Total time for retries where another program keeps exchanging or moving a folder."""


class NotPutBack(Refused):
    """Something could not be put back; the plan waits for recovery."""


class NotRemoved(Refused):
    """The results are in place, but replaced old files remain.

    They could not be removed, not at the second attempt either. `foreign_paths` is what `Batch.finish` would
    have returned.
    """

    def __init__(self, paths: tuple[str, ...], foreign: tuple[str, ...], error: OSError) -> None:
        shown_paths = ", ".join(map(show_name, paths[:NAMED_FILES_UP_TO])) + (
            " and others" if len(paths) > NAMED_FILES_UP_TO else ""
        )
        super().__init__(
            "apply.not_removed",
            f"The replaced files, now {shown_paths}, could not be removed: {reason(error)}.",
            "The next apply or recovery will try again.",
        )
        self.foreign_paths = foreign


class Aborted(Value):
    """Result of an abort.

    `left` are targets that hold neither base nor result, `foreign_paths` files of ours that another program
    wrote into.
    """

    left: tuple[str, ...]
    foreign_paths: tuple[str, ...]


def in_order(disk_changes: Iterable[DiskChange]) -> tuple[DiskChange, ...]:
    """Return changes in their order of execution.

    Folders are made from the top, files written folder by folder, folders removed from the bottom; the bits
    of folders are set last, when nothing more is done in them. Where a folder becomes something else, or
    something else a folder, removal and creation are one change. A folder that is made, filled and then
    closed gets its bits by a change of its own.
    """
    given = tuple(disk_changes)
    if not any(change.was_folder or change.will_be_folder for change in given):
        return _by_folder(given)
    ordered = _defer_mode_bits(_set_beneath(_merge_kind_changes(given)))
    new_folders = [item for item in ordered if item.makes_folder or item.becomes_folder]
    files = _by_folder(item for item in ordered if not (item.was_folder or item.will_be_folder))
    removed_folders = [change for change in ordered if change.was_folder and not change.will_be_folder]
    modes = [change for change in ordered if change.sets_folder_mode]
    return (
        *sorted(new_folders, key=lambda change: change.path.count("/")),
        *files,
        *sorted(removed_folders, key=lambda change: -change.path.count("/")),
        *sorted(modes, key=lambda change: -change.path.count("/")),
    )


def _by_folder(disk_changes: Iterable[DiskChange]) -> tuple[DiskChange, ...]:
    # Few folders are held open at a time: the plan's own order might open the same one again and again.
    by_folder: dict[str, list[DiskChange]] = {}
    for change in disk_changes:
        by_folder.setdefault(change.path.rpartition("/")[0], []).append(change)
    return tuple(change for group in by_folder.values() for change in group)


def _merge_kind_changes(disk_changes: Iterable[DiskChange]) -> list[DiskChange]:
    """Merge the removal and creation of one path where its kind changes."""
    removals: dict[str, int] = {}
    merged: list[DiskChange] = []
    for change in disk_changes:
        at = removals.get(change.path)
        if at is not None and changes_kind(merged[at].before, change.after):
            merged[at] = replace(merged[at], after=change.after)
            continue
        if change.after is None:
            removals[change.path] = len(merged)
        merged.append(change)
    return merged


def _set_beneath(disk_changes: Sequence[DiskChange]) -> list[DiskChange]:
    """Set `beneath` of changes within a path that changes its kind."""
    others = {change.path for change in disk_changes if change.changes_kind}
    if not others:
        return list(disk_changes)
    return [replace(item, beneath=nearest_above(item.path, others)) for item in disk_changes]


def _defer_mode_bits(disk_changes: Sequence[DiskChange]) -> list[DiskChange]:
    """Set a new folder's bits last if they exclude its owner."""
    used_folders = {change.path.rpartition("/")[0] for change in disk_changes}
    ordered: list[DiskChange] = []
    for change in disk_changes:
        image = change.after
        if (
            image is None
            or change.was_folder
            or not image.is_folder
            or image.mode & OWNER == OWNER
            or change.path not in used_folders
        ):
            ordered.append(change)
            continue
        accessible = replace(image, mode=image.mode | OWNER)
        bits = DiskChange(change.path, accessible, image, beneath=change.beneath, is_created_here=True)
        ordered += [replace(change, after=accessible), bits]
    return ordered


def _no_safe_point() -> None:
    return None


class Batch:
    """File changes beneath one root that are written together.

    `content` returns bytes by SHA-256. Call `prepare`, then `commit`, then `finish` once the outcome is
    recorded; after a failure of either, or a crash, `abort`. Each may be called again by another process.
    """

    def __init__(
        self,
        root: ProjectRoot,
        disk_changes: Iterable[DiskChange],
        content: ContentReader,
        safe_point: SafePoint | None = None,
    ) -> None:
        """Create a batch; it reads and changes nothing yet.

        `safe_point` is called before each file is prepared and before each is put in place; an exception from
        it ends the call, and `abort` must follow.
        """
        self.disk_changes = in_order(disk_changes)
        self._own_folders = frozenset(
            item.path
            for item in self.disk_changes
            if item.changes_kind or (item.is_folder and not item.sets_folder_mode)
        )
        self._root = root
        self._content = content
        self._safe_point = safe_point or _no_safe_point
        self._retry_until: float | None = None
        self.modes: dict[str, int] = {}
        """Permission bits by path, where the disk did not keep the wanted ones."""

    def prepare(self) -> None:
        """Write every result beside its target, flush and verify it.

        New folders are made first. Raises FileError; call `abort` then.
        """
        with HeldFolders(self._root) as held_folders:
            self.modes = disk_writes.stage(held_folders, self.disk_changes, self._content, self._safe_point)

    def commit(self) -> dict[str, bool]:
        """Put all results in place, in order, and flush the folders.

        Returns by path whether no other program could have written in between. Raises Displaced (a target
        changed at that moment) or FileError; call `abort` then.
        """
        exclusive: dict[str, bool] = {}
        folder_changes = [item for item in self.disk_changes if item.was_folder]
        with HeldFolders(self._root) as held_folders:
            for change in self.disk_changes[: len(self.disk_changes) - len(folder_changes)]:
                self._safe_point()
                exclusive[change.path] = disk_writes.carry_out(held_folders, change)
            with wrap_os_errors(disk_writes.LEAD, it="a folder of the plan", role=WriteError):
                # A folder that was moved after it was opened took our
                # exchange along: it succeeded, but at another path.
                held_folders.check_still_there()
        # By their paths and after that check, which would take a folder
        # that the plan itself removes or closes for a moved one.
        for change in folder_changes:
            exclusive[change.path] = disk_writes.carry_out(self._root, change)
        with wrap_os_errors(disk_writes.LEAD, it="the root folder", role=WriteError):
            # Before the caller records that all is in place: without it
            # (tests.faults.power_cut --without folders) 4 of 24 power cuts left a mixed tree.
            folders.flush_folders(self._root, folders_to_flush(self.disk_changes, is_done=True))
            self._note_modes(item for item in self.disk_changes if item.will_be_folder)
        return exclusive

    def abort(self) -> Aborted:
        """Restore every target that holds its result, in reverse order.

        Raises NotPutBack where the disk refused one of them; the others are restored even so.
        """
        unrestored: list[str] = []
        foreign: list[str] = []
        failed: FileError | None = None
        with HeldFolders(self._root) as held_folders:
            # Reversed: a folder that was removed last exists again before its files are restored into it.
            for change in reversed(self.disk_changes):
                try:
                    outcome = self._put_back(held_folders, change)
                except OSError as error:
                    shown_path = show_name(change.path)
                    failed = failed or failure(error, "Not everything was restored", it=shown_path)
                    continue
                # The bits of a folder that is to be removed again don't
                # count: if it can't be removed, its own change reports it.
                if outcome.is_left and not change.is_created_here:
                    unrestored.append(change.path)
                foreign.extend(outcome.foreign_paths)
        try:
            self._flush(folders_to_flush(self.disk_changes, is_done=False))
        except OSError as error:
            failed = failed or failure(error, "Not everything was restored", it="the root folder")
        if failed is not None:
            raise NotPutBack(
                "apply.not_put_back",
                f"The apply failed. {failed.message}",
                "Fix that, then recover the project.",
            ) from failed
        return Aborted(tuple(unrestored), tuple(foreign))

    def is_done(self) -> bool:
        """Return whether every target holds its result.

        False, too, where another program wrote into a replaced file meanwhile.
        """
        try:
            return all(
                # What another program wrote into a replaced file before a
                # crash is newer than our result: it goes back in place.
                disk_writes.settled_state_of(self._root, change) is DiskState.AFTER
                and disk_writes.is_temporary_base(self._root, change)
                for change in self.disk_changes
                if not change.if_empty
            )
        except Refused:  # a folder became a link meanwhile: nothing of ours is there
            return False

    def _note_modes(self, disk_changes: Iterable[DiskChange]) -> None:
        for change in disk_changes:
            now = None
            with suppress(Refused, OSError):  # beneath a folder that was closed or moved meanwhile
                now = image_of(self._root, change)
            if now is None or change.after is None or now.is_folder is not change.after.is_folder:
                continue
            if now.mode != change.after.mode:
                self.modes[change.path] = now.mode

    def complete(self) -> None:
        """Finish the folder changes that a crash left.

        Every file must be in place.
        """
        for change in self.disk_changes:
            with suppress(Refused):  # moved with its parent folder
                self._retry_past_links(lambda change=change: disk_writes.complete_folder(self._root, change))
        self._flush(folders_to_flush(self.disk_changes, is_done=True))
        self._note_modes(self.disk_changes)

    def finish(self) -> tuple[str, ...]:
        """Remove the replaced old files once the outcome is recorded.

        Returns those that another program wrote into through an open handle meanwhile: they stay. Raises
        NotRemoved.
        """
        size = max(_TOGETHER_FROM, -(-len(self.disk_changes) // _AT_ONCE))
        parts = [self.disk_changes[start : start + size] for start in range(0, len(self.disk_changes), size)]
        if len(parts) <= 1:
            ends = [self._finish_part(self.disk_changes)]
        else:
            # Freeing a removed file's blocks is mostly waiting for the
            # disk. Imported here: it takes longer than most plans.
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(len(parts), "studio-finish") as pool:
                ends = list(pool.map(self._finish_part, parts))
        foreign = [path for some, _ in ends for path in some]
        # An obstacle of a moment, such as a virus scanner, may be gone by now.
        again, unremoved = self._finish_part([change for _, failed in ends for change, _ in failed])
        temporaries = (change.temporary for change in self.disk_changes if change.temporary)
        # Before the plan is forgotten: a removal lost in a
        # power cut would leave a file that no one searches for.
        self._flush(path.rpartition("/")[0] for path in temporaries)
        if unremoved:
            paths = tuple(change.temporary for change, _ in unremoved)
            raise NotRemoved(paths, (*foreign, *again), unremoved[0][1])
        return (*foreign, *again)

    def _finish_part(
        self, disk_changes: Iterable[DiskChange]
    ) -> tuple[list[str], list[tuple[DiskChange, OSError]]]:
        """Return paths that another program wrote into, and failed removals."""
        foreign: list[str] = []
        failed: list[tuple[DiskChange, OSError]] = []
        # All threads together hold as many handles as one batch: `check_handles` reserved no more.
        with HeldFolders(self._root, HELD_UP_TO // _AT_ONCE) as held_folders:
            for change in disk_changes:
                try:
                    foreign.extend(
                        self._retry_past_links(lambda change=change: disk_writes.finish(held_folders, change))
                    )
                except Refused:  # moved with its folder
                    continue
                except OSError as error:
                    failed.append((change, error))
        return foreign, failed

    def _put_back(self, root: Beneath, change: DiskChange) -> PutBack:
        try:
            self._retry_past_links(lambda: self._open_parent(root, change))
            return self._retry_past_links(lambda: undoing.put_back(root, change, self._content))
        except Refused:
            return PutBack(is_left=True)

    def _open_parent(self, root: Beneath, change: DiskChange) -> None:
        """Open and hold a target's folder, retrying while it is missing.

        A folder that another program moves away and back hides its files for a moment; a held one is found
        wherever it is.
        """
        parent = change.path.rpartition("/")[0]
        while parent not in self._own_folders:  # those are created or removed by the batch
            try:
                with root.folder(parent):
                    return
            except (FileNotFoundError, NotADirectoryError):
                if not self._may_retry():
                    return

    def _retry_past_links(self, action: Callable[[], T]) -> T:
        """Retry while a link is in the way.

        Raises Refused if it stays.
        """
        while True:
            try:
                return action()
            except Refused as error:
                if error.code != "path.link" or not self._may_retry():
                    raise

    def _may_retry(self) -> bool:
        """Return whether the batch has time left for retries."""
        now = time.monotonic()
        # In all, and not for each file: a program that exchanges
        # a folder forever would block the writer lock as long.
        if self._retry_until is None:
            self._retry_until = now + AGAIN_SECONDS
        return now <= self._retry_until

    def _flush(self, paths: Iterable[str]) -> None:
        """Flush folders; skip those that became links and hold nothing of ours."""
        for path in sorted(set(paths)):
            with suppress(Refused):
                self._retry_past_links(lambda path=path: folders.flush_folders(self._root, [path]))


def place_one(root: ProjectRoot, change: DiskChange, data: bytes | None) -> None:
    """Write one file durably, or remove it with `data` None.

    Raises Displaced where the path does not hold what `change` has before, or FileError; then nothing was
    changed.
    """
    content = {} if data is None else {sha256(data): data}
    batch = Batch(root, [change], content.__getitem__)
    try:
        batch.prepare()
        batch.commit()
    except BaseException:
        with suppress(NotPutBack):  # the first error is the cause
            batch.abort()
        raise
    batch.finish()
