"""Names of the copies that lie beside a file which a tool replaced at once (C23): `NAME.backup.TIME`."""

from __future__ import annotations

import re
from datetime import datetime

_NAME = re.compile(r"(.+)\.backup\.\d{8}-\d{6}(?:-\d+)?")


def backup_name(path: str, when: datetime, number: int = 1) -> str:
    """The path of a copy made at a time; a second one of the same second has a number."""
    name = f"{path}.backup.{when:%Y%m%d-%H%M%S}"
    return name if number == 1 else f"{name}-{number}"


def is_backup(name: str) -> bool:
    """Whether a name is that of such a copy: these are in no listing."""
    return backed_up(name) is not None


def backed_up(path: str) -> str | None:
    """The path of the file that a copy was made of, None for any other path."""
    found = _NAME.fullmatch(path) if ".backup." in path else None
    return None if found is None else found[1]
