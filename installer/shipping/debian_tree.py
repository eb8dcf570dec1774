"""The .deb of the Debian release in which this runs, as root in a bare one: its files, what they say, and the
archive.

    python3 -m shipping.debian_tree VERSION DATE-IN-SECONDS SUITE

Standard library only; what needs the program's own packages is asked of the program that was just made.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import sys
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from locked import ROOT
from system_packages import run_quietly

from shipping import debian_bundle, menu_entry
from shipping.debian_bundle import BUNDLE
from shipping.menu_entry import ID, filled
from shipping.payload_contents import FOREIGN_DESKTOP

NAME = "exacta-studio"
ICON_SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)
COMPLETIONS = {
    "bash": "bash-completion/completions/studio",
    "zsh": "zsh/vendor-completions/_studio",
    "fish": "fish/vendor_completions.d/studio.fish",
}

_TREE = Path("/build/tree")
_SHARE = _TREE / "usr" / "share"
_DOCUMENTS = _SHARE / "doc" / NAME
_LINUX = ROOT / "installer" / "linux"

# Qt draws the program's own picture in each size.
_DRAW = """
import sys
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
drawing = QSvgRenderer(sys.argv[1])
for size in map(int, sys.argv[3:]):
    picture = QImage(size, size, QImage.Format.Format_ARGB32)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    drawing.render(painter)
    painter.end()
    assert picture.save(sys.argv[2].format(size)), size
"""
_MANUAL = (
    "import sys; sys.path.append(sys.argv[1]); from shipping.manual import page; "
    "sys.stdout.buffer.write(page(sys.argv[2], int(sys.argv[3])).encode())"
)


def make(version: str, epoch: int, suite: str) -> None:
    """The package's file, in /build. Raises Problem."""
    os.umask(0o022)
    copyright_file = debian_bundle.make()
    _put_in_menu(version, epoch)
    _put_in_shells()
    _write(_SHARE / "man" / "man1" / "studio.1.gz", _program(_MANUAL, ROOT / "installer", version, epoch))
    number = f"{version}-1~{suite_number(suite)}"
    _document(number, epoch, suite, copyright_file)
    move_pages(debian_bundle.packages_folder(), _SHARE)
    (_TREE / "usr" / "lib").mkdir()
    BUNDLE.rename(_TREE / "usr" / "lib" / BUNDLE.name)
    _pack(number, epoch, _depends())


def suite_number(suite: str) -> str:
    """What stands in the version: the package for a newer Debian is newer, so that an upgrade takes it."""
    return {"bookworm": "deb12", "trixie": "deb13"}[suite]


def _put_in_menu(version: str, epoch: int) -> None:
    menu_entry.put(_LINUX, _SHARE, version, epoch)
    drawing = ROOT / "resources" / "icons" / "studio.svg"
    icons = _SHARE / "icons" / "hicolor"
    _write(icons / "scalable" / "apps" / f"{ID}.svg", drawing.read_bytes())
    for size in ICON_SIZES:
        (icons / f"{size}x{size}" / "apps").mkdir(parents=True)
    _program(_DRAW, str(drawing), f"{icons}/{{0}}x{{0}}/apps/{ID}.png", *ICON_SIZES)


def _put_in_shells() -> None:
    programs = _TREE / "usr" / "bin"
    programs.mkdir(parents=True)
    (programs / "studio").symlink_to(f"../lib/{BUNDLE.name}/bin/studio")
    for shell, place in COMPLETIONS.items():
        _write(_SHARE / place, run_quietly([BUNDLE / "bin" / "studio", "completion", shell]))


