"""The documentation as a site of plain files: read from a folder, with no request to anybody.

Sphinx makes it of docs/, with every warning an error, and with pictures that the program itself is painted
for. Built twice it is the same bytes.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import environments
import system_packages

from shipping.outcome import Outcome, State
from shipping.pages import faults, read
from shipping.source import Source

WHAT = "documentation"
LAID = Path("resources", "site")
"""Where the pages lie in the tree that all packages are made of: as what the program reads at run time."""
LICENCES = "licences.txt"
_THEIRS = ("Sphinx", "furo", "sphinx-basic-ng", "Pygments")
"""Packages of which scripts and style sheets lie in the pages."""
_LICENCES_OF = """
import sys
from importlib.metadata import distribution
for name in sys.argv[1:]:
    found = distribution(name)
    own = [file for file in found.files if ".dist-info" in file.parts[0]]
    texts = [file for file in own if "LICENSE" in file.name.upper()]
    assert texts, name
    told = (file.read_text(encoding="utf-8") for file in sorted(texts))
    print(f"{name} {found.version}", *told, sep="\\n\\n")
"""
_LEFT_OUT = (".buildinfo", ".doctrees")
"""What Sphinx leaves for its next run."""
_ENTRY = re.compile(r"^(?:- )?\*\*`([^`]+)`\*\*", re.MULTILINE)


def build(source: Source, into: Path) -> list[Outcome]:
    """The site among the tree's resources, and as one file. Raises Problem."""
    folder = source.folder / LAID
    make(source, folder)
    file = _packed(source, into)
    pack(folder, file, source.epoch)
    return [Outcome(WHAT, State.BUILT, f"{_pages(folder)} pages", file)]


def try_out(source: Source, into: Path) -> list[Outcome]:
    """Look whether every page is reached and every link and anchor is there, and build it once more."""
    (told,) = try_briefly(source, into)
    if told.state is State.FAILED or told.file is None:
        return [told]
    with tempfile.TemporaryDirectory(prefix="studio-site-") as temporary:
        again = Path(temporary) / "site"
        make(source, again)
        pack(again, second := Path(temporary) / told.file.name, source.epoch)
        if second.read_bytes() != told.file.read_bytes():
            return [Outcome(WHAT, State.FAILED, "built twice, it is not the same bytes", told.file)]
    return [Outcome(WHAT, State.TESTED, f"{told.words}, built twice the same bytes", told.file)]


def try_briefly(source: Source, into: Path) -> list[Outcome]:
    """The same without a second build."""
    folder = source.folder / LAID
    found = faults(folder) + list(_unplaced(source, folder))
    if found:
        shown = "; ".join(found[:5])
        return [Outcome(WHAT, State.FAILED, f"{len(found)} faults: {shown}")]
    words = f"{_pages(folder)} pages, every link and anchor is there"
    return [Outcome(WHAT, State.TESTED, words, _packed(source, into))]


def make(source: Source, folder: Path) -> None:
    """Write the site into a folder that is empty or missing. Raises Problem."""
    system_packages.provide("run", may_install=True)
    environments.provide(environments.RELEASE)
    python = str(environments.RELEASE.program("python"))
    with tempfile.TemporaryDirectory(prefix="studio-site-") as temporary:
        # The release's own tree is read, not the checkout that the environment is linked to; and of it a
        # copy, for the program leaves bytecode where it is painted, and packages are made of that tree.
        tree = shutil.copytree(source.folder, Path(temporary) / "tree")
        pages = tree / "docs"
        variables = {
            **environments.variables(),
            "PYTHONPATH": str(tree),
            "SOURCE_DATE_EPOCH": str(source.epoch),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "PYTHONHASHSEED": "0",
        }
        paint = [python, "-m", "tests.tools.site_pictures", str(pages / "pictures")]
        system_packages.run_quietly(paint, variables, folder=tree)
        versions = [f"-Dversion={source.version}", f"-Drelease={source.version}"]
        options = ["-W", "-n", "-E", "-q", "-b", "html", "-d", str(Path(temporary) / "doctrees")]
        sphinx = [python, "-m", "sphinx", *options, *versions, str(pages), str(folder)]
        system_packages.run_quietly(sphinx, variables, folder=Path(temporary))
    licences = subprocess.check_output([python, "-I", "-c", _LICENCES_OF, *_THEIRS], encoding="utf-8")
    (folder / LICENCES).write_text(licences, encoding="utf-8")
    for name in _LEFT_OUT:
        left = folder / name
        if left.is_dir():
            shutil.rmtree(left)
        else:
            left.unlink(missing_ok=True)


def pack(folder: Path, file: Path, epoch: int) -> None:
    """Make one file of the folder, in which order, time and modes say nothing of the machine."""
    moment = time.gmtime(max(epoch, 315_532_800))[:6]  # a zip's time begins with 1980
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = f"{file.stem}/{path.relative_to(folder).as_posix()}"
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            packed.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)


def _unplaced(source: Source, folder: Path) -> Iterator[str]:
    """The codes of errors and keys of settings that no link could lead to."""
    for name in ("errors", "settings"):
        anchors = read(folder / f"{name}.html").anchors
        text = (source.folder / "docs" / f"{name}.md").read_text(encoding="utf-8")
        for word in _ENTRY.findall(text):
            if word not in anchors:
                yield f"{name}.html has no place for {word}"


def _packed(source: Source, into: Path) -> Path:
    return into / f"exacta-studio-{source.version}-documentation.zip"


def _pages(folder: Path) -> int:
    return len(list(folder.glob("*.html")))
