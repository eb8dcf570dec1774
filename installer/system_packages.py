"""What Exacta Studio needs from the operating system, and how to get what is missing.

Standard library only: nothing else is there yet when this runs.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Problem(Exception):
    """What stops the command, in one sentence with the remedy."""


class Need(NamedTuple):
    """One thing of the system: how to probe for it, and the package that holds it.

    `kind` is "library" (soname), "command", "module" (of the running Python) or "font" (file name); `dnf` is
    empty where that manager has no such package: what needs it is left out there.
    """

    kind: str
    name: str
    apt: str
    dnf: str


OFFSCREEN = (
    Need("library", "libGL.so.1", "libgl1", "libglvnd-glx"),
    Need("library", "libEGL.so.1", "libegl1", "libglvnd-egl"),
    Need("library", "libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon"),
    Need("library", "libglib-2.0.so.0", "libglib2.0-0", "glib2"),
    Need("library", "libfontconfig.so.1", "libfontconfig1", "fontconfig"),
    Need("library", "libdbus-1.so.3", "libdbus-1-3", "dbus-libs"),
    Need("library", "libgssapi_krb5.so.2", "libgssapi-krb5-2", "krb5-libs"),
    Need("font", "DejaVuSans.ttf", "fonts-dejavu-core", "dejavu-sans-fonts"),
    Need("font", "JetBrainsMono-Regular.ttf", "fonts-jetbrains-mono", "jetbrains-mono-fonts"),
)
X11 = (
    Need("library", "libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11"),
    Need("library", "libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor"),
    Need("library", "libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm"),
    Need("library", "libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms"),
    Need("library", "libxcb-shape.so.0", "libxcb-shape0", "libxcb"),
)
WAYLAND = (
    Need("library", "libwayland-client.so.0", "libwayland-client0", "libwayland-client"),
    Need("library", "libwayland-cursor.so.0", "libwayland-cursor0", "libwayland-cursor"),
    Need("library", "libwayland-egl.so.1", "libwayland-egl1", "libwayland-egl"),
)
TEST_TOOLS = (
    Need("command", "git", "git", "git"),
    Need("command", "strace", "strace", "strace"),
    Need("command", "rg", "ripgrep", "ripgrep"),
    Need("command", "bwrap", "bubblewrap", "bubblewrap"),
    Need("command", "setfacl", "acl", "acl"),
    Need("command", "setfattr", "attr", "attr"),
    Need("command", "lowntfs-3g", "ntfs-3g", "ntfs-3g"),
    Need("command", "mkfs.exfat", "exfatprogs", "exfatprogs"),
    Need("command", "mount.exfat-fuse", "exfat-fuse", ""),  # without it one disk that folds case is not tried
    Need("command", "btrfs", "btrfs-progs", "btrfs-progs"),
    Need("command", "Xvfb", "xvfb", "xorg-x11-server-Xvfb"),
    Need("command", "xauth", "xauth", "xorg-x11-xauth"),
    Need("command", "openbox", "openbox", "openbox"),
    Need("command", "xdotool", "xdotool", "xdotool"),
    Need("command", "gpg", "gnupg", "gnupg2"),
    Need("command", "gpg-agent", "gpg-agent", "gnupg2"),
)
DEBIAN_TOOLS = (
    Need("command", "mmdebstrap", "mmdebstrap", "mmdebstrap"),
    Need("command", "dpkg-deb", "dpkg", "dpkg"),
    Need("command", "lintian", "lintian", ""),
    Need("command", "appstreamcli", "appstream", "appstream"),
    Need("command", "desktop-file-validate", "desktop-file-utils", "desktop-file-utils"),
)

OLDEST_GLIBC = (2, 34)


def python_modules() -> tuple[Need, ...]:
    """Modules that some distributions cut out of their Python."""
    package = f"python3.{sys.version_info[1]}-venv"
    return (
        Need("module", "venv", package, "python3-libs"),
        Need("module", "ensurepip", package, "python3-libs"),
        Need("module", "sqlite3", f"libpython3.{sys.version_info[1]}-stdlib", "python3-libs"),
    )


def needs(command: str) -> tuple[Need, ...]:
    """Everything `command` ("run", "test" or "deb") needs on this machine, present or not."""
    if command == "deb":
        return DEBIAN_TOOLS
    if not sys.platform.startswith("linux"):
        git = tuple(tool for tool in TEST_TOOLS if tool.name == "git")
        return python_modules() + (git if command == "test" else ())
    wanted = python_modules() + OFFSCREEN
    if command == "test":
        return wanted + X11 + TEST_TOOLS
    if os.environ.get("DISPLAY"):
        wanted += X11
    if os.environ.get("WAYLAND_DISPLAY"):
        wanted += WAYLAND
    return wanted


def provide(command: str, may_install: bool) -> None:
    """Install what `command` needs and the system lacks; raise Problem where that is not possible."""
    check_libc()
    manager = package_manager()
    missing = [need for need in needs(command) if not is_present(need) and (manager != "dnf" or need.dnf)]
    if missing and manager is not None:
        install(manager, missing, may_install)
        missing = [need for need in missing if not is_present(need)]
    for need in missing:
        if need.kind == "font":
            say(f"Note: the font {need.name} is not installed; text will look different.")
    blocking = [need.name for need in missing if need.kind != "font"]
    if blocking:
        raise Problem(f"Missing on this system: {', '.join(blocking)}. {advice()}")


def check_libc() -> None:
    """Raise Problem where no build of Qt for Python exists: musl, or glibc before 2.34."""
    if not sys.platform.startswith("linux"):
        return
    name, version = platform.libc_ver()
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if name != "glibc" or numbers < OLDEST_GLIBC:
        found = f"{name} {version}".strip() or "another C library"
        raise Problem(
            f"Qt for Python needs glibc 2.34 or newer, and this system has {found}. "
            "Use Debian 12, Ubuntu 22.04, Fedora 35 or something newer."
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
    return has_font(need.name)


def has_font(file_name: str) -> bool:
    folders = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local/share/fonts"]
    return any(file_name in files for folder in folders for _, _, files in os.walk(folder))


def package_manager() -> str | None:
    return next((name for name in ("apt-get", "dnf") if shutil.which(name) is not None), None)


def install(manager: str, missing: list[Need], may_install: bool) -> None:
    """Install the packages of `missing`; without the right to, raise Problem with the exact command."""
    is_apt = manager == "apt-get"
    packages = sorted({need.apt if is_apt else need.dnf for need in missing})
    words = [
        "install",
        "--no-install-recommends" if is_apt else "--setopt=install_weak_deps=False",
        *packages,
    ]
    by_hand = f"sudo {manager} install -y {' '.join(words[1:])}"
    if is_apt:
        by_hand = f"sudo apt-get update && {by_hand}"
    rights = administrator_rights() if may_install else None
    if rights is None:
        if any(need.kind != "font" for need in missing):
            why = "no right to install them" if may_install else "--no-system forbids installing them"
            raise Problem(f"System packages are missing, and {why}. Run: {by_hand}")
        return
    say(f"Installing system packages with {manager}: {' '.join(packages)}")
    if is_apt:
        change_system([*rights, manager, "update"], by_hand)
        asked = captured([manager, *words, "--assume-no"], {**os.environ, "LC_ALL": "C"}).stdout
        for line in asked.splitlines():
            if line.startswith(("Need to get ", "After this operation")):
                say(line)
    change_system([*rights, manager, *words, "-y"], by_hand)


def change_system(command: list[str], by_hand: str) -> None:
    """Run a command of the package manager; raise Problem with its own last error where it fails."""
    done = captured(command, {**os.environ, "LC_ALL": "C"})
    if done.returncode != 0:
        output = done.stdout + done.stderr
        reason = last_error(output, "E: ") or last_error(output, "Error: ") or output.strip()[-300:]
        raise Problem(
            f"The system packages can't be installed: {reason}. Connect to the network if there is none, or "
            f"have them installed with: {by_hand}"
        )


def administrator_rights() -> list[str] | None:
    """The words to put before a command that changes the system; None without the right to."""
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if sudo and (shutil.which("sudo") is None or captured([*sudo, "true"]).returncode != 0):
        return None
    # sudo cleans the environment, so what keeps apt from asking questions is set behind it.
    return [*sudo, "env", "DEBIAN_FRONTEND=noninteractive"]


def advice() -> str:
    if sys.platform == "darwin":
        return "Install them with: xcode-select --install (git), brew install python@3.13 (Python)."
    if sys.platform == "win32":
        return "Install them with: winget install Git.Git (git), winget install Python.Python.3.13 (Python)."
    return "Install the packages of your distribution that hold them, then run the command again."


def last_error(output: str, lead: str) -> str:
    """What the last line says that begins with `lead`, without it and without a full stop; "" without one."""
    said = [line.removeprefix(lead) for line in output.splitlines() if line.startswith(lead)]
    return said[-1].strip().rstrip(".") if said else ""


def captured(
    command: Sequence[str | Path], variables: Mapping[str, str] | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command without stdin in `folder`; what it printed.

    `variables` is the process environment, by default that of this process.
    """
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=variables,
        cwd=folder,
        check=False,
    )


def run_quietly(
    command: Sequence[str | Path], variables: Mapping[str, str] | None = None, folder: Path | None = None
) -> str:
    """Run a command as `captured` does and return its stdout; where it fails, show all and raise Problem."""
    done = captured(command, variables, folder)
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        words = " ".join(map(str, command))
        raise Problem(f"The command failed with exit code {done.returncode}: {words}")
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
