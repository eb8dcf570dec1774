"""The leaf on a real disk: prepares, commits and aborts the requests it is handed (seed 1, design 1).

It never reads a journal by itself; the gateway gives it the requests of an approved plan.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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

    def prepare(self, requests: Sequence[Request]) -> Staged:
        """Write every result beside its target and verify it. Raises WriteFailed; then call `abort`."""
        staged = Staged(tuple(requests), placing.placements_of(requests))
        with _Faults():
            placing.stage(self._root, staged.placements, self._content)
        return staged

    def commit(self, staged: Staged) -> tuple[Reply, ...]:
        """Put all results in place, in order, and flush the folders.

        Raises Displaced (a target changed at that moment) or WriteFailed; then call `abort`.
        """
        exclusive: dict[str, bool] = {}
        with _Faults():
            for placement in staged.placements:
                exclusive[placement.path] = placing.carry_out(self._root, placement)
            disk.flush_folders(self._root, placing.touched_folders(staged.placements))
        return replies_of(staged.requests, exclusive)

    def abort(self, requests: Sequence[Request]) -> tuple[str, ...]:
        """Put every target back that holds its result, in reverse order; returns those left as they are."""
        placements = placing.placements_of(requests)
        left = [
            placement.path
            for placement in reversed(placements)
            if placing.put_back(self._root, placement, self._content) is PutBack.LEFT
        ]
        disk.flush_folders(self._root, placing.touched_folders(placements))
        return tuple(left)

    def finish(self, requests: Sequence[Request]) -> tuple[str, ...]:
        """Remove the displaced old files; returns those that somebody wrote into meanwhile and that stay."""
        return placing.finish(self._root, placing.placements_of(requests))


class _Faults:
    """Turns an error of the operating system into one sentence with a fault kind."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if not isinstance(error, OSError) or isinstance(error, StudioError):
            return
        path = error.filename if isinstance(error.filename, str) else None
        fault = fault_kind(error)
        what = f"{show_name(path)}: {error.strerror}" if path else str(error.strerror or error)
        message, hint = _words(fault, what)
        raise WriteFailed(fault, message, hint, path=path) from error


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
