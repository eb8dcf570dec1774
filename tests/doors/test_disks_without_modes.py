"""The command line on a disk that keeps no permission bits, as NTFS drives are mounted by default."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.conftest import plan_text
from tests.tools.mounts import mounted_ignoring_case

# In one process: a disk of a test is mounted for one command, and for those that this one runs.
_COMMANDS = """
import json, subprocess, sys
plan, answers = "", []
for words, text in json.loads(sys.argv[1]):
    words = [plan if word == "PLAN" else word for word in words]
    done = subprocess.run([sys.executable, "-m", "studio", "--json", *words], input=text.encode(), stdout=-1)
    answers.append([done.returncode, json.loads(done.stdout)])
    plan = plan or answers[-1][1].get("plan", "")
print(json.dumps(answers))
"""


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
    command = [*mounted_ignoring_case(project), sys.executable, "-c", _COMMANDS, json.dumps(commands)]
    said = subprocess.run(command, cwd=project, capture_output=True, check=True)
    codes, answers = zip(*json.loads(said.stdout), strict=True)
    assert codes == (0, 0, 0, 0, 0), said
    assert answers[2]["state"] == answers[4]["state"] == "completed"
    assert answers[3]["observed"] == []
