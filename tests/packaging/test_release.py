"""The release command: what it chooses, refuses, tells and leaves, without building anything large."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.packaging.test_installer import installer_module

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
def command(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return installer_module("release", monkeypatch)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository of its own with the installer of this one, at version 1.2.3 and two commits."""
    folder = tmp_path / "checkout"
    (folder / "studio").mkdir(parents=True)
    shutil.copytree(INSTALLER, folder / "installer", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / ".gitignore").write_text("__pycache__/\n")  # which the scripts leave beside themselves
    (folder / "studio" / "__init__.py").write_text('__version__ = "1.2.3"\n')
    (folder / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n## [1.2.3]\n")
    # A part that ships one file with what the tree says, so that the others have something to be about.
    (folder / "installer" / "shipping" / "site.py").write_text(
        "from shipping.parts import Outcome, State\n"
        "def build(source, into, is_quick=False):\n"
        "    (source.folder / 'resources' / 'site').mkdir(parents=True)\n"
        "    kept = into / 'page.txt'\n"
        "    kept.write_text((source.folder / 'CHANGELOG.md').read_text())\n"
        "    return [Outcome('page', State.BUILT, 'one page', kept)]\n"
        "def try_out(source, into, is_quick):\n"
        "    return [Outcome('page', State.TESTED, 'read')]\n"
    )
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "First")
    git(folder, "tag", "v1.2.3")
    return folder


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A file with a secret key that was made for this test."""
    file = tmp_path / "secret.asc"
    with tempfile.TemporaryDirectory(prefix="exacta-key-", ignore_cleanup_errors=True) as home:
        environment = {**os.environ, "GNUPGHOME": home}
        own = ["gpg", "--quiet", "--batch", "--passphrase", ""]
        make = [*own, "--quick-generate-key", "t <t@example.invalid>", "ed25519", "sign", "1d"]
        subprocess.run(make, env=environment, check=True, capture_output=True)
        export = [*own, "--armor", "--output", str(file), "--export-secret-keys"]
        subprocess.run(export, env=environment, check=True, capture_output=True)
        subprocess.run(["gpgconf", "--kill", "all"], env=environment, check=True)
    return file


def part(checkout: Path, text: str) -> None:
    """Have this text be the part that makes packages of Debian."""
    known = "from shipping.parts import Outcome, State, Unavailable\nfrom system_packages import Problem\n"
    (checkout / "installer" / "shipping" / "deb.py").write_text(known + text)


def left_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def git(folder: Path, *words: str) -> None:
    own = ("-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *own, *words], check=True)


def commit(folder: Path, subject: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", subject)


def release(checkout: Path, *words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(checkout / "installer" / "release.py"), *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder or checkout.parent,
        env={name: value for name, value in os.environ.items() if name != "STUDIO_RELEASE_KEY"},
    )


def test_every_part_is_a_module_that_builds_and_tries(command: ModuleType, shipping: Any) -> None:
    assert command.PARTS[-3:] == ("bill", "checksums", "signature")
    for module in map(shipping, command.PARTS[:-1]):
        assert callable(module.build)
        assert hasattr(module, "try_out") is (module.__name__ != "shipping.checksums")
    assert callable(shipping("checksums").sign)


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
        (("--only", "wheal", "HEAD"), 2, "no part wheal. The parts are: site, wheel, "),
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


def test_a_tag_is_made_by_its_own_scripts(checkout: Path, tmp_path: Path) -> None:
    """Refused where another commit is checked out, or anything is changed, also by the end of the run."""
    into = tmp_path / "made"
    words = ("--into", str(into), "--only", "site", "v1.2.3")
    scripts = checkout / "installer" / "shipping"
    site = (scripts / "site.py").read_text()
    (scripts / "mine.py").write_text("")
    said = release(checkout, *words)
    assert said.returncode == 1 and "holds changes that are not committed" in said.stderr
    commit(checkout, "Go on")
    said = release(checkout, *words)
    assert said.returncode == 1 and "made by the scripts of its tag" in said.stderr
    assert not into.exists()
    meddling = "from environments import ROOT\n" + site.replace(
        "kept = ", "(ROOT / 'new.txt').touch()\n    kept = "
    )
    (scripts / "site.py").write_text(meddling)
    commit(checkout, "Change the checkout while a part is built")
    git(checkout, "tag", "--force", "v1.2.3")
    said = release(checkout, *words)
    assert said.returncode == 1 and "holds changes that are not committed" in said.stderr
    assert not into.exists()


def test_a_branch_that_is_called_like_a_tag_is_none(checkout: Path, tmp_path: Path) -> None:
    git(checkout, "tag", "--delete", "v1.2.3")
    git(checkout, "branch", "v1.2.3")
    said = release(checkout, "--into", str(tmp_path / "made"), "--only", "site", "v1.2.3")
    assert said.returncode == 1 and "git rev-parse" in said.stderr


FAULTS = {
    "raise Problem('The roof is missing.')": ("failed", "The roof is missing.", 1),
    "raise Unavailable('There is no crane here.')": ("not tried", "There is no crane here.", 0),
    "{}['wall']": ("failed", "KeyError: 'wall'", 1),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_part_that_fails_is_told_and_the_others_go_on(checkout: Path, tmp_path: Path, fault: str) -> None:
    state, words, code = FAULTS[fault]
    part(
        checkout,
        f"def build(source, into):\n    {fault}\n"
        "def try_out(source, into, is_quick):\n    raise AssertionError\n",
    )
    said = release(checkout, "--into", str(tmp_path / "made"), "--only", "deb,checksums", "HEAD")
    assert said.returncode == code
    assert re.search(rf"^deb +{state} +{re.escape(words)}$", said.stdout, re.M), said.stdout
    assert (tmp_path / "made" / "SHA256SUMS").is_file()


BUILT_AND_FAILED = {
    "one suite raised": "    raise Problem('The second suite has no roof.')\n",
    "one suite is told as failed": "    return [good, Outcome('second', State.FAILED, 'no roof')]\n",
    "its trial failed": "    return [good]\n",
    "nobody names it": "    (into / 'unnamed.deb').write_text('x')\n    return []\n",
}


@pytest.mark.parametrize("how", BUILT_AND_FAILED)
def test_what_no_line_names_as_good_is_not_shipped(checkout: Path, tmp_path: Path, how: str) -> None:
    """No file of a part of which something failed, and none that no line names, lies there or is summed."""
    part(
        checkout,
        "def build(source, into, is_quick=False):\n"
        "    (into / 'folder').mkdir()\n"
        "    (into / 'folder' / 'of-the-first').write_text('x')\n"
        "    kept = into / 'first.deb'\n"
        "    kept.write_text('x')\n"
        "    good = Outcome('first', State.BUILT, 'one suite', kept)\n"
        f"{BUILT_AND_FAILED[how]}"
        "def try_out(source, into, is_quick):\n"
        "    return [Outcome('first', State.FAILED, 'it does not start', into / 'first.deb')]\n",
    )
    said = release(checkout, "--into", str(tmp_path / "made"), "--only", "site,deb,checksums", "HEAD")
    assert said.returncode == (how != "nobody names it")
    assert left_in(tmp_path / "made") == ["RELEASE.txt", "SHA256SUMS", "page.txt"]
    assert (tmp_path / "made" / "SHA256SUMS").read_text().count("\n") == 1
    assert "Left out, because no line names it as good: first.deb" in said.stderr
    if how in ("one suite is told as failed", "its trial failed"):
        assert re.search(r"^first +built +one suite; left out, because something of", said.stdout, re.M)


def test_what_failed_is_not_signed(checkout: Path, tmp_path: Path, key: Path) -> None:
    part(
        checkout, "def build(source, into, is_quick=False):\n    raise Problem('no roof')\ntry_out = build\n"
    )
    words = ("--only", "site,deb,checksums,signature", "--key", str(key), "HEAD")
    said = release(checkout, "--into", str(tmp_path / "made"), *words)
    assert said.returncode == 1
    assert re.search(
        r"^signature +not tried +Something failed, and what is wrong is not signed", said.stdout, re.M
    )
    assert left_in(tmp_path / "made") == ["RELEASE.txt", "SHA256SUMS", "page.txt"]


def test_a_signature_is_verified(checkout: Path, tmp_path: Path, key: Path) -> None:
    into = tmp_path / "made"
    words = ("--into", str(into), "--only", "site,checksums,signature", "--key", str(key), "v1.2.3")
    said = release(checkout, *words)
    assert said.returncode == 0, said.stderr
    assert re.search(r"^signature +built .*, verified$", said.stdout, re.M)
    assert left_in(into) == ["RELEASE.txt", "SHA256SUMS", "SHA256SUMS.asc", "page.txt"]


def test_a_signature_that_does_not_verify_is_not_shipped(
    checkout: Path, tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gpg that signs something else for the person's key, and does well in every trial."""
    gpg = shutil.which("gpg")
    program = tmp_path / "programs" / "gpg"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\nfor last; do :; done\n"
        f'case "$*" in *trial/*|*--verify*|*--import*|*--quick*) exec {gpg} "$@";; esac\n'
        'printf other > "$last.other"\n'
        f'exec {gpg} --yes --armor --output "$last.asc" --detach-sign "$last.other"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    into = tmp_path / "made"
    words = ("--into", str(into), "--only", "site,checksums,signature", "--key", str(key), "HEAD")
    said = release(checkout, *words)
    assert said.returncode == 1 and "does not verify the signature" in said.stdout
    assert left_in(into) == ["RELEASE.txt", "SHA256SUMS", "page.txt"]


