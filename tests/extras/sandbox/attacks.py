"""Run inside the sandbox, by itself: each attack tells what it came to, as JSON by name.

An attack that got nowhere says "stopped: " and why, one that got through "got through: " and how far. What it
is given is JSON, too.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

GIVEN = json.loads(sys.argv[1])
PROJECT, OUTSIDE = Path(GIVEN["project"]), Path(GIVEN["outside"])
VICTIM = OUTSIDE / "victim.txt"
LIBRARY = ctypes.CDLL(None, use_errno=True)
STOPPED, THROUGH = "stopped", "got through"


def tried(*attempts: Callable[[], object]) -> str:
    """Make all attempts, each of which has to fail."""
    reasons: list[str] = []
    for number, attempt in enumerate(attempts):
        try:
            attempt()
        except OSError as error:
            reasons.append(errno.errorcode.get(error.errno or 0, "?"))
        else:
            return f"{THROUGH}: {number}"
    return f"{STOPPED}: {' '.join(sorted(set(reasons)))}"


def call(name: str, *values: object) -> Callable[[], None]:
    def attempt() -> None:
        given = [ctypes.c_ulong(value) if isinstance(value, int) else value for value in values]
        if getattr(LIBRARY, name)(*given) < 0:
            raise OSError(ctypes.get_errno(), name)

    return attempt


def system_call(number: int, *values: object) -> Callable[[], None]:
    return call("syscall", number, *values)


def writing(path: Path) -> Callable[[], object]:
    return lambda: path.write_bytes(b"changed\n")


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write_outside() -> str:
    return tried(
        writing(VICTIM),
        writing(OUTSIDE / "new.txt"),
        VICTIM.unlink,
        lambda: VICTIM.chmod(0o777),
        lambda: os.utime(VICTIM),
        lambda: VICTIM.rename(OUTSIDE / "other.txt"),
        lambda: os.link(VICTIM, PROJECT / "hard.txt"),
        lambda: os.truncate(VICTIM, 0),
        lambda: os.setxattr(VICTIM, "user.x", b"x"),
        lambda: fcntl.ioctl(os.open(OUTSIDE, os.O_RDONLY), 0x40086602, bytes(8)),
    )


def write_into_pipes() -> str:
    """Which no mount that is read-only stops; in the project and in folders of its own they work."""
    for folder in (PROJECT, Path("/tmp"), Path("/dev/shm")):
        os.mkfifo(folder / "pipe")
        os.close(os.open(folder / "pipe", os.O_RDWR))
        (folder / "pipe").rename(folder / "renamed")
        (folder / "folder").mkdir()
        (folder / "renamed").rename(folder / "folder" / "moved")
        shutil.rmtree(folder / "folder")
    for name in ("/dev/null", "/dev/stdout", "/dev/full"):
        os.close(os.open(name, os.O_WRONLY))
    pipe = OUTSIDE / "pipe"
    return tried(lambda: os.open(pipe, os.O_RDWR), lambda: os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))


def write_through_links() -> str:
    (PROJECT / "to-victim").symlink_to(VICTIM)
    return tried(
        writing(PROJECT / "out" / "victim.txt"),
        writing(PROJECT / "to-victim"),
        writing(PROJECT / "src" / ".." / ".." / ".." / ".." / ".." / ".." / VICTIM.relative_to("/")),
    )


def write_through_processes() -> str:
    """By the root, the folder and the handles of every process there is."""
    found = [each for each in Path("/proc").iterdir() if each.name.isdigit()]
    ways = [each / "root" / VICTIM.relative_to("/") for each in found]
    ways += [each / "cwd" / ".." / VICTIM.relative_to("/") for each in found if each.name == "1"]
    ways += [Path("/proc/1/fd"), Path("/proc/1/mem"), *(Path(f"/proc/1/fd/{number}") for number in range(16))]
    return tried(*(writing(way) for way in ways if not is_own(way)))


def is_own(handle: Path) -> bool:
    """Whether it is one that was handed to this command, too."""
    own = [Path(f"/proc/self/fd/{number}").readlink() for number in range(3)]
    with suppress(OSError):
        return handle.readlink() in own
    return False


def change_mounts() -> str:
    return tried(
        call("mount", b"none", b"/tmp", b"tmpfs", 0, None),
        call("mount", b"none", b"/", None, 0x20 | 0x1000, None),
        call("mount", os.fsencode(OUTSIDE), os.fsencode(PROJECT), None, 0x1000, None),
        call("mount", b"proc", b"/proc", b"proc", 0, None),
        call("umount2", b"/proc", 2),
        call("umount2", b"/tmp", 2),
        call("umount2", os.fsencode(PROJECT), 2),
        call("chroot", b"/tmp"),
        system_call(155, b"/", b"/tmp"),
        system_call(428, -100 & (2**64 - 1), b"/", 1),
        system_call(442, -100 & (2**64 - 1), b"/", 0x8000, bytes(32), 32),
        system_call(430, b"tmpfs", 0),
    )


def make_name_spaces() -> str:
    kinds = (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x10000000 | 0x20000, 0x2000000)
    joins = [Path("/proc/1/ns/mnt"), Path("/proc/1/ns/user"), Path("/proc/1/ns/net")]
    tools = ("unshare", "bwrap", "nsenter", "sudo", "su", "newuidmap", "fusermount3")
    for tool in tools:
        given = {"unshare": ["-Urm", "true"], "bwrap": ["--bind", "/", "/", "true"]}.get(tool, ["-c", "true"])
        if shutil.which(tool) and run(tool, *given).returncode == 0:
            return f"{THROUGH}: {tool}"
    joining = [(lambda join=join: call("setns", os.open(join, os.O_RDONLY), 0)()) for join in joins]
    return tried(*(call("unshare", kind) for kind in kinds), *joining)


def make_devices() -> str:
    mode = stat.S_IFBLK | 0o666
    return tried(
        lambda: os.mknod(PROJECT / "disk", mode, os.makedev(8, 0)),
        lambda: os.mknod("/tmp/disk", mode, os.makedev(254, 0)),
        lambda: os.mknod(PROJECT / "memory", stat.S_IFCHR | 0o666, os.makedev(1, 1)),
        *((lambda name=name: os.open(name, os.O_RDWR)) for name in GIVEN["devices"]),
    )


def gain_rights() -> str:
    shutil.copy("/bin/sh", PROJECT / "shell")
    (PROJECT / "shell").chmod(0o6755)
    status = dict(
        line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line
    )
    held = {name: status[name].strip() for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}
    if any(int(value, 16) for value in held.values()) or status["NoNewPrivs"].strip() != "1":
        return f"{THROUGH}: {held}"
    ran = run(str(PROJECT / "shell"), "-p", "-c", "cat /proc/self/status")
    if "CapEff:\t0000000000000000" not in ran.stdout:
        return f"{THROUGH}: {ran.stdout} {ran.stderr}"
    others = [number for number in (0, 1, 1000, 65534) if number != os.getuid()]
    return tried(*((lambda n=n: os.setuid(n)) for n in others), lambda: os.setgroups([0]))


def change_the_kernel() -> str:
    return tried(
        writing(Path("/proc/sys/kernel/core_pattern")),
        writing(Path("/proc/sys/kernel/hostname")),
        writing(Path("/proc/sys/user/max_user_namespaces")),
        writing(Path("/proc/sys/kernel/pid_max")),
        writing(Path("/proc/sysrq-trigger")),
        writing(Path("/sys/kernel/uevent_helper")),
        writing(Path("/sys/power/state")),
        lambda: Path("/sys/fs/cgroup/made-by-a-test").mkdir(),
        call("sethostname", b"x", 1),
        lambda: Path("/proc/kcore").open("rb").read(1),
    )


def reach_sockets() -> str:
    def connecting(name: str) -> Callable[[], object]:
        return lambda: socket.socket(socket.AF_UNIX).connect(name)

    def reaching(address: tuple[str, int]) -> Callable[[], object]:
        return lambda: socket.create_connection(address, timeout=0.5)

    addresses = [] if GIVEN["network"] else [("192.0.2.1", 80), ("127.0.0.1", GIVEN["port"])]
    here = socket.socket(socket.AF_INET)
    here.bind(("127.0.0.1", 0))
    here.listen()
    reaching(here.getsockname())()  # the loopback of its own works
    return tried(
        *(connecting(name) for name in GIVEN["sockets"]),
        *(reaching(address) for address in addresses),
        *((lambda family=family: socket.socket(family, socket.SOCK_STREAM)) for family in (38, 40)),
        lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
    )


def reach_processes() -> str:
    """Those of the machine have no number here."""
    outside = GIVEN["process"]
    kept = ctypes.create_string_buffer(8)
    parts = (ctypes.c_ulong * 2)(ctypes.addressof(kept), 8)
    here = {int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()}
    if len(here) > 10 or outside in here:
        return f"{THROUGH}: {sorted(here)}"
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a container's first process sends it on
    for number in (9, 15, 19):  # the first process takes nothing from in here
        with suppress(PermissionError):
            os.kill(1, number)
    return tried(
        lambda: os.kill(outside, 9),
        call("ptrace", 16, 1, 0, 0),
        call("ptrace", 16, outside, 0, 0),
        call("process_vm_readv", 1, parts, 1, parts, 1, 0),
        call("process_vm_writev", 1, parts, 1, parts, 1, 0),
    )


def read_keys() -> str:
    machine = {"x86_64": (250, 248, 425), "aarch64": (219, 217, 425)}[os.uname().machine]
    return tried(*(system_call(number, 0, 0, 0) for number in machine))


def read_secrets() -> str:
    return tried(*(Path(name).read_bytes for name in GIVEN["secrets"]))


def write_secrets() -> str:
    """Our database, where it is: nothing of it is there, so that a new file is none of ours."""
    for name in GIVEN["secrets"]:
        try:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(b"changed\n")
        except OSError:
            continue
    return STOPPED


def swap_the_project() -> str:
    moved = tried(
        lambda: PROJECT.rename(PROJECT.with_name("moved")),
        PROJECT.rmdir,
        lambda: shutil.rmtree(PROJECT.parent / "nothing"),
    )
    run("mv", str(PROJECT / "src"), str(PROJECT / "moved"))  # an overlay does not rename folders from below
    (PROJECT / "src").symlink_to(OUTSIDE)
    return moved


def race() -> str:
    """A folder that is a link every other moment, while another process writes through its name."""
    (PROJECT / "raced").mkdir()
    (PROJECT / "leads").symlink_to(OUTSIDE)
    writer = os.fork()
    until = time.monotonic() + 0.3
    if writer == 0:
        while time.monotonic() < until:
            for name in ("victim.txt", "new.txt"):
                with suppress(OSError):
                    (PROJECT / "raced" / name).write_bytes(b"changed\n")
        os._exit(0)
    while time.monotonic() < until:
        LIBRARY.renameat2(-100, os.fsencode(PROJECT / "raced"), -100, os.fsencode(PROJECT / "leads"), 2)
    os.waitpid(writer, 0)
    return STOPPED


def write_a_terabyte() -> str:
    with (PROJECT / "huge").open("wb") as file:
        return tried(lambda: file.truncate(1 << 40), lambda: os.pwrite(file.fileno(), b"x", 1 << 40))


def fill_memory_folders() -> str:
    def filling(folder: str) -> Callable[[], None]:
        def attempt() -> None:
            with Path(folder, "filler").open("wb", buffering=0) as file:
                for _ in range(GIVEN["private_bytes"] // (1 << 16) + 2):
                    file.write(bytes(1 << 16))

        return attempt

    ended = tried(*map(filling, ("/tmp", "/dev/shm", "/run", os.environ["HOME"], "/var/tmp")))
    for folder in ("/tmp", "/dev/shm", "/run", os.environ["HOME"], "/var/tmp"):
        Path(folder, "filler").unlink(missing_ok=True)
    return ended


def start_too_many() -> str:
    """Processes that wait, until the system gives no more."""
    started: list[int] = []
    ended = f"{THROUGH}: all"
    for _ in range(GIVEN["processes"] + 10):
        try:
            child = os.fork()
        except OSError as error:
            ended = f"{STOPPED}: {errno.errorcode[error.errno or 0]}"
            break
        if child == 0:
            time.sleep(60)
            os._exit(0)
        started.append(child)
    for child in started:
        os.kill(child, 9)
        os.waitpid(child, 0)
    return ended


ATTACKS = (
    write_outside,
    write_into_pipes,
    write_through_links,
    write_through_processes,
    change_mounts,
    make_name_spaces,
    make_devices,
    gain_rights,
    change_the_kernel,
    reach_sockets,
    reach_processes,
    read_keys,
    read_secrets,
    write_secrets,
    race,
    write_a_terabyte,
    fill_memory_folders,
    start_too_many,
    swap_the_project,
)


def main(attacks: Iterable[Callable[[], str]]) -> None:
    told = {}
    for attack in attacks:
        try:
            told[attack.__name__] = attack()
        except Exception as error:
            told[attack.__name__] = f"failed: {error!r}"
    print(json.dumps(told))


if __name__ == "__main__":
    main(ATTACKS)
