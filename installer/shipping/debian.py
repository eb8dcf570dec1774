"""The .deb for each Debian release: built in a bare one, and installed, used and removed in another."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import system_packages
from system_packages import OFFSCREEN, WAYLAND, X11, Problem, captured, run_quietly, say

from shipping import chroot, debian_icu, tests_in_debian
from shipping.checksums import sha256
from shipping.chroot import SUITES, Chroot
from shipping.debian_tree import NAME, suite_number
from shipping.outcome import Outcome, State, Unavailable, attempt
from shipping.source import Source

WANTED_KILOBYTES, MOST_KILOBYTES = 160_000, 260_000
"""What the installed package should take on the disk, and what it may take."""

_TOOLS = ("python3", "python3-pip", "dpkg-dev", *debian_icu.TOOLS)
_LIBRARIES = tuple(sorted({need.apt for need in OFFSCREEN + X11 + WAYLAND if need.kind == "library"}))
"""Among what is there when the package is built, its dependencies are found."""


def build(source: Source, into: Path) -> list[Outcome]:
    """One package for each release. Raises Problem, or Unavailable where no bare Debian can be had."""
    try:
        system_packages.provide("deb", may_install=True)
    except Problem as problem:
        raise Unavailable(str(problem)) from problem
    return [_built(suite, source, into) for suite in SUITES]


def try_out(source: Source, into: Path) -> list[Outcome]:
    """Look through each package, use it as a person would, run tests with it, and build it once more."""
    tries = (("", _used), (", its tests", tests_in_debian.tried), (", again", _built_again))
    return [_tried(suite, source, into, what, do) for what, do in tries for suite in SUITES]


def try_briefly(source: Source, into: Path) -> list[Outcome]:
    """The same without the tests and a second build."""
    return [_tried(suite, source, into, "", _used) for suite in SUITES]


def _tried(
    suite: str, source: Source, into: Path, what: str, do: Callable[[str, Source, Path], str]
) -> Outcome:
    file = into / file_name(source.version, suite)
    return attempt(f"{_title(suite)}{what}", lambda: do(suite, source, file), file)


def file_name(version: str, suite: str) -> str:
    return f"{NAME}_{version}-1~{suite_number(suite)}_amd64.deb"


def _title(suite: str) -> str:
    return f".deb, Debian {suite_number(suite).removeprefix('deb')}"


def _built(suite: str, source: Source, into: Path) -> Outcome:
    file = _make(suite, source, into, "/build/source")
    size = int(run_quietly(["dpkg-deb", "-f", file, "Installed-Size"]))
    if size > MOST_KILOBYTES:
        raise Problem(f"{file.name} takes {size} kB on the disk, and at most {MOST_KILOBYTES} are allowed.")
    met = "met" if size <= WANTED_KILOBYTES else "missed"
    target = f"target {WANTED_KILOBYTES / 1000:.0f}: {met}"
    words = f"{size / 1000:.0f} MB installed ({target}), {file.stat().st_size / 1e6:.0f} MB to download"
    return Outcome(_title(suite), State.BUILT, words, file)


def _make(suite: str, source: Source, into: Path, place: str) -> Path:
    """The package, made of the sources at `place` in a bare Debian."""
    say(f"Building the package for Debian {suite}")
    with chroot.bare(suite) as debian:
        debian.install(*_TOOLS, *_LIBRARIES)
        debian.bring(source.folder, place)
        words = ["python3", "-B", "-m", "shipping.debian_tree", source.version, str(source.epoch), suite]
        debian.run(["mkdir", "-p", "/build"])
        debian.run(words, variables={"PYTHONPATH": f"{place}/installer"}, where="/build")
        return debian.take(f"/build/{file_name(source.version, suite)}", into)


def _built_again(suite: str, source: Source, file: Path) -> str:
    """The package built a second time, of sources in another place. Raises Problem for other bytes."""
    with tempfile.TemporaryDirectory(prefix="exacta-again-") as folder:
        second = _make(suite, source, Path(folder), "/elsewhere/another place")
        if second.read_bytes() != file.read_bytes():
            raise Problem(f"built twice, it is not the same bytes: {_differing(file, second)}")
    return f"built twice the same bytes, sha256 {sha256(file)[:16]}…"


def _differing(*files: Path) -> str:
    """The files in which two packages differ."""
    told = [run_quietly(["dpkg-deb", "--info", each, "md5sums"]) for each in files]
    lines = set(told[0].splitlines()) ^ set(told[1].splitlines())
    return ", ".join(sorted({line.partition("  ")[2] for line in lines})[:5]) or "no file's content"


def _used(suite: str, source: Source, file: Path) -> str:
    _look_through(file)
    with chroot.bare(suite) as debian:
        return _live_through(debian, file, source)


def _look_through(file: Path) -> None:
    """What Debian's own checks say of the package and of its entries in menus. Raises Problem."""
    with tempfile.TemporaryDirectory(prefix="exacta-look-") as folder:
        run_quietly(["dpkg-deb", "-x", file, folder])
        share = Path(folder, "usr", "share")
        for path in share.glob("applications/*.desktop"):
            _silent(["desktop-file-validate", str(path)])
        for path in share.glob("metainfo/*.xml"):
            run_quietly(["appstreamcli", "validate", "--no-net", path])
    _silent(["lintian", "--fail-on", "error,warning", str(file)])  # reads the manual with man, too


