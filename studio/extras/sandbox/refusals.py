"""Sandbox errors with hints, disk space checks, and warnings about unenforced limits."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from studio.errors import Refused
from studio.limits import SANDBOX_DISK_SPARE_FILES

_USERS: Final = "users"
_MOVED: Final = (errno.ESTALE, errno.ELOOP)

_SETTINGS: Final = (
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        (
            "This system's AppArmor forbids it: add a profile with the userns rule for this "
            "program, or set kernel.apparmor_restrict_unprivileged_userns to 0."
        ),
    ),
    ("kernel/unprivileged_userns_clone", "0", "Set kernel.unprivileged_userns_clone to 1 with sysctl."),
    ("user/max_user_namespaces", "0", "Set user.max_user_namespaces to 10000 with sysctl."),
)
"""Kernel settings: name, the value that forbids namespaces, and the hint."""

_BUBBLEWRAP_IN: Final = "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin"
"""Search path for bubblewrap.

Not PATH, which may contain a folder of the project.
"""

_ALLOW: Final = "Allow user name spaces, or run the command outside, at your own risk."
_LACKS: Final = {
    "bubblewrap": (
        "This system gives no name space to this program, so bubblewrap makes the sandbox: named pipes of "
        "this machine can be written to, sockets of other programs can be reached if they were bound while "
        "the command runs or moved to another folder, with the network abstract ones, too, how many "
        "processes it may start is not limited, and each private folder has the whole limit for itself."
    ),
    "processes": "How many processes the command may start is not limited: root's are not counted.",
    "pipes": ("Named pipes of this machine can be written to: this kernel can't stop that (Linux 5.19 can)."),
    "abstract_sockets": (
        "Programs that listen at abstract sockets, as the X server does, can be reached: "
        "this kernel can't stop that (Linux 6.12 can)."
    ),
    "sockets": (
        "Sockets of other programs can be reached where the command sees them, if they were "
        "bound while it runs or moved to another folder: this kernel can't stop that (Linux "
        "7.1 can)."
    ),
    "cpu": "How much CPU the container takes is not limited: podman can't limit it for this user here.",
    "calls": "System calls are not filtered on this processor architecture.",
}
_MEMORY: Final = "The memory that all its processes take together is not limited."
_NETWORK: Final = "With the network, what listens on this machine can be reached, too."


class SandboxRefused(Refused):
    """A command or layer was refused because it would not be confined."""


class NoSpaces(SandboxRefused):
    """The system refuses this program namespaces; bubblewrap may get them."""


class LayerMethodRefused(SandboxRefused):
    """This way does not work for this project; the next one may."""


class NoLayerMethod(SandboxRefused):
    """No way works; `reasons` are sentences."""

    def __init__(self, refusals: Sequence[LayerMethodRefused]) -> None:
        self.reasons = " ".join(dict.fromkeys(each.message for each in refusals))
        super().__init__(
            "sandbox.no_way", f"Nothing was run. {self.reasons}", "Run the diagnostics for details."
        )


def moved() -> SandboxRefused:
    """Return the error for a replaced project folder."""
    return SandboxRefused(
        "sandbox.moved", "Nothing was run: another folder is in the project's place.", "Open it again."
    )


def refusal(step: str, number: int, words: str = "") -> SandboxRefused:
    """Return the error for a step that the launcher could not do.

    `number` is the errno, `words` bubblewrap's message.
    """
    cause = os.strerror(number)
    if step == "ground" and number in _MOVED:
        return moved()
    if step == "ground" and number not in (errno.EPERM, errno.EACCES):
        return LayerMethodRefused("sandbox.way", f"The project's overlay can't be created: {cause}.", "")
    if step == "ground" and not _find_kernel_setting():
        return LayerMethodRefused("sandbox.way", f"The project's overlay can't be created: {cause}.", "")
    if step == "bubblewrap":
        reason = f": {words.removeprefix('bwrap: ').rstrip('.')}." if words else "."
        return LayerMethodRefused("sandbox.way", f"bubblewrap can't create the project's overlay{reason}", "")
    if step in (_USERS, "ground"):
        hint = _find_kernel_setting() or _ALLOW
        return NoSpaces(
            "sandbox.none",
            f"Nothing was run: this system gives us no name space of our own ({cause}).",
            hint if bubblewrap() else f"{hint} Or install bubblewrap, where that is allowed to.",
        )
    if number == errno.ENOSYS:
        return SandboxRefused(
            "sandbox.kernel", "Nothing was run: this kernel is too old.", "Use Linux 5.12 or newer."
        )
    return SandboxRefused(
        "sandbox.step",
        f"Nothing was run: the sandbox can't be created ({step}: {cause}).",
        "In a container, provide an unmasked /proc; otherwise report this with the diagnostics.",
    )


def bubblewrap() -> str | None:
    """Return the path of bubblewrap, or None."""
    return shutil.which("bwrap", path=_BUBBLEWRAP_IN)


def no_bubblewrap() -> SandboxRefused:
    """Return the error for bubblewrap requested and not installed."""
    return SandboxRefused("sandbox.none", "Nothing was run: bubblewrap is not there.", "Install bubblewrap.")


def unstarted(program: str, number: int) -> SandboxRefused:
    """Return the error for a command that could not be executed."""
    return SandboxRefused(
        "sandbox.unstarted",
        f"{program} can't be run in the sandbox: {os.strerror(number)}.",
        "Check its name. Of your home it sees the folders of tools that PATH names, and nothing else.",
    )


def container_refusal(printed: bytes) -> SandboxRefused:
    """Return the error for a container that podman did not make.

    `printed` is what podman wrote.
    """
    lines = printed.decode(errors="replace").strip().splitlines()
    text = lines[-1].removeprefix("Error: ").rstrip(".") if lines else "podman printed nothing"
    if "image not known" in text:
        return SandboxRefused(
            "sandbox.image",
            f"Nothing was run: {text.partition(':')[0]} is no image of this machine.",
            "Fetch it with podman pull, or name another.",
        )
    return SandboxRefused(
        "sandbox.container",
        f"Nothing was run: podman can't make the container ({text}).",
        "Try podman itself: podman run --rm IMAGE true",
    )


def no_answer() -> SandboxRefused:
    """Return the error for a launcher that ended or sent no answer."""
    return SandboxRefused(
        "sandbox.no_answer",
        "Nothing was run: the process that makes the sandbox did not answer.",
        "Try again; if it persists, report it with the diagnostics.",
    )


def check_room(folder: Path, needed: int) -> None:
    """Raise WayRefused where the disk has too little free space."""
    if not has_room(folder, needed):
        least = f"{needed // (1024 * 1024)} MiB, or {SANDBOX_DISK_SPARE_FILES:,} files"
        raise LayerMethodRefused("sandbox.full", f"The disk of {folder} has less left than {least}.", "")


def has_room(folder: Path, needed: int) -> bool:
    """Return whether the user can write this many bytes and some files.

    Raises OSError.
    """
    disk = os.statvfs(folder)
    # A file system that reports no inode count is limited by bytes alone.
    has_files = disk.f_files == 0 or disk.f_favail >= SANDBOX_DISK_SPARE_FILES
    return has_files and disk.f_bavail * disk.f_frsize >= needed


def sentences(lacking: Sequence[str], *, network: bool, limits_memory: bool) -> tuple[str, ...]:
    """Return sentences about what is not enforced for a command.

    They cover what the launcher reported as lacking and what is never enforced.
    """
    limits = [_LACKS[word] for word in lacking if word != "abstract_sockets" or network]
    return (*(() if limits_memory else (_MEMORY,)), *limits, *((_NETWORK,) if network else ()))


def _find_kernel_setting() -> str:
    """Return the hint for the kernel setting that forbids namespaces, or ""."""
    for name, value, hint in _SETTINGS:
        try:
            if Path("/proc/sys", name).read_text("ascii").strip() == value:
                return hint
        except OSError:
            continue
    return ""
