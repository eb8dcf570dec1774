"""What real tools do to a real package is listed as what it is, and goes back byte for byte."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from studio.engine.observed_change import GroupKind, ObservedChange
from studio.engine.plan import PlanState
from studio.workspace import Workspace
from tests.engine.conftest import PERSON
from tests.engine.snapshot_store.folders import standing
from tests.extras.observed.model import Model, Said, said
from tests.tools.packages import Versions, docutils, generated

_ME = ("-c", "user.name=n", "-c", "user.email=e@localhost", "-c", "gc.auto=0", "-c", "maintenance.auto=0")
_LINES = tuple(f"line {number}\n" for number in range(40))


class Watched:
    """A project in which a tool works as a process of its own; what is told is compared with two walks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace = Workspace.open(folder)
        self.workspace.observed.look()
        self._model = Model(folder)

    def look(self) -> tuple[ObservedChange, ...]:
        """What is told of all that happened so far."""
        self.workspace.observed.look()
        told = self.workspace.observed.open()
        assert said(told) == _without_git(self._model.expected())
        return told

    def run(self, *words: str) -> tuple[ObservedChange, ...]:
        """What is told after a command."""
        subprocess.run(
            words,
            cwd=self.folder,
            check=True,
            capture_output=True,
            timeout=120,
        )
        return self.look()

    def git(self, *words: str) -> tuple[ObservedChange, ...]:
        return self.run("git", *_ME, *words)

    def take_back(self, changes: Sequence[ObservedChange]) -> None:
        """Revert them, and see that all is as it was."""
        plan = self.workspace.reviewer(PERSON).observed.revert(changes)
        assert plan.state is PlanState.COMPLETED
        assert not self.look()
        here = {path: entry for path, entry in standing(self.folder).items() if not _is_git(path)}
        assert here == {path: entry for path, entry in self._model.baseline.items() if not _is_git(path)}


def _without_git(told: Said) -> Said:
    return {path: sides for path, sides in told.items() if not _is_git(path)}


def _is_git(path: str) -> bool:
    return path == ".git" or path.startswith(".git/")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *_ME, *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)


def groups_of(changes: Sequence[ObservedChange]) -> set[tuple[str, GroupKind] | None]:
    return {None if change.group is None else (change.group.name, change.group.kind) for change in changes}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder


@pytest.fixture
def watched(project: Path) -> Iterator[Callable[[], Watched]]:
    """Begins to look at the project, once a test has filled it."""
    begun: list[Watched] = []

    def begin() -> Watched:
        begun.append(Watched(project))
        return begun[-1]

    yield begin
    for each in begun:
        each.workspace.close()


