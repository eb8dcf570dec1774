"""Commands that run others where a folder is mounted in a way of its own; nobody else sees the mount."""

from __future__ import annotations

import os
import shutil
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


def mounted_ignoring_case(folder: Path) -> tuple[str, ...]:
    """A command that runs another one where the empty `folder` is a disk that folds case and takes only
    names that Windows takes."""
    make, serve = ntfs_programs()
    with folder.with_name(f"{folder.name}.img").open("wb") as image:
        image.truncate(8 << 20)
    make = f'{make} -q -F -Q "$0.img" >/dev/null'
    mount = f'{serve} "$0.img" "$0" -o ignore_case,windows_names'
    way, *rest = namespace()
    # The program that serves the disk ends with the processes of its own: with the command.
    own_processes = (way, "--pid", "--fork", "--kill-child", *rest)
    command = mounted(f"{make} && {mount}", folder, own_processes)
    if subprocess.run([*command, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip(REFUSED)
    return command


def mounted_keeping_case(folder: Path) -> tuple[str, ...]:
    """A command that runs another one where the empty `folder` is a disk that folds case and shows each name
    as it was written; it knows no links and no permissions."""
    make, serve, attach = programs("mkfs.exfat", "mount.exfat-fuse", "losetup")
    with folder.with_name(f"{folder.name}.img").open("wb") as image:
        image.truncate(8 << 20)
    begin = f'{make} "$0.img" >/dev/null && loop=$({attach} -f --show "$0.img")'
    # Let go at once, the device ends with the mount.
    mount = f'{{ {serve} "$loop" "$0" >/dev/null; done=$?; {attach} -d "$loop"; (exit $done); }}'
    way, *rest = namespace()
    command = mounted(f"{begin} && {mount}", folder, (way, "--pid", "--fork", "--kill-child", *rest))
    if subprocess.run([*command, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip(REFUSED)
    return command


def ntfs_programs() -> tuple[str, str]:
    """What makes an NTFS disk and what serves it; also for who has no programs of root's in the path."""
    make, serve = programs("mkntfs", "lowntfs-3g")
    return make, serve


def programs(*names: str) -> tuple[str, ...]:
    """Where these programs are, those of root's too."""
    path = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
    found = [program for name in names if (program := shutil.which(name, path=path)) is not None]
    if len(found) < len(names):
        pytest.skip(REFUSED)
    return tuple(found)


def mounted(how: str, folder: Path, way: tuple[str, ...] = ()) -> tuple[str, ...]:
    """A command that runs another one after the shell's commands `how`, in which $0 is the folder."""
    # Entering the folder again leads into what is mounted there now.
    return (*(way or namespace()), "sh", "-c", f'{how} && cd "$PWD" && exec "$@"', str(folder))


@cache
def namespace() -> tuple[str, ...]:
    """A command that runs another one where it may mount what it likes, seen by nobody else."""
    for way in _WAYS:
        if (
            subprocess.run(
                [*way, "mount", "-t", "tmpfs", "x", "/mnt"], check=False, capture_output=True
            ).returncode
            == 0
        ):
            return way
    pytest.skip(REFUSED)
