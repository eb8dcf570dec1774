"""Placements prepared, committed, or aborted: one file or thousands, all of them or none (design 5.4-5.6)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from studio.engine.disk import folders, placing, undoing
from studio.engine.disk.held import HELD_UP_TO, Beneath, HeldFolders
from studio.engine.disk.placement import (
    OWNER,
    ContentReader,
    DiskState,
    Placement,
    changes_kind,
    image_of,
    nearest_above,
    touched_folders,
)
from studio.engine.disk.undoing import PutBack
from studio.engine.errors import FileError, Refused, WriteError
from studio.engine.limits import NAMED_FILES_UP_TO
from studio.engine.names import show_name
from studio.engine.plan import sha256
from studio.engine.root import ProjectRoot
from studio.engine.system.os_errors import failure, reason, told

T = TypeVar("T")

SafePoint = Callable[[], None]
"""Called where an apply can stop: between two files."""

# Measured on ext4 with two cores: 1,000 files of 20 KB
# are removed in 1.6 s by one thread and in 0.3 s by four.
_TOGETHER_FROM = 64
_AT_ONCE = 4
"""So many threads remove displaced files, and so many files are worth another one."""

AGAIN_SECONDS = 2.0
"""How long is looked again, in all, where a folder is exchanged with a link, or moved, again and again."""


class NotPutBack(Refused):
    """Something could not even be put back; the plan stays as it is until recovery has done so."""


class NotRemoved(Refused):
    """Everything is in place, but displaced old files could not be removed, not at the second try either.

    `strange` is what `Batch.finish` would have returned.
    """

    def __init__(self, paths: tuple[str, ...], strange: tuple[str, ...], why: OSError) -> None:
        shown = ", ".join(map(show_name, paths[:NAMED_FILES_UP_TO])) + (
            " and others" if len(paths) > NAMED_FILES_UP_TO else ""
        )
        super().__init__(
            "apply.not_removed",
            f"What was replaced is still there, as {shown}, and could not be removed: {reason(why)}.",
            "The next apply tries again, and so does: studio recover",
        )
        self.strange = strange


@dataclass(frozen=True, slots=True)
class Aborted:
    """Which targets hold neither base nor result, and which files of ours hold what somebody wrote."""

    left: tuple[str, ...]
    strange: tuple[str, ...]


def in_order(placements: Iterable[Placement]) -> tuple[Placement, ...]:
    """The order of carrying out: folders made from the top, files folder by folder, folders removed from the
    bottom, and last, when nothing more is done in them, the bits of folders.

    Where a folder becomes something else, or something else a folder, what goes and what comes are one
    placement. A folder that is made and filled, and then closed, gets its bits by a placement of its own.
    """
    listed = _with_bits_last(_within_others(_as_one(placements)))
    made = [item for item in listed if item.makes_folder or item.becomes_folder]
    # Few folders are held open at a time: in the plan's own
    # order one that goes to and fro would open them anew.
    by_folder: dict[str, list[Placement]] = {}
    for placement in listed:
        if not (placement.was_folder or placement.will_be_folder):
            by_folder.setdefault(placement.path.rpartition("/")[0], []).append(placement)
    files = [placement for together in by_folder.values() for placement in together]
    gone = [placement for placement in listed if placement.was_folder and not placement.will_be_folder]
    modes = [placement for placement in listed if placement.sets_folder_mode]
    return (
        *sorted(made, key=lambda placement: placement.path.count("/")),
        *files,
        *sorted(gone, key=lambda placement: -placement.path.count("/")),
        *sorted(modes, key=lambda placement: -placement.path.count("/")),
    )


def _as_one(placements: Iterable[Placement]) -> list[Placement]:
    """With one placement for each path that one thing leaves and another comes to."""
    leaving: dict[str, int] = {}
    listed: list[Placement] = []
    for placement in placements:
        at = leaving.get(placement.path)
        if at is not None and changes_kind(listed[at].before, placement.after):
            listed[at] = replace(listed[at], after=placement.after)
            continue
        if placement.after is None:
            leaving[placement.path] = len(listed)
        listed.append(placement)
    return listed


def _within_others(placements: Sequence[Placement]) -> list[Placement]:
    """With what is beneath a path that is a folder at one end only."""
    others = {placement.path for placement in placements if placement.changes_kind}
    if not others:
        return list(placements)
    return [replace(item, beneath=nearest_above(item.path, others)) for item in placements]


def _with_bits_last(placements: Sequence[Placement]) -> list[Placement]:
    """With the bits of closed folders that are made, and filled, set when that is done."""
    filled = {placement.path.rpartition("/")[0] for placement in placements}
    listed: list[Placement] = []
    for placement in placements:
        image = placement.after
        if (
            image is None
            or placement.was_folder
            or not image.is_folder
            or image.mode & OWNER == OWNER
            or placement.path not in filled
        ):
            listed.append(placement)
            continue
        opened = replace(image, mode=image.mode | OWNER)
        bits = Placement(placement.path, opened, image, beneath=placement.beneath, made_here=True)
        listed += [replace(placement, after=opened), bits]
    return listed


def _go_on() -> None:
    return None


class Batch:
    """Placements that are put in place together, beneath one root; `content` gives bytes by SHA-256.

    `prepare`, then `commit`, then `finish` once that is recorded; after a failure of either, or after a
    crash, `abort`. Each may be called again by another process.
    """

    def __init__(
        self,
        root: ProjectRoot,
        placements: Iterable[Placement],
        content: ContentReader,
        safe_point: SafePoint | None = None,
    ) -> None:
        """`safe_point` is called before each file is prepared and before each is put in place; what it
        raises ends the call, and `abort` is due."""
        self.placements = in_order(placements)
        self._own_folders = frozenset(
            item.path
            for item in self.placements
            if item.changes_kind or (item.is_folder and not item.sets_folder_mode)
        )
        self._root = root
        self._content = content
        self._safe_point = safe_point or _go_on
        self._again_until: float | None = None
        self.modes: dict[str, int] = {}
        """By path the permission bits that the disk gave results which were to have others."""

    def prepare(self) -> None:
        """Make the new folders, write every result beside its target, flush, read back and compare (R127).

        Raises FileError; then call `abort`.
        """
        with HeldFolders(self._root) as held:
            self.modes = placing.stage(held, self.placements, self._content, self._safe_point)

    def commit(self) -> dict[str, bool]:
        """Put all results in place, in order, and flush the folders. By path: whether nobody could have
        come between.

        Raises Displaced (a target changed at that moment) or FileError; then call `abort`.
        """
        exclusive: dict[str, bool] = {}
        going = [item for item in self.placements if item.was_folder]
        with HeldFolders(self._root) as held:
            for placement in self.placements[: len(self.placements) - len(going)]:
                self._safe_point()
                exclusive[placement.path] = placing.carry_out(held, placement)
            with told(placing.LEAD, it="a folder of the plan", role=WriteError):
                # A folder that was moved after it was opened took our
                # exchange along: all went well, but not at that path.
                held.check_still_there()
        # By their paths and after that look, for which a folder
        # that the plan itself removes or closes would be a moved one.
        for placement in going:
            exclusive[placement.path] = placing.carry_out(self._root, placement)
        with told(placing.LEAD, it="the project", role=WriteError):
            # Before the caller records that all is in place: without it
            # (tests.faults.power_cut --without folders) 4 of 24 power cuts left a mixed tree.
            folders.flush_folders(self._root, touched_folders(self.placements, done=True))
            self._note_modes(item for item in self.placements if item.will_be_folder)
        return exclusive

    def abort(self) -> Aborted:
        """Put every target back that holds its result, in reverse order.

        Raises NotPutBack when the disk did not let it for one of them; the others are back even so.
        """
        left: list[str] = []
        strange: list[str] = []
        failed: FileError | None = None
        with HeldFolders(self._root) as held:
            # A folder that was removed last is there again before its files are to go back into it.
            for placement in reversed(self.placements):
                try:
                    ended = self._put_back(held, placement)
                except OSError as error:
                    it = show_name(placement.path)
                    failed = failed or failure(error, "Not everything was put back", it=it)
                    continue
                # The bits of a folder that is to be gone again: it says so itself where it can't go.
                if ended.is_left and not placement.made_here:
                    left.append(placement.path)
                strange.extend(ended.strange)
        try:
            self._flush(touched_folders(self.placements, done=False))
        except OSError as error:
            failed = failed or failure(error, "Not everything was put back", it="the project")
        if failed is not None:
            raise NotPutBack(
                "apply.not_put_back",
                f"The apply failed. {failed.message}",
                "Mend that, then run: studio recover",
            ) from failed
        return Aborted(tuple(left), tuple(strange))

    def is_done(self) -> bool:
        """Whether every target holds its result, and no displaced file what somebody wrote meanwhile."""
        try:
            return all(
                # What somebody wrote into a displaced file before a
                # crash is newer than our result: it goes back in place.
                placing.settled_state_of(self._root, placement) is DiskState.AFTER
                and placing.kept_is_base(self._root, placement)
                for placement in self.placements
                if not placement.if_empty
            )
        except Refused:  # a folder became a link in between: nothing of ours is there
            return False

    def _note_modes(self, placements: Iterable[Placement]) -> None:
        for placement in placements:
            now = None
            with suppress(Refused, OSError):  # beneath a folder that is closed by now, or moved away
                now = image_of(self._root, placement)
            if now is None or placement.after is None or now.is_folder is not placement.after.is_folder:
                continue
            if now.mode != placement.after.mode:
                self.modes[placement.path] = now.mode

    def complete(self) -> None:
        """Finish what a crash left to do with folders, where every file is in place."""
        for placement in self.placements:
            with suppress(Refused):  # moved away with the folder above
                self._insist(lambda placement=placement: placing.complete_folder(self._root, placement))
        self._flush(touched_folders(self.placements, done=True))
        self._note_modes(self.placements)

    def finish(self) -> tuple[str, ...]:
        """Remove the displaced old files once the outcome is recorded.

        Returns those that somebody wrote into through an open handle meanwhile: they stay. Raises NotRemoved.
        """
        size = max(_TOGETHER_FROM, -(-len(self.placements) // _AT_ONCE))
        parts = [self.placements[start : start + size] for start in range(0, len(self.placements), size)]
        if len(parts) <= 1:
            ends = [self._finish_part(self.placements)]
        else:
            # A removed file gives its blocks back, and that is mostly waiting for the disk. Imported here: it
            # takes longer than most plans.
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(len(parts), "studio-finish") as pool:
                ends = list(pool.map(self._finish_part, parts))
        strange = [path for some, _ in ends for path in some]
        # What was in the way for a moment, such as a scanner of viruses, may be gone by now.
        again, left = self._finish_part([placement for _, failed in ends for placement, _ in failed])
        temporaries = (placement.temporary for placement in self.placements if placement.temporary)
        # Before the plan is forgotten: a removal lost in a
        # power cut would leave a file that nobody looks for.
        self._flush(path.rpartition("/")[0] for path in temporaries)
        if left:
            paths = tuple(placement.temporary for placement, _ in left)
            raise NotRemoved(paths, (*strange, *again), left[0][1])
        return (*strange, *again)

    def _finish_part(
        self, placements: Iterable[Placement]
    ) -> tuple[list[str], list[tuple[Placement, OSError]]]:
        """What stays because somebody wrote into it, and what could not be removed."""
        strange: list[str] = []
        failed: list[tuple[Placement, OSError]] = []
        # All threads together hold what one batch holds: no more handles were asked for before it began.
        with HeldFolders(self._root, HELD_UP_TO // _AT_ONCE) as held:
            for placement in placements:
                try:
                    strange.extend(self._insist(lambda placement=placement: placing.finish(held, placement)))
                except Refused:  # moved away with its folder
                    continue
                except OSError as error:
                    failed.append((placement, error))
        return strange, failed

    def _put_back(self, root: Beneath, placement: Placement) -> PutBack:
        try:
            self._insist(lambda: self._enter(root, placement))
            return self._insist(lambda: undoing.put_back(root, placement, self._content))
        except Refused:
            return PutBack(is_left=True)

    def _enter(self, root: Beneath, placement: Placement) -> None:
        """Take hold of the folder a target is in: one that another program moves away and back again hides
        its files for a moment, and what is held is found wherever it is then."""
        above = placement.path.rpartition("/")[0]
        while above not in self._own_folders:  # those come and go with the batch
            try:
                with root.folder(above):
                    return
            except (FileNotFoundError, NotADirectoryError):
                if not self._may_look_again():
                    return

    def _insist(self, look: Callable[[], T]) -> T:
        """Look again where a link is in the way for the moment. Raises Refused when it stays."""
        while True:
            try:
                return look()
            except Refused as error:
                if error.code != "path.link" or not self._may_look_again():
                    raise

    def _may_look_again(self) -> bool:
        """Whether the time is left that a batch spends, in all, on what is in the way for the moment."""
        now = time.monotonic()
        # In all, and not for each file: who exchanges a folder
        # for ever would hold the writer lock for as long.
        if self._again_until is None:
            self._again_until = now + AGAIN_SECONDS
        return now <= self._again_until

    def _flush(self, paths: Iterable[str]) -> None:
        """Flush folders; those that became links meanwhile hold nothing of ours."""
        for path in sorted(set(paths)):
            with suppress(Refused):
                self._insist(lambda path=path: folders.flush_folders(self._root, [path]))


def place_one(root: ProjectRoot, placement: Placement, data: bytes | None) -> None:
    """Put one file in place, or remove it with `data` None, at once and durable.

    Raises Displaced where it is not what `placement` has before, or FileError; then nothing was changed.
    """
    content = {} if data is None else {sha256(data): data}
    batch = Batch(root, [placement], content.__getitem__)
    try:
        batch.prepare()
        batch.commit()
    except BaseException:
        with suppress(NotPutBack):  # the first error says what is the matter
            batch.abort()
        raise
    batch.finish()
