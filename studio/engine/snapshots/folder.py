"""Where a project's snapshots are kept, opened for one piece of work at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress

from studio.engine.disk import writer_lock
from studio.engine.errors import Refused, SnapshotError, TimedOut
from studio.engine.limits import OBJECTS_COUNTED_SECONDS, SNAPSHOT_LOCK_SECONDS
from studio.engine.names import show_name
from studio.engine.project.context import Context
from studio.engine.root.hash_cache import HashCache
from studio.engine.snapshot_store import (
    UNWRITABLE,
    Capture,
    Captured,
    ObjectFolder,
    is_damage,
    read_hashes,
    write_hashes,
)
from studio.engine.snapshot_store.capture import Progress
from studio.engine.snapshots.records import records
from studio.engine.system.os_errors import told

_FOLDER = "snapshots.git"
_LOCK = "snapshots.lock"
_WHOLE = "hashes"


class SnapshotFolder:
    """The objects of one project, and what is known of its files; for all threads, one at a time."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._path = context.folder / _FOLDER
        self._turn = threading.Lock()
        self._known: HashCache | None = None
        self._counted: tuple[float, int] | None = None
        """When the objects were counted, and their bytes with all that was kept since."""

    @property
    def is_there(self) -> bool:
        """Whether anything was ever kept."""
        return (self._path / "HEAD").exists()

    @contextmanager
    def opened(self) -> Generator[ObjectFolder]:
        """The objects, for this thread and process alone: nothing is swept while others keep.

        What turns out to be damaged is removed, so that the next capture reads it anew where the project
        still has it; where the disk is full, what no snapshot names goes too. Raises TimedOut while another
        process has them for long, SnapshotError where they can't be used.
        """
        with self._turn, self._locked(), ObjectFolder(self._path) as objects:
            with suppress(SnapshotError):  # a full disk: what is damaged shows later
                objects.check_after_start()
            if objects.is_half_swept:
                self.sweep(objects)
            try:
                yield objects
            except SnapshotError as error:
                if is_damage(error):
                    with suppress(SnapshotError):
                        objects.remove_damaged()
                elif error.code == UNWRITABLE:
                    with suppress(SnapshotError):
                        self.sweep(objects)
                raise

    def sweep(self, objects: ObjectFolder, known: HashCache | None = None) -> int:
        """Remove what nothing leads to any more, but for what is `known`; returns the bytes that it freed."""
        marks = self._context.store.observed.marks()
        self._counted = None
        # What was seen last has no name: it is new with every look.
        trees = () if marks is None else (marks.tree,)
        return objects.sweep(trees, () if known is None else known.objects())

    @contextmanager
    def read(self) -> Generator[ObjectFolder]:
        """The objects, to read what is named in them; waits for nobody. Raises SnapshotError."""
        with ObjectFolder(self._path) as objects:
            yield objects

    @contextmanager
    def _locked(self) -> Generator[None]:
        try:
            lock = writer_lock(self._context.folder / _LOCK, timeout=SNAPSHOT_LOCK_SECONDS)
            lock.__enter__()
        except TimedOut as error:
            raise TimedOut(
                "snapshot.busy",
                "Another Exacta Studio process is busy with this project's snapshots.",
                "Wait until it has finished and try again.",
            ) from error
        try:
            yield
        finally:
            lock.__exit__(None, None, None)

    def captured(self, objects: ObjectFolder, progress: Progress | None = None) -> Captured:
        """The project as it is now, kept in the objects. Raises SnapshotError, or Refused at the cap."""
        with told("No snapshot was made", it="the project"):
            if self._known is None:
                self._known = self.known(_WHOLE)
            capture = Capture(self._context.root, objects, self._known)
            capture.look()
            self.check_room(objects, capture)
            captured = capture.keep(progress)
            if capture.files_read:
                self.keep_known(_WHOLE, self._known)
            return captured

    def known(self, name: str, rules: str = "") -> HashCache:
        """What some process knew of the files by these rules, kept under a name; nothing where none was."""
        return read_hashes(self._path / name, rules)

    def keep_known(self, name: str, known: HashCache, rules: str = "") -> None:
        """Keep it under a name for the next process; where that can't be, it has to read the files again."""
        with suppress(OSError):
            write_hashes(self._path / name, known, rules)

    def check_room(self, objects: ObjectFolder, capture: Capture) -> None:
        """Raises Refused where what there is to read would be over the cap, before it is read.

        What only earlier looks saw goes before it says no: a file that others write all the time would fill
        the room with what it was in between.
        """
        cap, more = self._context.config().observe_bytes, capture.bytes_to_read
        if capture.is_first:
            # Nothing is known, but most of it has been kept before.
            more = max(0, more - max((record.bytes for record in records(objects)), default=0))
        if not more:
            return
        if more <= cap and (
            self._is_room(objects, more, cap)
            or (self.sweep(objects, capture.known) and self._is_room(objects, more, cap))
        ):
            return
        path, size = capture.largest_to_read
        raise Refused(
            "snapshot.too_large",
            f"{more:,} bytes would have to be kept, and snapshots may take {cap:,} bytes in all. The largest"
            f" file is {show_name(path)}, {size:,} bytes.",
            "Delete snapshots (studio snapshot delete), or let them take more: observe.bytes in config.yaml."
            " What is named by observe.ignore there is not observed.",
            path=path,
        )

    def _is_room(self, objects: ObjectFolder, more: int, cap: int) -> bool:
        """To count the objects takes longer than a look: it is done now and then, and before it says no."""
        counted, now = self._counted, time.monotonic()
        is_old = counted is None or now - counted[0] > OBJECTS_COUNTED_SECONDS
        if counted is None or is_old or counted[1] + more > cap:
            counted = (now, objects.used_bytes())
        self._counted = (counted[0], counted[1] + more)
        return counted[1] + more <= cap
