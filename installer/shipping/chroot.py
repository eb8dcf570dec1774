"""A bare Debian in a folder, in which packages are made and tried out as on a machine of somebody else.

Every command in it has processes and mounts of its own, which end and go with it: nothing of this machine
lies beneath the folder when it is removed. It works for root, and for other users where the kernel lets them
make namespaces.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from system_packages import Problem, captured, last_error, run_quietly

from shipping.outcome import Unavailable

SUITES = ("bookworm", "trixie")
"""The releases of Debian that a package is made for: 12 and 13."""

_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
# The package of certificates writes its own to the usual place.
_BROUGHT_CERTIFICATES = "/etc/ssl/of-the-machine.crt"
OWN = "/trial/installer"
"""Where the installer's own modules are brought, and run from."""
USER = "anna"
"""An ordinary user, whom each bare Debian has."""
_HANDED_ON = (
    *("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_DEFAULT_TIMEOUT"),
)
"""What says how this machine reaches the network; nothing else of our environment gets in."""

# The devices that programs expect, a terminal among them, and the processes of this command alone.
_ENTER = """
set -e
root=$1; shift
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm"
for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t proc proc "$root/proc"
# Not with exec: programs take a parent of number 1 for none at all.
chroot "$root" "$@" || exit $?
exit 0
"""


