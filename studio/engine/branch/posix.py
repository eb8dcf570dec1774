"""The leaf on a real disk: prepares, commits and aborts the requests it is handed (seed 1, design 1).

It never reads a journal by itself; the gateway gives it the requests of an approved plan.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from studio.engine import disk
from studio.engine.branch import placing
from studio.engine.branch.entries import (
    DirectoryCreate,
    DirectoryCreated,
    FaultKind,
    FileDelete,
    FileDeleted,
    FileModeChanged,
    FileModeSet,
    FileMove,
    FileMoved,
    FileWrite,
    FileWritten,
    Reply,
    Request,
)
from studio.engine.branch.placing import ContentReader, Placement, PutBack
from studio.engine.errors import Refused, StudioError
from studio.engine.names import show_name
from studio.engine.root import ProjectRoot

T = TypeVar("T")

_FAULT_OF_ERRNO = {
    errno.ENOENT: FaultKind.NOT_FOUND,
    errno.EEXIST: FaultKind.ALREADY_EXISTS,
    errno.EACCES: FaultKind.ACCESS_DENIED,
    errno.EPERM: FaultKind.ACCESS_DENIED,
    errno.EROFS: FaultKind.ACCESS_DENIED,
    errno.EBUSY: FaultKind.ACCESS_DENIED,
    errno.ETXTBSY: FaultKind.ACCESS_DENIED,
    errno.EINVAL: FaultKind.INVALID_PATH,
    errno.ELOOP: FaultKind.INVALID_PATH,
    errno.EXDEV: FaultKind.INVALID_PATH,
    errno.ENOTEMPTY: FaultKind.DIRECTORY_NOT_EMPTY,
    errno.ENOTDIR: FaultKind.NOT_A_DIRECTORY,
    errno.EISDIR: FaultKind.NOT_A_FILE,
    errno.ENOSPC: FaultKind.DISK_FULL,
    errno.EDQUOT: FaultKind.DISK_FULL,
    errno.ENAMETOOLONG: FaultKind.PATH_TOO_LONG,
    errno.ETIMEDOUT: FaultKind.TIMEOUT,
}


def fault_kind(error: OSError) -> FaultKind:
    """The fault kind of an error of the operating system (R77); what is not listed is IoError."""
    return _FAULT_OF_ERRNO.get(error.errno or 0, FaultKind.IO_ERROR)


class WriteFailed(Refused):
    """The disk said no in the middle; what had been written is put back by the caller."""

    def __init__(self, fault: FaultKind, message: str, hint: str, *, path: str | None) -> None:
        super().__init__(f"disk.{fault.value}", message, hint, path=path)
        self.fault = fault


class NotPutBack(WriteFailed):
    """Something could not even be put back; the plan stays as it is until recovery has done so."""


_LINK_SECONDS = 2.0
"""How long a leaf looks again, in all, where a folder is exchanged with a link again and again."""


@dataclass(frozen=True, slots=True)
class Aborted:
    """Which targets hold neither base nor result, and which files of ours hold what somebody wrote."""

    left: tuple[str, ...]
    strange: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Staged:
    """Requests whose results lie ready beside their targets."""

    requests: tuple[Request, ...]
    placements: tuple[Placement, ...]


class PosixFS:
    """Carries requests out beneath one project root. Belongs to the holder of the writer lock."""

    def __init__(self, root: ProjectRoot, content: ContentReader) -> None:
        self._root = root
        self._content = content
        self._link_deadline: float | None = None

    def prepare(self, requests: Sequence[Request]) -> Staged:
        """Write every result beside its target and verify it. Raises WriteFailed; then call `abort`."""
        staged = Staged(tuple(requests), placing.placements_of(requests))
        with Faults():
            placing.stage(self._root, staged.placements, self._content)
        return staged

    def commit(self, staged: Staged) -> tuple[Reply, ...]:
        """Put all results in place, in order, and flush the folders.

        Raises Displaced (a target changed at that moment) or WriteFailed; then call `abort`.
        """
        exclusive: dict[str, bool] = {}
        with Faults():
            for placement in staged.placements:
                exclusive[placement.path] = placing.carry_out(self._root, placement)
            disk.flush_folders(self._root, placing.touched_folders(staged.placements))
        return replies_of(staged.requests, exclusive)

    def abort(self, requests: Sequence[Request]) -> Aborted:
        """Put every target back that holds its result, in reverse order.

        Raises NotPutBack when the disk did not let it for one of them; the others are back even so.
        """
        placements = placing.placements_of(requests)
        left: list[str] = []
        strange: list[str] = []
        failure: OSError | None = None
        for placement in reversed(placements):
            try:
                ended = self._put_back(placement)
            except OSError as error:
                failure = failure or error
                continue
            if ended.is_left:
                left.append(placement.path)
            strange.extend(ended.strange)
        try:
            self._flush(placing.touched_folders(placements))
        except OSError as error:
            failure = failure or error
        if failure is not None:
            raise _not_put_back(failure) from failure
        return Aborted(tuple(left), tuple(strange))

    def _put_back(self, placement: Placement) -> PutBack:
        try:
            return self._insist(lambda: placing.put_back(self._root, placement, self._content))
        except Refused:
            return PutBack(is_left=True)

    def _insist(self, look: Callable[[], T]) -> T:
        """Look again where a link is in the way for the moment. Raises Refused when it stays."""
        while True:
            try:
                return look()
            except Refused as error:
                now = time.monotonic()
                if self._link_deadline is None:
                    self._link_deadline = now + _LINK_SECONDS
                if error.code != "path.link" or now > self._link_deadline:
                    raise

    def _flush(self, folders: Iterable[str]) -> None:
        """Flush folders; those that became links meanwhile hold nothing of ours."""
        for folder in sorted(set(folders)):
            with suppress(Refused):
                self._insist(lambda folder=folder: disk.flush_folders(self._root, [folder]))

    def complete(self, requests: Sequence[Request]) -> None:
        """Finish what a crash left to do with folders, where every file is in place."""
        placements = placing.placements_of(requests)
        for placement in placements:
            with suppress(Refused):  # moved away with the folder above
                self._insist(lambda placement=placement: placing.complete_folder(self._root, placement))
        self._flush(placing.touched_folders(placements))

    def finish(self, requests: Sequence[Request]) -> tuple[str, ...]:
        """Remove the displaced old files once the replies are durable; the store keeps their bytes.

        Returns those that somebody wrote into through an open handle meanwhile: they stay.
        """
        placements = placing.placements_of(requests)
        strange: list[str] = []
        for placement in placements:
            with suppress(Refused):  # moved away with its folder
                strange.extend(
                    self._insist(lambda placement=placement: placing.finish(self._root, placement))
                )
        folders = {placement.temporary.rpartition("/")[0] for placement in placements if placement.temporary}
        self._flush(folders)
        return tuple(strange)


class Faults:
    """Turns an error of the operating system into one sentence with a fault kind: nothing is written."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if not isinstance(error, OSError) or isinstance(error, StudioError):
            return
        fault = fault_kind(error)
        message, hint = _words(fault, _what(error))
        path = error.filename if isinstance(error.filename, str) else None
        raise WriteFailed(fault, message, hint, path=path) from error


