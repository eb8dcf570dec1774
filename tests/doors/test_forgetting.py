"""`forget`: the store of a project deleted after a person typed the folder's name."""

from __future__ import annotations

import os
from pathlib import Path

from tests.doors.conftest import CommandLine, set_review

CREATE = {"op": "create", "path": "new.txt", "content": "new\n"}


def stores() -> list[Path]:
    return [path for path in Path(os.environ["STUDIO_STATE_DIR"]).iterdir() if path.is_dir()]


def test_only_a_person_forgets(studio: CommandLine, project: Path) -> None:
    studio.submit(CREATE)
    said = studio("forget", stdin=b"project\n")
    assert (said.code, said.error["code"]) == (1, "needs_person")
    wrong = studio.at_terminal("forget", typed="projekt\n")
    assert (wrong.code, wrong.error["code"]) == (1, "needs_person")
    assert "1 plan" in wrong.terminal
    assert len(studio("plans").json["plans"]) == 1

    done = studio.at_terminal("forget", typed="project\n")
    assert done.code == 0 and done.json["plans"] == 1
    assert stores() == []
    assert studio("plans").json["plans"] == []


def test_the_project_s_files_stay(studio: CommandLine, project: Path) -> None:
    set_review("allow")
    plan = studio.submit(CREATE)["plan"]
    assert studio("approve", plan, "--apply").code == 0
    assert studio("forget").code == 0
    assert (project / "new.txt").read_bytes() == b"new\n"
    assert studio("history").json["entries"] == []