@dataclass(frozen=True)
class Chroot:
    """A bare Debian of this suite in this folder."""

    suite: str
    folder: Path

    def run(
        self,
        words: Sequence[str],
        *,
        user: str = "root",
        variables: Mapping[str, str] | None = None,
        where: str | None = None,
        check: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in it as one of its users, by default in `/` or the user's home.

        Returns what it said. Raises Problem where it failed, unless `check` is False.
        """
        become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"] if user != "root" else []
        told = _variables(user) | dict(variables or {})
        where = where or ("/" if user == "root" else told["HOME"])
        command = ["env", "-i", "-C", where, *(f"{name}={value}" for name, value in told.items()), *words]
        done = captured(_enter(["sh", "-c", _ENTER, "sh", str(self.folder), *become, *command]))
        if check and done.returncode:
            said = (done.stdout + done.stderr)[-3000:]
            raise Problem(f"In Debian {self.suite}, {' '.join(words)} ended with {done.returncode}:\n{said}")
        return done

    def run_own(
        self, module: str, *words: str, user: str = USER, variables: Mapping[str, str] | None = None
    ) -> str:
        """Run a module of the installer that was brought to `OWN`; what it prints."""
        command = ["python3", "-B", "-m", module, *words]
        done = self.run(command, user=user, variables={"PYTHONPATH": OWN, **(variables or {})})
        return done.stdout.strip()

    def show(self, program: str) -> None:
        """Have the program draw its window on a screen of X11. Raises Problem."""
        self.install("xvfb", "xauth")
        words = ["xvfb-run", "-a", program, "--smoke"]
        self.run(words, user=USER, variables={"QT_QPA_PLATFORM": "xcb"})

    def install(self, *packages: str) -> None:
        """Install packages of the suite, or files in it that begin with `./` or `/`."""
        self.run(["sh", "-c", "ls /var/lib/apt/lists | grep -q Packages || apt-get update -q"])
        self.run(["apt-get", "install", "-q", "-y", "--no-install-recommends", *packages])

    def path(self, path: str) -> Path:
        """Where on this machine a path of it is, which no absolute link leads through."""
        return self.folder / path.lstrip("/")

    def bring(self, path: Path, target: str) -> None:
        """Copy a file or a folder of this machine to `target` in it, as root's."""
        copy = self.path(target)
        run_quietly([*_root_words(), "mkdir", "-p", copy.parent])
        run_quietly([*_root_words(), "cp", "-rT", "--preserve=mode,timestamps", path, copy])

    def take(self, path: str, into: Path) -> Path:
        """Copy a file of it into a folder of this machine; returns the copy."""
        return Path(shutil.copy(self.path(path), into))


@contextmanager
def bare(suite: str) -> Iterator[Chroot]:
    """A bare Debian of this suite: no more than apt needs, and how this machine reaches the network. It is
    removed at the end, whatever happened. Raises Unavailable."""
    base = _base(suite)
    place = Path(tempfile.mkdtemp(prefix=f"exacta-{suite}-"))
    try:
        place.chmod(0o755)  # whoever root is in there must get through
        folder = place / "root"
        _as_root(["mkdir", "-m", "755", str(folder)])
        _as_root(["tar", "-x", "--numeric-owner", "-C", str(folder), "--exclude=./dev/*", "-f", str(base)])
        chroot = Chroot(suite, folder)
        chroot.bring(Path("/etc/resolv.conf").resolve(), "/etc/resolv.conf")
        chroot.run(["useradd", "--create-home", USER])
        if _CERTIFICATES.exists():
            chroot.bring(_CERTIFICATES, _BROUGHT_CERTIFICATES)
        yield chroot
    finally:
        # No mount of ours outlives its command, so this reaches nothing but the copy.
        _as_root(["rm", "-rf", str(place / "root")], check=False)
        shutil.rmtree(place, ignore_errors=True)


@functools.cache
def _base(suite: str) -> Path:
    """An archive of the bare Debian, made once for all that is built and tried in this process."""
    if shutil.which("mmdebstrap") is None:
        raise Unavailable("mmdebstrap is not installed: apt-get install mmdebstrap")
    mode = "root" if os.geteuid() == 0 else "unshare"
    tried = captured(_enter(["true"]))
    if tried.returncode:
        raise Unavailable(f"no namespaces can be made here: {tried.stderr.strip()}")
    archive = Path(_archives().name, f"{suite}.tar")
    words = ["mmdebstrap", "--quiet", f"--mode={mode}", "--variant=minbase", "--format=tar", suite]
    made = captured([*words, archive])
    if made.returncode:
        archive.unlink(missing_ok=True)
        reason = last_error(made.stderr, "E: ") or made.stderr.strip()[-300:]
        raise Unavailable(f"no Debian {suite} can be had here: {reason}")
    return archive


@functools.cache
def _archives() -> tempfile.TemporaryDirectory[str]:
    """The folder of the archives, which goes when this process ends."""
    folder = tempfile.TemporaryDirectory(prefix="exacta-debian-")
    Path(folder.name).chmod(0o755)
    return folder


def _variables(user: str) -> dict[str, str]:
    home = "/root" if user == "root" else f"/home/{user}"
    told = {
        "HOME": home,
        "LANG": "C.UTF-8",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "USER": user,
    }
    if user != "root":
        return told
    return {**told, **network(), "DEBIAN_FRONTEND": "noninteractive", "PIP_ROOT_USER_ACTION": "ignore"}


def network() -> dict[str, str]:
    """What a user in it has to be told who installs something from the network; root is told."""
    told = {name: os.environ[name] for name in _HANDED_ON if name in os.environ}
    if _CERTIFICATES.exists():
        told |= dict.fromkeys(("SSL_CERT_FILE", "PIP_CERT"), _BROUGHT_CERTIFICATES)
    return told


def _enter(words: Sequence[str]) -> list[str]:
    """What runs a command as root with mounts and processes of its own."""
    return [*_root_words(), "--mount", "--pid", "--fork", "--kill-child", *words]


def _as_root(words: Sequence[str], check: bool = True) -> None:
    """Run a command of this machine as whoever owns the files of a bare Debian."""
    done = captured([*_root_words(), *words])
    if check and done.returncode:
        raise Unavailable(f"{words[0]}: {done.stderr.strip()}")


def _root_words() -> list[str]:
    """What starts a command as root: as it is, or as root of a namespace with the user's spare numbers."""
    return ["unshare"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--map-auto"]
