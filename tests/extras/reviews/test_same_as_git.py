"""Reviews of generated histories hold what git itself says that differs."""

from __future__ import annotations

import hashlib
import random
import shutil
from pathlib import Path

import pytest

from studio.engine.plan import Plan, Step, StepState
from studio.journal.file_image import FileImage
from studio.workspace import Workspace
from tests.engine.conftest import PERSON
from tests.engine.git_data.repositories import git, init

NAMES = ("a.txt", "b.txt", "d/c.txt", "d/e/f.py", "g.sh", "h.log", "d/link", "ä b.txt")


class History:
    """Random changes of a repository, as people and programs make them."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = init(folder)
        self.random = random.Random(seed)

    def change(self) -> None:
        path = self.folder / self.random.choice(NAMES)
        kind = self.random.choice(("write", "write", "write", "remove", "mode", "link", "stage", "ignore"))
        match kind:
            case "write":
                self._clear(path)
                lines = [f"{self.random.randrange(6)}\n" for _ in range(self.random.randrange(12))]
                path.write_text("".join(lines))
            case "remove":
                self._clear(path)
            case "mode" if path.is_file() and not path.is_symlink():
                path.chmod(self.random.choice((0o644, 0o755)))
            case "link":
                self._clear(path)
                path.symlink_to(self.random.choice(NAMES))
            case "stage":
                git(self.folder, "add", "-A")
            case _:
                ignored = self.random.choice(("*.log\n", "d/\n", "*.log\n!h.log\n", ""))
                (self.folder / ".gitignore").write_text(ignored)

    def commit(self) -> None:
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-q", "--allow-empty", "-m", "next")

    def _clear(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)

    def expected(self, *revisions: str) -> dict[str, tuple[str, str, str, str]]:
        """Modes and objects of each path, old and new, as `git diff --raw` prints them."""
        fields = git(self.folder, "diff", "--raw", "--no-renames", "--abbrev=40", "-z", *revisions).split(
            "\0"
        )
        found: dict[str, tuple[str, str, str, str]] = {}
        for line, path in zip(fields[::2], fields[1::2], strict=False):
            old_mode, new_mode, old, new, _ = line.removeprefix(":").split(" ")
            found[path] = (old_mode, old, new_mode, new)
        return found

    def expected_uncommitted(
        self, private: Path, monkeypatch: pytest.MonkeyPatch
    ) -> dict[str, tuple[str, str, str, str]]:
        """What a commit of everything would change, found on a copy of the index."""
        index = private / "index"
        if (self.folder / ".git/index").exists():
            shutil.copy(self.folder / ".git/index", index)
        with monkeypatch.context() as patch:
            patch.setenv("GIT_INDEX_FILE", str(index))
            git(self.folder, "add", "-A")
            return self.expected("--cached", "HEAD")


def side(image: FileImage | None, data: bytes | None) -> tuple[str, str]:
    if image is None:
        return "000000", "0" * 40
    assert data is not None
    return image.git_mode, hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def held(workspace: Workspace, plan: Plan | None) -> dict[str, tuple[str, str, str, str]]:
    def both(step: Step) -> tuple[str, str, str, str]:
        assert plan is not None
        assert step.state is StepState.PENDING
        sides = workspace.proposer.contents(plan.id, step.number)
        return (*side(step.base, sides.base), *side(step.result, sides.result))

    return {step.path: both(step) for step in plan.steps} if plan is not None else {}


@pytest.mark.parametrize("seed", range(12))
def test_uncommitted_changes_and_commits(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    history = History(tmp_path / "project", seed)
    history.commit()
    workspace = Workspace.open(history.folder)
    for _ in range(4):
        for _ in range(history.random.randrange(1, 9)):
            history.change()
        expected = history.expected_uncommitted(tmp_path, monkeypatch)
        assert held(workspace, workspace.reviews.work_tree()) == expected
        history.commit()
        assert workspace.reviews.work_tree() is None
    first = git(history.folder, "rev-list", "--max-parents=0", "HEAD").strip()
    assert held(workspace, workspace.reviews.commits(first + "..HEAD")) == history.expected(first, "HEAD")
    workspace.close()


@pytest.mark.parametrize("seed", range(3))
def test_everything_that_is_rejected_is_as_in_head(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Except for links, which no plan changes."""
    history = History(tmp_path / "project", 100 + seed)
    history.commit()
    for _ in range(10):
        history.change()
    history.commit()
    for _ in range(10):
        history.change()
    for path in history.folder.rglob("*"):
        if path.is_symlink():
            path.unlink()
    workspace = Workspace.open(history.folder)
    plan = workspace.reviews.work_tree()
    assert plan is not None
    reviewer = workspace.reviewer(PERSON)
    reviewer.reject(plan.id, reason="All of it.")
    back = workspace.reviews.take_back(plan.id)
    reviewer.approve(back.id)
    reviewer.apply(back.id)
    links = {step.path for step in back.steps if step.state is StepState.INVALID}
    # A file that was ignored is not, once the rules are as before.
    reviewed = {step.path for step in plan.steps}
    assert history.expected_uncommitted(tmp_path, monkeypatch).keys() & reviewed == links
    workspace.close()