def _what(error: OSError) -> str:
    path = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    return f"{show_name(path)}: {error.strerror}" if path else str(error.strerror or error)


def _not_put_back(error: OSError) -> NotPutBack:
    return NotPutBack(
        fault_kind(error),
        f"The apply failed, and not everything could be put back yet ({_what(error)}).",
        "Mend that, then run: studio recover",
        path=None,
    )


def _words(fault: FaultKind, what: str) -> tuple[str, str]:
    if fault is FaultKind.DISK_FULL:
        return "Nothing was written: the disk is full.", "Free some space and apply again."
    if fault is FaultKind.ACCESS_DENIED:
        return f"Nothing was written: access was denied ({what}).", "Check the permissions and apply again."
    return f"Nothing was written: the disk reported an error ({what}).", "Check the disk and apply again."


def replies_of(requests: Sequence[Request], exclusive: Mapping[str, bool] | None = None) -> tuple[Reply, ...]:
    """What is answered to requests that were carried out; `exclusive` says by path whether nobody could
    have come between (unknown after a crash, then taken as so because the displaced bytes were checked)."""
    return tuple(_reply(request, exclusive or {}) for request in requests)


def _reply(request: Request, exclusive: Mapping[str, bool]) -> Reply:
    match request:
        case FileWrite():
            return FileWritten(
                request.correlation_id, request.path, request.content.size, exclusive.get(request.path, True)
            )
        case FileModeSet():
            return FileModeChanged(
                request.correlation_id, request.path, request.result.mode, exclusive.get(request.path, True)
            )
        case FileMove():
            return FileMoved(request.correlation_id, request.path, request.to, request.content.size)
        case FileDelete():
            return FileDeleted(request.correlation_id, request.path, 1)
        case DirectoryCreate():
            return DirectoryCreated(request.correlation_id, request.path)
