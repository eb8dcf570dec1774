"""The pages of docs/: those that are made are current, each is reached, and what they lead to is there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.tools import command_document, error_document, filesystem_document, key_document, site_pictures
from tests.tools.scenes import SCENES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
READ = (*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md")

CHECKLIST = {
    "usage examples": ("README.md", "docs/tutorial.md", "docs/command_line.md", "docs/agents.md"),
    "configuration reference": ("docs/settings.md", "docs/configuration.md"),
    "error handling guide": ("docs/errors.md",),
}
"""What the documentation has to have, and where it is."""

NOT_WRITTEN_BY_HAND = {
    "commands.md", "deviations.md", "diffs.md", "errors.md", "filesystem.md", "keys.md", "settings.md"
}  # fmt: skip
"""Pages made from the program, or held to it entry by entry."""

WORDS_UP_TO = 22_000
"""Words of all hand-written pages, the README among them; signs of tables count."""

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
_TREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "installer"))
    return importlib.import_module("shipping.site")


@pytest.mark.parametrize(
    "tool",
    [command_document, error_document, filesystem_document, key_document],
    ids=lambda tool: tool.FILE.name,
)
def test_pages_that_are_made_are_current(tool: ModuleType) -> None:
    """`python -m tests.tools.command_document`, or another of these, writes the page anew."""
    assert tool.FILE.read_text(encoding="utf-8") == tool.text()


def test_every_page_is_in_the_index_once() -> None:
    trees = _TREE.findall((DOCS / "index.md").read_text(encoding="utf-8"))
    named = [line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")]
    assert sorted(named) == [page.stem for page in PAGES if page.stem != "index"]


def test_the_checklist_is_met() -> None:
    """Each part is there, and the README leads to it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for part, files in CHECKLIST.items():
        for file in files:
            assert (ROOT / file).is_file(), part
            assert file == "README.md" or f"]({file})" in readme, part
    assert "studio submit change.diff" in readme


def test_the_security_page_says_what_is_a_probe_and_what_long_paths_need() -> None:
    page = " ".join((DOCS / "security.md").read_text(encoding="utf-8").split())
    assert "Looking for locks is a probe" in page
    assert "another program may lock or write the file" in page
    assert "Long paths on Windows also need a program that says so in its application manifest" in page


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 90


def test_hand_written_pages_are_few_words() -> None:
    written = [page for page in (*PAGES, ROOT / "README.md") if page.name not in NOT_WRITTEN_BY_HAND]
    words = {page.name: len(page.read_text(encoding="utf-8").split()) for page in written}
    assert sum(words.values()) <= WORDS_UP_TO, words


def anchors(page: Path) -> set[str]:
    """The places of a page that links may name: its headings, as GitHub and the site make anchors of them."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", READ, ids=lambda page: page.name)
def test_links_lead_to_what_is_there(page: Path) -> None:
    found: list[str] = []
    for is_picture, target in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if is_picture and page.parent == DOCS and page.stem != "tutorial":
            # Made with the site, and in no checkout.
            assert file.parent == DOCS / "pictures" and file.stem in site_pictures.SHOWN, target
        elif not file.exists() or (anchor and anchor not in anchors(file)):
            found.append(target)
    assert not found, f"{page.name} leads to what is not there: {found}"


def test_each_picture_of_the_site_is_a_scene_and_is_shown() -> None:
    shown = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert set(site_pictures.SHOWN) <= {scene.name for scene in SCENES}
    assert [name for name in site_pictures.SHOWN if f"](pictures/{name}.png)" not in shown] == []


def test_what_sphinx_does_not_find_in_a_site_is_found(site: ModuleType, tmp_path: Path) -> None:
    """Requests to other hosts, and entries that no link could lead to."""
    made = {
        "errors.html": '<a href="https://x.example">A</a> <p id="disk.full"><a class="x" href="//y.example">',
        "errors.md": "- **`disk.full`** A.\n- **`disk.gone`** B.\n",
        "settings.html": '<img src="https://x.example/a.png"><script src="//x.example/a.js"></script>',
        "settings.md": "",
        "a.css": "@import 'https://x.example/a.css'; p {x: url(//x.example/b.png)} i {c: url(d.png)}",
        "a.js": 'fetch("https://x.example/a"); n = "http://www.w3.org/2000/svg"; // https://x.example',
    }
    for name, text in made.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert list(site.faults(tmp_path, tmp_path)) == [
        "a.css asks another host: https://x.example/a.css",
        "a.css asks another host: //x.example/b.png",
        "a.js asks another host: https://x.example",
        "settings.html asks another host: https://x.example/a.png",
        "settings.html asks another host: //x.example/a.js",
        "errors.html has no place for disk.gone",
    ]
