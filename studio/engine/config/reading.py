"""Location and reading of the user's and project's configuration files.

The project's file is read through no link, the user's may be one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from studio.engine.config.nodes import ConfigRefused
from studio.engine.root import read_file
from studio.engine.root.foreign_file import read_foreign_file
from studio.errors import Refused
from studio.limits import CONFIGURATION_BYTES
from studio.names import CONFIGURATION_NAME, show_name
from studio.system.os_errors import reason
from studio.system.syscalls import O_CLOEXEC, O_DIRECTORY

USER_NAMES: Final = ("config.yaml", "config.json")
TRUST_NAME: Final = "trust.json"


def watched_files(project_root: Path | None, config_dir: Path) -> tuple[Path, ...]:
    """Return every file that a project's configuration is read from.

    Files that don't exist are included; without a project the user's alone.
    """
    users = tuple(config_dir / name for name in (*USER_NAMES, TRUST_NAME))
    return users if project_root is None else (project_root / CONFIGURATION_NAME, *users)


def read_project_file(project_root: Path) -> bytes | None:
    """Return the bytes of the project's studio.yaml, None without one.

    Raises ConfigRefused for anything but a regular file within the size limit: rules that can't be read must
    not allow anything.
    """
    try:
        folder = os.open(project_root, os.O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try:
            name = os.fsencode(CONFIGURATION_NAME)
            return read_file(folder, name, CONFIGURATION_BYTES, shown=CONFIGURATION_NAME)[0]
        finally:
            os.close(folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(CONFIGURATION_NAME, reason(error)) from error
    except Refused as error:
        raise ConfigRefused(
            "config.unreadable", error.message, "Make it a small regular file.", file=CONFIGURATION_NAME
        ) from error


def read_user_file(config_dir: Path) -> tuple[Path, bytes] | None:
    """Return path and bytes of the user's configuration, None without one.

    Raises ConfigRefused.
    """
    path = user_file_of(config_dir)
    try:
        if not _is_there(path):
            return None
        # One byte over the limit: the parser then reports that the file is too large.
        return path, read_foreign_file(path, CONFIGURATION_BYTES + 1, whole=False)
    except OSError as error:
        raise _unreadable(str(path), reason(error)) from error


def user_file_of(config_dir: Path) -> Path:
    """Return the path of the user's configuration, existing or not.

    Raises ConfigRefused where there are two.
    """
    try:
        present = [path for path in (config_dir / name for name in USER_NAMES) if _is_there(path)]
    except OSError as error:
        raise _unreadable(str(config_dir), reason(error)) from error
    if len(present) > 1:
        raise ConfigRefused(
            "config.two_files",
            f"Two configuration files exist: {' and '.join(show_name(str(path)) for path in present)}.",
            "Delete one of them.",
            file=str(present[0]),
        )
    return present[0] if present else config_dir / USER_NAMES[0]


def _is_there(path: Path) -> bool:
    """Return whether a path exists; a dangling link counts as existing.

    It is a file that can't be read.
    """
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _unreadable(file: str, reason: str) -> ConfigRefused:
    return ConfigRefused(
        "config.unreadable",
        f"{show_name(file)} can't be read: {reason}.",
        "Make it a small regular file that you may read.",
        file=file,
    )
