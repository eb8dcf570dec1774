"""Tries plans on real file systems, by the command line: python -m tests.disks [NAME…]

Needs root, and the programs that serve the file systems; what the machine lacks is not tried. On Debian:
xfsprogs btrfs-progs dosfstools exfatprogs exfat-fuse ntfs-3g bindfs gocryptfs mergerfs sshfs
openssh-sftp-server. Every disk is mounted in a name space of its own, which ends with its last process, so
that nothing stays mounted. Prints the table that docs/disks.md has; the exit code is 1 where a row is wrong.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.lab.disks.plans import TRIALS
from tests.lab.disks.table import DISKS, Disk, search_path

_ROOT = Path(__file__).parents[3]
_AT_ONCE = 2
# What serves a disk ends with the processes of the name space: with the trial.
_NAMESPACE = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
_SCRIPT = """\
{{ {mount}
}} >&2 || exit 77
exec "$0" -m tests.lab.disks.trial "$M" "$S"
"""
_NOT_MOUNTED = 77
_running: set[subprocess.Popen[str]] = set()


def try_disk(disk: Disk) -> dict[str, Any]:
    """What became of all plans on a disk; `untried` says why they were not tried."""
    if reason := disk.missing():
        return {"untried": reason}
    with tempfile.TemporaryDirectory(prefix="disks-") as folder:
        places = {"D": "made", "M": "mounted", "S": "state"}
        for name in places.values():
            Path(folder, name).mkdir()
        environment = {name: f"{folder}/{place}" for name, place in places.items()}
        with subprocess.Popen(
            (*_NAMESPACE, "sh", "-c", _SCRIPT.format(mount=disk.mount), sys.executable),
            cwd=_ROOT,
            env={**os.environ, **environment, "PATH": search_path()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            _running.add(process)
            answer, words = process.communicate()
            _running.discard(process)
        _detach(Path(folder, "made/image"))
    if process.returncode == _NOT_MOUNTED:
        if disk.kind in Path("/proc/filesystems").read_text("ascii").split():
            return {"wrong": {"mount": words.strip()}}
        return {"untried": f"this kernel has no {disk.kind}"}
    if process.returncode != 0:
        return {"wrong": {"trial": words.strip()[-2000:]}}
    return json.loads(answer)


def _detach(image: Path) -> None:
    """Detach what a trial left that was killed while it mounted its disk."""
    listed = subprocess.run(
        ("losetup", "-n", "-O", "NAME", "-j", str(image)), capture_output=True, text=True, check=False
    )
    for device in listed.stdout.split():
        subprocess.run(("losetup", "-d", device), check=False)


def row(disk: Disk, found: dict[str, Any]) -> str:
    """One line of the table."""
    if "untried" in found:
        return f"| {disk.name} | | not tried: {found['untried']} | | |"
    refused = [f"{name}: `{code}`" for name, code in found.get("refused", {}).items()]
    wrong = [f"WRONG {name}: {why}" for name, why in found.get("wrong", {}).items()]
    right = f"{len(found.get('right', ()))} of {len(TRIALS) + 2}"
    modes = "kept" if found.get("modes") else "none"
    return f"| {disk.name} | {disk.versions()} | {right} | {modes} | {'; '.join([*refused, *wrong])} |"


def main(names: list[str]) -> int:
    if os.getuid() != 0:
        print("Needs root, to mount what is tried.", file=sys.stderr)
        return 2
    if unknown := set(names) - {disk.name for disk in DISKS}:
        print(
            f"Unknown: {', '.join(sorted(unknown))}. Known: {', '.join(d.name for d in DISKS)}",
            file=sys.stderr,
        )
        return 2
    chosen = [disk for disk in DISKS if not names or disk.name in names]
    print(f"Linux {platform.release()}\n\n| Disk | Version | Right | Permission bits | Refused |")
    print("|---|---|---|---|---|", flush=True)
    is_wrong = False
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        for disk, found in zip(chosen, pool.map(try_disk, chosen), strict=True):
            print(row(disk, found), flush=True)
            is_wrong |= bool(found.get("wrong"))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in tuple(_running):
            process.kill()
        pool.shutdown()
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
