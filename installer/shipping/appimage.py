"""The AppImage: one file that holds the program with all it needs and runs on any Linux with glibc 2.34.

Its beginning, the runtime that mounts the rest, is a program of another project (type2-runtime of AppImage,
MIT), which no package index has. STUDIO_APPIMAGE_RUNTIME names the file; without it everything else is made
and tried out, and no image is left.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

import environments
from system_packages import Problem, run_quietly

from shipping import chroot
from shipping.chroot import SUITES, USER
from shipping.contents import COMMAND, ID, NAME, put_in_menus
from shipping.parts import Outcome, Source, State, Unavailable, attempt, attempts

RUNTIME = "STUDIO_APPIMAGE_RUNTIME"
MISSING = f"no runtime: set {RUNTIME} to the file runtime-{platform.machine()} of AppImage's type2-runtime"
FROM_THE_SYSTEM = ("libegl1", "libgl1", "libxcb1")
"""Debian's packages with what belongs to graphics driver and screen, and is in no image."""

TOOLS = {"appstreamcli": "appstream", "mksquashfs": "squashfs-tools", "unsquashfs": "squashfs-tools"}
"""What makes and looks through it, by Debian's packages."""

PLACE = "/var/lib/studio"
"""Where it is in a bare Debian."""
UNPACKED = {"APPIMAGE_EXTRACT_AND_RUN": "1", "NO_CLEANUP": "1"}
"""Without FUSE; what it unpacks stays, so that the page that it names can be searched."""


def build(source: Source, into: Path) -> list[Outcome]:
    """Make the image; without a runtime, only try the folder that would be in it."""
    if sys.platform != "linux":
        raise Unavailable("An AppImage is made on Linux.")
    for name, package in TOOLS.items():  # before the program is packed, which takes a minute
        if shutil.which(name) is None:
            raise Unavailable(f"{name} is not installed: apt-get install {package}")
    runtime = os.environ.get(RUNTIME)
    with tempfile.TemporaryDirectory(prefix="exacta-appimage-") as work:
        folder = lay_out(source, Path(work))
        size = sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1_000_000
        packed = pack(folder, Path(work, "packed"), source.epoch)
        if not runtime:
            # What the runtime would do with --appimage-extract-and-run, done by hand.
            unpacked = Path(work, "AppRun")
            run_quietly(["unsquashfs", "-q", "-n", "-d", unpacked, packed])
            found = attempt("AppDir", lambda: "; ".join(_used(suite, source, unpacked) for suite in SUITES))
            return [*found, Outcome("AppImage", State.UNTRIED, MISSING)]
        image = into / f"{NAME}-{source.version}-{platform.machine()}.AppImage"
        join(Path(runtime), packed, image)
    return [Outcome("AppImage", State.BUILT, f"{size:.0f} MB unpacked, by {Path(runtime).name}", image)]


def freeze(source: Source, into: Path) -> Path:
    """Pack the program with Python and the Qt that it uses as a folder below `into`. Raises Problem."""
    environments.provide(environments.PAYLOAD)
    # The tree that is packed comes before the checkout that the environment is linked with.
    fixed = {"PYTHONPATH": str(source.folder), "PYTHONHASHSEED": "0", "SOURCE_DATE_EPOCH": str(source.epoch)}
    with tempfile.TemporaryDirectory(prefix="exacta-payload-") as work:
        command = [environments.PAYLOAD.program("pyinstaller"), "--noconfirm", "--log-level", "WARN"]
        command += ["--distpath", into, "--workpath", work, source.folder / "installer/payload/studio.spec"]
        run_quietly(command, environments.variables() | fixed)
    return into / COMMAND


def lay_out(source: Source, work: Path) -> Path:
    """Make the folder in the image: the program, how it is started, and what a desktop shows of it."""
    folder, linux = work / "AppDir", source.folder / "installer/linux"
    shutil.copytree(freeze(source, work / "payload"), folder / "usr/lib/exacta-studio", symlinks=True)
    shutil.copy(source.folder / "installer/appimage/AppRun", folder / "AppRun")
    (folder / "AppRun").chmod(0o755)
    shown = put_in_menus(linux, folder / "usr/share", source.version, source.epoch)
    shutil.copy(linux / f"{ID}.desktop", folder)
    shutil.copy(source.folder / "resources/icons/studio.svg", folder / f"{ID}.svg")
    (folder / ".DirIcon").symlink_to(f"{ID}.svg")
    run_quietly(["appstreamcli", "validate", "--no-net", shown])
    return folder


def pack(folder: Path, into: Path, epoch: int) -> Path:
    """Pack the folder as a file system in a file, with one time and one owner: equal bytes each time."""
    run_quietly(["chmod", "-R", "u=rwX,go=rX", folder])
    options = "-quiet -no-progress -noappend -all-root -no-xattrs -comp zstd -Xcompression-level 19"
    options += f" -all-time {epoch} -mkfs-time {epoch}"
    # The variable says the same, and mksquashfs takes one of them only.
    variables = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    run_quietly(["mksquashfs", folder, into, *options.split()], variables)
    return into


def join(runtime: Path, packed: Path, image: Path) -> None:
    """Put the runtime before the file system. Raises Problem where it is not such a runtime."""
    head = runtime.read_bytes()
    if head[:4] != b"\x7fELF" or head[8:11] != b"AI\x02":
        raise Problem(f"{runtime} is no runtime of an AppImage of type 2: its header does not say so.")
    with image.open("wb") as file, packed.open("rb") as rest:
        file.write(head)
        shutil.copyfileobj(rest, file)
    image.chmod(0o755)


def try_out(source: Source, into: Path, _is_quick: bool) -> list[Outcome]:
    """Run the image in bare Debians, unpacked by itself: there is no FUSE in them."""
    image = next(into.glob("*.AppImage"))
    return attempts(
        (f"AppImage in Debian {suite}", partial(_used, suite, source, image), None) for suite in SUITES
    )


def _used(suite: str, source: Source, own: Path) -> str:
    """Start it as an ordinary user of a bare Debian, and take it through the trial of every package."""
    start, variables = (f"{PLACE}.AppImage", UNPACKED) if own.is_file() else (f"{PLACE}/AppRun", {})
    told = {"QT_QPA_PLATFORM": "offscreen", **variables}
    with chroot.bare(suite) as debian:
        debian.bring(own, start if own.is_file() else PLACE)
        lacking = debian.run(start, "--smoke", user=USER, variables=told, check=False)
        if lacking.returncode != 1 or "This system lacks lib" not in lacking.stderr:
            raise Problem(f"without a graphics driver's libraries it says: {lacking.stderr}")
        debian.install(*FROM_THE_SYSTEM)
        debian.run(start, "--smoke", user=USER, variables=told)  # while there is no Python but its own
        debian.install("python3")
        debian.run_trial(source, source.version, "trial", start, **variables)
        debian.run(start, "doctor", user=USER, variables=told, where=f"/home/{USER}/trial/project")
    return f"runs in Debian {suite} with {', '.join(FROM_THE_SYSTEM)}"
