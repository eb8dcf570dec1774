"""The command line on disks that keep no permission bits: NTFS, as it is mounted by default, and exFAT."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import plan_text
from tests.tools.mounts import mounted_ignoring_case, mounted_keeping_case

# In one process: a disk of a test is mounted for one command, and for those that this one runs.
_COMMANDS = """
import json, pathlib, subprocess, sys
plan, answers = "", []
for words, text in json.loads(sys.argv[1]):
    words = [plan if word == "PLAN" else word for word in words]
    done = subprocess.run([sys.executable, "-m", "studio", "--json", *words], input=text.encode(), stdout=-1)
    answers.append([done.returncode, json.loads(done.stdout)])
    plan = answers[-1][1].get("plan", plan)
    names = {path.as_posix(): path.read_text() for path in pathlib.Path(".").rglob("*") if path.is_file()}
    answers[-1].append(names)
print(json.dumps(answers))
"""


def ended(
    mounted: Sequence[str], project: Path, commands: list[list[Any]]
) -> tuple[list[Any], list[dict[str, str]]]:
    """The answers of commands on a disk, all of which must succeed, and the files after each of them."""
    command = [*mounted, sys.executable, "-c", _COMMANDS, json.dumps(commands)]
    said = subprocess.run(command, cwd=project, capture_output=True, check=True)
    codes, answers, files = zip(*json.loads(said.stdout), strict=True)
    assert set(codes) == {0}, said
    return list(answers), list(files)


@pytest.mark.root
@pytest.mark.usefixtures("allow_review")
def test_a_created_file_is_nobody_elses_change_and_goes_back(project: Path) -> None:
    steps = plan_text(
        {"op": "create", "path": "a.txt", "content": "a\n"},
        {"op": "create", "path": "new/run.sh", "content": "b\n", "executable": True},
    )
    commands = [
        [["observed", "list"], ""],
        [["submit"], steps.decode()],
        [["approve", "PLAN", "--apply"], ""],
        [["observed", "list"], ""],
        [["rollback", "PLAN"], ""],
    ]
    answers, _ = ended(mounted_ignoring_case(project), project, commands)
    assert answers[2]["state"] == answers[4]["state"] == "completed"
    assert answers[3]["observed"] == []


@pytest.mark.root
@pytest.mark.usefixtures("allow_review")
def test_files_are_made_moved_and_deleted_where_there_are_no_links(tmp_path: Path) -> None:
    """exFAT by FUSE knows no flag of renameat2, and no hard link."""
    begin = plan_text(*({"op": "create", "path": name, "content": name} for name in ("a", "b", "sub/c")))
    steps = plan_text(
        {"op": "modify", "path": "a", "content": "new"},
        {"op": "move", "path": "b", "to": "other/b"},
        {"op": "delete", "path": "sub"},
        {"op": "copy", "path": "a", "to": "d"},
    )
    commands = [
        [["submit"], begin.decode()],
        [["approve", "PLAN", "--apply"], ""],
        [["submit"], steps.decode()],
        [["approve", "PLAN", "--apply"], ""],
        [["rollback", "PLAN"], ""],
        [["observed", "list"], ""],
    ]
    project = tmp_path / "disk"
    project.mkdir()
    answers, files = ended(mounted_keeping_case(project), project, commands)
    assert files[1] == files[2] == {"a": "a", "b": "b", "sub/c": "sub/c"}
    assert files[3] == {"a": "new", "other/b": "b", "d": "a"}
    assert files[4] == files[2] and answers[-1]["observed"] == []
