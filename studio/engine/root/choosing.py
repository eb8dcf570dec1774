"""Which folder is a project's root, and which never is (R2, R12, Q6, contract 1)."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import NamedTuple

from studio.engine.app_folders import account_home, project_key, state_directory
from studio.engine.errors import NotFound, Refused
from studio.engine.names import show_name
from studio.engine.root.git_discovery import has_repository

_MARKS = ("studio.yaml", ".git")
"""What makes a folder a project, the stronger sign first."""

_SYSTEMS = {"win32": "Windows", "darwin": "macOS"}
_HOME = "your home folder"
_SYSTEM_FOLDERS = frozenset("/bin /boot /dev /etc /proc /root /sbin /sys /usr /var".split())


class ChosenRoot(NamedTuple):
    """A project's folder without links, and why it is that one."""

    path: Path
    reason: str


def find_root(start: Path) -> ChosenRoot:
    """Choose the project of a folder: the nearest studio.yaml, else the nearest repository (R2, R12).

    Without both it is the folder itself. Raises Refused for a `.git` file that leads to no repository.
    """
    # A hook is given the folder as its shell spells it: git climbs from where the links lead.
    start = Path(os.path.realpath(start))
    for name in _MARKS:
        for folder in (start, *start.parents):
            if _is_sign(folder, name):
                return ChosenRoot(folder, f"the nearest folder with {name}")
    return ChosenRoot(start, "the current folder")


def project_above(folder: Path, *, is_opened: bool = False) -> Path | None:
    """The nearest folder, this one or above, that could be chosen as a project's root; None without one.

    A folder that never may be one does not count, whatever lies in it: many a home folder has a .git. What
    HOME alone calls the home may well be somebody's project. `is_opened`: a repository counts only where it
    has a studio.yaml, or was opened here.
    """
    for above in (folder, *folder.parents):
        if _is_opened(above) if is_opened else _is_project(above):
            reason = _why_never_a_root(above)
            if not reason or (reason == _HOME and above != account_home()):
                return above
    return None


def check_root(path: Path) -> Path:
    """Resolve a folder that is to be a project root, refusing those that never may be (contract 1).

    Raises NotFound where there is no folder, Refused with the reason for one that can't be a project (Q6).
    """
    _check_system()
    shown = show_name(str(path))
    if not path.exists():
        raise NotFound("root.missing", f"The folder {shown} does not exist.", "Check the path.")
    if not path.is_dir():
        raise NotFound(
            "root.not_a_folder", f"{shown} is not a folder.", "Name the folder that holds the project."
        )
    resolved = path.resolve(strict=True)
    reason = _why_never_a_root(resolved)
    if reason:
        raise Refused(
            "root.refused", f"{shown} can't be a project: it is {reason}.", "Open a folder inside it."
        )
    return resolved


def _check_system() -> None:
    """Raise Refused where what is promised about files was never tried (docs/porting.md, R196)."""
    if sys.platform != "linux":
        raise Refused(
            "root.unsupported",
            f"Exacta Studio opens no project on {_SYSTEMS.get(sys.platform, 'this system')} yet: that a "
            "change is written whole or not at all was tried on Linux alone.",
            "Open the project on Linux; on Windows, in the Windows Subsystem for Linux.",
        )


def _is_project(folder: Path) -> bool:
    try:
        return any(_is_sign(folder, name) for name in _MARKS)
    except Refused:  # the worktree of a repository that is gone is still no place for other files
        return True


def _is_opened(folder: Path) -> bool:
    return _is_sign(folder, _MARKS[0]) or (state_directory() / project_key(folder)).exists()


def _is_sign(folder: Path, name: str) -> bool:
    """Whether `name` in the folder makes it a project. Raises Refused as `has_repository`."""
    sign = folder / name
    try:
        if _is_planted(sign):
            return False
        return has_repository(folder) if name == ".git" else sign.exists()
    except OSError:
        return False


def _is_planted(sign: Path) -> bool:
    """Whether another user may have made the sign, in a folder in which others may write.

    In /tmp anybody can make a `.git`, and would choose the project of all folders beneath. Raises OSError.
    """
    if sys.platform == "win32":
        return False
    if sign.lstat().st_uid in (0, os.geteuid()):
        return False
    folder = sign.parent.stat()
    is_shared = folder.st_mode & stat.S_IWGRP and folder.st_gid != os.getegid()
    return bool(is_shared or folder.st_mode & stat.S_IWOTH)


def _why_never_a_root(path: Path) -> str:
    if path == Path(path.anchor):
        return "the root of a drive"
    if path == Path.home().resolve():
        return _HOME
    # Resolved like the path itself: on many systems /bin and /lib are links into /usr.
    system_folders = (*(Path(name) for name in _SYSTEM_FOLDERS), *Path("/").glob("lib*"))
    if any(path in (folder, folder.resolve()) for folder in system_folders):
        return "a system folder"
    return ""
