"""Filesystem over a folder on disk, with snapshot and restore.

A writable one over a project is created only by the gateway's leaf; everything else reads through one, or
writes to a layer over it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine import filesystem
from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.filesystem.types import FilesystemSnapshot, PathLimits
from studio.engine.root import ProjectRoot
from studio.system.closing import Closing

if TYPE_CHECKING:
    from studio.engine.filesystem.host_snapshots import HostSnapshots


class HostFilesystem(BackedFilesystem, Closing):
    """A `Filesystem` over a folder on disk, held open until `close`."""

    def __init__(
        self,
        root: str | Path | ProjectRoot,
        *,
        read_only: bool = False,
        limits: PathLimits | None = None,
        git_dir: str | Path | None = None,
    ) -> None:
        """Open the folder; an open root is borrowed and stays open.

        Links in the path to it are resolved once, here. Snapshots are stored in `git_dir`, outside of the
        folder, or else in a private temporary folder. A restore that an earlier process left unfinished is
        finished or undone here. Raises FileNotFoundError, NotADirectoryError, Refused for a home or system
        folder, SnapshotError for a git directory that can't be used.
        """
        self._borrowed = isinstance(root, ProjectRoot)
        self._project = root if isinstance(root, ProjectRoot) else ProjectRoot(Path(root))
        self._git_dir = Path(git_dir) if git_dir is not None else None
        self._snapshots: HostSnapshots | None = None
        self._host = HostBacking(self._project)
        super().__init__(self._host, read_only=read_only, limits=limits or PathLimits())
        if self._git_dir is not None:
            try:
                snapshots = self._open_snapshots()
                if not read_only:
                    snapshots.finish_interrupted()
            except BaseException:
                self.close()
                raise

    def snapshot(self, tag: str | None = None) -> FilesystemSnapshot:
        """Store the current state: files, links and folders with their modes.

        Every `.git` is excluded. Raises SnapshotError, also where pygit2 is missing, or FileError.
        """
        return self._open_snapshots().snapshot(tag)

    def restore(self, snapshot: FilesystemSnapshot) -> None:
        """Restore a snapshot; another process may have made it.

        It has to be in the same git directory. All or nothing; what is in no snapshot is not touched. Raises
        SnapshotError, Displaced where another program writes meanwhile, AccessDenied where the filesystem is
        read-only, or another FileError.
        """
        self._check_may_change("")
        self._open_snapshots().restore(snapshot)

    def cleanup(self) -> None:
        """Close the git directory; a private one is removed with its snapshots."""
        if self._snapshots is not None:
            self._snapshots.cleanup()

    def close(self) -> None:
        """Close the folder's handle, and the git directory as `cleanup` does."""
        self.cleanup()
        if not self._borrowed:
            self._project.close()

    def _open_snapshots(self) -> HostSnapshots:
        project = self._host.project
        if self._snapshots is None:
            self._snapshots = filesystem.HostSnapshots(project, self._git_dir)
        return self._snapshots
