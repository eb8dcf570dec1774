"""A client as an agent's door will be: it works through the protocol, and its changes arrive as one plan.

Nothing it does touches the project; what a person approves is what it saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.engine.draft import PlanDraft
from studio.engine.filesystem import Filesystem, HostFilesystem, OverlayFilesystem
from studio.engine.plan import Operation, Plan, PlanState, StepState
from studio.workspace import Reviewer, Workspace

BEFORE = {
    "README.md": b"# Example\r\n\r\nOld text.\r\n",
    "src/main.py": b"import helper\n\nhelper.run()\n",
    "src/helper.py": b"def run():\n    print('old')\n",
    "src/legacy.py": "# gr\u00fc\u00dfe\n".encode("latin-1"),
    "src/unused.py": b"pass\n",
    "assets/logo.png": b"\x89PNG\0\0\1",
    "assets/icon.png": b"\x89PNG\0\0\2",
    "old/a.txt": b"a\n",
    "old/deep/b.txt": b"b\n",
}


class Client:
    """Reads and edits through any filesystem, as a tool would."""

    def __init__(self, files: Filesystem) -> None:
        self._files = files

    def work(self) -> None:
        files = self._files
        for match in files.grep("old", glob="**/*.py"):
            text = files.read(match.path).content
            files.write(match.path, text.replace("old", "new") + "\n")
        assert [match.path for match in files.grep("'new'")] == ["src/helper.py"]
        files.move("src/helper.py", "src/tools/helper.py")
        files.write("src/main.py", "import tools.helper as helper\n\nhelper.run()\n")
        files.write_bytes("src/legacy.py", files.read_bytes("src/legacy.py").content + b"x = 1\n")
        with files.open_write("README.md", "append") as writer:
            writer.write(b"More.\r\n")
        files.move("assets/logo.png", "assets/brand/logo.png")
        files.copy("assets/icon.png", "assets/brand/icon.png")
        files.delete("src/unused.py")
        files.delete("old", recursive=True)
        files.write("docs/new/page.md", "# Page\n")
        assert not files.exists("old/deep/b.txt")
        assert "src/tools/helper.py" in {match.path for match in files.glob("src/**")}


@pytest.fixture
def filled(project: Path) -> Path:
    for path, content in BEFORE.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_bytes(content)
    return project


@pytest.fixture
def overlay(filled: Path) -> Iterator[OverlayFilesystem]:
    with HostFilesystem(filled, read_only=True) as base:
        yield OverlayFilesystem(base)


def on_disk(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def in_overlay(files: Filesystem) -> dict[str, bytes]:
    return {match.path: files.read_bytes(match.path).content for match in files.glob("**")}


@pytest.fixture
def proposed(overlay: OverlayFilesystem, workspace: Workspace) -> Plan:
    Client(overlay).work()
    return workspace.proposer.propose(
        PlanDraft(format="overlay", steps=overlay.changes(), title="Use tools", agent="client")
    )


def test_changes_arrive_as_one_pending_plan(proposed: Plan, workspace: Workspace, filled: Path) -> None:
    assert proposed.state is PlanState.PENDING
    assert [plan.id for plan in workspace.proposer.plans()] == [proposed.id]
    assert not [step.problems for step in proposed.steps if step.problems]
    assert {step.state for step in proposed.steps} == {StepState.PENDING}
    assert [(step.op, step.path, step.to) for step in proposed.steps] == [
        (Operation.MODIFY, "README.md", None),
        (Operation.COPY, "assets/icon.png", "assets/brand/icon.png"),
        (Operation.MOVE, "assets/logo.png", "assets/brand/logo.png"),
        (Operation.CREATE, "docs/new/page.md", None),
        (Operation.DELETE, "old/a.txt", None),
        (Operation.DELETE, "old/deep/b.txt", None),
        (Operation.DELETE, "old/deep", None),
        (Operation.DELETE, "old", None),
        (Operation.MODIFY, "src/legacy.py", None),
        (Operation.MODIFY, "src/main.py", None),
        (Operation.MOVE, "src/helper.py", "src/tools/helper.py"),
        (Operation.DELETE, "src/unused.py", None),
    ]
    assert on_disk(filled) == BEFORE


def test_the_plan_holds_the_bytes_that_the_client_saw(
    proposed: Plan, overlay: OverlayFilesystem, workspace: Workspace
) -> None:
    for step in proposed.steps:
        if step.result is not None:
            result = workspace.proposer.contents(proposed.id, step.number).result
            assert result == overlay.read_bytes(step.target).content


def test_what_is_applied_is_what_the_client_saw(
    proposed: Plan, overlay: OverlayFilesystem, reviewer: Reviewer, filled: Path
) -> None:
    seen = in_overlay(overlay)
    reviewer.approve(proposed.id)
    assert reviewer.apply(proposed.id).state is PlanState.COMPLETED
    assert on_disk(filled) == seen
    assert not (filled / "old").exists()
    overlay.forget_changes()
    assert in_overlay(overlay) == seen and overlay.changes() == ()


def test_the_same_changes_again_are_the_same_plan(
    proposed: Plan, overlay: OverlayFilesystem, workspace: Workspace
) -> None:
    again = workspace.proposer.propose(PlanDraft(format="overlay", steps=overlay.changes(), agent="client"))
    assert (again.id, again.duplicate) == (proposed.id, True)


def test_a_project_that_changed_after_the_work_is_a_stale_step(
    overlay: OverlayFilesystem, workspace: Workspace, filled: Path
) -> None:
    Client(overlay).work()
    (filled / "src/main.py").write_bytes(b"import helper  # theirs\n\nhelper.run()\n")
    assert [change.path for change in overlay.base_changes()] == ["src/main.py"]
    plan = workspace.proposer.propose(PlanDraft(format="overlay", steps=overlay.changes()))
    assert [step.path for step in plan.steps if step.state is StepState.STALE] == ["src/main.py"]


def test_a_file_that_came_meanwhile_is_not_replaced(
    overlay: OverlayFilesystem, workspace: Workspace, filled: Path
) -> None:
    overlay.write("new.txt", "mine\n")
    (filled / "new.txt").write_bytes(b"theirs\n")
    (step,) = workspace.proposer.propose(PlanDraft(format="overlay", steps=overlay.changes())).steps
    assert (step.state, step.problems[0].code) == (StepState.INVALID, "target.exists")
    assert (filled / "new.txt").read_bytes() == b"theirs\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda files: files.move("old", "new"),
        lambda files: (files.move("old/a.txt", "a.txt"), files.delete("old", recursive=True)),
    ],
    ids=["moved", "emptied and deleted"],
)
def test_a_folder_that_is_left_by_its_files(
    change: Callable[[OverlayFilesystem], object],
    overlay: OverlayFilesystem,
    workspace: Workspace,
    reviewer: Reviewer,
    filled: Path,
) -> None:
    change(overlay)
    seen = in_overlay(overlay)
    plan = workspace.proposer.propose(PlanDraft(format="overlay", steps=overlay.changes()))
    assert not [step.problems for step in plan.steps if step.problems]
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    assert on_disk(filled) == seen
    assert not (filled / "old").exists()
