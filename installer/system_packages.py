"""What Exacta Studio needs from the operating system, and how to get what is missing.

Standard library only, and loadable by Python 3.8: it runs before anything is installed.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple


class Problem(Exception):
    """What stops the command, in one sentence with the remedy."""


class Need(NamedTuple):
    """A library (soname), command, Python module or font (file), and the packages that hold it."""

    group: str
    kind: str
    name: str
    apt: str
    dnf: str


_TABLE = """
python     module   venv=python3.{minor}-venv/python3-libs  ensurepip=python3.{minor}-venv/python3-libs
python     module   sqlite3=libpython3.{minor}-stdlib/python3-libs
offscreen  library  libGL.so.1=libgl1/libglvnd-glx  libEGL.so.1=libegl1/libglvnd-egl
offscreen  library  libxkbcommon.so.0=libxkbcommon0/libxkbcommon  libglib-2.0.so.0=libglib2.0-0/glib2
offscreen  library  libfontconfig.so.1=libfontconfig1/fontconfig  libdbus-1.so.3=libdbus-1-3/dbus-libs
offscreen  library  libgssapi_krb5.so.2=libgssapi-krb5-2/krb5-libs
offscreen  font     DejaVuSans.ttf=fonts-dejavu-core/dejavu-sans-fonts
offscreen  font     JetBrainsMono-Regular.ttf=fonts-jetbrains-mono/jetbrains-mono-fonts
x11        library  libxkbcommon-x11.so.0=libxkbcommon-x11-0/libxkbcommon-x11
x11        library  libxcb-shape.so.0=libxcb-shape0/libxcb  libxcb-cursor.so.0=libxcb-cursor0/xcb-util-cursor
x11        library  libxcb-icccm.so.4=libxcb-icccm4/xcb-util-wm
x11        library  libxcb-keysyms.so.1=libxcb-keysyms1/xcb-util-keysyms
wayland    library  libwayland-client.so.0=libwayland-client0/libwayland-client
wayland    library  libwayland-cursor.so.0=libwayland-cursor0/libwayland-cursor
wayland    library  libwayland-egl.so.1=libwayland-egl1/libwayland-egl
git        command  git
test       command  strace  rg=ripgrep  bwrap=bubblewrap  setfacl=acl  setfattr=attr  btrfs=btrfs-progs
test       command  lowntfs-3g=ntfs-3g  mkfs.exfat=exfatprogs  mount.exfat-fuse=exfat-fuse/-  openbox  xdotool
test       command  Xvfb=xvfb/xorg-x11-server-Xvfb  xauth=xauth/xorg-x11-xauth  gpg=gnupg/gnupg2
test       command  gpg-agent=gpg-agent/gnupg2
deb        command  mmdebstrap  bwrap=bubblewrap  dpkg-deb=dpkg  appstreamcli=appstream  lintian=lintian/-
deb        command  desktop-file-validate=desktop-file-utils
"""
"""What each group needs: name=apt/dnf, as far as the packages have other names; the modules are what some
distributions cut out of their Python. What needs a package that dnf lacks ("-") is skipped there."""
NEEDS = [
    Need(group, kind, name, apt or name, dnf or apt or name)
    for group, kind, *each in map(str.split, _TABLE.format(minor=sys.version_info[1]).strip().splitlines())
    for name, apt, dnf in (re.split("[=/]", f"{one}//")[:3] for one in each)
]


def libraries(*groups: str) -> list[str]:
    """Return Debian's packages with the libraries of these groups."""
    return sorted({need.apt for need in NEEDS if need.kind == "library" and need.group in groups})


def needs(command: str) -> list[Need]:
    """List all that `command` ("run", "test" or "deb") needs here, present or not."""
    screens = {"DISPLAY": "x11", "WAYLAND_DISPLAY": "wayland"}
    groups = {
        "deb": {"deb"},
        "test": {"python", "offscreen", "x11", "git", "test"},
        "run": {"python", "offscreen", *(group for name, group in screens.items() if os.environ.get(name))},
    }[command]
    if command != "deb" and not sys.platform.startswith("linux"):
        groups &= {"python", "git"}
    return [need for need in NEEDS if need.group in groups]


