"""The .deb of the Debian release in which this runs, as root in a bare one: its files, what they say, and the
archive.

    python3 -m shipping.debian_tree VERSION DATE-IN-SECONDS SUITE

The program lies with all it needs in one folder, a virtual environment: nothing but the standard library
comes from elsewhere, and `sys.executable` starts the same again. Standard library only; what needs the
program's own packages is asked of the program that was just made.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING

from environments import ROOT, names_for, pip
from system_packages import Problem, run_quietly

from shipping.chroot import SUITES
from shipping.contents import FOREIGN_DESKTOP, ID, QT_PLUGINS, put_in_menus
from shipping.licences import copyright_of_debian

if TYPE_CHECKING:
    from studio.doors.cli.parser import Parser

TOOLS = ("python3", "python3-pip", "dpkg-dev", "binutils", "icu-devtools", "librsvg2-bin")
"""Debian's packages with what this starts."""

NAME = "exacta-studio"
BUNDLE = Path("/usr/lib") / NAME
EXTRAS = ("mcp", "acp")

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

# One object in memory that is only read, where the library of before had it.
_ASSEMBLY = """
.section .rodata
.balign 16
.globl {symbol}
.type {symbol}, @object
{symbol}:
.incbin "{data}"
.size {symbol}, . - {symbol}
.section .note.GNU-stack, "", @progbits
"""

_ESCAPES = str.maketrans({"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"})
_MANUAL = (
    "import sys; sys.path.append(sys.argv[1]); from shipping.debian_tree import manual; "
    "sys.stdout.buffer.write(manual(sys.argv[2], int(sys.argv[3])).encode())"
)


def make(version: str, epoch: int, suite: str) -> None:
    """The package's file, in /build. Raises Problem."""
    os.umask(0o022)
    bundle()
    documents = _SHARE / "doc" / NAME
    _write(documents / "copyright", copyright_of_debian(_PACKAGES))
    prune(_PACKAGES)
    program = BUNDLE / "bin" / "studio"
    program.write_text(program_text(BUNDLE / "bin" / "python3", _PACKAGES))
    program.chmod(0o755)
    # Bytecode that is never looked at again: equal in every build, and right whatever the files' times.
    words = ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", _PACKAGES]
    run_quietly(["python3", "-I", *words])
    put_in_menus(_LINUX, _SHARE, version, epoch)
    drawing = ROOT / "resources" / "icons" / "studio.svg"
    icons = _SHARE / "icons" / "hicolor"
    _write(icons / "scalable" / "apps" / f"{ID}.svg", drawing.read_bytes())
    for size in ICON_SIZES:
        picture = icons / f"{size}x{size}" / "apps" / f"{ID}.png"
        picture.parent.mkdir(parents=True)
        run_quietly(["rsvg-convert", f"--width={size}", f"--height={size}", f"--output={picture}", drawing])
    for shell, place in COMPLETIONS.items():
        _write(_SHARE / place, run_quietly([program, "completion", shell]))
    _write(_SHARE / "man" / "man1" / "studio.1.gz", _program(_MANUAL, ROOT / "installer", version, epoch))
    _write(documents / "changelog.gz", (ROOT / "CHANGELOG.md").read_bytes())
    _write(_SHARE / "lintian" / "overrides" / NAME, (_LINUX / "debian" / "lintian-overrides").read_bytes())
    move_pages(_PACKAGES, _SHARE)
    for folder in ("bin", "lib"):
        (_TREE / "usr" / folder).mkdir()
    (_TREE / "usr" / "bin" / "studio").symlink_to(f"../lib/{NAME}/bin/studio")
    BUNDLE.rename(_TREE / "usr" / "lib" / NAME)
    _pack(full_version(version, suite), epoch, suite)


def full_version(version: str, suite: str) -> str:
    """Of the package: that for a newer Debian is newer, so that an upgrade takes it."""
    return f"{version}-1~deb{SUITES[suite]}"


def bundle() -> None:
    """Fill the folder from the lock and the sources. Raises Problem."""
    python = BUNDLE / "bin" / "python3"
    for folder in (_PACKAGES, python.parent):
        folder.mkdir(parents=True)
    python.symlink_to("../../../bin/python3")
    version = _PYTHON.removeprefix("python")
    (BUNDLE / "pyvenv.cfg").write_text(
        f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {version}\n"
    )
    wheels = _BUILD / "wheels"
    pip("python3", "download", "--dest", wheels, locked=names_for(["build"], EXTRAS))
    # By the same backend that makes the wheel for everybody. The lock has more, for extras of others.
    local = ("--no-index", "--find-links", wheels)
    pip("python3", "wheel", *local, "--no-deps", "--wheel-dir", wheels, ROOT)
    pip("python3", "--python", python, "install", *local, "--no-compile", f"{NAME}[{','.join(EXTRAS)}]")


def libraries(folder: Path) -> list[Path]:
    """Every file in a folder that the loader reads, sorted."""
    return sorted(path for path in folder.rglob("*.so*") if path.is_file() and not path.is_symlink())


