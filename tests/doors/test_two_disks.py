"""A project that lies on two disks: what is written to each of them is flushed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, plan_text
from tests.tools.mounts import mounted


@pytest.mark.usefixtures("allow_review")
@pytest.mark.process
def test_many_files_are_flushed_on_each_disk(studio: CommandLine, project: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    for folder in ("here", "there"):
        (project / folder).mkdir()
    steps = [
        {"op": "create", "path": f"{folder}/{number}.txt", "content": f"{number}\n"}
        for folder in ("here", "there")
        for number in range(6)
    ]
    two_disks = mounted('mount -t tmpfs x "$0/there"', project)
    plan = studio("submit", stdin=plan_text(*steps), prefix=two_disks).json["plan"]
    traced = ("strace", "-f", "-o", str(trace), "-e", "trace=syncfs")
    said = studio("approve", plan, "--apply", prefix=(*two_disks, *traced))
    assert (said.code, said.json["state"]) == (0, "completed"), said
    assert trace.read_text().count("syncfs(") == 2
