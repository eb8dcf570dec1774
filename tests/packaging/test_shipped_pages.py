"""The documentation in packages: laid into a tree, found by what was installed, with licences."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.packaging.test_installer import installer_module

ROOT = Path(__file__).parents[2]


def test_an_installed_program_knows_the_pages_that_were_laid_into_its_tree(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """From the tree into the wheel, out of the wheel to the window, by which a trial looks for them."""
    tree, installed = tmp_path / "tree", tmp_path / "installed"
    without = shutil.ignore_patterns("__pycache__")
    for name in ("studio", "resources"):
        shutil.copytree(ROOT / name, tree / name, ignore=without)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    pages = tree / installer_module("shipping.parts", monkeypatch).PAGES
    (pages / "_static").mkdir(parents=True)
    (pages / "index.html").write_text("<p>Exacta Studio")
    (pages / "_static" / "furo.js").write_text("")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=tree, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    script = f"import sys; sys.path.insert(0, {str(installed)!r}); from studio.__main__ import main; main()"
    trial = installer_module("shipping.trial", monkeypatch)
    ours = trial.Trial([sys.executable, "-c", script], tmp_path / "trial")
    ours.has_documentation()
    (installed / "studio" / "_resources" / "site" / "index.html").unlink()
    with pytest.raises(trial.Problem, match="has no documentation"):
        ours.has_documentation()


@pytest.mark.parametrize("place", ["licenses/LICENSE.rst", "LICENSE.rst"])
def test_the_licences_of_what_lies_in_the_pages_are_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str
) -> None:
    """From the packages that are installed; without one there is no site."""
    notices = installer_module("shipping.contents", monkeypatch)
    info = tmp_path / "ink-1.2.dist-info"
    (info / "licenses").mkdir(parents=True)
    (info / "METADATA").write_text("Name: Ink\nVersion: 1.2\nLicense-File: LICENSE.rst\n\nBlack.\n")
    (info / "RECORD").write_text(f"{info.name}/METADATA,,\n")
    with pytest.raises(notices.Problem, match="ink brings no text of its licence"):
        notices.notices(tmp_path, ["ink"])
    (info / place).write_text("Copyright 2020 Ann Example\n")
    (info / "RECORD").write_text(f"{info.name}/METADATA,,\n{info.name}/{place},,\n")
    told = notices.notices(tmp_path, ["ink"])
    assert told.endswith("\nInk 1.2: see its licence\n\nCopyright 2020 Ann Example\n")
    with pytest.raises(notices.Problem, match="paper is not installed"):
        notices.notices(tmp_path, ["ink", "paper"])


def test_every_package_that_the_pages_are_made_by_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Furo and Sphinx, with what they bring that leaves something in the pages."""
    site = installer_module("shipping.site", monkeypatch)
    locked = installer_module("environments", monkeypatch).names_for(("release",))
    assert {name.replace("_", "-") for name in site.OF_OTHERS} <= locked
    theme = re.search(r'^html_theme = "(\w+)"$', (ROOT / "docs/conf.py").read_text("utf-8"), re.M)
    assert theme is not None and {theme[1], "sphinx"} <= set(site.OF_OTHERS)


def test_the_pages_are_made_by_the_same_versions_on_every_python() -> None:
    """Else their bytes are those of the Python that a release was made with."""
    makers = {"docutils", "furo", "myst-parser", "pygments", "snowballstemmer", "sphinx", "sphinx-basic-ng"}
    lock = (ROOT / "installer/requirements.lock").read_text("utf-8")
    locked = re.findall(r"^([\w.-]+)==\S+ (.*)\\$", lock, re.M)
    assert sorted(name for name, _ in locked if name in makers) == sorted(makers)
    assert [(name, marker) for name, marker in locked if name in makers and marker] == []