def prune(packages: Path) -> None:
    """Leave out what the program never loads, and what is there for who builds with it."""
    for program in (BUNDLE / "bin").iterdir():
        if program.name != "python3":
            program.unlink()
    _prune_qt(packages / "PySide6")
    for library in (packages / "PySide6" / "Qt" / "lib").glob("libicudata.so.*"):
        relink(library)
    remove(packages / "shiboken6" / "lib")
    for each in (packages / "zstandard").glob("*_cffi*"):
        remove(each)  # for Pythons other than this; it doubles the package
    for name in ONLY_TO_BUILD:
        remove(packages / name)
    for each in aside(packages):
        remove(each)
    for info in packages.glob("*.dist-info"):
        # They name what was just removed, and how this was installed.
        for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "sboms"):
            remove(info / name)
    for library in libraries(BUNDLE):
        run_quietly(["strip", "--strip-unneeded", "--preserve-dates", library])


def aside(packages: Path) -> list[Path]:
    """What packages bring for who builds with them or tests them. The demo project's own tests stay."""
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
    qt, shiboken = package / "Qt", package.parent / "shiboken6"
    plugins = {qt / "plugins" / each for each in QT_PLUGINS}
    absent = sorted(str(each) for each in plugins if not each.exists())
    assert not absent, absent
    kept = plugins | {package / f"{each}.abi3.so" for each in QT_MODULES}
    kept |= _their_libraries([*kept, *shiboken.glob("*.so*")], [package, qt / "lib", shiboken])
    kept |= {package / name for name in ("__init__.py", "_config.py", "_git_pyside_version.py")}
    for path in sorted(package.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in kept and "support" not in path.parts:
            path.unlink()


def _their_libraries(files: Iterable[Path], folders: list[Path]) -> set[Path]:
    """The files in these folders that the loader reads for `files`."""
    found: set[Path] = set()
    open_ends = list(files)
    while open_ends:
        said = run_quietly(["readelf", "-d", open_ends.pop()])
        for name in re.findall(r"\(NEEDED\).*\[(.+)\]", said):
            paths = [folder / name for folder in folders if (folder / name).exists()]
            open_ends += [path for path in paths if path not in found]
            found.update(paths)
    return found


def program_text(python: Path, packages: Path) -> str:
    """What is started: it takes nothing from the environment (-I), and reads no files that say where more
    modules lie (-S), but says so itself. What installed the packages wrote another one.

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


def remove(path: Path) -> None:
    """A file, or a folder with all that is in it; what is not there is no fault."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def move_pages(packages: Path, share: Path) -> None:
    """Take the documentation out of the program's resources to where Debian's readers of documents look, and
    the program as well."""
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
    sums = [
        # By what dpkg sees that a file was damaged.
        f"{hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()}  {path.relative_to(_TREE)}\n"
        for path in sorted(_TREE.rglob("*"))
        if path.is_file() and not path.is_symlink()
    ]
    _write(_TREE / "DEBIAN" / "md5sums", "".join(sums))  # its folder tells that the libraries are its own
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
    with tempfile.TemporaryDirectory(prefix="exacta-icu-") as folder:
        # The name of the file is that of what it holds.
        whole, rest = Path(folder, f"{name}l.dat"), Path(folder, "rest", f"{name}l.dat")
        rest.parent.mkdir()
        run_quietly(["objcopy", "-O", "binary", "--only-section=.rodata", library, whole])
        names = Path(folder, "names.txt")
        names.write_text("\n".join(left_out(run_quietly(["icupkg", "--list", whole]).split())))
        run_quietly(["icupkg", "--remove", names, whole, rest])
        source, made = Path(folder, "data.s"), Path(folder, "data.o")
        source.write_text(_ASSEMBLY.format(symbol=f"{name}_dat", data=rest))
        run_quietly(["as", "-o", made, source])
        options = ["-shared", "--build-id=none", "-z", "noexecstack", "-soname", library.name]
        library.unlink()
        run_quietly(["ld", *options, "-o", library, made])


def left_out(items: Iterable[str]) -> list[str]:
    """Which of its items, such as zone/de.res, are left out. Raises Problem where it has none of a kind."""
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
    """studio(1): the window, and every command with its options and examples."""
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
    """Every command and operation below a parser, with the words that choose it."""
    for word, command in parser.commands().items():
        yield f"{words} {word}", command
        yield from _commands(f"{words} {word}", command)


def _help_of(parser: Parser) -> str:
    """What a parser prints as help, in which nothing means anything to troff."""
    text = re.sub(r"^\.", r"\\&.", parser.format_help().translate(_ESCAPES), flags=re.MULTILINE)
    return f".EX\n{text}.EE"


def _program(script: str, *words: object) -> str:
    """What a script prints that is run by the program's own Python."""
    return run_quietly([BUNDLE / "bin" / "python3", "-I", "-B", "-c", script, *map(str, words)])


def _write(path: Path, content: bytes | str) -> None:
    content = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, 9, mtime=0) if path.suffix == ".gz" else content)


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]), sys.argv[3])
