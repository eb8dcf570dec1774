"""Why nothing was run, as typed errors; and, as sentences, what could not be enforced where something was."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from studio.engine.errors import Refused
from studio.engine.limits import SANDBOX_DISK_SPARE_FILES

_USERS: Final = "users"
_MOVED: Final = (errno.ESTALE, errno.ELOOP)

_SETTINGS: Final = (
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        (
            "This system's AppArmor forbids it: add a profile with the rule userns for this program, or set "
            "kernel.apparmor_restrict_unprivileged_userns to 0."
        ),
    ),
    ("kernel/unprivileged_userns_clone", "0", "Set kernel.unprivileged_userns_clone to 1 with sysctl."),
    ("user/max_user_namespaces", "0", "Set user.max_user_namespaces to 10000 with sysctl."),
)
"""Of the kernel: the setting, the value that forbids it, and what to do."""

_BUBBLEWRAP_IN: Final = "/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin"
"""Not PATH: a folder of the project may stand in there."""

_ALLOW: Final = "Allow user name spaces, or run the command outside, at your own risk."
_LACKS: Final = {
    "bubblewrap": (
        "This system gives no name space to this program, so bubblewrap makes the sandbox: named pipes of "
        "this machine can be written to, sockets of other programs can be reached if they were bound while "
        "the command runs or moved to another folder, with the network abstract ones, too, how many "
        "processes it may start is not limited, and each private folder has the whole limit for itself."
    ),
    "processes": "How many processes the command may start is not limited: root's are not counted.",
    "pipes": "Named pipes of this machine can be written to: this kernel can't stop that (Linux 5.19 can).",
    "abstract_sockets": (
        "Programs that listen at abstract sockets, as the X server does, can be reached: this kernel can't "
        "stop that (Linux 6.12 can)."
    ),
    "sockets": (
        "Sockets of other programs can be reached where the command sees them, if they were bound while it "
        "runs or moved to another folder: this kernel can't stop that (Linux 7.1 can)."
    ),
    "calls": "System calls are not filtered on this kind of processor.",
}
_MEMORY: Final = "The memory that all its processes take together is not limited."
_NETWORK: Final = "With the network, what listens on this machine can be reached, too."


class SandboxRefused(Refused):
    """A command was not run, or a layer not made: the sandbox would not hold."""


class NoSpaces(SandboxRefused):
    """The system gives no name space to who asked for it; it may give one to bubblewrap."""


class WayRefused(SandboxRefused):
    """This way can't be had for this project; the next one may."""


class NoWay(SandboxRefused):
    """No way can be had; `reasons` are sentences."""

    def __init__(self, refusals: Sequence[WayRefused]) -> None:
        self.reasons = " ".join(dict.fromkeys(each.message for each in refusals))
        super().__init__("sandbox.no_way", f"Nothing was run. {self.reasons}", "See what studio doctor says.")


def moved() -> SandboxRefused:
    """The project's folder is not the one that was opened."""
    return SandboxRefused(
        "sandbox.moved", "Nothing was run: another folder is in the project's place.", "Open it again."
    )


def refusal(step: str, number: int, words: str = "") -> SandboxRefused:
    """What it means that the launcher could not do a step; `number` is the system's, `words` bubblewrap's."""
    said = os.strerror(number)
    if step == "ground" and number in _MOVED:
        return moved()
    if step == "ground" and number not in (errno.EPERM, errno.EACCES):
        return WayRefused("sandbox.way", f"The project's layer can't be made: {said}.", "")
    if step == "ground" and not _forbidding_setting():
        return WayRefused("sandbox.way", f"The project's layer can't be made: {said}.", "")
    if step == "bubblewrap":
        reason = f": {words.removeprefix('bwrap: ').rstrip('.')}." if words else "."
        return WayRefused("sandbox.way", f"bubblewrap can't make the project's layer{reason}", "")
    if step in (_USERS, "ground"):
        hint = _forbidding_setting() or _ALLOW
        return NoSpaces(
            "sandbox.none",
            f"Nothing was run: this system gives us no name space of our own ({said}).",
            hint if bubblewrap() else f"{hint} Or install bubblewrap, where that is allowed to.",
        )
    if number == errno.ENOSYS:
        return SandboxRefused(
            "sandbox.kernel", "Nothing was run: this kernel is too old.", "Use Linux 5.12 or newer."
        )
    return SandboxRefused(
        "sandbox.step",
        f"Nothing was run: the sandbox can't be made ({step}: {said}).",
        "In a container, give it a /proc without masks; else report this with the output of studio doctor.",
    )


def bubblewrap() -> str | None:
    """Where the program is, if it is there."""
    return shutil.which("bwrap", path=_BUBBLEWRAP_IN)


def no_bubblewrap() -> SandboxRefused:
    """Asked for alone, and not there."""
    return SandboxRefused("sandbox.none", "Nothing was run: bubblewrap is not there.", "Install bubblewrap.")


def unstarted(program: str, number: int) -> SandboxRefused:
    """The command itself can't be run in there."""
    return SandboxRefused(
        "sandbox.unstarted",
        f"{program} can't be run in the sandbox: {os.strerror(number)}.",
        "Check its name. Of your home it sees the folders of tools that PATH names, and nothing else.",
    )


def no_answer() -> SandboxRefused:
    """The launcher said nothing, or ended."""
    return SandboxRefused(
        "sandbox.no_answer",
        "Nothing was run: the process that makes the sandbox did not answer.",
        "Try again; if it stays so, report it with the output of studio doctor.",
    )


def check_room(folder: Path, needed: int) -> None:
    """Raise WayRefused where the disk has less room than a run needs, or leaves in any case."""
    if not has_room(folder, needed):
        least = f"{needed // (1024 * 1024)} MiB, or {SANDBOX_DISK_SPARE_FILES:,} files"
        raise WayRefused("sandbox.full", f"The disk of {folder} has less left than {least}.", "")


def has_room(folder: Path, needed: int) -> bool:
    """Whether the user may still write so many bytes to the disk of a folder, and some files. Raises
    OSError."""
    disk = os.statvfs(folder)
    # Disks that count no files have room for them as long as they have any.
    has_files = disk.f_files == 0 or disk.f_favail >= SANDBOX_DISK_SPARE_FILES
    return has_files and disk.f_bavail * disk.f_frsize >= needed


def sentences(lacking: Sequence[str], *, network: bool, limits_memory: bool) -> tuple[str, ...]:
    """What is not enforced for a command, of what the launcher says that it lacks and of what we never do."""
    known = [_LACKS[word] for word in lacking if word != "abstract_sockets" or network]
    return (*(() if limits_memory else (_MEMORY,)), *known, *((_NETWORK,) if network else ()))


def _forbidding_setting() -> str:
    """What to do about the setting of the kernel that forbids name spaces; "" where none does."""
    for name, value, hint in _SETTINGS:
        try:
            if Path("/proc/sys", name).read_text("ascii").strip() == value:
                return hint
        except OSError:
            continue
    return ""
