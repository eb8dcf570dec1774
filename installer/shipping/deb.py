"""The .deb for each Debian release: built in a bare one, and installed, used and removed in another.

    python3 -m shipping.deb VERSION DATE-IN-SECONDS SUITE     as root in a bare one: its files, the archive

The program lies with all it needs in one folder, a virtual environment: nothing but the standard library
comes from elsewhere, and `sys.executable` starts the same again. Standard library only; what needs the
program's own packages is asked of the program that was just made.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import system_packages
from environments import ROOT, names_for, pip
from system_packages import Problem, run_quietly, say

from shipping import chroot, contents, trial
from shipping.chroot import SUITES, Chroot
from shipping.contents import BUNDLE, EXTRAS, FOREIGN_DESKTOP, ID, NAME, QT_PLUGINS
from shipping.parts import Outcome, Source, State, Unavailable, attempts

if TYPE_CHECKING:
    from studio.doors.cli.parser import Parser

WANTED_KILOBYTES, MOST_KILOBYTES = 160_000, 260_000
"""What the installed package should take on the disk, and what it may take."""

TOOLS = ("python3", "python3-pip", "dpkg-dev", "binutils", "icu-devtools", "librsvg2-bin")
"""Debian's packages with what starts in the bare one."""

QT_MODULES = ("QtCore", "QtDBus", "QtGui", "QtSvg", "QtWidgets")
"""What the program imports of Qt, all others are left out."""

ONLY_TO_BUILD = ("cffi", "pycparser")
"""What writes the C of other packages when those are built; they load `_cffi_backend` alone."""

ICON_SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)
COMPLETIONS = {
    "bash": "bash-completion/completions/studio",
    "zsh": "zsh/vendor-completions/_studio",
    "fish": "fish/vendor_completions.d/studio.fish",
}

_PYTHON = "python{}.{}".format(*sys.version_info)
_PACKAGES = BUNDLE / "lib" / _PYTHON / "site-packages"
_BUILD = Path("/build")
_TREE = _BUILD / "tree"
_SHARE = _TREE / "usr" / "share"
_LINUX = ROOT / "installer" / "linux"

_NAMED_IN_LANGUAGES = frozenset({"", "curr", "lang", "region", "unit", "zone"})
"""How months, currencies, languages, places, units and time zones are called in each language: nothing
shows that, for Qt has names of its own. Orders of sorting, encodings and rules of zones stand elsewhere."""

_LANGUAGE = re.compile(r"(?!en\.|res_index)[a-z]{2,3}(_\w+)?\.res")
"""Not those that every other falls back to (root, en), and what is of no language (res_index)."""

_NEVER_OPENED = frozenset({"brkitr", "rbnf", "translit"})
_NEVER_OPENED_FILES = (".cfu", ".spp", "unames.icu")
"""For functions that no library of Qt calls: where words break, numbers in words, one script in another,
letters that look alike, names of hosts and of characters. Qt calls those that sort, that convert encodings
and that know calendars and time zones."""

_ESCAPES = str.maketrans({"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"})
_MANUAL = (
    "import sys; sys.path.append(sys.argv[1]); from shipping.deb import manual; "
    "sys.stdout.buffer.write(manual(sys.argv[2], int(sys.argv[3])).encode())"
)

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


def build(source: Source, into: Path) -> list[Outcome]:
    """Build one package for each release. Raises Problem, or Unavailable without a bare Debian."""
    try:
        system_packages.provide("deb", may_install=True)
    except Problem as problem:
        raise Unavailable(str(problem)) from problem
    return [_built(suite, source, into) for suite in SUITES]


def try_out(source: Source, into: Path, is_quick: bool) -> list[Outcome]:
    """Check and use each package; unless `is_quick`, run tests with it, and build it once more."""
    tries = [("", _used), (", its tests", trial.tests_in_debian), (", again", _built_again)]
    return attempts(
        (f".deb, Debian {SUITES[suite]}{what}", partial(do, suite, source, file), file)
        for what, do in (tries[:1] if is_quick else tries)
        for suite, file in ((suite, into / file_name(source.version, suite)) for suite in SUITES)
    )


