"""What Exacta Studio needs from the operating system, and how to get what is missing.

Standard library only: nothing else is there yet when this runs.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple


class Problem(Exception):
    """What stops the command, in one sentence with the remedy."""


class Need(NamedTuple):
    """One thing of the system: what it is for, how to probe for it, and the package that holds it.

    `kind` is "library" (soname), "command", "module" (of the running Python) or "font" (file name); `dnf` is
    "-" where that manager has no such package: what needs it is left out there, as a disk that folds case.
    """

    group: str
    kind: str
    name: str
    apt: str
    dnf: str


_TABLE = """
python     module   venv                       python3.{minor}-venv       python3-libs
python     module   ensurepip                  python3.{minor}-venv       python3-libs
python     module   sqlite3                    libpython3.{minor}-stdlib  python3-libs
offscreen  library  libGL.so.1                 libgl1                     libglvnd-glx
offscreen  library  libEGL.so.1                libegl1                    libglvnd-egl
offscreen  library  libxkbcommon.so.0          libxkbcommon0              libxkbcommon
offscreen  library  libglib-2.0.so.0           libglib2.0-0               glib2
offscreen  library  libfontconfig.so.1         libfontconfig1             fontconfig
offscreen  library  libdbus-1.so.3             libdbus-1-3                dbus-libs
offscreen  library  libgssapi_krb5.so.2        libgssapi-krb5-2           krb5-libs
offscreen  font     DejaVuSans.ttf             fonts-dejavu-core          dejavu-sans-fonts
offscreen  font     JetBrainsMono-Regular.ttf  fonts-jetbrains-mono       jetbrains-mono-fonts
x11        library  libxkbcommon-x11.so.0      libxkbcommon-x11-0         libxkbcommon-x11
x11        library  libxcb-cursor.so.0         libxcb-cursor0             xcb-util-cursor
x11        library  libxcb-icccm.so.4          libxcb-icccm4              xcb-util-wm
x11        library  libxcb-keysyms.so.1        libxcb-keysyms1            xcb-util-keysyms
x11        library  libxcb-shape.so.0          libxcb-shape0              libxcb
wayland    library  libwayland-client.so.0     libwayland-client0         libwayland-client
wayland    library  libwayland-cursor.so.0     libwayland-cursor0         libwayland-cursor
wayland    library  libwayland-egl.so.1        libwayland-egl1            libwayland-egl
git        command  git                        git                        git
test       command  strace                     strace                     strace
test       command  rg                         ripgrep                    ripgrep
test       command  bwrap                      bubblewrap                 bubblewrap
test       command  setfacl                    acl                        acl
test       command  setfattr                   attr                       attr
test       command  lowntfs-3g                 ntfs-3g                    ntfs-3g
test       command  mkfs.exfat                 exfatprogs                 exfatprogs
test       command  mount.exfat-fuse           exfat-fuse                 -
test       command  btrfs                      btrfs-progs                btrfs-progs
test       command  Xvfb                       xvfb                       xorg-x11-server-Xvfb
test       command  xauth                      xauth                      xorg-x11-xauth
test       command  openbox                    openbox                    openbox
test       command  xdotool                    xdotool                    xdotool
test       command  gpg                        gnupg                      gnupg2
test       command  gpg-agent                  gpg-agent                  gnupg2
deb        command  mmdebstrap                 mmdebstrap                 mmdebstrap
deb        command  bwrap                      bubblewrap                 bubblewrap
deb        command  dpkg-deb                   dpkg                       dpkg
deb        command  lintian                    lintian                    -
deb        command  appstreamcli               appstream                  appstream
deb        command  desktop-file-validate      desktop-file-utils         desktop-file-utils
"""
NEEDS = [Need(*line.format(minor=sys.version_info[1]).split()) for line in _TABLE.strip().splitlines()]
"""Everything. The modules are what some distributions cut out of their Python."""


def libraries(*groups: str) -> list[str]:
    """Debian's packages with the libraries of these groups."""
    return sorted({need.apt for need in NEEDS if need.kind == "library" and need.group in groups})


def needs(command: str) -> list[Need]:
    """Everything `command` ("run", "test" or "deb") needs on this machine, present or not."""
    groups = {"python"}
    if command == "deb":
        groups = {"deb"}
    elif not sys.platform.startswith("linux"):
        groups |= {"git"} if command == "test" else set()
    elif command == "test":
        groups |= {"offscreen", "x11", "git", "test"}
    else:
        screens = {"DISPLAY": "x11", "WAYLAND_DISPLAY": "wayland"}
        groups |= {"offscreen", *(group for name, group in screens.items() if os.environ.get(name))}
    return [need for need in NEEDS if need.group in groups]


