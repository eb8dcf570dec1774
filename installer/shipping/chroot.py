"""A bare Debian in a folder, in which packages are made and tried out as on somebody else's machine.

mmdebstrap makes it, and bubblewrap runs each command in it with processes, devices and mounts of its own,
which end and go with it: nothing of this machine is mounted beneath the folder when it is removed. It works
for root, and for other users where the kernel lets them make namespaces.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from system_packages import Problem, captured, run_quietly

from shipping.parts import Source, Unavailable

SUITES = {"bookworm": 12, "trixie": 13}
"""The releases of Debian that a package is made for, by their names."""
INSTALLER = "/srv/installer"
"""Where these modules are brought, and run from."""
USER = "anna"
"""An ordinary user, whom each bare Debian has."""

_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")  # where their package writes its own
_BROUGHT_CERTIFICATES = "/etc/ssl/of-the-machine.crt"
_HANDED_ON = (
    *("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_DEFAULT_TIMEOUT"),
)
"""What says how this machine reaches the network; nothing else of our environment gets in."""
_ROOT = () if os.geteuid() == 0 else ("unshare", "--map-root-user", "--map-auto")
"""What starts a command as root: nothing, or as root of a namespace with the user's spare numbers."""
_VIEW = f"""--dev /dev --perms 1777 --tmpfs {Path("/dev", "shm")} --proc /proc --unshare-pid
    --die-with-parent --cap-add ALL""".split()  # every user's multiprocessing makes its locks in shm


class Chroot(NamedTuple):
    """A bare Debian of this suite in this folder."""

    suite: str
    folder: Path

    def run(
        self,
        *words: str,
        user: str = "root",
        variables: Mapping[str, str] | None = None,
        where: str = "",
        check: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in it as one of its users, by default in the user's home; return its output.

        Raises Problem where it failed, unless `check` is False.
        """
        home = "/root" if user == "root" else f"/home/{user}"
        own = {"HOME": home, "USER": user, "LANG": "C.UTF-8", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        if user == "root":
            own |= {**network(), "DEBIAN_FRONTEND": "noninteractive", "PIP_ROOT_USER_ACTION": "ignore"}
        given = [word for pair in (own | dict(variables or {})).items() for word in ("--setenv", *pair)]
        become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"] if user != "root" else []
        view = [*("--bind", self.folder, "/"), *_VIEW, "--clearenv", *given, "--chdir", where or home]
        # Its parent is this shell: programs take a parent of number 1 for none at all.
        done = captured([*_ROOT, "bwrap", *view, "sh", "-c", '"$@"; exit $?', "sh", *become, *words])
        if check and done.returncode:
            said = (done.stdout + done.stderr)[-3000:]
            raise Problem(f"In Debian {self.suite}, {' '.join(words)} ended with {done.returncode}:\n{said}")
        return done

    def run_trial(self, source: Source, *words: str, user: str = USER, **variables: str) -> str:
        """Run shipping.trial of these sources in it with these words; return what it prints."""
        self.bring(source.folder / "installer", INSTALLER)
        command = ("python3", "-B", "-m", "shipping.trial", *words)
        return self.run(*command, user=user, variables={"PYTHONPATH": INSTALLER, **variables}).stdout.strip()

    def show(self, program: str) -> None:
        """Have the program draw its window on a screen of X11. Raises Problem."""
        self.install("xvfb", "xauth")
        self.run("xvfb-run", "-a", program, "--smoke", user=USER, variables={"QT_QPA_PLATFORM": "xcb"})

    def install(self, *packages: str) -> None:
        """Install packages of the suite, or files in it that begin with `./` or `/`."""
        self.run("sh", "-c", "ls /var/lib/apt/lists | grep -q Packages || apt-get update -q")
        self.run("apt-get", "install", "-q", "-y", "--no-install-recommends", *packages)

    def path(self, path: str) -> Path:
        """Return where on this machine a path of it is, which no absolute link leads through."""
        return self.folder / path.lstrip("/")

    def bring(self, path: Path, target: str) -> None:
        """Copy a file or a folder of this machine to `target` in it, as root's."""
        copy = self.path(target)
        run_quietly([*_ROOT, "mkdir", "-p", copy.parent])
        run_quietly([*_ROOT, "cp", "-rT", "--preserve=mode,timestamps", path, copy])


@contextmanager
def bare(suite: str) -> Iterator[Chroot]:
    """Make a bare Debian with no more than apt needs; it is removed at the end. Raises Unavailable."""
    base = Path(_base(suite).name, "base.tar")
    place = Path(tempfile.mkdtemp(prefix=f"exacta-{suite}-"))
    debian = Chroot(suite, place / "root")
    try:
        place.chmod(0o755)  # whoever root is in there must get through
        run_quietly([*_ROOT, "mkdir", "-m", "755", debian.folder])
        unpack = ["tar", "-x", "--numeric-owner", "-C", debian.folder, "--exclude=./dev/*", "-f", base]
        run_quietly([*_ROOT, *unpack])
        debian.bring(Path("/etc/resolv.conf").resolve(), "/etc/resolv.conf")
        if _CERTIFICATES.exists():
            debian.bring(_CERTIFICATES, _BROUGHT_CERTIFICATES)
        debian.run("useradd", "--create-home", USER)
        yield debian
    finally:
        # No mount of ours outlives its command, so this reaches nothing but the copy.
        captured([*_ROOT, "rm", "-rf", debian.folder])
        shutil.rmtree(place, ignore_errors=True)


@functools.cache
def _base(suite: str) -> tempfile.TemporaryDirectory[str]:
    """Make base.tar of the bare Debian, once for all that is built and tried in this process."""
    for tool, package in (("mmdebstrap", "mmdebstrap"), ("bwrap", "bubblewrap")):
        if shutil.which(tool) is None:
            raise Unavailable(f"{tool} is not installed: apt-get install {package}")
    tried = captured([*_ROOT, "bwrap", "--bind", "/", "/", *_VIEW, "true"])
    if tried.returncode:
        raise Unavailable(f"no namespaces can be made here: {tried.stderr.strip()}")
    folder = tempfile.TemporaryDirectory(prefix="exacta-debian-")  # it goes when this process ends
    Path(folder.name).chmod(0o755)
    words = [
        "--quiet",
        f"--mode={'unshare' if _ROOT else 'root'}",
        "--variant=minbase",
        "--format=tar",
        suite,
    ]
    made = captured(["mmdebstrap", *words, f"{folder.name}/base.tar"])
    if made.returncode:
        raise Unavailable(f"no Debian {suite} can be had here: {made.stderr.strip()[-300:]}")
    return folder


def network() -> dict[str, str]:
    """Return what a process in a bare Debian has to know to reach the network as this machine does."""
    found = {name: os.environ[name] for name in _HANDED_ON if name in os.environ}
    if _CERTIFICATES.exists():
        found |= dict.fromkeys(("SSL_CERT_FILE", "PIP_CERT"), _BROUGHT_CERTIFICATES)
    return found
