"""Names of backup files that a tool makes beside a file: `NAME.backup.TIME`."""

from __future__ import annotations

import re
from datetime import datetime

_NAME = re.compile(r"(.+)\.backup\.\d{8}-\d{6}(?:-\d+)?")


def backup_name(path: str, when: datetime, number: int = 1) -> str:
    """Return a backup's path; later ones of a second are numbered."""
    name = f"{path}.backup.{when:%Y%m%d-%H%M%S}"
    return name if number == 1 else f"{name}-{number}"


def is_backup(name: str) -> bool:
    """Return whether a name is that of a backup, which listings hide."""
    return ".backup." in name and _NAME.fullmatch(name) is not None


def backed_up(path: str) -> str | None:
    """Return the path of the file behind a backup, else None."""
    found = _NAME.fullmatch(path) if ".backup." in path else None
    return None if found is None else found[1]
