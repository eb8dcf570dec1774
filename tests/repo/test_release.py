"""The release command: what it chooses, refuses, tells and leaves, without building anything large."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
INSTALLER = ROOT / "installer"


@pytest.fixture
def shipping(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Gives a module of `installer/shipping` by its name, as the command imports it."""
    monkeypatch.syspath_prepend(str(INSTALLER))

    def module(name: str) -> ModuleType:
        return importlib.import_module(f"shipping.{name}")

    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository of its own with the installer of this one, at version 1.2.3 and two commits."""
    folder = tmp_path / "checkout"
    (folder / "studio").mkdir(parents=True)
    shutil.copytree(INSTALLER, folder / "installer", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "studio" / "__init__.py").write_text('__version__ = "1.2.3"\n')
    (folder / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n## [1.2.3]\n")
    # A part that ships one file with what the tree says, so that the others have something to be about.
    (folder / "installer" / "shipping" / "site.py").write_text(
        "from shipping.outcome import Outcome, State\n"
        "def build(source, into):\n"
        "    kept = into / 'page.txt'\n"
        "    kept.write_text((source.folder / 'CHANGELOG.md').read_text())\n"
        "    return [Outcome('page', State.BUILT, 'one page', kept)]\n"
        "def try_out(source, into):\n"
        "    return [Outcome('page', State.TESTED, 'read')]\n"
    )
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "First")
    git(folder, "tag", "v1.2.3")
    return folder


def git(folder: Path, *words: str) -> None:
    own = ("-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *own, *words], check=True)


def commit(folder: Path, subject: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", subject)


def release(checkout: Path, *words: str, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*prefix, sys.executable, str(checkout / "installer" / "release.py"), *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=checkout.parent,
        env={name: value for name, value in os.environ.items() if name != "STUDIO_RELEASE_KEY"},
    )


def test_every_part_names_a_module_that_builds_and_tries(shipping: Any) -> None:
    """Those that are there; a release says of the others that they are not."""
    parts = shipping("run").PARTS
    there = [part for part in parts if (INSTALLER / "shipping" / f"{part.module}.py").is_file()]
    assert {part.module for part in there} >= {"python_packages", "bill", "checksums", "signature"}
    for part in there:
        module = shipping(part.module)
        assert callable(module.build) and callable(module.try_out), part
    assert [part.name for part in parts][-3:] == ["bill", "checksums", "signature"]


def test_a_tag_is_released_with_checksums_and_told(checkout: Path, tmp_path: Path) -> None:
    into = tmp_path / "made"
    said = release(checkout, "--into", str(into), "--only", "site,checksums,signature", "v1.2.3")
    assert said.returncode == 0, said.stderr
    assert sorted(file.name for file in into.iterdir()) == ["RELEASE.txt", "SHA256SUMS", "page.txt"]
    told = (into / "RELEASE.txt").read_text()
    assert told.startswith("Release: Exacta Studio 1.2.3, commit ") and told in said.stdout
    assert re.search(r"^page +built +\d", told, re.M) and re.search(r"^page +tested", told, re.M)
    assert re.search(r"^signature +not tried +No key is named", told, re.M)
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=into, check=True)


def test_what_is_not_committed_is_no_part_of_it(checkout: Path, tmp_path: Path) -> None:
    (checkout / "CHANGELOG.md").write_text("not yet\n")
    said = release(checkout, "--into", str(tmp_path / "made"), "--only", "site", "HEAD")
    assert said.returncode == 0 and "what is not committed in this checkout is no part of it" in said.stderr
    assert said.stderr.startswith("Trial build: ")
    assert (tmp_path / "made" / "page.txt").read_text().startswith("# Changelog")


def test_a_second_run_replaces_the_first(checkout: Path, tmp_path: Path) -> None:
    into = tmp_path / "made"
    assert release(checkout, "--into", str(into), "--only", "site,checksums", "HEAD").returncode == 0
    assert release(checkout, "--into", str(into), "--only", "site", "HEAD").returncode == 0
    assert sorted(file.name for file in into.iterdir()) == ["RELEASE.txt", "page.txt"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["checkout", "made"]


@pytest.mark.parametrize("what", ["a file in it", "a file", "a link"])
def test_nothing_else_is_replaced(checkout: Path, tmp_path: Path, what: str) -> None:
    into = tmp_path / "made"
    if what == "a file in it":
        into.mkdir()
        (into / "mine.txt").write_text("mine")
    elif what == "a file":
        into.write_text("mine")
    else:
        into.symlink_to(tmp_path)
    said = release(checkout, "--into", str(into), "--only", "site", "HEAD")
    assert said.returncode == 1 and "--into" in said.stderr
    assert what != "a file in it" or (into / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("v9.9.9",), 1, "git rev-parse"),
        (("--only", "wheal", "HEAD"), 2, "no part wheal. The parts are: wheel, "),
        ((), 2, "REVISION"),
    ],
)
def test_what_is_asked_wrongly(checkout: Path, words: tuple[str, ...], code: int, sentence: str) -> None:
    said = release(checkout, *words)
    assert (said.returncode, said.stdout) == (code, "") and sentence in said.stderr
    assert not (checkout / "dist").exists()


def test_a_tag_must_be_the_version_and_have_its_section(checkout: Path) -> None:
    git(checkout, "tag", "v2.0.0")
    said = release(checkout, "--only", "site", "v2.0.0")
    assert said.returncode == 1 and "calls itself 1.2.3" in said.stderr
    (checkout / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n")
    commit(checkout, "Forget the section")
    git(checkout, "tag", "--force", "v1.2.3")
    said = release(checkout, "--only", "site", "v1.2.3")
    assert said.returncode == 1 and "has no section [1.2.3]" in said.stderr


FAULTS = {
    "raise Problem('The roof is missing.')": ("failed", "The roof is missing.", 1),
    "raise Unavailable('There is no crane here.')": ("not tried", "There is no crane here.", 0),
    "{}['wall']": ("failed", "KeyError: 'wall'", 1),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_part_that_fails_is_told_and_the_others_go_on(checkout: Path, tmp_path: Path, fault: str) -> None:
    state, words, code = FAULTS[fault]
    (checkout / "installer" / "shipping" / "debian.py").write_text(
        "from shipping.outcome import Unavailable\nfrom system_packages import Problem\n"
        f"def build(source, into):\n    {fault}\ndef try_out(source, into):\n    raise AssertionError\n"
    )
    said = release(checkout, "--into", str(tmp_path / "made"), "--only", "deb,site,checksums", "HEAD")
    assert said.returncode == code
    assert re.search(rf"^deb +{state} +{re.escape(words)}$", said.stdout, re.M), said.stdout
    assert (tmp_path / "made" / "SHA256SUMS").is_file()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_what_was_there(checkout: Path, tmp_path: Path, number: int) -> None:
    into, temporary = tmp_path / "made", tmp_path / "temporary"
    temporary.mkdir()
    assert release(checkout, "--into", str(into), "--only", "site", "HEAD").returncode == 0
    before = (into / "RELEASE.txt").read_bytes()
    (checkout / "installer" / "shipping" / "debian.py").write_text(
        "import subprocess\ndef build(source, into):\n"
        "    subprocess.run(['sh', '-c', 'echo at work >&2; exec sleep 60'])\ntry_out = build\n"
    )
    command = [sys.executable, str(checkout / "installer" / "release.py"), "--into", str(into)]
    with subprocess.Popen(
        [*command, "--only", "site,deb", "HEAD"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
        start_new_session=True,
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if line == "at work\n":
                # A terminal tells all that runs there; whoever ends a process tells that one.
                (os.killpg if number == signal.SIGINT else os.kill)(running.pid, number)
        assert running.wait() == 130
    assert (into / "RELEASE.txt").read_bytes() == before
    assert list(temporary.iterdir()) == []
    assert sorted(file.name for file in tmp_path.iterdir()) == ["checkout", "made", "temporary"]


def test_the_wheel_holds_all_that_is_read_at_run_time(tmp_path: Path) -> None:
    """Every module, and every file that a place of the program asks for; the README's pictures stay out."""
    built = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(built, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    modules = {file.relative_to(ROOT).as_posix() for file in (ROOT / "studio").rglob("*.py")}
    shipped = {
        f"studio/_resources/{file.relative_to(ROOT / 'resources').as_posix()}"
        for file in (ROOT / "resources").rglob("*")
        if file.is_file()
        and file.suffix != ".pyc"
        and file.relative_to(ROOT / "resources").parts[0] != "pictures"
    }
    assert {name for name in names if ".dist-info/" not in name} == modules | shipped
    asked = {
        name
        for file in (ROOT / "studio").rglob("*.py")
        for name in re.findall(r'\bresource\("(\w+)"', file.read_text(encoding="utf-8"))
    }
    # The documentation is built: packages of systems bring it.
    assert {"site", "icons"} <= asked
    assert {f"studio/_resources/{name}/" for name in asked - {"site"}} <= {
        f"{'/'.join(name.split('/')[:3])}/" for name in shipped
    }
    head, _, description = metadata.partition("\n\n")
    assert description.strip() == (ROOT / "README.md").read_text(encoding="utf-8").strip()
    assert "Description-Content-Type: text/markdown" in head and "License-Expression: MIT" in head
    for extra in ("mcp", "acp", "all"):
        assert f"Provides-Extra: {extra}" in head
    assert any(name.endswith("/licenses/LICENSE") for name in names)


def test_what_the_sdist_holds_is_what_is_committed() -> None:
    """But for what runs the checks of this repository alone."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    named = set(tool["hatch"]["build"]["targets"]["sdist"]["only-include"])
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=True)
    tops = {name.partition("/")[0] for name in listed.stdout.splitlines()}
    assert tops - named == {".ci", ".gitattributes", ".gitignore"}


def test_the_pythons_that_are_tried_are_those_it_is_said_to_run_on(shipping: Any) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    minor = "Programming Language :: Python :: 3."
    named = {each.rpartition(" ")[2] for each in project["classifiers"] if each.startswith(minor)}
    assert named == set(shipping("python_packages").PYTHONS)


def test_the_tests_that_were_chosen_are_there(shipping: Any) -> None:
    assert all((ROOT / name).exists() for name in shipping("chosen_tests").FILES)


def test_a_table_keeps_its_columns(shipping: Any, tmp_path: Path) -> None:
    outcome = shipping("outcome")
    file = tmp_path / "x.deb"
    file.write_bytes(b"x" * 2_500_000)
    text = shipping("table").table(
        [
            outcome.Outcome("deb", outcome.State.BUILT, "word " * 40, file),
            outcome.Outcome("windows", outcome.State.UNTRIED, "first line\nsecond line"),
        ]
    )
    lines = text.splitlines()
    assert lines[1].startswith("deb      built      2.5 MB  word word")
    assert len({line.index("word") for line in lines[1:4] if "word" in line}) <= 2
    assert "not tried" in text and max(len(line) for line in lines) <= 110
    assert lines[-1].strip() == "second line"
