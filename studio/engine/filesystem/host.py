"""The protocol over a folder on disk (R110).

A writable one over a project is made in the gateway's leaf alone (design section 1); everybody else reads
through one, or writes to a layer over it.
"""

from __future__ import annotations

from pathlib import Path

from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.filesystem.types import PathLimits
from studio.engine.root import ProjectRoot
from studio.engine.system.closing import Closing


class HostFilesystem(BackedFilesystem, Closing):
    """A `Filesystem` over a folder on disk, which is held open. Close it, or use it as a context manager."""

    def __init__(
        self, root: str | Path | ProjectRoot, *, read_only: bool = False, limits: PathLimits | None = None
    ) -> None:
        """Open the folder; an open root is borrowed and stays open. Links on the way to it are followed
        once, here (T7).

        Raises NotFound, or Refused for folders that are never a project (contract 1).
        """
        self._borrowed = isinstance(root, ProjectRoot)
        self._project = root if isinstance(root, ProjectRoot) else ProjectRoot(Path(root))
        super().__init__(HostBacking(self._project), read_only=read_only, limits=limits or PathLimits())

    def close(self) -> None:
        """Let go of the folder."""
        if not self._borrowed:
            self._project.close()
