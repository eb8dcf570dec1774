"""Direct writing of file changes outside projects, with backups and error rollback.

They are written one by one, and undone where one fails. A project's files are written by the gateway alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from studio.engine.draft import DraftStep
from studio.engine.filesystem import Filesystem, WriteMode
from studio.engine.filesystem.backup_names import backup_name
from studio.engine.plan import Operation
from studio.engine.root import EntryKind
from studio.errors import FileExists, Refused
from studio.limits import BACKUP_NAMES_UP_TO
from studio.names import show_name


def write_changes(
    files: Filesystem, steps: Sequence[DraftStep], *, backups: Collection[str], at_most: int
) -> dict[str, str]:
    """Write all steps; return the backup's path of each file in `backups`.

    Raises Refused for more files than `at_most`, and what a failing step raises, after undoing all before it.
    """
    writing = _Writing(files, frozenset(backups))
    ordered = sorted(steps, key=lambda step: step.op is Operation.DELETE)
    removed = {step.path: _read_removed(files, step.path) for step in ordered if step.op is Operation.DELETE}
    count = len(steps) + sum(len(entries) - 1 for entries in removed.values())
    if count > at_most:
        raise too_many(count, at_most)
    try:
        for step in ordered:
            writing.write(step, removed.get(step.path, ()))
    except BaseException:
        writing.take_back()
        raise
    return writing.backups


def too_many(count: int, at_most: int) -> Refused:
    """Return the error for more changes than one call may make."""
    return Refused(
        "tool.too_many",
        f"These are {count} files; one call changes {at_most} at most.",
        "Do it in parts, or raise limits.steps in the user configuration.",
    )


_Held = Sequence[tuple[str, bytes | None]]
"""Files with their bytes, and folders with None before their contents."""


class _Writing:
    def __init__(self, files: Filesystem, wanted: Collection[str]) -> None:
        self.backups: dict[str, str] = {}
        self._files = files
        self._wanted = wanted
        self._undo: list[Callable[[], None]] = []

    def take_back(self) -> None:
        """Undo the changes, last first, as far as the disk allows."""
        for undo in reversed(self._undo):
            with suppress(OSError):
                undo()

    def write(self, step: DraftStep, previous: _Held) -> None:
        files, target = self._files, step.to or step.path
        if step.op is Operation.DELETE:
            self._undo.append(lambda: self._write_back(previous))
            files.delete(step.path, recursive=True)
            return
        if step.op is Operation.MODIFY:
            self._replace_content(target, step.exact or b"")
            return
        self._make_parents(target)
        if step.op is Operation.MKDIR:
            files.mkdir(target)
        elif step.op is Operation.MOVE:
            files.move(step.path, target)
            self._undo.append(lambda: files.move(target, step.path))
            if step.exact is not None:
                self._replace_content(target, step.exact)
            return
        elif step.op is Operation.COPY:
            files.copy(step.path, target)
        else:
            files.write_bytes(target, step.exact or b"", WriteMode.CREATE)
        self._undo.append(lambda: files.delete(target))

    def _replace_content(self, path: str, data: bytes) -> None:
        files = self._files
        with files.open_read(path) as reader:
            before = reader.read()
        backup = replace_file(files, path, data, keeps_backup=path in self._wanted)
        self._undo.append(lambda: _write_file(files, path, before))
        if backup is not None:
            self.backups[path] = backup
            self._undo.append(lambda: files.delete(backup))

    def _make_parents(self, path: str) -> None:
        for end in (at for at, character in enumerate(path) if character == "/"):
            folder = path[:end]
            if not self._files.exists(folder):
                self._files.mkdir(folder)
                self._undo.append(lambda folder=folder: self._files.delete(folder))

    def _write_back(self, previous: _Held) -> None:
        for path, data in previous:
            if self._files.exists(path):
                continue
            if data is None:
                self._files.mkdir(path)
            else:
                self._files.write_bytes(path, data)


def _write_file(files: Filesystem, path: str, data: bytes) -> None:
    files.write_bytes(path, data)


def _read_removed(files: Filesystem, path: str) -> _Held:
    """Read what a delete removes, so that it can be restored.

    Raises Refused for what can't be restored.
    """
    found = files.stat(path)
    if found.is_file:
        with files.open_read(path) as reader:
            return ((path, reader.read()),)
    return ((path, None), *_read_folder(files, path))


def _read_folder(files: Filesystem, folder: str) -> Iterator[tuple[str, bytes | None]]:
    for entry in files.scan(folder):
        path = f"{folder}/{entry.name}"
        if entry.kind not in (EntryKind.FILE, EntryKind.FOLDER):
            raise Refused(
                "tool.not_kept",
                f"{show_name(path)} is no file, and could not be put back if another change fails.",
                "Delete it by itself.",
                path=path,
            )
        yield from _read_removed(files, path)


# Backups beside files that are replaced without a plan.


def replace_file(
    files: Filesystem,
    path: str,
    data: bytes,
    *,
    keeps_backup: bool,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> str | None:
    """Replace a file, keeping a backup on request; return its path.

    The backup is made when the new bytes are on disk and only the rename is missing, so that a refused or
    failed write leaves none. Raises as `Filesystem.open_write` and `Filesystem.copy`.
    """
    writer = files.open_write(path, WriteMode.OVERWRITE)
    with writer:
        writer.write(data)
        backup = _copy_beside(files, path, clock()) if keeps_backup and files.exists(path) else None
        try:
            writer.close()
        except BaseException:
            if backup is not None:
                with suppress(OSError):
                    files.delete(backup)
            raise
    return backup


def _copy_beside(files: Filesystem, path: str, when: datetime) -> str:
    """Copy a file to a free name.

    A second copy within one second gets a number.
    """
    for number in range(1, BACKUP_NAMES_UP_TO + 1):
        beside = backup_name(path, when, number)
        try:
            files.copy(path, beside)
        except FileExists:
            continue
        return beside
    raise FileExists(
        "backup.names",
        f"{backup_name(path, when)} and the names behind it are taken.",
        "Wait a second, or remove backups that nobody needs.",
        path=path,
    )
