"""The documentation as a site of plain files: read from a folder, with no request to another host.

Sphinx makes it of docs/, with every warning an error (a link, an anchor or a page that nothing leads to), and
with pictures that the program itself paints. It is laid into the release's own tree, where packages take it.
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

from shipping.contents import notices
from shipping.parts import PAGES, Outcome, Source, State, attempt

WHAT = "documentation"
WORDS = "every link and anchor is there, no request to another host"
OF_OTHERS = ("furo", "pygments", "snowballstemmer", "sphinx", "sphinx_basic_ng")
"""The packages of which styles, scripts or templates lie in the pages."""

_ENTRY = re.compile(r"^(?:- )?\*\*`([^`]+)`\*\*", re.MULTILINE)
_ASKED = {
    ".html": re.compile(
        r"<(?!a\s)[^>]*\s(?:href|src|srcset|action|data|poster)=\"((?:[a-z]+:)?//[^\"]*)", re.IGNORECASE
    ),
    ".css": re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')]*)", re.IGNORECASE),
    ".js": re.compile(r"[\"'`]((?:(?:https?|wss?):)?//(?!www\.w3\.org/)[\w.-]+\.[a-z]+)", re.IGNORECASE),
}
"""How a page, a style or a script would ask another host; the name space of SVG is only a name, and a link
asks when it is pressed."""


def build(source: Source, into: Path) -> list[Outcome]:
    """Write the site as a folder of the tree, and as one file. Raises Problem."""
    folder = source.folder / PAGES
    make(source, folder)
    # What translators begin with, in the tree from which packages take it.
    texts = [environments.RELEASE.program("python"), "-B", "-m", "tests.tools.translations"]
    run_quietly(texts, environments.variables(), source.folder)
    file = pack(folder, into / f"exacta-studio-{source.version}-documentation.zip", source.epoch)
    return [Outcome(WHAT, State.BUILT, f"{len(list(folder.glob('*.html')))} pages", file)]


def try_out(source: Source, into: Path, is_quick: bool) -> list[Outcome]:
    """Search it for requests and missing anchors, and build it once more unless `is_quick`."""

    file = next(into.glob("*-documentation.zip"))

    def checked() -> str:
        found = list(faults(source.folder / PAGES, source.folder / "docs"))
        if found:
            raise Problem(f"{len(found)} faults: {'; '.join(found[:5])}")
        if is_quick:
            return WORDS
        with tempfile.TemporaryDirectory(prefix="studio-site-") as temporary:
            again = Path(temporary, "pages")
            make(source, again)
            if pack(again, Path(temporary, file.name), source.epoch).read_bytes() != file.read_bytes():
                raise Problem("built twice, it is not the same bytes")
        return f"{WORDS}, built twice the same bytes"

    return attempt(WHAT, checked, file)


def make(source: Source, folder: Path) -> None:
    """Write the site into a folder that is empty or missing. Raises Problem."""
    system_packages.provide("run", may_install=True)
    environments.provide(environments.RELEASE)
    python = environments.RELEASE.program("python")
    with tempfile.TemporaryDirectory(prefix="studio-site-") as temporary:
        # The release's own files are read, not the checkout that the environment is linked to; and a copy,
        # because the program writes bytecode beside its modules.
        tree = Path(temporary, "tree")
        shutil.copytree(source.folder, tree)
        pages = tree / "docs"
        fixed = {"SOURCE_DATE_EPOCH": str(source.epoch), "PYTHONHASHSEED": "0", "TZ": "UTC"}
        variables = environments.variables() | fixed | {"PYTHONPATH": str(tree), "LC_ALL": "C.UTF-8"}
        run_quietly([python, "-m", "tests.tools.site_pictures", pages / "pictures"], variables, tree)
        options = ["-W", "-n", "-E", "-q", "-b", "html", "-d", Path(temporary, "doctrees")]
        options += [f"-Dversion={source.version}", f"-Drelease={source.version}"]
        run_quietly([python, "-m", "sphinx", *options, pages, folder], variables, Path(temporary))
    (folder / ".buildinfo").unlink(missing_ok=True)  # what Sphinx leaves for its next run
    (folder / "notices.txt").write_text(notices(environments.RELEASE.packages, OF_OTHERS), encoding="utf-8")


def pack(folder: Path, file: Path, epoch: int) -> Path:
    """Pack the folder into one file, in which order, time and modes say nothing of the machine."""
    moment = time.gmtime(max(epoch, 315_532_800))[:6]  # a zip's time begins with 1980
    with zipfile.ZipFile(file, "w") as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{file.stem}/{path.relative_to(folder).as_posix()}", moment)
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return file


def faults(folder: Path, docs: Path) -> Iterator[str]:
    """Find what Sphinx doesn't: requests to other hosts, errors and settings without an anchor."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in _ASKED:
            for asked in _ASKED[file.suffix].findall(file.read_text(encoding="utf-8")):
                yield f"{file.relative_to(folder).as_posix()} asks another host: {asked}"
    for name in ("errors", "settings"):
        page = (folder / f"{name}.html").read_text(encoding="utf-8")
        for word in _ENTRY.findall((docs / f"{name}.md").read_text(encoding="utf-8")):
            if f'id="{word}"' not in page:
                yield f"{name}.html has no place for {word}"
