"""Which start of the machine this is: what was written before another one may be half on the disk."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def boot_id() -> str:
    """A word that every start of the machine has anew; "" where the system has none."""
    with suppress(OSError, UnicodeError):
        return _BOOT_ID.read_text("ascii").strip()
    return ""