def _document(version: str, epoch: int, suite: str, copyright_file: str) -> None:
    control = (_LINUX / "debian" / "control").read_text("utf-8")
    maintainer = next(line for line in control.splitlines() if line.startswith("Maintainer: "))
    date = format_datetime(datetime.fromtimestamp(epoch, UTC))
    entry = (
        f"{NAME} ({version}) {suite}; urgency=medium\n\n"
        "  * Release of the program; what is new in it stands in changelog.gz.\n\n"
        f" -- {maintainer.removeprefix('Maintainer: ')}  {date}\n"
    )
    _write(_DOCUMENTS / "changelog.Debian.gz", entry)
    _write(_DOCUMENTS / "changelog.gz", (ROOT / "CHANGELOG.md").read_bytes())
    _write(_DOCUMENTS / "copyright", copyright_file)
    overrides = (_LINUX / "debian" / "lintian-overrides").read_bytes()
    _write(_SHARE / "lintian" / "overrides" / NAME, overrides)


def move_pages(packages: Path, share: Path) -> None:
    """Take the documentation out of the program's resources to where Debian's readers of documents look, and
    the program as well."""
    pages = share / "doc" / NAME / "html"
    pages.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(packages / "studio" / "_resources" / "site", pages)
    _write(share / "doc-base" / NAME, (_LINUX / "debian" / "doc-base").read_bytes())


def _depends() -> str:
    """This release's Python, which alone the compiled parts fit, and the packages with their libraries."""
    place = Path("/build/depends")
    (place / "debian").mkdir(parents=True)
    (place / "debian" / "control").write_text(f"Source: {NAME}\n\nPackage: {NAME}\nArchitecture: any\n")
    (_TREE / "DEBIAN").mkdir()  # by which it is known as a package, whose libraries are its own affair
    files = [path for path in debian_bundle.libraries(_TREE) if not path.match(f"*/{FOREIGN_DESKTOP}")]
    folders = sorted({f"-l{path.parent}" for path in files})
    words = ["dpkg-shlibdeps", "-O", "--warnings=0", f"-S{_TREE}", *folders, *files]
    libraries = run_quietly(words, folder=place).strip().removeprefix("shlibs:Depends=")
    major, minor = sys.version_info[:2]
    # Qt asks for it by name when a desktop needs it, and the font is what a bare system has none of.
    return f"python3 (>= {major}.{minor}), python3 (<< {major}.{minor + 1}), {libraries}, fonts-dejavu-core"


def _pack(version: str, epoch: int, depends: str) -> None:
    architecture = run_quietly(["dpkg", "--print-architecture"]).strip()
    files = sorted(path for path in _TREE.rglob("*") if path.is_file() and not path.is_symlink())
    size = sum(-(-path.lstat().st_size // 1024) if path.is_file() else 1 for path in _TREE.rglob("*"))
    sums = [f"{_md5(path)}  {path.relative_to(_TREE)}\n" for path in files]
    control = (_LINUX / "debian" / "control").read_text("utf-8")
    told = {"version": version, "architecture": architecture, "size": size, "depends": depends}
    _write(_TREE / "DEBIAN" / "control", filled(control, **told))
    _write(_TREE / "DEBIAN" / "md5sums", "".join(sums))
    for path in [*_TREE.rglob("*"), _TREE]:
        os.utime(path, (epoch, epoch), follow_symlinks=False)
        if not path.is_symlink():
            is_program = path.stat().st_mode & 0o111 and path.is_file() and path.read_bytes()[:2] == b"#!"
            path.chmod(0o755 if path.is_dir() or is_program else 0o644)
    # One thread: with more, the bytes are others. The level that takes a fifth of the time for 15 % more.
    words = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--threads-max=1", "--build", _TREE]
    package = f"/build/{NAME}_{version}_{architecture}.deb"
    run_quietly([*words, package], {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)})


def _md5(path: Path) -> str:
    """By what dpkg sees that a file was damaged."""
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()


def _program(script: str, *words: object) -> str:
    """What a script prints that is run by the program's own Python."""
    return run_quietly([BUNDLE / "bin" / "python3", "-I", "-B", "-c", script, *map(str, words)])


def _write(path: Path, content: bytes | str) -> None:
    content = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, 9, mtime=0) if path.suffix == ".gz" else content)


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]), sys.argv[3])
