"""The file systems that are tried: how one is made and mounted, and what says its version."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_KERNEL = "uname -r"
_DEBIAN = "dpkg-query -W -f '${Version}'"
_LOOP = 'truncate -s 300M "$D/image" && loop=$(losetup -f --show "$D/image")'
"""The device ends with the mount, because it is detached as soon as it is mounted."""
_ATTACHED = '{ done=$?; losetup -d "$loop"; (exit $done); }'


@dataclass(frozen=True, slots=True)
class Disk:
    """One file system. `mount` are shell commands, in which $D is a folder for images and $M the place.

    `kind` is what the kernel has to know, `programs` what must be installed, `version` prints a version.
    """

    name: str
    mount: str
    programs: tuple[str, ...] = ()
    kind: str = ""
    version: str = _KERNEL

    def missing(self) -> str:
        """What of it this machine lacks; "" if nothing is known to."""
        lacking = [program for program in self.programs if shutil.which(program, path=search_path()) is None]
        if lacking:
            return f"no {' and no '.join(lacking)} is installed"
        if self.kind.startswith("fuse") and not Path("/dev/fuse").exists():
            return "there is no /dev/fuse"
        return ""

    def versions(self) -> str:
        """The version of what serves it."""
        done = subprocess.run(("sh", "-c", self.version), capture_output=True, text=True, check=False)
        return done.stdout.strip()


def search_path() -> str:
    """Where programs are searched, those of root's too."""
    return f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


def _image(kind: str, make: str, options: str = "") -> Disk:
    name = make.partition(" ")[0]
    mount = f'{_LOOP} && {make} "$loop" >/dev/null && mount -t {kind} {options} "$loop" "$M"; {_ATTACHED}'
    return Disk(kind, mount, (name, "losetup"), kind)


def _served(name: str, mount: str, *programs: str) -> Disk:
    return Disk(name, mount, programs, "fuse", f"{_DEBIAN} {name}")


DISKS = (
    _image("ext4", "mkfs.ext4 -q"),
    _image("xfs", "mkfs.xfs -q"),
    _image("btrfs", "mkfs.btrfs -q"),
    Disk("tmpfs", 'mount -t tmpfs -o size=100M x "$M"', kind="tmpfs"),
    Disk(
        "overlay",
        'mkdir "$D/lower" "$D/upper" "$D/work" && '
        'mount -t overlay -o "lowerdir=$D/lower,upperdir=$D/upper,workdir=$D/work" x "$M"',
        kind="overlay",
    ),
    _image("f2fs", "mkfs.f2fs -q"),
    _image("vfat", "mkfs.vfat"),
    _image("exfat", "mkfs.exfat"),
    _image("ntfs3", "mkfs.ntfs -q -F -Q"),
    _served(
        "ntfs-3g",
        'truncate -s 100M "$D/image" && mkfs.ntfs -q -F -Q "$D/image" >/dev/null 2>&1 && '
        'ntfs-3g "$D/image" "$M"',
        "mkfs.ntfs",
        "ntfs-3g",
    ),
    _served(
        "exfat-fuse",
        f'{_LOOP} && mkfs.exfat "$loop" >/dev/null && mount.exfat-fuse "$loop" "$M" >/dev/null; {_ATTACHED}',
        "mkfs.exfat",
        "mount.exfat-fuse",
        "losetup",
    ),
    _served("bindfs", 'mkdir "$D/there" && bindfs "$D/there" "$M"', "bindfs"),
    _served(
        "gocryptfs",
        'mkdir "$D/there" && echo word > "$D/word" && '
        'gocryptfs -init -q -scryptn 10 -passfile "$D/word" "$D/there" && '
        'gocryptfs -q -passfile "$D/word" "$D/there" "$M"',
        "gocryptfs",
    ),
    _served("mergerfs", 'mkdir "$D/one" "$D/two" && mergerfs "$D/one:$D/two" "$M"', "mergerfs"),
    # Instead of a connection the server's program itself, which knows none of the client's options.
    _served(
        "sshfs",
        'mkdir "$D/there" && printf "#!/bin/sh\\nexec /usr/lib/openssh/sftp-server\\n" > "$D/ssh" && '
        'chmod +x "$D/ssh" && sshfs -o ssh_command="$D/ssh" "here:$D/there" "$M"',
        "sshfs",
        "/usr/lib/openssh/sftp-server",
    ),
)
