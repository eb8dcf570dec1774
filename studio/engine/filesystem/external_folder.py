"""Read-only, policy-checked, logged access to folders outside the project.

Such a folder is never a part of the project, nor of our own folders. The same rules and locks apply beneath
it as in a project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec.structs import replace

from studio.engine.filesystem.access_log import AccessLog
from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.filesystem.policy_backing import RuledBacking
from studio.engine.filesystem.types import PathLimits
from studio.engine.policy import Policy
from studio.engine.policy.git_locks import read_git_locks
from studio.engine.root import Guard, ProjectRoot
from studio.errors import AccessDenied, FileMissing, NotFound, Refused
from studio.limits import PATH_DEPTH, SEGMENT_BYTES
from studio.names import show_name
from studio.program.app_folders import own_directories
from studio.system.closing import Closing


class ExternalFolder(BackedFilesystem, Closing):
    """A folder outside the project, held open until `close`.

    Reads and listings are logged to `log` under absolute paths. `folder` is the folder with links resolved.
    """

    def __init__(
        self,
        folder: Path,
        project: Path,
        rules: Callable[[Path], Policy],
        log: AccessLog,
    ) -> None:
        """Open the folder; `rules` returns the policy beneath its resolved path.

        Raises FileMissing where there is no folder, AccessDenied for one that is a drive's root, a system
        folder or a home folder, and for one that belongs to the project or to us.
        """
        self._root = _open_folder(folder)
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
        """Close the folder's handle."""
        self._root.close()


class _AbsoluteLog:
    """Log adapter that makes paths absolute; project paths have no leading slash."""

    def __init__(self, log: AccessLog, folder: Path) -> None:
        self._log = log
        self._folder = folder

    def read(self, path: str, offset: int, length: int, size: int, sha256: str) -> None:
        """Implement `ReadLog`."""
        self._log.read(self._make_absolute(path), offset, length, size, sha256)

    def listed(self, path: str, pattern: str, lines: list[str]) -> None:
        """Implement `AccessLog`."""
        self._log.listed(self._make_absolute(path), pattern, lines)

    def _make_absolute(self, path: str) -> str:
        return (self._folder / path).as_posix()


def _open_folder(folder: Path) -> ProjectRoot:
    try:
        return ProjectRoot(folder)
    except NotFound as error:
        hint = "Create it, or remove it from allowed_directories."
        raise FileMissing("tool.folder_missing", error.message, hint, path=str(folder)) from error
    except Refused as error:
        raise _not_for_tools(folder, "it is a system folder, a drive's root or your home folder") from error


def _check_apart(folder: Path, resolved: Path, mine: Iterable[Path]) -> None:
    """Raise AccessDenied for a folder in the project or ours.

    `resolved` is the folder with its links resolved.
    """
    for one in mine:
        if resolved.is_relative_to(one):
            raise _not_for_tools(folder, f"it is inside {one}")


def _not_for_tools(folder: Path, why: str) -> AccessDenied:
    return AccessDenied(
        "tool.folder",
        f"{show_name(str(folder))} can't be used by tools: {show_name(why)}.",
        "Name another folder in allowed_directories; name project files by their path in the project.",
        path=str(folder),
    )


def _with_locks(policy: Policy, folder: Path, mine: Iterable[Path]) -> Policy:
    """Return the policy with git's files, the project and our folders locked."""
    git = read_git_locks(folder)
    beneath = (one.relative_to(folder).as_posix() for one in mine if one.is_relative_to(folder))
    return replace(
        policy,
        locked_paths=(*policy.locked_paths, *git.paths, *beneath),
        locked_names=(*policy.locked_names, *git.names),
        programs=(*policy.programs, *git.programs),
    )
