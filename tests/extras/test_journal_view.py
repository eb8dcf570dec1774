"""What an export may ask for when it is replayed: no more than a plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.branch.replay import ReplayStopped
from studio.engine.plan import PersonSource
from studio.workspace import Person, Workspace
from tests.tools.exports import contents_of, create, export_of, made

PERSON = Person(PersonSource.TERMINAL, "ada")

HOSTILE = {
    "climbs": create("../out.txt"),
    "climbs on the way": create("src/../../out.txt"),
    "absolute": create("/exacta-out.txt"),
    "a hook of git's": create(".git/hooks/post-commit"),
    "git's in another spelling": create("src/.GIT/config"),
    "our configuration": create("studio.yaml"),
    "an agent's gate": create(".claude/settings.json"),
    "a name with a line end": create("a\n.txt"),
    "prepared over another file": create("new.txt", temporary="victim.txt"),
    "prepared under a free name": create("fresh.txt", temporary="free.txt"),
    "prepared elsewhere": create("src/new.txt", temporary="../.exacta-x.tmp"),
    "prepared beside": create(
        "src/new.txt", temporary="doc/.exacta-12345678-1234-1234-1234-123456789abc-1.tmp"
    ),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_no_export_writes_where_no_plan_may(workspace: Workspace, tmp_path: Path, how: str) -> None:
    """Its chain holds, and what it asks for is refused, naming the entry."""
    folder, data = tmp_path / "folder", b"x\n"
    folder.mkdir()
    (folder / "victim.txt").write_text("mine\n")
    (folder / "doc").mkdir()
    export = tmp_path / "export"
    entry = HOSTILE[how]
    before = create("fine.txt", name="fine-1"), made("fine.txt", name="fine-1")
    export.write_bytes(export_of([*before, entry, made(str(entry["path"]))], contents_of(data)))
    assert workspace.journal.verify(export).damaged_at is None, "the chain holds"
    with pytest.raises(ReplayStopped, match="stopped at entry 3: "):
        workspace.journal.replay(folder, PERSON, export=export)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("out")) == []
    left = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    assert left == {"victim.txt", "doc", "fine.txt"}
    assert (folder / "victim.txt").read_text() == "mine\n"


def test_the_parts_of_a_git_folder_are_refused_together(workspace: Workspace, tmp_path: Path) -> None:
    """One batch that would make a folder git reads and runs; none of its names is git's."""
    folder, export = tmp_path / "folder", tmp_path / "export"
    folder.mkdir()
    paths = ["x/HEAD", "x/config", "x/objects/a", "x/refs/a", "x/hooks/post-commit"]
    asked = [create(path, name=f"{number}-1") for number, path in enumerate(paths)]
    answered = [made(path, name=f"{number}-1") for number, path in enumerate(paths)]
    export.write_bytes(export_of([*asked, *answered], contents_of(b"x\n")))
    with pytest.raises(ReplayStopped, match="git"):
        workspace.journal.replay(folder, export=export)
    assert [path for path in folder.rglob("*") if path.is_file()] == []
