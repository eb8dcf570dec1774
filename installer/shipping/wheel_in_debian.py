"""The wheel in a bare Debian: with Debian's own Python, and what the README says it needs, as a user."""

from __future__ import annotations

from pathlib import Path

from system_packages import OFFSCREEN, X11

from shipping import chroot
from shipping.source import Source

FROM_THE_SYSTEM = (
    "python3-venv",
    *sorted(need.apt for need in OFFSCREEN + X11 if need.kind == "library"),
)
"""Debian's packages that it needs; the README lists the same."""

_USER = "anna"
_PLACE = f"/home/{_USER}/environment"


def tried(suite: str, source: Source, wheel: Path) -> str:
    """Install it there with all extras, use it, and see its window; in words. Raises Problem."""
    with chroot.bare(suite) as debian:
        debian.install(*FROM_THE_SYSTEM)
        debian.run(["useradd", "--create-home", _USER])
        brought = f"/home/{wheel.name}"
        debian.bring(wheel, brought)
        home = f"/home/{_USER}"
        debian.run(["python3", "-m", "venv", _PLACE], user=_USER, where=home)
        install = [f"{_PLACE}/bin/pip", "install", "--quiet", f"{brought}[all]"]
        debian.run(install, user=_USER, variables=chroot.network(), where=home)
        program = f"{_PLACE}/bin/studio"
        debian.bring_own(source.folder)
        debian.run_own("shipping.trial", source.version, "trial", program, user=_USER)
        debian.show(program, user=_USER)
    return "installed by pip with all extras beside Debian's Python, used by a user, seen on a screen"