def _silent(command: list[str]) -> None:
    """Run a check that says something only where it found something."""
    done = captured(command)
    said = (done.stderr + done.stdout).splitlines()
    complaints = [line for line in said if "root privileges" not in line]
    if done.returncode or complaints:
        raise Problem(f"{command[0]} says: {'; '.join(complaints)[-1500:]}")


def _live_through(debian: Chroot, file: Path, source: Source) -> str:
    """Installed without Python there, used, upgraded, used, removed, purged: what was found, in words."""
    if debian.path("/usr/bin/python3").is_symlink():
        raise Problem("The bare Debian has a Python: that the package brings one would not be seen.")
    debian.bring(file, "/trial/new.deb")
    debian.bring(source.folder / "installer", chroot.OWN)
    debian.run(["sh", "-c", _OLDER])
    files_before = _files(debian)
    debian.install("/trial/older.deb")
    debian.run_own("shipping.debian_trial", "before", source.version)
    debian.install("/trial/new.deb")
    said = debian.run_own("shipping.debian_trial", "after", source.version)
    if debian.path("/usr/lib/exacta-studio/of-before").exists():
        raise Problem("A file of the older package is still there after the upgrade.")
    debian.show("studio")
    _leaves_nothing(debian, "remove", files_before)
    debian.install("/trial/new.deb")
    _leaves_nothing(debian, "purge", files_before)
    return f"installed, used by a user, seen on a screen, upgraded, removed, purged; {said}"


def _leaves_nothing(debian: Chroot, how: str, files_before: set[str]) -> None:
    """Take the package away. Raises Problem where a file of it stays."""
    debian.run(["apt-get", how, "-q", "-y", NAME])
    new = _files(debian) - files_before - _owned(debian)
    # Debian's own Python writes bytecode beside its modules.
    left = sorted(path for path in new if not path.startswith(_KEPT_BY_OTHERS) and "__pycache__" not in path)
    if left:
        raise Problem(f"After apt-get {how}, {len(left)} files were left: {', '.join(left[:10])}")


# An older package, with a file that the new one does not have.
_OLDER = f"""
set -e
dpkg-deb -R /trial/new.deb /trial/older
sed -i 's/^Version: /Version: 0~/' /trial/older/DEBIAN/control
touch /trial/older/usr/lib/{NAME}/of-before
dpkg-deb --root-owner-group -Znone -b /trial/older /trial/older.deb
rm -r /trial/older
"""
_KEPT_BY_OTHERS = (
    *(f"/{each}/" for each in "dev etc home proc root run srv sys tmp".split()),
    *(f"/var/{each}/" for each in "cache lib log mail tmp".split()),
)
"""Where packages that came with ours, and the user, have files of their own."""


def _files(debian: Chroot) -> set[str]:
    return set(debian.run(["find", "/", "-xdev", "!", "-type", "d"]).stdout.splitlines())


def _owned(debian: Chroot) -> set[str]:
    """The files of the packages that are installed, under the names that they have with /usr merged."""
    paths = debian.run(["sh", "-c", "cat /var/lib/dpkg/info/*.list"]).stdout.splitlines()
    return {*paths, *(f"/usr{path}" for path in paths)}