def full_version(version: str, suite: str) -> str:
    """Return the package's version: that for a newer Debian is newer, so that an upgrade takes it."""
    return f"{version}-1~deb{SUITES[suite]}"


def file_name(version: str, suite: str) -> str:
    return f"{NAME}_{full_version(version, suite)}_amd64.deb"


def _built(suite: str, source: Source, into: Path) -> Outcome:
    file = _make_in_debian(suite, source, into, "/build/source")
    size = int(run_quietly(["dpkg-deb", "-f", file, "Installed-Size"]))
    if size > MOST_KILOBYTES:
        raise Problem(f"{file.name} takes {size} kB on the disk, and at most {MOST_KILOBYTES} are allowed.")
    target = f"target {WANTED_KILOBYTES / 1000:.0f}: {'met' if size <= WANTED_KILOBYTES else 'missed'}"
    words = f"{size / 1000:.0f} MB installed ({target}), {file.stat().st_size / 1e6:.0f} MB to download"
    return Outcome(f".deb, Debian {SUITES[suite]}", State.BUILT, words, file)


def _make_in_debian(suite: str, source: Source, into: Path, place: str) -> Path:
    """Make the package of the sources at `place` in a bare Debian with the libraries it depends on."""
    say(f"Building the package for Debian {suite}")
    with chroot.bare(suite) as debian:
        debian.install(*TOOLS, *system_packages.libraries("offscreen", "x11", "wayland"))
        debian.bring(source.folder, place)
        words = ("-B", "-m", "shipping.deb", source.version, str(source.epoch), suite)
        debian.run("python3", *words, variables={"PYTHONPATH": f"{place}/installer"})
        return Path(shutil.copy(debian.path(f"/build/{file_name(source.version, suite)}"), into))


def _built_again(suite: str, source: Source, file: Path) -> str:
    """Build the package a second time, of sources in another place. Raises Problem for other bytes."""
    with tempfile.TemporaryDirectory(prefix="exacta-again-") as folder:
        second = _make_in_debian(suite, source, Path(folder), "/elsewhere/another place")
        if second.read_bytes() != file.read_bytes():
            sums = [run_quietly(["dpkg-deb", "--info", each, "md5sums"]) for each in (file, second)]
            lines = set(sums[0].splitlines()) ^ set(sums[1].splitlines())
            differing = ", ".join(sorted({line.partition("  ")[2] for line in lines})[:5])
            raise Problem(f"built twice, its bytes differ: {differing or 'no file has other content'}")
    return "built twice the same bytes"


def _used(suite: str, source: Source, file: Path) -> str:
    """Check it by Debian's tools, then install it where no Python is, use, upgrade, remove, purge it."""
    with tempfile.TemporaryDirectory(prefix="exacta-look-") as folder:
        run_quietly(["dpkg-deb", "-x", file, folder])
        share = Path(folder, "usr", "share")
        run_quietly(["desktop-file-validate", *share.glob("applications/*.desktop")])
        run_quietly(["appstreamcli", "validate", "--no-net", *share.glob("metainfo/*.xml")])
    run_quietly(["lintian", "--fail-on", "error,warning", file])  # reads the manual with man, too
    with chroot.bare(suite) as debian:
        if debian.path("/usr/bin/python3").is_symlink():
            raise Problem("The bare Debian has a Python: that the package brings one would not be seen.")
        debian.bring(file, "/trial/new.deb")
        debian.run("sh", "-c", _OLDER)
        files_before = _files(debian)
        debian.install("/trial/older.deb")
        debian.run_trial(source, "before", source.version)
        debian.install("/trial/new.deb")
        debian.run_trial(source, "after", source.version)
        if debian.path(f"{BUNDLE}/of-before").exists():
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


def _files(debian: Chroot) -> set[str]:
    return set(debian.run("find", "/", "-xdev", "!", "-type", "d").stdout.splitlines())