def test_nothing_is_shipped_without_its_documentation(
    command: ModuleType, checkout: Path, tmp_path: Path
) -> None:
    """It is made first for whatever holds it, and where it can't be made, that is not made either."""
    for name in ("wheel", "deb", "appimage"):
        assert command.parts_of(name) == ["site", name]
    assert command.parts_of("bill,checksums") == ["bill", "checksums"]
    assert command.parts_of("")[0] == "site"
    (checkout / "installer" / "shipping" / "site.py").write_text(
        "def build(source, into, is_quick=False):\n    raise OSError(5, 'no ink')\ntry_out = build\n"
    )
    part(checkout, "def build(source, into, is_quick=False):\n    raise AssertionError\ntry_out = build\n")
    said = release(checkout, "--into", str(tmp_path / "made"), "--only", "deb", "HEAD")
    assert said.returncode == 1 and "Nothing came of it" in said.stdout
    assert re.search(r"^site +failed +.*no ink", said.stdout, re.M), said.stdout
    assert re.search(r"^deb +not tried +The documentation, which belongs into it", said.stdout, re.M)
    assert not (tmp_path / "made").exists()


def test_where_nothing_came_of_it_the_earlier_release_stays(checkout: Path, tmp_path: Path) -> None:
    into = tmp_path / "made"
    assert release(checkout, "--into", str(into), "--only", "site", "HEAD").returncode == 0
    (checkout / "installer" / "shipping" / "bill.py").write_text(
        "def build(source, into, is_quick=False):\n    raise OSError(5, 'no paper')\ntry_out = build\n"
    )
    said = release(checkout, "--into", str(into), "--only", "bill", "HEAD")
    assert said.returncode == 1 and "Nothing came of it" in said.stdout
    assert left_in(into) == ["RELEASE.txt", "page.txt"]
    assert "no paper" not in (into / "RELEASE.txt").read_text()


