"""Export, import, verification and replay of a project's journal."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.engine.branch.replay import ReplayStopped, replay
from studio.engine.plan import Plan
from studio.engine.root import ProjectRoot
from studio.engine.store import Store
from studio.engine.store.exporting import export_lines
from studio.errors import Refused
from studio.journal.entries import FileWrite
from studio.workspace import Reviewer, Workspace


@pytest.fixture
def apply(propose: Callable[..., Plan], reviewer: Reviewer) -> Callable[..., Plan]:
    def call(*steps: dict[str, object]) -> Plan:
        plan = propose(json.dumps({"title": "t", "steps": steps}))
        reviewer.approve(plan.id)
        return reviewer.apply(plan.id)

    return call


@pytest.fixture
def past(project: Path, apply: Callable[..., Plan], reviewer: Reviewer, tmp_path: Path) -> Path:
    """A project with a history of every operation, a rollback and a change from outside; its beginning
    beside it, as `start`."""
    (project / "src").mkdir()
    (project / "src" / "old.py").write_text("a = 1\n")
    (project / "doc.md").write_text("# doc\n")
    (project / "run.sh").write_text("echo\n")
    (project / "untouched").write_text("x")
    shutil.copytree(project, tmp_path / "start")
    apply(
        {"op": "create", "path": "new/deep/b.py", "content": "b = 2\n"},
        {"op": "modify", "path": "src/old.py", "content": "a = 2\n"},
        {"op": "append", "path": "doc.md", "content": "more\n"},
        {"op": "mkdir", "path": "empty"},
        {"op": "mode", "path": "run.sh", "executable": True},
    )
    back = apply({"op": "delete", "path": "doc.md"})
    reviewer.rollback(back.id)
    (project / "src" / "old.py").write_text("a = 'from outside'\n")
    apply(
        {"op": "move", "path": "src/old.py", "to": "src/moved.py", "edits": [{"old": "from", "new": "FROM"}]},
        {"op": "copy", "path": "run.sh", "to": "copied.sh"},
        {"op": "delete", "path": "new"},
    )
    return project


@pytest.fixture
def store(workspace: Workspace) -> Iterator[Store]:
    opened = Store(workspace.state_folder)
    yield opened
    opened.close()


def state(folder: Path, path: str) -> tuple[bytes | None, int] | None:
    file = folder / path
    if not file.exists():
        return None
    return (file.read_bytes(), file.stat().st_mode & 0o777) if file.is_file() else (None, 0)


@pytest.mark.parametrize("begin", ["empty", "start"])
def test_a_replay_gives_every_path_it_wrote_the_same_bytes(
    past: Path, store: Store, tmp_path: Path, begin: str
) -> None:
    folder = tmp_path / begin
    folder.mkdir(exist_ok=True)
    with ProjectRoot(folder) as root:
        done = replay(store.journal.tail(timeout=0), root, store.blobs.get)
    assert done.requests >= 10 and {"src/moved.py", "doc.md", "run.sh", "new/deep/b.py"} <= set(done.paths)
    assert {path: state(folder, path) for path in done.paths} == {
        path: state(past, path) for path in done.paths
    }
    assert list(folder.rglob(".exacta-*")) == []
    assert (folder / "untouched").exists() == (begin == "start")


def test_a_replay_stops_at_the_entry_whose_content_is_gone(past: Path, store: Store, tmp_path: Path) -> None:
    write = next(row for row in store.journal.rows() if isinstance(row.entry, FileWrite))
    assert isinstance(write.entry, FileWrite) and write.entry.result is not None
    gone = write.entry.result.sha256

    def content(sha256: str) -> bytes:
        if sha256 == gone:
            raise Refused("store.content_lost", "The stored content is gone.", "Have it proposed again.")
        return store.blobs.get(sha256)

    folder = tmp_path / "empty"
    folder.mkdir()
    with ProjectRoot(folder) as root, pytest.raises(ReplayStopped, match=r"entry 3: .*gone"):
        replay(store.journal.tail(timeout=0), root, content)


def test_an_export_holds_no_contents_unless_asked(past: Path, store: Store) -> None:
    lines = list(export_lines(store.journal))
    assert [json.loads(line)["position"] for line in lines] == list(range(1, len(lines) + 1))
    assert all(json.loads(line)["schemaVersion"] == "2" for line in lines)
    assert "b = 2" not in "\n".join(lines) and "ontents" not in "\n".join(lines)
    assert any("contents" in json.loads(line) for line in export_lines(store.journal, store.blobs))
