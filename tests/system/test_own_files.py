"""A umask closes what is made to others, but never to its owner: nobody could go on with it."""

from __future__ import annotations

import hashlib
import json
import os
import random
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine.config import trusted
from studio.engine.disk import folders
from studio.engine.filesystem import HostFilesystem
from studio.engine.plan import PlanState
from studio.engine.root import ProjectRoot
from studio.formats import detect
from studio.limits import BLOB_INLINE_UP_TO
from studio.program.log_file import LOGGER, start_log, stop_log
from studio.system.own_files import make_own_folder
from studio.workspace import Workspace
from tests.engine.conftest import PERSON

UMASKS = (0o777, 0o700, 0o377, 0o277, 0o077, 0o022)


@pytest.fixture(params=UMASKS, ids=oct)
def umask(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.fixture
def states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder and a configuration folder that are to be made, as at the first start."""
    monkeypatch.setenv("STUDIO_STATE_DIR", str(tmp_path / "none" / "yet" / "state"))
    monkeypatch.setenv("STUDIO_CONFIG_DIR", str(tmp_path / "none" / "yet" / "config"))
    return tmp_path / "none"


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.lstat().st_mode) for path in [folder, *folder.rglob("*")]}


def test_a_plan_is_stored_written_and_taken_back(project: Path, states: Path, umask: int) -> None:
    (project / "old.txt").write_text("old\n")
    (project / "old.txt").chmod(0o640)
    large = random.Random(1).randbytes(BLOB_INLINE_UP_TO).hex()
    steps = [
        {"op": "modify", "path": "old.txt", "content": "new\n"},
        {"op": "create", "path": "deep/er/new.txt", "content": large},
        {"op": "create", "path": "run.sh", "content": "true\n", "executable": True},
        {"op": "mkdir", "path": "empty"},
    ]
    workspace = Workspace.open(project)
    try:
        plan = workspace.proposer.propose(detect.read(json.dumps({"title": "t", "steps": steps}).encode()))
        reviewer = workspace.reviewer(PERSON)
        reviewer.approve(plan.id)
        assert reviewer.apply(plan.id).state is PlanState.COMPLETED
        written = modes(project)
        reviewer.rollback(plan.id)
    finally:
        workspace.close()
    open_to = ~umask | 0o700
    assert written == {
        "project": written["project"],
        "old.txt": 0o640,
        "deep": 0o777 & open_to,
        "er": 0o777 & open_to,
        "empty": 0o777 & open_to,
        "new.txt": 0o666 & open_to,
        "run.sh": 0o777 & open_to,
    }
    assert sorted(modes(project)) == ["old.txt", "project"]
    assert (project / "old.txt").read_text() == "old\n"
    for path in states.rglob("*"):
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path
    assert any(path.parent.parent.name == "blobs" for path in states.rglob("*")), "the large one"


def test_what_else_is_our_own_stays_ours(project: Path, states: Path, umask: int) -> None:
    """The log and what the user trusts; the folder of a demo and that of the bell are made the same way."""
    file = project / "studio.yaml"
    file.write_text("schema_version: 1\n")
    file.chmod(0o600)
    start_log()
    try:
        LOGGER.info("a record")
    finally:
        stop_log()
    config = Path(os.environ["STUDIO_CONFIG_DIR"])
    trusted.trust(project, config, sha256=hashlib.sha256(file.read_bytes()).hexdigest())
    make_own_folder(states / "demo" / "one")
    found = {
        path.relative_to(states).as_posix(): stat.S_IMODE(path.stat().st_mode) for path in states.rglob("*")
    }
    assert {"yet/state/studio.log", "yet/config", "demo/one"} <= found.keys()
    assert {mode for path, mode in found.items() if (states / path).is_dir()} == {0o700}
    assert {mode for path, mode in found.items() if (states / path).is_file()} == {0o600}


def test_what_a_filesystem_writes_can_be_read_again(project: Path, umask: int) -> None:
    files = HostFilesystem(project)
    files.write("made/new.txt", "one\n")
    files.write("made/new.txt", "two\n")
    assert files.read_bytes("made/new.txt").content == b"two\n"
    assert modes(project)["new.txt"] == 0o666 & (~umask | 0o600)
    assert modes(project)["made"] == 0o777 & (~umask | 0o700)


def test_a_folder_that_a_crash_left_closed_is_completed(project: Path) -> None:
    """Killed between making a folder and giving its owner what the umask took."""
    before = os.umask(0o777)
    try:
        (project / "made").mkdir()
        with ProjectRoot(project) as root:
            folders.complete_folder(root, "made", 0o755)
    finally:
        os.umask(before)
    assert stat.S_IMODE((project / "made").stat().st_mode) == 0o755
