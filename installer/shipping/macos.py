"""The disk image for macOS: packed, signed and notarised there alone, by installer/macos/dmg.sh.

Elsewhere nothing can be made of it; its files are checked by the tests of the checkout.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from system_packages import run_quietly

from shipping import payload
from shipping.outcome import Outcome, State
from shipping.source import Source

WHY_UNTRIED = "the program for macOS is packed on macOS, by this same command; nothing of it was run here"


def build(source: Source, into: Path) -> list[Outcome]:
    """The disk image, made on macOS."""
    if sys.platform != "darwin":
        return [Outcome("macOS disk image", State.UNTRIED, WHY_UNTRIED)]
    with tempfile.TemporaryDirectory(prefix="exacta-macos-") as work:
        bundle = payload.freeze(source, Path(work))
        image = into / f"exacta-studio-{source.version}-macos.dmg"
        run_quietly([str(source.folder / "installer/macos/dmg.sh"), str(bundle), str(image)])
    return [Outcome("macOS disk image", State.BUILT, f"{image.stat().st_size // 1_000_000} MB", image)]


def try_out(source: Source, into: Path) -> list[Outcome]:
    """Whether the system takes it for signed and notarised, as it would on somebody else's machine."""
    del source
    image = next(into.glob("*.dmg"))
    run_quietly(["spctl", "--assess", "--type", "open", "--context", "context:primary-signature", str(image)])
    return [Outcome("macOS disk image", State.TESTED, "the system takes it", image)]
