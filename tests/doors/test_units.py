"""Steps that need each other: one path with several operations, and files in place of folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine

pytestmark = pytest.mark.usefixtures("allow_review")

FILES = {"old.py": b"def run():\n    return 1\n", "b.txt": b"two\n", "conf": b"debug = 1\n", "etc/x": b"x\n"}

STUB = b"""\
*** Begin Patch
*** Update File: old.py
*** Move to: new.py
*** Add File: old.py
+from new import run
*** End Patch
"""


def plan(*steps: dict[str, Any]) -> bytes:
    return json.dumps({"title": "t", "steps": steps}).encode()


def move(path: str, to: str) -> dict[str, str]:
    return {"op": "move", "path": path, "to": to}


SWAP = plan(move("old.py", "tmp"), move("b.txt", "old.py"), move("tmp", "b.txt"))


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    for name, data in FILES.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_bytes(data)


def tree(project: Path) -> dict[str, bytes]:
    found = (path for path in project.rglob("*") if path.is_file() and path.name != "studio.yaml")
    return {path.relative_to(project).as_posix(): path.read_bytes() for path in found}


def submitted(studio: CommandLine, text: bytes, code: int = 0) -> dict[str, Any]:
    said = studio("submit", stdin=text)
    assert said.code == code, said.text
    return said.json


def test_a_change_of_several_steps_is_written_and_rolled_back_whole(
    studio: CommandLine, project: Path
) -> None:
    """Approved by one step of it, rolled back by another."""
    steps = submitted(studio, STUB)["steps"]
    assert len({step["unit"] for step in steps}) == 1
    assert all(step["facts"][0]["kind"] == "unit" for step in steps)
    identity = studio("plans").json["plans"][0]["plan"]
    approved = studio("approve", identity, "--step", "1", "--apply").json
    assert [step["state"] for step in approved["steps"]] == ["applied", "applied"]
    assert tree(project) == {**FILES, "new.py": FILES["old.py"], "old.py": b"from new import run\n"}
    assert studio("rollback", identity, "--step", "2").code == 0
    assert tree(project) == FILES


def test_one_rejected_step_rejects_its_unit(studio: CommandLine, project: Path) -> None:
    other = b"*** Begin Patch\n*** Add File: z.txt\n+z\n*** End Patch\n"
    identity = submitted(studio, STUB.replace(b"*** Begin Patch\n", other[:-14], 1))["plan"]
    rejected = studio("reject", identity, "--step", "3", "--reason", "no stub").json
    assert [step["state"] for step in rejected["steps"]] == ["pending", "rejected", "rejected"]
    assert studio("approve", identity, "--apply").json["state"] == "completed"
    assert tree(project) == {**FILES, "z.txt": b"z\n"}


def test_a_part_of_a_unit_is_not_approved_by_hunk(studio: CommandLine, project: Path) -> None:
    lines = [f"line {number}\n" for number in range(1, 41)]
    (project / "old.py").write_text("".join(lines))
    lines[4] = lines[34] = "other\n"
    (project / "b.txt").write_text("".join(lines))
    before, identity = tree(project), submitted(studio, SWAP)["plan"]
    refused = studio("approve", identity, "--hunks", "1:1", "--apply")
    assert (refused.code, refused.json["error"]["code"]) == (1, "step.unit_in_part")
    assert tree(project) == before


def test_a_unit_with_a_stale_step_is_neither_approved_nor_written(studio: CommandLine, project: Path) -> None:
    identity = submitted(studio, STUB)["plan"]
    assert studio("approve", identity, "--step", "1").json["state"] == "approved"
    (project / "new.py").write_bytes(b"mine\n")
    assert studio("apply", identity).code == 3
    assert studio("approve", identity).code == 3
    rejected = studio("reject", identity, "--reason", "moved on").json
    assert [step["state"] for step in rejected["steps"]] == ["rejected", "rejected"]
    assert tree(project) == {**FILES, "new.py": b"mine\n"}


def test_a_file_of_a_unit_does_not_stay_alone_in_a_rollback(studio: CommandLine, project: Path) -> None:
    identity = submitted(studio, STUB)["plan"]
    assert studio("approve", identity, "--apply").code == 0
    (project / "old.py").write_bytes(b"mine\n")
    before = tree(project)
    refused = studio("rollback", identity, "--on-drift", "keep")
    assert (refused.code, refused.json["error"]["code"]) == (1, "rollback.divided_unit")
    assert tree(project) == before