def test_the_folder_one_stands_in_is_replaced(checkout: Path, tmp_path: Path) -> None:
    into = tmp_path / "made"
    into.mkdir()
    said = release(checkout, "--into", ".", "--only", "site", "HEAD", folder=into)
    assert said.returncode == 0, said.stderr
    assert left_in(into) == ["RELEASE.txt", "page.txt"]


@pytest.mark.parametrize("fault", [OSError(5, "Input/output error"), KeyboardInterrupt()])
def test_what_can_not_be_replaced_goes_back(
    command: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    """Between the two renames, of the old one away and of the new one there."""
    into, made = tmp_path / "dist", tmp_path / "made"
    for folder, text in ((into, "old"), (made, "new")):
        folder.mkdir()
        (folder / "RELEASE.txt").write_text(text)
    rename = Path.rename

    def fail(path: Path, target: Path) -> Path:
        if path.name.endswith(".new"):
            raise fault
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(type(fault)):
        command.replace(into, made)
    assert (into / "RELEASE.txt").read_text() == "old"
    assert left_in(tmp_path) == ["dist", "made"]


def test_an_error_of_the_disk_is_one_sentence(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = release(checkout, "--into", str(tmp_path / "file" / "made"), "--only", "site", "HEAD")
    assert said.returncode == 1 and "Traceback" not in said.stderr
    assert said.stderr.splitlines()[-1].endswith("Mend that, then try again.")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_what_was_there(checkout: Path, tmp_path: Path, number: int) -> None:
    into, temporary = tmp_path / "made", tmp_path / "temporary"
    temporary.mkdir()
    assert release(checkout, "--into", str(into), "--only", "site", "HEAD").returncode == 0
    before = (into / "RELEASE.txt").read_bytes()
    part(
        checkout,
        "import subprocess\ndef build(source, into, is_quick=False):\n"
        "    subprocess.run(['sh', '-c', 'echo at work >&2; exec sleep 10'])\ntry_out = build\n",
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
    """Every module, and every file that a place of the program asks for."""
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
        if file.is_file() and file.suffix != ".pyc"
    }
    assert {name for name in names if ".dist-info/" not in name} == modules | shipped | {"studio/py.typed"}
    asked = {
        name
        for file in (ROOT / "studio").rglob("*.py")
        for name in re.findall(r'\bresource\("(\w+)"', file.read_text(encoding="utf-8"))
    }
    # The documentation is made with a release.
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
    """But for what runs the checks of this repository alone, and the findings about other programs."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    named = set(tool["hatch"]["build"]["targets"]["sdist"]["only-include"])
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=True)
    tops = {name.partition("/")[0] for name in listed.stdout.splitlines()}
    assert tops - named == {".ci", ".gitattributes", ".gitignore", "findings"}


def test_the_pythons_that_are_tried_are_those_it_is_said_to_run_on(shipping: Any) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    minor = "Programming Language :: Python :: 3."
    named = {each.rpartition(" ")[2] for each in project["classifiers"] if each.startswith(minor)}
    assert named == set(shipping("wheel").PYTHONS)


def test_the_tests_that_were_chosen_are_there(shipping: Any) -> None:
    words = (ROOT / shipping("trial").CHOSEN).read_text("utf-8").splitlines()
    assert all((ROOT / word).exists() for word in words[:-2]) and words[-2] == "-m"


def test_a_table_keeps_its_columns(shipping: Any, tmp_path: Path) -> None:
    outcome = shipping("parts")
    file = tmp_path / "x.deb"
    file.write_bytes(b"x" * 2_500_000)
    text = outcome.table(
        [
            outcome.Outcome("deb", outcome.State.BUILT, "word " * 40, file),
            outcome.Outcome("appimage", outcome.State.UNTRIED, "first line\nsecond line"),
        ]
    )
    lines = text.splitlines()
    assert lines[1].startswith("deb       built      2.5 MB  word word")
    assert len({line.index("word") for line in lines[1:4] if "word" in line}) <= 2
    assert "not tried" in text and max(len(line) for line in lines) <= 110
    assert lines[-1].strip() == "second line"
