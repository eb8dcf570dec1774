"""The documentation as a site of plain files: read from a folder, with no request to anybody.

Sphinx makes it of docs/, with every warning an error, and with pictures that the program itself is painted
for. Built twice it is the same bytes. It is laid into the release's own tree, where packages take it from.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import environments
import system_packages
from system_packages import Problem, run_quietly

from shipping.notices import notices
from shipping.outcome import Outcome, State, attempt
from shipping.pages import faults, read
from shipping.source import PAGES, Source

WHAT = "documentation"
NOTICES = "notices.txt"
OF_OTHERS = ("furo", "pygments", "snowballstemmer", "sphinx", "sphinx_basic_ng")
"""The packages of which styles, scripts or templates lie in the pages."""
_ENTRY = re.compile(r"^(?:- )?\*\*`([^`]+)`\*\*", re.MULTILINE)


def build(source: Source, into: Path) -> list[Outcome]:
    """The site as a folder of the tree, and as one file. Raises Problem."""
    folder = source.folder / PAGES
    make(source, folder)
    # What translators begin with, in the tree from which packages take it.
    texts = [str(environments.RELEASE.program("python")), "-m", "tests.tools.translations"]
    variables = {**environments.variables(), "PYTHONDONTWRITEBYTECODE": "1"}
    run_quietly(texts, variables, source.folder)
    file = pack(folder, into / _name(source), source.epoch)
    return [Outcome(WHAT, State.BUILT, f"{_pages(folder)} pages", file)]


def try_out(source: Source, into: Path) -> list[Outcome]:
    """Look whether every page is reached and every link and anchor is there, and build it once more."""
    return [attempt(WHAT, lambda: _checked(source, into, is_brief=False), into / _name(source))]


def try_briefly(source: Source, into: Path) -> list[Outcome]:
    """The same without a second build."""
    return [attempt(WHAT, lambda: _checked(source, into, is_brief=True), into / _name(source))]


def _checked(source: Source, into: Path, is_brief: bool) -> str:
    folder = source.folder / PAGES
    found = faults(folder) + list(_unplaced(source, folder))
    if found:
        raise Problem(f"{len(found)} faults: {'; '.join(found[:5])}")
    words = f"{_pages(folder)} pages, every link and anchor is there"
    if is_brief:
        return words
    with tempfile.TemporaryDirectory(prefix="studio-site-") as temporary:
        again, file = Path(temporary, "pages"), Path(temporary, _name(source))
        make(source, again)
        if pack(again, file, source.epoch).read_bytes() != (into / file.name).read_bytes():
            raise Problem("built twice, it is not the same bytes")
    return f"{words}, built twice the same bytes"


def make(source: Source, folder: Path) -> None:
    """Write the site into a folder that is empty or missing. Raises Problem."""
    system_packages.provide("run", may_install=True)
    environments.provide(environments.RELEASE)
    python = str(environments.RELEASE.program("python"))
    with tempfile.TemporaryDirectory(prefix="studio-site-") as temporary:
        # The release's own files are read, not the checkout that the environment is linked to; and a copy,
        # because the program writes bytecode where it lies.
        tree = Path(temporary) / "tree"
        shutil.copytree(source.folder, tree)
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
        run_quietly(paint, variables, tree)
        versions = [f"-Dversion={source.version}", f"-Drelease={source.version}"]
        options = ["-W", "-n", "-E", "-q", "-b", "html", "-d", str(Path(temporary) / "doctrees")]
        sphinx = [python, "-m", "sphinx", *options, *versions, str(pages), str(folder)]
        run_quietly(sphinx, variables, Path(temporary))
    (folder / ".buildinfo").unlink(missing_ok=True)  # what Sphinx leaves for its next run
    (folder / NOTICES).write_text(notices(environments.RELEASE.packages, OF_OTHERS), encoding="utf-8")


def pack(folder: Path, file: Path, epoch: int) -> Path:
    """The folder as one file, in which order, time and modes say nothing of the machine."""
    moment = time.gmtime(max(epoch, 315_532_800))[:6]  # a zip's time begins with 1980
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = f"{file.stem}/{path.relative_to(folder).as_posix()}"
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            packed.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return file


def _unplaced(source: Source, folder: Path) -> Iterator[str]:
    """The codes of errors and keys of settings that no link could lead to."""
    for name in ("errors", "settings"):
        anchors = read(folder / f"{name}.html").anchors
        text = (source.folder / "docs" / f"{name}.md").read_text(encoding="utf-8")
        for word in _ENTRY.findall(text):
            if word not in anchors:
                yield f"{name}.html has no place for {word}"


def _name(source: Source) -> str:
    return f"exacta-studio-{source.version}-documentation.zip"


def _pages(folder: Path) -> int:
    return len(list(folder.glob("*.html")))
