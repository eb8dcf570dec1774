"""The AppImage: one file that holds the program with all it needs and runs on any Linux with glibc 2.34.

Its beginning, the runtime that mounts the rest, is a program of another project (type2-runtime of AppImage,
MIT), which no package index has. STUDIO_APPIMAGE_RUNTIME names the file; without it everything else is made
and tried out, and no image is left.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
import tempfile
from pathlib import Path

from system_packages import Problem, run_quietly

from shipping import chroot, menu_entry, payload
from shipping.menu_entry import ID
from shipping.outcome import Outcome, State, Unavailable
from shipping.source import Source

RUNTIME = "STUDIO_APPIMAGE_RUNTIME"
MISSING = (
    f"no runtime: set {RUNTIME} to the file runtime-{platform.machine()} of AppImage's type2-runtime, which "
    "no package index has"
)
FROM_THE_SYSTEM = ("libegl1", "libgl1", "libxcb1")
"""Debian's packages with what belongs to graphics driver and screen, and is in no image."""

TOOLS = {"appstreamcli": "appstream", "mksquashfs": "squashfs-tools", "unsquashfs": "squashfs-tools"}
"""What makes and looks through it, by Debian's packages."""

PLACE = "/var/lib/studio"
HOME = "/var/lib/person"
"""Where it lies in a bare Debian, and who starts it there is at home."""
_WALK = """
set -eu
studio=$1
mkdir -p ~/.config/exacta-studio ~/project && cd ~/project
printf 'review: {command_line: allow}\\n' > ~/.config/exacta-studio/config.yaml
printf 'one\\ntwo\\n' > notes.txt
test "$("$studio" --version)" = "studio $2"
QT_QPA_PLATFORM=offscreen "$studio" --smoke > ~/shown
test -f "$(sed -n 's/.*"documentation": "\\([^"]*\\)".*/\\1/p' ~/shown)"
QT_QPA_PLATFORM=offscreen "$studio" demo --dir ~/demo --smoke
# What works beside the window opens none.
test "$(QT_QPA_PLATFORM=offscreen "$studio" --project ~/demo --smoke | wc -l)" = 1
printf -- '--- a/notes.txt\\n+++ b/notes.txt\\n@@ -1,2 +1,2 @@\\n-one\\n+1\\n two\\n' > ~/change.diff
"$studio" --json submit ~/change.diff > ~/said
plan=$(sed -n 's/.*"plan": *"\\([0-9a-f-]*\\)".*/\\1/p' ~/said | head -1)
test "$(cat notes.txt)" = "$(printf 'one\\ntwo')"
"$studio" --json approve "$plan" --apply
test "$(cat notes.txt)" = "$(printf '1\\ntwo')"
"$studio" --json rollback "$plan"
test "$(cat notes.txt)" = "$(printf 'one\\ntwo')"
"$studio" --json fs search two
"$studio" doctor
"""


def build(source: Source, into: Path) -> list[Outcome]:
    """The image, where the runtime is given; the folder that would be in it is packed in any case."""
    if sys.platform != "linux":
        raise Unavailable("An AppImage is made on Linux.")
    for name in TOOLS:
        _tool(name)  # before the program is packed, which takes a minute
    runtime = os.environ.get(RUNTIME)
    with tempfile.TemporaryDirectory(prefix="exacta-appimage-") as work:
        folder = lay_out(source, Path(work))
        size = payload.megabytes(folder)
        packed = pack(folder, Path(work, "packed"), source.epoch)
        if not runtime:
            outcome = _tried_without_runtime(source, packed, Path(work, "AppRun"))
            return [outcome, Outcome("AppImage", State.UNTRIED, MISSING)]
        image = into / f"exacta-studio-{source.version}-{platform.machine()}.AppImage"
        join(Path(runtime), packed, image)
    return [Outcome("AppImage", State.BUILT, f"{size} MB unpacked, by runtime {Path(runtime).name}", image)]


def _tool(name: str) -> str:
    return payload.tool(name, TOOLS[name])