def make(version: str, epoch: int, suite: str) -> None:
    """Make the package's file, in /build. Raises Problem."""
    os.umask(0o022)
    bundle()
    documents = _SHARE / "doc" / NAME
    _write(documents / "copyright", contents.copyright_of_debian(_PACKAGES))
    prune(_PACKAGES)
    program = BUNDLE / "bin" / "studio"
    program.write_text(program_text(BUNDLE / "bin" / "python3", _PACKAGES))
    program.chmod(0o755)
    # Bytecode that is never looked at again: equal in every build, and right whatever the files' times.
    words = ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", _PACKAGES]
    run_quietly(["python3", "-I", *words])
    contents.put_in_menus(_LINUX, _SHARE, version, epoch)
    drawing = ROOT / "resources" / "icons" / "studio.svg"
    icons = _SHARE / "icons" / "hicolor"
    _write(icons / "scalable" / "apps" / f"{ID}.svg", drawing.read_bytes())
    for size in ICON_SIZES:
        picture = icons / f"{size}x{size}" / "apps" / f"{ID}.png"
        picture.parent.mkdir(parents=True)
        run_quietly(["rsvg-convert", f"--width={size}", f"--height={size}", f"--output={picture}", drawing])
    for shell, place in COMPLETIONS.items():
        _write(_SHARE / place, run_quietly([program, "completion", shell]))
    words = [_MANUAL, ROOT / "installer", version, str(epoch)]
    _write(_SHARE / "man/man1/studio.1.gz", run_quietly([BUNDLE / "bin/python3", "-I", "-B", "-c", *words]))
    _write(documents / "changelog.gz", (ROOT / "CHANGELOG.md").read_bytes())
    _write(_SHARE / "lintian" / "overrides" / NAME, (_LINUX / "debian" / "lintian-overrides").read_bytes())
    move_pages(_PACKAGES, _SHARE)
    for folder in ("bin", "lib"):
        (_TREE / "usr" / folder).mkdir()
    (_TREE / "usr" / "bin" / "studio").symlink_to(f"../lib/{NAME}/bin/studio")
    BUNDLE.rename(_TREE / "usr" / "lib" / NAME)
    _pack(full_version(version, suite), epoch, suite)


def bundle() -> None:
    """Fill the folder from the lock and the sources. Raises Problem."""
    python = BUNDLE / "bin" / "python3"
    for folder in (_PACKAGES, python.parent):
        folder.mkdir(parents=True)
    python.symlink_to("../../../bin/python3")
    said = ("home = /usr/bin", "include-system-site-packages = false", f"version = {_PYTHON[6:]}\n")
    (BUNDLE / "pyvenv.cfg").write_text("\n".join(said))
    wheels = _BUILD / "wheels"
    pip("python3", "download", "--dest", wheels, locked=names_for(["build"], EXTRAS))
    # By the same backend that makes the wheel for everybody. The lock has more, for extras of others.
    local = ("--no-index", "--find-links", wheels)
    pip("python3", "wheel", *local, "--no-deps", "--wheel-dir", wheels, ROOT)
    pip("python3", "--python", python, "install", *local, "--no-compile", f"{NAME}[{','.join(EXTRAS)}]")


def libraries(folder: Path) -> list[Path]:
    """List every file in a folder that the loader reads."""
    return sorted(path for path in folder.rglob("*.so*") if path.is_file() and not path.is_symlink())


def prune(packages: Path) -> None:
    """Remove what the program never loads, and what is there for who builds with it."""
    for program in (BUNDLE / "bin").iterdir():
        if program.name != "python3":
            program.unlink()
    _prune_qt(packages / "PySide6")
    for library in (packages / "PySide6" / "Qt" / "lib").glob("libicudata.so.*"):
        relink(library)
    gone = [packages / "shiboken6" / "lib", *(packages / name for name in ONLY_TO_BUILD), *aside(packages)]
    gone += (packages / "zstandard").glob("*_cffi*")  # for Pythons other than this; it doubles the package
    # They name what was just removed, and how this was installed.
    for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "sboms"):
        gone += packages.glob(f"*.dist-info/{name}")
    run_quietly(["rm", "-rf", *gone])
    for library in libraries(BUNDLE):
        run_quietly(["strip", "--strip-unneeded", "--preserve-dates", library])