@pytest.mark.parametrize("make", [pytest.param(docutils, marks=pytest.mark.network), generated])
def test_a_checkout_of_another_release_is_git_s_work_and_nobody_else_s(
    make: Callable[[Path], Versions], project: Path, tmp_path: Path, watched: Callable[[], Watched]
) -> None:
    versions = make(tmp_path)
    for release in (versions.old, versions.new):
        for entry in project.iterdir():
            if entry.name != ".git":
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        # Docutils' archives hold a swap file of vim, which is no change of a project.
        shutil.copytree(release, project, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*.swp"))
        commit(project, release.name)
    git(project, "checkout", "-q", "-b", "older", "main~")
    tool = watched()
    told = tool.git("checkout", "-q", "main")
    print(f"{versions.name}: {len(told)} changes")
    assert len(told) >= 60
    assert groups_of(told) == {("git checkout: moving from older to main", GroupKind.GIT)}
    assert not tool.git("checkout", "-q", "older"), "as it was before"
    told = tool.git("checkout", "-q", "main")
    tool.take_back(told)


def test_a_rebase_of_twenty_commits_is_git_s_work(project: Path, watched: Callable[[], Watched]) -> None:
    lines = list(_LINES)
    (project / "a.txt").write_text("".join(lines))
    (project / "b.txt").write_text("b\n")
    commit(project, "first")
    git(project, "checkout", "-qb", "work")
    for number in range(20):
        lines[number] = f"changed {number}\n"
        (project / "a.txt").write_text("".join(lines))
        (project / f"new_{number}.txt").write_text(f"{number}\n")
        commit(project, f"commit {number}")
    git(project, "checkout", "-q", "main")
    (project / "b.txt").write_text("b of main\n")
    commit(project, "on main")
    git(project, "checkout", "-q", "work")
    tool = watched()
    told = tool.git("rebase", "-q", "main")
    assert [change.path for change in told] == ["b.txt"]
    ((name, kind),) = filter(None, groups_of(told))
    assert name.startswith("git rebase") and kind is GroupKind.GIT
    tool.take_back(told)


def test_a_stash_takes_away_and_brings_again(project: Path, watched: Callable[[], Watched]) -> None:
    for name in ("a.txt", "b.txt"):
        (project / name).write_text("".join(_LINES))
    commit(project, "first")
    (project / "a.txt").write_text("not committed\n")
    tool = watched()
    told = tool.git("stash")
    assert groups_of(told) == {("git stash", GroupKind.GIT)}
    assert not tool.git("stash", "pop"), "as it was before"
    (project / "b.txt").write_text("by others\n")
    (change,) = tool.look()
    assert change.group is None
    tool.take_back([change])


def test_what_was_committed_and_branched_off_is_not_git_s_work(
    project: Path, watched: Callable[[], Watched]
) -> None:
    """Neither moved a file: what an agent changed before stays without a name of git's."""
    (project / "a.txt").write_text("first\n")
    commit(project, "first")
    tool = watched()
    (project / "a.txt").write_text("by an agent\n")
    commit(project, "second")
    (change,) = tool.git("checkout", "-q", "-b", "other")
    assert (change.path, change.group) == ("a.txt", None)


def test_a_stash_leaves_the_name_of_what_git_did_before(
    project: Path, watched: Callable[[], Watched]
) -> None:
    for text in ("first", "second"):
        for name in ("a.txt", "b.txt"):
            (project / name).write_text(f"{text}\n")
        commit(project, text)
    tool = watched()
    (checkout,) = groups_of(tool.git("checkout", "-q", "HEAD~1"))
    (project / "c.txt").write_text("not committed\n")
    tool.look()
    assert groups_of(tool.git("stash", "-u")) == {checkout}
    assert checkout in groups_of(tool.git("stash", "pop"))


def test_a_commit_changes_nothing(project: Path, watched: Callable[[], Watched]) -> None:
    (project / "a.txt").write_text("".join(_LINES))
    commit(project, "first")
    tool = watched()
    (project / "a.txt").write_text("by others\n")
    before = tool.look()
    assert tool.git("commit", "-qam", "second") == before


def test_a_formatter_over_a_package_is_one_row(project: Path, watched: Callable[[], Watched]) -> None:
    for number in range(30):
        (project / f"module_{number}.py").write_text(f"x = {{'a':{number},\n  'b' :2}}\n")
    commit(project, "first")
    tool = watched()
    told = tool.run(sys.executable, "-m", "ruff", "format", "--isolated", "--no-cache", "-q", ".")
    assert len(told) >= 30
    assert len(groups_of(told)) == 1 and None not in groups_of(told)
    tool.take_back(told)


def test_an_installed_package_is_one_row(
    project: Path, tmp_path: Path, watched: Callable[[], Watched]
) -> None:
    wheel = tmp_path / "harbour-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for number in range(40):
            archive.writestr(f"harbour/module_{number}.py", f"value = {number}\n")
        archive.writestr(
            "harbour-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: harbour\nVersion: 1.0\n"
        )
        tag = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr("harbour-1.0.dist-info/WHEEL", tag)
        archive.writestr("harbour-1.0.dist-info/RECORD", "")
    (project / "main.py").write_text("import harbour\n")
    commit(project, "first")
    tool = watched()
    pip = (sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-compile")
    told = tool.run(*pip, "-t", "vendor", str(wheel))
    assert len(told) >= 40 and len(groups_of(told)) == 1 and None not in groups_of(told)
    tool.take_back(told)


def test_an_archive_that_is_unpacked_over_files_is_told_file_by_file(
    project: Path, tmp_path: Path, watched: Callable[[], Watched]
) -> None:
    for name in ("a.txt", "b.txt"):
        (project / name).write_text("".join(_LINES))
    archive = tmp_path / "some.tar"
    with tarfile.open(archive, "w") as packed:
        (tmp_path / "other.txt").write_text("unpacked\n")
        packed.add(tmp_path / "other.txt", "a.txt")
        packed.add(tmp_path / "other.txt", "new/c.txt")
    tool = watched()
    told = tool.run("tar", "xf", str(archive))
    assert sorted(change.path for change in told) == ["a.txt", "new/c.txt"]
    tool.take_back(told)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("sed", "-i", "s/line 7/changed 7/", "a.txt"), id="sed"),
        pytest.param(("vim", "-Esu", "NONE", "-c", "%s/line 7/changed 7/", "-c", "wq", "a.txt"), id="vim"),
        pytest.param(
            ("vim", "-Esu", "NONE", "-c", "set backup backupcopy=no", "-c", "%s/line 7/changed 7/",
             "-c", "wq", "a.txt"), id="vim-rename",
        ),
    ],
)  # fmt: skip
def test_an_editor_s_save_is_one_change(
    words: tuple[str, ...], project: Path, watched: Callable[[], Watched]
) -> None:
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed here")
    (project / "a.txt").write_text("".join(_LINES))
    tool = watched()
    change = next(change for change in tool.run(*words) if change.path == "a.txt")
    assert change.to is None
    contents = tool.workspace.observed.contents(change)
    assert contents.after == "".join(_LINES).replace("line 7", "changed 7").encode()
    tool.take_back(tool.look())
