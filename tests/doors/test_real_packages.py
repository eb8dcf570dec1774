"""Two releases of a real package through the command line, there and back."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine
from tests.tools.packages import Versions, contents, demo, docutils, generated


@pytest.mark.usefixtures("allow_review")
@pytest.mark.parametrize(
    ("make", "files"),
    [pytest.param(docutils, 60, marks=pytest.mark.network), (generated, 60), (demo, 15)],
)
def test_every_byte_of_a_release_arrives_and_goes_back(
    make: Callable[[Path], Versions], files: int, tmp_path: Path
) -> None:
    versions = make(tmp_path)
    shutil.copytree(versions.old, tmp_path / "project")
    (tmp_path / "release.diff").write_bytes(versions.diff)
    studio = CommandLine(tmp_path / "project", here=True)
    old, new = contents(versions.old), contents(versions.new)
    flags = ("--project", studio.project)

    submitted = studio("submit", tmp_path / "release.diff", "--title", "A release", *flags)
    assert submitted.code == 0
    plan = submitted.json["plan"]
    valid = [step for step in submitted.json["steps"] if step["state"] == "pending"]
    refused = [step for step in submitted.json["steps"] if step["state"] == "invalid"]
    print(f"{versions.name}: {len(valid)} steps, {len(refused)} refused")
    assert len(valid) >= files
    assert len(valid) + len(refused) == len(submitted.json["steps"])
    assert contents(studio.project) == old

    assert studio("approve", plan, *flags).json["state"] == "approved"
    assert contents(studio.project) == old
    assert studio("apply", plan, *flags).json["state"] == "completed"
    written = {path for step in valid for path in (step["path"], step.get("to", step["path"]))}
    expected = {path: content for path, content in old.items() if path not in written}
    expected |= {path: new[path] for path in written if path in new}
    assert contents(studio.project) == expected

    assert studio("rollback", plan, "--dry-run", *flags).code == 0
    assert contents(studio.project) == expected
    assert studio("rollback", plan, *flags).json["state"] == "completed"
    assert contents(studio.project) == old
