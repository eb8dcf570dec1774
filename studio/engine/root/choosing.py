"""Choice of a project's root folder, and refusal of unsuitable ones."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import NamedTuple

from studio.engine.root.git_discovery import has_repository
from studio.errors import FileMissing, NotAFolder, NotFound, Refused
from studio.names import show_name
from studio.program.app_folders import account_home, project_key, state_directory

_MARKS = ("studio.yaml", ".git")
"""Names that make a folder a project, strongest first."""

_SYSTEMS = {"win32": "Windows", "darwin": "macOS"}
_HOME = "your home folder"
_SYSTEM_FOLDERS = frozenset("/bin /boot /dev /etc /proc /root /sbin /sys /usr /var".split())


class RootNotAFolder(NotFound, NotAFolder):
    """Raised where the path of a project names a file."""


class ChosenRoot(NamedTuple):
    """A project's folder without links, and why it was chosen."""

    path: Path
    reason: str


def find_root(start: Path) -> ChosenRoot:
    """Choose the project of a folder: nearest studio.yaml, else nearest repository.

    Without both it is the folder itself. Raises Refused for a `.git` file that leads to no repository.
    """
    # A hook gets the folder as its shell spells it, but git climbs from the resolved path.
    start = Path(os.path.realpath(start))
    for name in _MARKS:
        for folder in (start, *start.parents):
            if _is_sign(folder, name):
                return ChosenRoot(folder, f"the nearest folder with {name}")
    return ChosenRoot(start, "the current folder")


def find_project_above(folder: Path, *, is_opened: bool = False) -> Path | None:
    """Return the nearest folder upwards that could be a project's root.

    None without one. A folder that never may be one does not count, whatever is in it: many a home folder has
    a .git. A folder that is the home by HOME alone may still be a project. `is_opened`: a repository counts
    only where it has a studio.yaml, or was opened here.
    """
    for above in (folder, *folder.parents):
        if _is_opened(above) if is_opened else _is_project(above):
            reason = _forbidden_root_reason(above)
            if not reason or (reason == _HOME and above != account_home()):
                return above
    return None


def check_root(path: Path) -> Path:
    """Resolve a folder that is to be a project root.

    Raises FileNotFoundError, NotADirectoryError, or Refused with the reason why it can't be a project.
    """
    _check_system()
    shown = show_name(str(path))
    if not path.exists():
        raise FileMissing("root.missing", f"The folder {shown} does not exist.", "Check the path.")
    if not path.is_dir():
        raise RootNotAFolder("root.not_a_folder", f"{shown} is not a folder.", "Specify a folder.")
    resolved = path.resolve(strict=True)
    reason = _forbidden_root_reason(resolved)
    if reason:
        raise Refused("root.refused", f"{shown} can't be opened: it is {reason}.", "Open a folder inside it.")
    return resolved


def _check_system() -> None:
    """Check that file writes were tested on this system (docs/porting.md).

    Raises Refused.
    """
    if sys.platform != "linux":
        raise Refused(
            "root.unsupported",
            f"Exacta Studio can't open projects on {_SYSTEMS.get(sys.platform, 'this system')} yet:"
            " writing all or nothing is tested on Linux only.",
            "Open the project on Linux; on Windows, in the Windows Subsystem for Linux.",
        )


def _is_project(folder: Path) -> bool:
    try:
        return any(_is_sign(folder, name) for name in _MARKS)
    except Refused:  # a worktree whose repository is gone is still no place for other files
        return True


def _is_opened(folder: Path) -> bool:
    return _is_sign(folder, _MARKS[0]) or (state_directory() / project_key(folder)).exists()


def _is_sign(folder: Path, name: str) -> bool:
    """Return whether `name` in the folder makes it a project.

    Raises Refused as `has_repository`.
    """
    sign = folder / name
    try:
        if _is_planted(sign):
            return False
        return has_repository(folder) if name == ".git" else sign.exists()
    except OSError:
        return False


def _is_planted(sign: Path) -> bool:
    """Return whether another user may have made the sign.

    That takes a folder in which others may write: in /tmp anyone can make a `.git`, and would choose the
    project of all folders beneath. Raises OSError.
    """
    if sys.platform == "win32":
        return False
    if sign.lstat().st_uid in (0, os.geteuid()):
        return False
    folder = sign.parent.stat()
    is_shared = folder.st_mode & stat.S_IWGRP and folder.st_gid != os.getegid()
    return bool(is_shared or folder.st_mode & stat.S_IWOTH)


def _forbidden_root_reason(path: Path) -> str:
    if path == Path(path.anchor):
        return "the root of a drive"
    if path == Path.home().resolve():
        return _HOME
    # Resolved like the path itself: on many systems /bin and /lib are links into /usr.
    system_folders = (*(Path(name) for name in _SYSTEM_FOLDERS), *Path("/").glob("lib*"))
    if any(path in (folder, folder.resolve()) for folder in system_folders):
        return "a system folder"
    return ""
