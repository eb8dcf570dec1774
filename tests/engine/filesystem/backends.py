"""One filesystem of every kind with the same content, for a suite that runs unchanged on all of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from studio.engine.filesystem import HostFilesystem, InMemoryFilesystem, OverlayFilesystem, PathLimits
from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.filesystem.policy_backing import RuledBacking
from studio.engine.filesystem.types import WriteMode
from studio.engine.policy import Policy, PolicyLimits, RuleSet
from studio.engine.root import Guard, ProjectRoot
from tests.tools.sandboxed import opened

Tree = dict[str, bytes | None]
"""Contents by path; None is an empty folder."""

Make = Callable[..., BackedFilesystem]

WIDE = PathLimits(depth=64, segment=255)

BACKENDS = (
    "host",
    "memory",
    "overlay of host",
    "overlay of memory",
    "overlay of overlay",
    "written overlay",
    "host overlay under rules",
)

SANDBOX = "layer of a sandbox"
"""Too slow to make for those tests that make every backend for each of many cases."""


def put(filesystem: BackedFilesystem, tree: Tree) -> None:
    for path, content in tree.items():
        if content is None:
            filesystem.mkdir(path)
        else:
            filesystem.write_bytes(path, content)


class Unheard:
    """A log of reads that nobody reads."""

    def read(self, path: str, offset: int, length: int, size: int, sha256: str) -> None:
        """See `ReadLog`."""


class Backends:
    """Makes filesystems in a folder, and closes them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._count = 0
        self.bases: list[BackedFilesystem] = []
        """What lies beneath the overlays that were made: nothing may ever change in them."""

    def host(self) -> HostFilesystem:
        self._count += 1
        folder = self._folder / f"root{self._count}"
        folder.mkdir()
        return self._stack.enter_context(HostFilesystem(folder, limits=WIDE))

    def make(self, kind: str, tree: Tree, *, read_only: bool = False) -> BackedFilesystem:
        """A filesystem of that kind which holds the tree and has the usual limits."""
        if kind == SANDBOX:
            # What the tree holds is the project's: every change of it is one of the overlay.
            project = self.host()
            put(project, tree)
            sandbox = self._stack.enter_context(
                opened(Path(project.root), state=self._folder / "state", has_files=True)
            )
            self.bases.append(project)
            return BackedFilesystem(sandbox.filesystem.backing, read_only=read_only, limits=PathLimits())
        base = self.host() if "host" in kind else InMemoryFilesystem(limits=WIDE)
        if kind == "written overlay":
            base = OverlayFilesystem(base)
        put(base, tree)
        if kind == "overlay of overlay":
            self.bases.append(base)
            base = OverlayFilesystem(base)
            for path, content in tree.items():
                if content is not None:
                    base.write_bytes(path, content)
        if kind in ("host", "memory", "written overlay"):
            return BackedFilesystem(base.backing, read_only=read_only, limits=PathLimits())
        self.bases.append(base)
        overlay = OverlayFilesystem(base, read_only=read_only, limits=PathLimits())
        if kind == "host overlay under rules":
            assert isinstance(base, HostFilesystem)
            root = self._stack.enter_context(ProjectRoot(Path(base.root)))
            policy = Policy((RuleSet("user", allow=("**",)),), PolicyLimits(file_bytes=1 << 30))
            overlay.backing = RuledBacking(overlay.layers, policy, Guard(root), Unheard())
        return overlay


def names(folder: Path) -> list[str]:
    """What is in a folder on disk, ours among it."""
    return sorted(entry.name for entry in folder.iterdir())


def written(backing: HostBacking, path: str, data: bytes, mode: WriteMode = WriteMode.OVERWRITE) -> None:
    """Write a file through a stream."""
    writing = backing.start(path, mode)
    writing.write(data)
    writing.finish()
