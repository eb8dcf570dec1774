"""Filesystem over a sandbox's layer: files as its commands see them.

It needs a handle of the layer's folder: of the mounted overlay, or of a copy. What commands left there is
untrusted: no link is followed, as by any `HostFilesystem`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from studio.engine.filesystem import HostFilesystem
from studio.engine.filesystem.access_log import Unlogged
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.filesystem.policy_backing import RuledBacking
from studio.engine.patterns import folder_text
from studio.engine.policy import Policy, PolicyLimits, RuleSet
from studio.engine.root import EntryKind, ProjectRoot, Unseen
from studio.engine.root.project_root import identity_of
from studio.errors import AccessDenied
from studio.extras.sandbox.overlay_files import write_into_layer
from studio.extras.sandbox.values import OverriddenFile
from studio.limits import SANDBOX_FILE_BYTES


class LayerFilesystem(HostFilesystem):
    """The files of a sandbox's layer, shown at the project's path.

    Writes are visible to commands at once, and become part of the same changes. An object belongs to one
    thread, and no command may start while it reads or writes; a running one may.
    """

    def __init__(self, project: Path, place: Path, hidden: Iterable[Path]) -> None:
        """Open the folder `place`.

        `hidden` are paths of the project that commands do not see either.
        """
        self._layer = ProjectRoot(place, check=lambda path: path)
        self._layer.path = project
        self._layer.place = f"/proc/{os.getpid()}/fd/{self._layer.handle}"
        super().__init__(self._layer)
        self.backing = _LayerBacking(self._layer)
        patterns = [folder_text(path.relative_to(project).as_posix()).removesuffix("/") for path in hidden]
        if patterns:
            rules = (RuleSet("sandbox.hide", deny=tuple(patterns)),)
            policy = Policy(rules, PolicyLimits(file_bytes=SANDBOX_FILE_BYTES))
            self.backing = RuledBacking(self.backing, policy, None, Unlogged())

    def overlay(self, files: Iterable[OverriddenFile]) -> None:
        """Put these files in place of the project's.

        Raises OSError.
        """
        write_into_layer(self._layer.handle, files)

    def release(self) -> None:
        """Close the layer, until `follow` opens it again."""
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, self._layer.handle, inheritable=False)
        os.close(nothing)

    def follow(self, handle: int) -> None:
        """Open the layer by a handle, which stays the caller's."""
        os.dup2(handle, self._layer.handle, inheritable=False)
        self._layer.identity = identity_of(os.fstat(handle))

    def close(self) -> None:
        super().close()
        self._layer.close()


class _LayerBacking(HostBacking):
    """Storage of a layer; folders of the project move by copying."""

    @property
    def is_layer(self) -> bool:
        return True

    def move(self, source: str, destination: str, *, replace: bool) -> None:
        try:
            super().move(source, destination, replace=replace)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._copy_tree(source, destination)
            self.remove(source, recursive=True)

    def _copy_tree(self, source: str, destination: str) -> None:
        """Copy a folder with all that is in it, or nothing."""
        try:
            for path, kind in self._walk_tree(source):
                place = destination + path[len(source) :]
                if kind is EntryKind.FILE:
                    self.copy(path, place, replace=False)
                elif kind is EntryKind.FOLDER:
                    self._copy_folder(path, place)
                elif kind is EntryKind.LINK:
                    with self.project.parent(place) as (folder, name):
                        os.symlink(self.project.link_target(path) or b"", name, dir_fd=folder)
                else:
                    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
        except BaseException:
            self.remove(destination, recursive=True)
            raise

    def _walk_tree(self, source: str) -> Iterator[tuple[str, EntryKind]]:
        yield source, EntryKind.FOLDER
        for entry in self.project.walk(source):
            if isinstance(entry, Unseen):
                hint = "Change the permissions of that folder."
                raise AccessDenied("disk.denied", f"Nothing was moved: {entry.reason}", hint, path=entry.path)
            state = self.project.state(entry.path)
            if state is not None:  # else removed meanwhile, by a running command
                yield entry.path, state.kind

    def _copy_folder(self, source: str, destination: str) -> None:
        with self.project.folder(source) as model, self.project.parent(destination) as (folder, name):
            os.mkdir(name, 0o700, dir_fd=folder)
            os.chmod(name, stat.S_IMODE(os.fstat(model).st_mode) | 0o700, dir_fd=folder)
