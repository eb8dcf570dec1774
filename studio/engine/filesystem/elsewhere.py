"""A folder outside of a project as a tool may read it (C15).

It is never a part of the project, nor of our own folders. Beneath it the rules and locks hold that would hold
in a project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from studio.engine.app_folders import own_directories
from studio.engine.errors import AccessDenied, FileMissing, NotFound, Refused
from studio.engine.filesystem.access_log import AccessLog
from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.filesystem.ruled import RuledBacking
from studio.engine.filesystem.types import PathLimits
from studio.engine.limits import PATH_DEPTH, SEGMENT_BYTES
from studio.engine.names import show_name
from studio.engine.policy import Policy
from studio.engine.policy.git_locks import read_git_locks
from studio.engine.root import Guard, ProjectRoot
from studio.engine.system.closing import Closing


class ElsewhereFiles(BackedFilesystem, Closing):
    """A folder outside of a project, held open. Close it, or use it as a context manager.

    What is read and listed is told to `log` under absolute paths. `folder` is the folder without links.
    """

    def __init__(
        self,
        folder: Path,
        project: Path,
        rules: Callable[[Path], Policy],
        log: AccessLog,
    ) -> None:
        """`rules` gives the policy beneath the resolved folder.

        Raises FileMissing where there is no folder, AccessDenied for one that is a drive's root, a system
        folder or a home folder, and for one that belongs to the project or to us (Q6, R38).
        """
        self._root = _opened(folder)
        try:
            self.folder = self._root.path
            absolute = _AbsoluteLog(log, self.folder)
            mine = (project.resolve(), *own_directories())
            _check_apart(folder, self.folder, mine)
            policy = _with_locks(rules(self.folder), self.folder, mine)
            guard = Guard(self._root, policy.locked_paths)
            backing = RuledBacking(HostBacking(self._root), policy, guard, absolute)
        except BaseException:
            self._root.close()
            raise
        limits = PathLimits(PATH_DEPTH, SEGMENT_BYTES)
        super().__init__(backing, read_only=True, limits=limits, log=absolute)

    def close(self) -> None:
        """Let go of the folder."""
        self._root.close()


class _AbsoluteLog:
    """Tells of paths beneath a folder as absolute ones: no path of a project begins with a slash."""

    def __init__(self, log: AccessLog, folder: Path) -> None:
        self._log = log
        self._folder = folder

    def read(self, path: str, offset: int, length: int, size: int, sha256: str) -> None:
        """See `ReadLog`."""
        self._log.read(self._absolute(path), offset, length, size, sha256)

    def listed(self, path: str, pattern: str, lines: list[str]) -> None:
        """See `AccessLog`."""
        self._log.listed(self._absolute(path), pattern, lines)

    def _absolute(self, path: str) -> str:
        return (self._folder / path).as_posix()


def _opened(folder: Path) -> ProjectRoot:
    try:
        return ProjectRoot(folder)
    except NotFound as error:
        hint = "Make it, or take it out of allowed_directories."
        raise FileMissing("tool.folder_missing", error.message, hint, path=str(folder)) from error
    except Refused as error:
        raise _not_for_tools(folder, "it is a system folder, a drive's root or your home folder") from error


def _check_apart(folder: Path, resolved: Path, mine: Iterable[Path]) -> None:
    """Raises AccessDenied for a folder in the project or in one of ours, whatever link leads there."""
    for one in mine:
        if resolved.is_relative_to(one):
            raise _not_for_tools(folder, f"it lies in {one}")


def _not_for_tools(folder: Path, why: str) -> AccessDenied:
    return AccessDenied(
        "tool.folder",
        f"{show_name(str(folder))} is no folder for tools: {show_name(why)}.",
        "Name another folder in allowed_directories; files of the project go by their path in it.",
        path=str(folder),
    )


def _with_locks(policy: Policy, folder: Path, mine: Iterable[Path]) -> Policy:
    """The policy, with what git uses beneath the folder locked, and the project and our own folders too."""
    git = read_git_locks(folder)
    beneath = (one.relative_to(folder).as_posix() for one in mine if one.is_relative_to(folder))
    return replace(
        policy,
        locked_paths=(*policy.locked_paths, *git.paths, *beneath),
        locked_names=(*policy.locked_names, *git.names),
        programs=(*policy.programs, *git.programs),
    )
