"""The protocol over a folder on disk (R110).

A writable one over a project is made in the gateway's leaf alone (design section 1); everybody else reads
through one, or writes to a layer over it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.filesystem.types import FilesystemSnapshot, PathLimits
from studio.engine.root import ProjectRoot
from studio.engine.system.closing import Closing

if TYPE_CHECKING:
    from studio.engine.filesystem.host_snapshots import HostSnapshots


class HostFilesystem(BackedFilesystem, Closing):
    """A `Filesystem` over a folder on disk, which is held open. Close it, or use it as a context manager."""

    def __init__(
        self,
        root: str | Path | ProjectRoot,
        *,
        read_only: bool = False,
        limits: PathLimits | None = None,
        git_dir: str | Path | None = None,
    ) -> None:
        """Open the folder; an open root is borrowed and stays open. Links on the way to it are followed
        once, here (T7).

        Snapshots are kept in `git_dir`, outside of the folder, or else in a private temporary folder. What a
        restore left undone when its process ended is finished or undone here. Raises NotFound, or Refused for
        folders that are never a project (contract 1), SnapshotError for a git directory that can't be used.
        """
        self._borrowed = isinstance(root, ProjectRoot)
        self._project = root if isinstance(root, ProjectRoot) else ProjectRoot(Path(root))
        self._git_dir = Path(git_dir) if git_dir is not None else None
        self._snapshots: HostSnapshots | None = None
        super().__init__(HostBacking(self._project), read_only=read_only, limits=limits or PathLimits())
        if self._git_dir is not None:
            try:
                kept = self._kept()
                if not read_only:
                    kept.finish_interrupted()
            except BaseException:
                self.close()
                raise

    def snapshot(self, tag: str | None = None) -> FilesystemSnapshot:
        """Keep the current state: every file, link and folder with its bits, but nobody's `.git` (R126).

        Raises SnapshotError, also where pygit2 is missing, or FileError.
        """
        return self._kept().snapshot(tag)

    def restore(self, snapshot: FilesystemSnapshot) -> None:
        """Bring a kept state back, also one that another process kept in the same git directory.

        All of it or nothing, and nothing that no snapshot holds is touched. Raises SnapshotError, Displaced
        where somebody writes meanwhile, AccessDenied where nothing may be written, or another FileError.
        """
        self._check_may_change("")
        self._kept().restore(snapshot)

    def cleanup(self) -> None:
        """Let go of the git directory; a private one is removed with its snapshots."""
        if self._snapshots is not None:
            self._snapshots.cleanup()

    def close(self) -> None:
        """Let go of the folder, and of the git directory as `cleanup` does."""
        self.cleanup()
        if not self._borrowed:
            self._project.close()

    def _kept(self) -> HostSnapshots:
        if self._snapshots is None:
            # Few keep snapshots, and each start of the program would load what they need.
            from studio.engine.filesystem.host_snapshots import HostSnapshots

            self._snapshots = HostSnapshots(self._project, self._git_dir)
        return self._snapshots