def lay_out(source: Source, work: Path) -> Path:
    """The folder in the image: the program, how it is started, and what a desktop shows of it."""
    folder = work / "AppDir"
    program = payload.freeze(source, work / "payload")
    shutil.copytree(program, folder / "usr/lib/exacta-studio", symlinks=True)
    shutil.copy(source.folder / "installer/appimage/AppRun", folder / "AppRun")
    (folder / "AppRun").chmod(0o755)
    linux = source.folder / "installer/linux"
    menu_entry.put(linux, folder / "usr/share", source.version, source.epoch)
    shutil.copy(linux / f"{ID}.desktop", folder)
    shutil.copy(source.folder / payload.ICON, folder / f"{ID}.svg")
    (folder / ".DirIcon").symlink_to(f"{ID}.svg")
    shown = folder / f"usr/share/metainfo/{ID}.metainfo.xml"
    run_quietly([_tool("appstreamcli"), "validate", "--no-net", str(shown)])
    return folder


def pack(folder: Path, into: Path, epoch: int) -> Path:
    """The folder as a file system in a file, with one time and one owner: equal bytes each time."""
    for each in folder.rglob("*"):
        if not each.is_symlink():
            runs = each.is_dir() or each.stat().st_mode & stat.S_IXUSR
            each.chmod(0o755 if runs else 0o644)
    run_quietly(
        [
            *(_tool("mksquashfs"), str(folder), str(into), "-quiet", "-no-progress"),
            *("-noappend", "-all-root", "-no-xattrs", "-comp", "zstd", "-Xcompression-level", "19"),
            *("-all-time", str(epoch), "-mkfs-time", str(epoch)),
        ],
        # Both say the same, and mksquashfs takes one of them only.
        {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"},
    )
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


def try_out(source: Source, into: Path) -> list[Outcome]:
    """Run the image in bare Debians, unpacked by itself: there is no FUSE in them."""
    image = next(into.glob("*.AppImage"))
    # What it unpacks stays, so that the page that it names can be looked for.
    variables = {"APPIMAGE_EXTRACT_AND_RUN": "1", "NO_CLEANUP": "1"}
    return [_walked(suite, source.version, image, f"{PLACE}.AppImage", variables) for suite in chroot.SUITES]


def _tried_without_runtime(source: Source, packed: Path, unpacked: Path) -> Outcome:
    """What the runtime would do with --appimage-extract-and-run, done by hand."""
    run_quietly([_tool("unsquashfs"), "-q", "-n", "-d", str(unpacked), str(packed)])
    words: list[str] = []
    for suite in chroot.SUITES:
        outcome = _walked(suite, source.version, unpacked, PLACE, {})
        if outcome.state is not State.TESTED:
            return outcome
        words.append(outcome.words)
    size = round(packed.stat().st_size / 1_000_000)
    return Outcome("AppDir", State.TESTED, f"{size} MB packed; {'; '.join(words)}")


def _walked(suite: str, version: str, own: Path, place: str, variables: dict[str, str]) -> Outcome:
    """Take a change through it and back, as an ordinary user of a bare Debian."""
    what = f"AppImage in Debian {suite}"
    try:
        with chroot.bare(suite) as debian:
            debian.bring(own, place)
            debian.run(["useradd", "--create-home", "--home-dir", HOME, "person"])
            start = place if own.is_file() else f"{place}/AppRun"
            told = {"QT_QPA_PLATFORM": "offscreen", "HOME": HOME} | variables
            lacking = debian.run([start, "--smoke"], user="person", variables=told, check=False)
            said = lacking.stderr.decode(errors="replace")
            if lacking.returncode != 1 or "This system lacks lib" not in said:
                return Outcome(what, State.FAILED, f"without a graphics driver's libraries it says: {said}")
            debian.install(*FROM_THE_SYSTEM)
            words = ["sh", "-c", _WALK, "walk", start, version]
            debian.run(words, user="person", variables=variables | {"HOME": HOME}, where=HOME)
    except Unavailable as reason:
        return Outcome(what, State.UNTRIED, str(reason))
    return Outcome(what, State.TESTED, f"runs in Debian {suite} with {', '.join(FROM_THE_SYSTEM)}")
