"""The .deb for each Debian release: built in a bare one, and installed, used and removed in another."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import system_packages
from system_packages import Problem, libraries, run_quietly, say

from shipping import chosen_tests, chroot
from shipping.chroot import SUITES, Chroot
from shipping.debian_tree import NAME, TOOLS, full_version
from shipping.parts import Outcome, Source, State, Unavailable, attempts

WANTED_KILOBYTES, MOST_KILOBYTES = 160_000, 260_000
"""What the installed package should take on the disk, and what it may take."""


def build(source: Source, into: Path) -> list[Outcome]:
    """One package for each release. Raises Problem, or Unavailable where no bare Debian can be had."""
    try:
        system_packages.provide("deb", may_install=True)
    except Problem as problem:
        raise Unavailable(str(problem)) from problem
    return [_built(suite, source, into) for suite in SUITES]


def try_out(source: Source, into: Path, is_quick: bool) -> list[Outcome]:
    """Look through each package and use it as a person would; unless it is tried briefly, run tests with it,
    and build it once more."""
    tries = [("", _used), (", its tests", chosen_tests.in_debian), (", again", _built_again)]
    files = {suite: into / file_name(source.version, suite) for suite in SUITES}
    return attempts(
        (f".deb, Debian {SUITES[suite]}{what}", partial(do, suite, source, file), file)
        for what, do in (tries[:1] if is_quick else tries)
        for suite, file in files.items()
    )


def file_name(version: str, suite: str) -> str:
    return f"{NAME}_{full_version(version, suite)}_amd64.deb"


def _built(suite: str, source: Source, into: Path) -> Outcome:
    file = _make(suite, source, into, "/build/source")
    size = int(run_quietly(["dpkg-deb", "-f", file, "Installed-Size"]))
    if size > MOST_KILOBYTES:
        raise Problem(f"{file.name} takes {size} kB on the disk, and at most {MOST_KILOBYTES} are allowed.")
    met = "met" if size <= WANTED_KILOBYTES else "missed"
    target = f"target {WANTED_KILOBYTES / 1000:.0f}: {met}"
    words = f"{size / 1000:.0f} MB installed ({target}), {file.stat().st_size / 1e6:.0f} MB to download"
    return Outcome(f".deb, Debian {SUITES[suite]}", State.BUILT, words, file)


def _make(suite: str, source: Source, into: Path, place: str) -> Path:
    """The package, made of the sources at `place` in a bare Debian with the libraries it depends on."""
    say(f"Building the package for Debian {suite}")
    with chroot.bare(suite) as debian:
        debian.install(*TOOLS, *libraries("offscreen", "x11", "wayland"))
        debian.bring(source.folder, place)
        words = ("-B", "-m", "shipping.debian_tree", source.version, str(source.epoch), suite)
        debian.run("python3", *words, variables={"PYTHONPATH": f"{place}/installer"})
        return debian.take(f"/build/{file_name(source.version, suite)}", into)


def _built_again(suite: str, source: Source, file: Path) -> str:
    """The package built a second time, of sources in another place. Raises Problem for other bytes."""
    with tempfile.TemporaryDirectory(prefix="exacta-again-") as folder:
        second = _make(suite, source, Path(folder), "/elsewhere/another place")
        if second.read_bytes() != file.read_bytes():
            sums = [run_quietly(["dpkg-deb", "--info", each, "md5sums"]) for each in (file, second)]
            lines = set(sums[0].splitlines()) ^ set(sums[1].splitlines())
            differing = ", ".join(sorted({line.partition("  ")[2] for line in lines})[:5])
            raise Problem(
                f"built twice, it is not the same bytes: {differing or 'no file has other content'}"
            )
    return "built twice the same bytes"


def _used(suite: str, source: Source, file: Path) -> str:
    """Checked by Debian's tools, then installed where no Python is, used, upgraded, removed, purged."""
    with tempfile.TemporaryDirectory(prefix="exacta-look-") as folder:
        run_quietly(["dpkg-deb", "-x", file, folder])
        share = Path(folder, "usr", "share")
        for path in share.glob("applications/*.desktop"):
            run_quietly(["desktop-file-validate", path])
        for path in share.glob("metainfo/*.xml"):
            run_quietly(["appstreamcli", "validate", "--no-net", path])
    run_quietly(["lintian", "--fail-on", "error,warning", file])  # reads the manual with man, too
    with chroot.bare(suite) as debian:
        if debian.path("/usr/bin/python3").is_symlink():
            raise Problem("The bare Debian has a Python: that the package brings one would not be seen.")
        debian.bring(file, "/trial/new.deb")
        debian.bring(source.folder / "installer", chroot.OWN)
        debian.run("sh", "-c", _OLDER)
        files_before = _files(debian)
        debian.install("/trial/older.deb")
        debian.run_own("shipping.trial", "before", source.version)
        debian.install("/trial/new.deb")
        debian.run_own("shipping.trial", "after", source.version)
        if debian.path("/usr/lib/exacta-studio/of-before").exists():
            raise Problem("A file of the older package is still there after the upgrade.")
        debian.show("studio")
        _leaves_nothing(debian, "remove", files_before)
        debian.install("/trial/new.deb")
        _leaves_nothing(debian, "purge", files_before)
    return "installed, used by a user, seen on a screen, upgraded, removed, purged"


def _leaves_nothing(debian: Chroot, how: str, files_before: set[str]) -> None:
    """Take the package away. Raises Problem where a file of it stays."""
    debian.run("apt-get", how, "-q", "-y", NAME)
    owned = debian.run("sh", "-c", "cat /var/lib/dpkg/info/*.list").stdout.splitlines()
    # The names that they have with /usr merged, too.
    new = _files(debian) - files_before - {*owned, *(f"/usr{path}" for path in owned)}
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
    return set(debian.run("find", "/", "-xdev", "!", "-type", "d").stdout.splitlines())