def aside(packages: Path) -> list[Path]:
    """List what packages bring for who builds with them or tests them, but for the demo's own tests."""
    resources = packages / "studio" / "_resources"
    return [
        each
        for each in sorted(packages.rglob("*"))
        # Bytecode, too, that something wrote which was run here: it holds the time of the build.
        if (each.is_dir() and each.name in ("tests", "include", "__pycache__"))
        or each.suffix in (".pyi", ".pxd", ".pyx", ".h", ".c")
        if not each.is_relative_to(resources)
    ]


def _prune_qt(package: Path) -> None:
    shiboken = package.parent / "shiboken6"
    kept = {package / "Qt" / "plugins" / each for each in QT_PLUGINS}
    kept |= {package / f"{each}.abi3.so" for each in QT_MODULES}
    # It fails where one of them is missing.
    linked = run_quietly(["ldd", *kept, *shiboken.glob("*.so*")])
    kept |= {Path(os.path.normpath(found)) for found in re.findall(r"=> (/.+) \(0x", linked)}
    kept |= {package / name for name in ("__init__.py", "_config.py", "_git_pyside_version.py")}
    for path in sorted(package.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in kept and "support" not in path.parts:
            path.unlink()


def program_text(python: Path, packages: Path) -> str:
    """Return what is started: it takes nothing from the environment (-I), nor from .pth files (-S).

    A process that works beside the window loads it once more, and must not open another window.
    """
    return (
        f"#!{python} -IS\n"
        'if __name__ == "__main__":\n'
        "    import sys\n"
        f'    sys.path.append("{packages}")\n'
        "    from studio.__main__ import main\n"
        "    sys.exit(main())\n"
    )


def move_pages(packages: Path, share: Path) -> None:
    """Move the documentation to where Debian's readers of documents search, and the program as well."""
    pages = share / "doc" / NAME / "html"
    pages.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(packages / "studio" / "_resources" / "site", pages)
    _write(share / "doc-base" / NAME, (_LINUX / "debian" / "doc-base").read_bytes())


def _pack(version: str, epoch: int, suite: str) -> None:
    """Have Debian's tools find what it depends on, write its control file, and make the archive."""
    control = _LINUX / "debian" / "control"
    (maintainer,) = re.findall("^Maintainer: (.*)$", control.read_text("utf-8"), re.MULTILINE)
    entry = (
        f"{NAME} ({version}) {suite}; urgency=medium\n\n"
        "  * Release of the program; what is new in it stands in changelog.gz.\n\n"
        f" -- {maintainer}  {format_datetime(datetime.fromtimestamp(epoch, UTC))}\n"
    )
    _write(_SHARE / "doc" / NAME / "changelog.Debian.gz", entry)
    _write(_BUILD / "debian" / "changelog", entry)
    _write(_BUILD / "debian" / "control", control.read_bytes())
    # By what dpkg sees that a file was damaged. Its folder tells that the libraries are its own.
    sums = run_quietly(["sh", "-c", "find usr -type f | LC_ALL=C sort | xargs -d '\\n' md5sum"], folder=_TREE)
    _write(_TREE / "DEBIAN" / "md5sums", sums)
    files = [path for path in libraries(_TREE) if not path.match(f"*/{FOREIGN_DESKTOP}")]
    folders = sorted({f"-l{path.parent}" for path in files})
    run_quietly(["dpkg-shlibdeps", "--warnings=0", f"-S{_TREE}", *folders, *files], folder=_BUILD)
    # Of Python this release's, which alone the compiled parts fit.
    major, minor = sys.version_info[:2]
    python = f"-Vpython:Depends=python3 (>= {major}.{minor}), python3 (<< {major}.{minor + 1})"
    run_quietly(["dpkg-gencontrol", f"-P{_TREE}", python], folder=_BUILD)
    for path in [*_TREE.rglob("*"), _TREE]:
        os.utime(path, (epoch, epoch), follow_symlinks=False)
        if not path.is_symlink():
            is_program = path.stat().st_mode & 0o111 and path.is_file() and path.read_bytes()[:2] == b"#!"
            path.chmod(0o755 if path.is_dir() or is_program else 0o644)
    # One thread: with more, the bytes are others. The level that takes a fifth of the time for 15 % more.
    words = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--threads-max=1", "--build", _TREE, _BUILD]
    run_quietly(words, {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)})


