"""Two-phase execution of journaled file requests on a real disk (`PosixFS`).

It never reads a journal by itself; the gateway passes it the requests of an approved plan.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from studio.engine import filesystem
from studio.engine.branch.leaf import Leaf, LeafSettings
from studio.engine.disk import Aborted, Batch, ContentReader, DiskChange, SafePoint, in_order
from studio.engine.root import EntryKind, ProjectRoot
from studio.errors import LeadsOutside
from studio.journal.entries import (
    Content,
    DirectoryCreate,
    DirectoryCreated,
    Entry,
    FileDelete,
    FileDeleted,
    FileModeChanged,
    FileModeSet,
    FileMove,
    FileMoved,
    FileWrite,
    FileWritten,
    Payload,
    Reply,
    WritingRequest,
)
from studio.journal.file_image import FileImage
from studio.journal.journal import Journal
from studio.limits import LINKS_UP_TO, PATH_DEPTH, SEGMENT_BYTES
from studio.names import show_name
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine.filesystem import Filesystem

# Links inside the root are followed for reads alone, and only where a leaf is set to.


def follow_links(root: ProjectRoot, path: str) -> str:
    """Return a path beneath the root with its current links resolved.

    It is then opened without following any link, so that one that changes meanwhile is refused. Raises
    LeadsOutside for a link that leaves the root, or for too many of them.
    """
    resolved: list[str] = []
    remaining = [part for part in path.split("/") if part]
    link_count = 0
    while remaining:
        part = remaining.pop(0)
        if part == "..":
            if not resolved:
                raise _outside_error(path)
            resolved.pop()
            continue
        current = "/".join((*resolved, part))
        state = root.state(current)
        # ".." is removed only from a part that is no link: on the path as
        # written it would climb out of another folder than the link's.
        if state is None or state.kind is not EntryKind.LINK:
            resolved.append(part)
            continue
        link_count += 1
        if link_count > LINKS_UP_TO:
            raise _outside_error(path)
        link_target = root.link_target(current)
        if link_target is None:  # no link any more: checked again
            remaining.insert(0, part)
            continue
        target = os.fsdecode(link_target)
        if target.startswith("/"):
            target = _relative_to_root(root, target, path)
            resolved = []
        remaining[:0] = [step for step in target.split("/") if step not in ("", ".")]
    return "/".join(resolved)


def _relative_to_root(root: ProjectRoot, target: str, path: str) -> str:
    absolute = PurePosixPath(target)
    if ".." in absolute.parts or not absolute.is_relative_to(root.path):
        raise _outside_error(path)
    return str(absolute.relative_to(root.path))


def _outside_error(path: str) -> LeadsOutside:
    return LeadsOutside(
        "path.outside",
        f"{show_name(path)} leads outside the folder through a link.",
        "Specify a file inside it.",
        path=path,
    )


class Staged(Value):
    """Requests whose results are prepared beside their targets."""

    requests: tuple[WritingRequest, ...]
    batch: Batch


class PosixFSConfig(LeafSettings, kw_only=True):
    """Settings of a leaf on a POSIX disk.

    Links are followed only when reading, only inside the root, and only with `follow_symlinks`. No setting
    keeps the mode of a copy: no entry of the branch is a copy, and that of a plan always keeps it.
    """

    root_path: Path | str
    follow_symlinks: bool = False

    def __post_init__(self) -> None:
        """Check the values. Raises ValueError."""
        super().__post_init__()
        if not Path(self.root_path).is_absolute():
            raise ValueError(f"root_path must be absolute, but {self.root_path} is not")


class PosixFS(Leaf):
    """Leaf that writes beneath one root on disk.

    It carries out the requests of an approved plan, all or none, for a caller that holds the writer lock; or
    those of a journal of its own, one by one.
    """

    def __init__(
        self,
        root: ProjectRoot,
        content: ContentReader,
        config: PosixFSConfig | None = None,
        *,
        owns_root: bool = False,
        safe_point: SafePoint | None = None,
    ) -> None:
        """Create a leaf on a root, which is borrowed unless `owns_root`.

        `content` returns stored bytes by their SHA-256. `safe_point` is called between files of requests that
        are carried out together.
        """
        self._root = root
        self._content = content
        self._config = config or PosixFSConfig(root_path=root.path)
        self._owns_root = owns_root
        self._safe_point = safe_point
        super().__init__(self._open_filesystem, self._config, self._payload)

    @classmethod
    def over(cls, config: PosixFSConfig, journal: Journal[Entry]) -> PosixFS:
        """Create the leaf of a separate journal. Close it after use.

        Raises NotFound or Refused for the root.
        """

        def content(sha256: str) -> bytes:
            return journal.bytes_of(Content(sha256, 0))

        return cls(ProjectRoot(Path(config.root_path)), content, config, owns_root=True)

    def close(self) -> None:
        super().close()
        if self._owns_root:
            self._root.close()

    def _payload(self, payload: Payload) -> bytes:
        return payload if isinstance(payload, bytes) else self._content(payload.sha256)

    def _open_filesystem(self) -> Filesystem:
        return filesystem.HostFilesystem(self._root, limits=filesystem.PathLimits(PATH_DEPTH, SEGMENT_BYTES))

    def _for_reading(self, path: str) -> str:
        relative = super()._for_reading(path)
        return follow_links(self._root, relative) if self._config.follow_symlinks else relative

    def prepare(self, requests: Sequence[WritingRequest]) -> Staged:
        """Write every result beside its target and verify it.

        Raises FileError; call `abort` then.
        """
        staged = Staged(tuple(requests), self._batch_of(requests))
        staged.batch.prepare()
        return staged

    def commit(self, staged: Staged) -> tuple[Reply, ...]:
        """Put all results in place, in order, and flush the folders.

        Raises Displaced (a target changed at that moment) or FileError; call `abort` then.
        """
        return replies_of(staged.requests, staged.batch.commit())

    def abort(self, requests: Sequence[WritingRequest]) -> Aborted:
        """Restore every target that holds its result, in reverse order.

        Raises NotPutBack where the disk refused one of them; the others are restored even so.
        """
        return self._batch_of(requests).abort()

    def complete(self, requests: Sequence[WritingRequest]) -> Mapping[str, int]:
        """Finish the folder changes that a crash left; return the batch's `modes`.

        Every file must be in place.
        """
        batch = self._batch_of(requests)
        batch.complete()
        return batch.modes

    def finish(self, requests: Sequence[WritingRequest]) -> tuple[str, ...]:
        """Remove the replaced old files once the replies are durable.

        The store keeps their bytes. Returns those that another program wrote into through an open handle
        meanwhile: they stay. Raises NotRemoved.
        """
        return self._batch_of(requests).finish()

    def _batch_of(self, requests: Iterable[WritingRequest]) -> Batch:
        return Batch(self._root, disk_changes_of(requests), self._content, self._safe_point)


def disk_changes_of(requests: Iterable[WritingRequest]) -> tuple[DiskChange, ...]:
    """Return the requests as file changes, in order of execution.

    Folders are made first, then files are written, then folders are removed.
    """
    return in_order(change for request in requests for change in _placements(request))


def _placements(request: WritingRequest) -> Iterator[DiskChange]:
    match request:
        case DirectoryCreate():
            yield DiskChange(request.path, None, FileImage(None, 0, request.mode))
        case FileWrite():
            like = request.path if request.base is not None else None
            yield DiskChange(request.path, request.base, request.result, request.temporary, like)
        case FileModeSet():
            yield DiskChange(request.path, request.base, request.result, request.temporary, request.path)
        case FileDelete():
            yield DiskChange(request.path, request.base, None, request.temporary, if_empty=request.if_empty)
        case FileMove():
            # The new file first: while the old one exists, its owner and attributes can be read.
            yield DiskChange(request.to, None, request.result, request.to_temporary, request.path)
            yield DiskChange(request.path, request.base, None, request.temporary)


def replies_of(
    requests: Sequence[WritingRequest], exclusive: Mapping[str, bool] | None = None
) -> tuple[Reply, ...]:
    """Return the replies to requests that were carried out.

    `exclusive` says by path whether a write in between was impossible. It is unknown after a crash, and then
    taken as True because the replaced bytes were checked.
    """
    return tuple(_build_reply(request, exclusive or {}) for request in requests)


def _build_reply(request: WritingRequest, exclusive: Mapping[str, bool]) -> Reply:
    match request:
        case FileWrite():
            return FileWritten(
                request.correlation_id,
                request.path,
                _content_size(request),
                exclusive.get(request.path, True),
            )
        case FileModeSet():
            return FileModeChanged(
                request.correlation_id, request.path, request.result.mode, exclusive.get(request.path, True)
            )
        case FileMove():
            return FileMoved(request.correlation_id, request.path, request.to, request.result.size)
        case FileDelete():
            return FileDeleted(request.correlation_id, request.path, 1)
        case DirectoryCreate():
            return DirectoryCreated(request.correlation_id, request.path)


def _content_size(request: FileWrite) -> int:
    if request.content is None:
        return 0
    return len(request.content) if isinstance(request.content, bytes) else request.content.size
