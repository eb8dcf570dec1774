"""Commands that run others where a folder is mounted in a way of its own; nobody else sees the mount."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import pytest

REFUSED = "this system does not let a test mount a file system"
"""The reason of the only skip: tests/repo/allowed_skips.txt lists it."""

_WAYS = (("unshare", "--mount"), ("unshare", "--user", "--map-root-user", "--mount"))


def mounted_read_only(folder: Path) -> tuple[str, ...]:
    """A command that runs another one where `folder` is mounted read-only."""
    return mounted('mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"', folder)


def mounted_full(folder: Path) -> tuple[str, ...]:
    """A command that runs another one where `folder` is a copy on a disk of its own, with hardly any room."""
    fill = 'dd if=/dev/zero of="$0/filler" bs=4k 2>/dev/null; truncate -s -16k "$0/filler"'
    copy = 'cp -a "$0" "$0.copy" && mount -t tmpfs -o size=600k x "$0" && cp -a "$0.copy/." "$0"'
    return mounted(f"{copy} && {{ {fill}; true; }}", folder)


def mounted(how: str, folder: Path) -> tuple[str, ...]:
    """A command that runs another one after the shell's commands `how`, in which $0 is the folder."""
    # Entering the folder again leads into what is mounted there now.
    return (*_namespace(), "sh", "-c", f'{how} && cd "$PWD" && exec "$@"', str(folder))


@cache
def _namespace() -> tuple[str, ...]:
    for way in _WAYS:
        if (
            subprocess.run(
                [*way, "mount", "-t", "tmpfs", "x", "/mnt"], check=False, capture_output=True
            ).returncode
            == 0
        ):
            return way
    pytest.skip(REFUSED)