def relink(library: Path) -> None:
    """Replace libicudata.so.N by one that holds less. Raises Problem."""
    name = f"icudt{library.suffix.removeprefix('.')}"
    with tempfile.TemporaryDirectory(prefix="exacta-icu-") as temporary:
        folder = Path(temporary)
        # The name of the file is that of what it holds.
        whole, rest = folder / f"{name}l.dat", folder / "rest" / f"{name}l.dat"
        rest.parent.mkdir()
        run_quietly(["objcopy", "-O", "binary", "--only-section=.rodata", library, whole])
        names = folder / "names.txt"
        names.write_text("\n".join(left_out(run_quietly(["icupkg", "--list", whole]).split())))
        run_quietly(["icupkg", "--remove", names, whole, rest])
        # One object in memory that is only read, where the library of before had it, and no other symbol.
        words = ["--rename-section", ".data=.rodata,alloc,load,readonly,data,contents", "-w", "-N_binary_*"]
        words += ["--set-section-alignment", ".data=16", f"--add-symbol={name}_dat=.rodata:0,global,object"]
        run_quietly(["objcopy", "-I", "binary", "-O", "elf64-x86-64", *words, rest, folder / "data.o"])
        options = ["-shared", "--build-id=none", "-z", "noexecstack", "-soname", library.name]
        library.unlink()
        run_quietly(["ld", *options, "-o", library, folder / "data.o"])


def left_out(items: Iterable[str]) -> list[str]:
    """Return the items, such as zone/de.res, to leave out. Raises Problem where a kind is missing."""
    chosen = [item for item in items if _is_left_out(item)]
    missing = (_NAMED_IN_LANGUAGES | _NEVER_OPENED) - {item.rpartition("/")[0] for item in chosen}
    if missing:
        raise Problem(f"ICU's data is laid out in an unknown way: no {', '.join(sorted(missing))} in it.")
    return chosen


def _is_left_out(item: str) -> bool:
    folder, _, file = item.rpartition("/")
    is_of_language = folder in _NAMED_IN_LANGUAGES and _LANGUAGE.fullmatch(file) is not None
    return is_of_language or folder in _NEVER_OPENED or file.endswith(_NEVER_OPENED_FILES)


def manual(version: str, epoch: int) -> str:
    """Return studio(1): the window, and every command with its options and examples."""
    from studio.doors.cli.parser import build_parser, build_window_parser

    date = datetime.fromtimestamp(epoch, UTC)
    lines = [
        f'.TH STUDIO 1 "{date:%Y-%m-%d}" "Exacta Studio {version}" "User Commands"',
        ".SH NAME\nstudio \\- review what agents want to change",
        ".SH SYNOPSIS\n.B studio\n[\\fIPATH\\fR ...] [\\fIoptions\\fR]\n.br\n.B studio",
        "\\fICOMMAND\\fR [\\fIoptions\\fR]",
        ".SH DESCRIPTION",
        "Without a command, studio opens its window: on the project folder or with the diffs it is given.",
        f".SH OPTIONS\n{_help_of(build_window_parser())}",
        ".SH COMMANDS",
    ]
    lines += [f'.SS "{words}"\n{_help_of(parser)}' for words, parser in _commands("studio", build_parser())]
    return "\n".join(lines) + "\n"


def _commands(words: str, parser: Parser) -> Iterator[tuple[str, Parser]]:
    """Yield every command and operation below a parser, with the words that choose it."""
    for word, command in parser.commands().items():
        yield f"{words} {word}", command
        yield from _commands(f"{words} {word}", command)


def _help_of(parser: Parser) -> str:
    """Return what a parser prints as help, in which nothing means anything to troff."""
    text = re.sub(r"^\.", r"\\&.", parser.format_help().translate(_ESCAPES), flags=re.MULTILINE)
    return f".EX\n{text}.EE"


def _write(path: Path, content: bytes | str) -> None:
    content = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, 9, mtime=0) if path.suffix == ".gz" else content)


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]), sys.argv[3])
