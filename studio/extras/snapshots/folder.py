"""Access to a project's snapshot repository: locking, capture and file hash cache."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress

from studio.engine.disk import writer_lock
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
from studio.errors import Refused, SnapshotError, TimedOut
from studio.extras.snapshots.records import records
from studio.limits import OBJECTS_COUNTED_SECONDS, SNAPSHOT_LOCK_SECONDS
from studio.names import show_name
from studio.system.os_errors import wrap_os_errors

_FOLDER = "snapshots.git"
_LOCK = "snapshots.lock"
_WHOLE = "hashes"


class SnapshotFolder:
    """Snapshot objects of one project, and the hash cache of its files.

    Threads can share it; they take turns.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._path = context.folder / _FOLDER
        self._lock_in_process = threading.Lock()
        self._hash_cache: HashCache | None = None
        self._counted: tuple[float, int] | None = None
        """Time of the last count, and its bytes with later additions."""

    @property
    def is_there(self) -> bool:
        """Whether anything was ever stored."""
        return (self._path / "HEAD").exists()

    @contextmanager
    def opened(self) -> Generator[ObjectFolder]:
        """Open the objects for this thread and process alone.

        The lock stops a sweep from removing what another process is writing. Damaged objects are removed, so
        that the next capture reads the files again; on a full disk, unreferenced objects are removed, too.
        Raises TimedOut where another process holds the lock for too long, SnapshotError where the objects
        can't be used.
        """
        with self._lock_in_process, self._hold_lock(), ObjectFolder(self._path) as objects:
            with suppress(SnapshotError):  # the disk is full; damage is found when an object is read
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

    def sweep(self, objects: ObjectFolder, cache: HashCache | None = None) -> int:
        """Remove unreferenced objects and return the number of bytes freed.

        Objects in `cache` are kept.
        """
        marks = self._context.store.observed.marks()
        self._counted = None
        # The tree of the last scan has no ref, since every scan makes a new one.
        trees = () if marks is None else (marks.tree,)
        return objects.sweep(trees, () if cache is None else cache.objects())

    @contextmanager
    def read(self) -> Generator[ObjectFolder]:
        """Open the objects read-only, without waiting for a lock.

        Raises SnapshotError.
        """
        with ObjectFolder(self._path) as objects:
            yield objects

    @contextmanager
    def _hold_lock(self) -> Generator[None]:
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
        """Capture the project's current state into the objects.

        Raises SnapshotError, or Refused at the size limit.
        """
        with wrap_os_errors("No snapshot was made", it="the project"):
            if self._hash_cache is None:
                self._hash_cache = self.load_hash_cache(_WHOLE)
            capture = Capture(self._context.root, objects, self._hash_cache)
            capture.scan()
            self.check_room(objects, capture)
            captured = capture.store(progress)
            if capture.files_read:
                self.store_hash_cache(_WHOLE, self._hash_cache)
            return captured

    def load_hash_cache(self, name: str, rules: str = "") -> HashCache:
        """Load a hash cache stored under `name` with the same rules.

        It is empty where there is none.
        """
        return read_hashes(self._path / name, rules)

    def store_hash_cache(self, name: str, cache: HashCache, rules: str = "") -> None:
        """Store a hash cache for the next process, if possible.

        Where that fails, the next process has to read the files again.
        """
        with suppress(OSError):
            write_hashes(self._path / name, cache, rules)

    def check_room(self, objects: ObjectFolder, capture: Capture) -> None:
        """Raise Refused if the files to read would exceed the size limit.

        Objects of earlier scans are removed before it refuses: a file that is written all the time would
        otherwise fill the space with its old versions.
        """
        cap, more = self._context.config().observe_bytes, capture.bytes_to_read
        if capture.is_first:
            # The cache is empty, but most contents are already stored.
            more = max(0, more - max((record.bytes for record in records(objects)), default=0))
        if not more:
            return
        if more <= cap and (
            self._is_room(objects, more, cap)
            or (self.sweep(objects, capture.hash_cache) and self._is_room(objects, more, cap))
        ):
            return
        path, size = capture.largest_to_read
        raise Refused(
            "snapshot.too_large",
            f"{more:,} bytes would be stored, but snapshots are limited to {cap:,} bytes. The largest"
            f" file is {show_name(path)}, {size:,} bytes.",
            "Delete snapshots, raise observe.bytes in the user configuration, or add large files to"
            " observe.ignore.",
            path=path,
        )

    def _is_room(self, objects: ObjectFolder, more: int, cap: int) -> bool:
        """Return whether so many bytes fit under the limit.

        Counting the objects takes longer than a scan, so it is done from time to time, and before refusing.
        """
        measured, now = self._counted, time.monotonic()
        is_old = measured is None or now - measured[0] > OBJECTS_COUNTED_SECONDS
        if measured is None or is_old or measured[1] + more > cap:
            measured = (now, objects.used_bytes())
        self._counted = (measured[0], measured[1] + more)
        return measured[1] + more <= cap