def provide(command: str, may_install: bool) -> None:
    """Install what `command` needs and the system lacks; raise Problem where that is not possible."""
    check_libc()
    manager = package_manager()
    missing = [
        need for need in needs(command) if not is_present(need) and (manager, need.dnf) != ("dnf", "-")
    ]
    if missing and manager is not None:
        install(manager, missing, may_install)
        missing = [need for need in missing if not is_present(need)]
    for need in missing:
        if need.kind == "font":
            say(f"Note: the font {need.name} is not installed; text will look different.")
    blocking = [need.name for need in missing if need.kind != "font"]
    if blocking:
        raise Problem(
            f"Missing on this system: {', '.join(blocking)}. Install the packages that hold them (macOS: "
            "xcode-select --install, brew install python@3.13; Windows: winget install Git.Git "
            "Python.Python.3.13), then run the command again."
        )


def check_libc() -> None:
    """Raise Problem where no build of Qt for Python exists: musl, or glibc before 2.34."""
    name, version = platform.libc_ver()
    numbers = [int(part) for part in version.split(".") if part.isdigit()]
    if sys.platform.startswith("linux") and (name != "glibc" or numbers < [2, 34]):
        raise Problem(
            f"Qt for Python needs glibc 2.34 or newer, and this system has {name or 'another C library'} "
            f"{version}. Use Debian 12, Ubuntu 22.04, Fedora 35 or something newer."
        )


def is_present(need: Need) -> bool:
    if need.kind == "library":
        try:
            ctypes.CDLL(need.name)
        except OSError:
            return False
        return True
    if need.kind == "command":
        path = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"  # root's too: who mounts is root there
        return shutil.which(need.name, path=path) is not None
    if need.kind == "module":
        importlib.invalidate_caches()
        return importlib.util.find_spec(need.name) is not None
    folders = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local/share/fonts"]
    return any(need.name in files for folder in folders for _, _, files in os.walk(folder))


def package_manager() -> str | None:
    return next((name for name in ("apt-get", "dnf") if shutil.which(name) is not None), None)


def install(manager: str, missing: list[Need], may_install: bool) -> None:
    """Install the packages of `missing`; without the right to, raise Problem with the exact command."""
    is_apt = manager == "apt-get"
    option = "--no-install-recommends" if is_apt else "--setopt=install_weak_deps=False"
    packages = sorted({need.apt if is_apt else need.dnf for need in missing})
    commands = [[manager, "update"]] if is_apt else []
    commands.append([manager, "install", "-y", option, *packages])
    by_hand = " && ".join(" ".join(["sudo", *command]) for command in commands)
    rights = administrator_rights() if may_install else None
    if rights is None:
        if any(need.kind != "font" for need in missing):
            why = "no right to install them" if may_install else "--no-system forbids installing them"
            raise Problem(f"System packages are missing, and {why}. Run: {by_hand}")
        return
    say(f"Installing system packages with {manager}: {' '.join(packages)}")
    for command in commands:
        # What it says of sizes, progress and errors goes to stderr.
        if subprocess.call([*rights, *command], stdin=subprocess.DEVNULL, stdout=sys.stderr):
            raise Problem(
                f"The system packages can't be installed, for the reason above. Connect to the network if "
                f"there is none, or have them installed with: {by_hand}"
            )


def administrator_rights() -> list[str] | None:
    """The words to put before a command that changes the system; None without the right to."""
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if sudo and (shutil.which("sudo") is None or captured([*sudo, "true"]).returncode != 0):
        return None
    # sudo cleans the environment, so what keeps apt from asking questions is set behind it.
    return [*sudo, "env", "DEBIAN_FRONTEND=noninteractive"]


def captured(
    command: Iterable[str | Path], variables: Mapping[str, str] | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command without stdin in `folder`; what it printed.

    `variables` is the process environment, by default that of this process.
    """
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
    """Run a command as `captured` does and return its stdout; where it fails, show all and raise Problem."""
    words = list(command)
    done = captured(words, variables, folder)
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        raise Problem(f"The command failed with exit code {done.returncode}: {' '.join(map(str, words))}")
    return done.stdout


def say(text: str) -> None:
    """Tell the person on stderr: stdout belongs to what is run."""
    print(text, file=sys.stderr, flush=True)


def exit_code(do: Callable[[], object]) -> int:
    """What a command that does this ends with: a number that it returns, or else 0; where it can't go on, 1
    after one sentence."""
    try:
        found = do()
    except Problem as problem:
        say(str(problem))
        return 1
    except OSError as error:
        say(f"{error.filename or 'The system'}: {error.strerror or error}. Mend that, then try again.")
        return 1
    except KeyboardInterrupt:
        return 130
    return found if isinstance(found, int) else 0