def provide(command: str, may_install: bool) -> None:
    """Install what `command` needs and the system lacks. Raises Problem where it can't."""
    name, version = platform.libc_ver()
    numbers = [int(part) for part in version.split(".") if part.isdigit()]
    # Older ones, and musl, have no build of Qt for Python.
    if sys.platform.startswith("linux") and (name != "glibc" or numbers < [2, 34]):
        raise Problem(
            f"Qt for Python needs glibc 2.34 or newer, and this system has {name or 'another C library'} "
            f"{version}. Use Debian 12, Ubuntu 22.04, Fedora 35 or something newer."
        )
    manager = next(filter(shutil.which, ("apt-get", "dnf")), None)
    missing = [
        need for need in needs(command) if not is_present(need) and (manager, need.dnf) != ("dnf", "-")
    ]
    if missing and manager is not None:
        install(manager, missing, may_install)
        missing = [need for need in missing if not is_present(need)]
    for need in missing:
        if need.kind == "font":
            say(f"Note: the font {need.name} is not installed; text will look different.")
    blocking = ", ".join(need.name for need in missing if need.kind != "font")
    if blocking:
        raise Problem(
            f"Missing on this system: {blocking}. Install the packages that hold them (macOS: xcode-select "
            "--install, brew install python@3.13; Windows: winget install Git.Git Python.Python.3.13), then "
            "run the command again."
        )


def is_present(need: Need) -> bool:
    if need.kind == "library":
        try:
            return bool(ctypes.CDLL(need.name))
        except OSError:
            return False
    if need.kind == "command":
        path = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"  # root's too: who mounts is root there
        return shutil.which(need.name, path=path) is not None
    if need.kind == "module":
        importlib.invalidate_caches()
        return importlib.util.find_spec(need.name) is not None
    folders = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local/share/fonts"]
    return any(need.name in files for folder in folders for _, _, files in os.walk(folder))


def install(manager: str, missing: list[Need], may_install: bool) -> None:
    """Install the packages of `missing`. Raises Problem with the command where it may not or can't."""
    is_apt = manager == "apt-get"
    option = "--no-install-recommends" if is_apt else "--setopt=install_weak_deps=False"
    packages = sorted({need.apt if is_apt else need.dnf for need in missing})
    steps = ["apt-get update"] if is_apt else []
    steps.append(f"{manager} install -y {option} {' '.join(packages)}")
    by_hand = " && ".join(f"sudo {step}" for step in steps)
    rights = administrator_rights() if may_install else None
    if rights is None:
        if all(need.kind == "font" for need in missing):
            return
        why = "no right to install them" if may_install else "--no-system forbids installing them"
        raise Problem(f"System packages are missing, and {why}. Run: {by_hand}")
    say(f"Installing system packages with {manager}: {' '.join(packages)}")
    command = [*rights, "sh", "-c", " && ".join(steps)]
    # Its messages go to stderr: stdout belongs to what is run.
    if subprocess.call(command, stdin=subprocess.DEVNULL, stdout=sys.stderr):
        raise Problem(
            f"The system packages can't be installed, for the reason above. Connect to the network if there "
            f"is none, or have them installed with: {by_hand}"
        )


def administrator_rights() -> list[str] | None:
    """Return the words before a command that changes the system; None without the right."""
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if sudo and (shutil.which("sudo") is None or captured([*sudo, "true"]).returncode != 0):
        return None
    # sudo cleans the environment, so what keeps apt from asking questions is set behind it.
    return [*sudo, "env", "DEBIAN_FRONTEND=noninteractive"]


def captured(
    command: Iterable[str | Path], variables: Mapping[str, str] | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command without stdin, in `folder` and with only these `variables`; return its output."""
    return subprocess.run(
        list(command),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=variables,
        cwd=folder,
        check=False,
    )


def run_quietly(
    command: Iterable[str | Path], variables: Mapping[str, str] | None = None, folder: Path | None = None
) -> str:
    """Run a command as `captured` does and return its stdout. Raises Problem where it fails."""
    words = list(map(str, command))
    done = captured(words, variables, folder)
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        raise Problem(f"The command failed with exit code {done.returncode}: {' '.join(words)}")
    return done.stdout


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def exit_code(do: Callable[[], object]) -> int:
    """Return the exit code of a command that does this: its own, 1 after one sentence, or 130."""
    try:
        found = do()
    except Problem as problem:
        say(str(problem))
    except OSError as error:
        say(f"{error.filename or 'The system'}: {error.strerror or error}. Mend that, then try again.")
    except KeyboardInterrupt:
        return 130
    else:
        return found if isinstance(found, int) else 0
    return 1
