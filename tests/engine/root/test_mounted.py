"""Mount points inside a project, and a disk that folds case."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tools.mounts import mounted, mounted_ignoring_case

pytestmark = pytest.mark.root

ROOT = Path(__file__).parents[3]
MOUNTS = " && ".join(
    (
        'mount -t tmpfs x "$0/other"',
        'echo old > "$0/other/file.txt"',
        'mount --bind "$0/../elsewhere" "$0/twin"',
        'mount --bind "$0/../elsewhere.txt" "$0/bound.txt"',
        'mount --bind "$0/.git" "$0/innocent"',
        'mount --bind "$0/studio.yaml" "$0/settings"',
    )
)


def run(prefix: tuple[str, ...], what: str, project: Path) -> dict[str, Any]:
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "tests.engine.root.mounting", what, str(project)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def codes(said: list[dict[str, Any]]) -> list[list[str]]:
    """The problems of each step; the last item says how the plan ended."""
    return [step["problems"] for step in said[:-1]]


@pytest.fixture(scope="module")
def in_mounts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    project = tmp_path_factory.mktemp("mounts") / "project"
    project.mkdir()
    for name in ("plain.txt", "bound.txt"):
        (project / name).write_text("old\n")
    for name in ("studio.yaml", "settings"):
        (project / name).touch()
    for name in ("other", "twin", "innocent", ".git"):
        (project / name).mkdir()
    (project.parent / "elsewhere").mkdir()
    (project.parent / "elsewhere.txt").write_text("old\n")
    return run(mounted(MOUNTS, project), "mounted", project)


def test_mount_points_are_known_and_told(in_mounts: dict[str, Any]) -> None:
    """Something else lies there: the reviewer is told, also where the device is the same."""
    assert in_mounts["mounts"] == ["bound.txt", "innocent", "other", "settings", "twin"]
    assert "other/file.txt" in in_mounts["walked"]
    for name, path, place in (
        ("in other", "other/file.txt", "other"),
        ("in twin", "twin/new.txt", "twin"),
        ("bound", "bound.txt", "bound.txt"),
    ):
        assert in_mounts[name][0]["facts"] == [f"mount_point: {path} is on what is mounted at {place}."]
    assert in_mounts["plain"][0]["facts"] == []
    assert [in_mounts[name][-1]["ended"] for name in ("plain", "in other", "in twin")] == ["completed"] * 3


def test_what_is_mounted_cannot_be_replaced_or_removed(in_mounts: dict[str, Any]) -> None:
    """Atomic on one volume only."""
    for name in ("bound", "delete other"):
        ended = in_mounts[name][-1]["ended"]
        assert ended.startswith("Nothing was written: ") and "mount point" in ended
        assert "Unmount" in ended
    found = in_mounts["obstacles"]
    is_mount = ["it is a mount point", "Unmount it and try again, or exclude this file."]
    assert found == {"plain.txt": None, "bound.txt": is_mount, "twin": is_mount}


def test_git_and_the_configuration_are_known_under_a_mounted_name(in_mounts: dict[str, Any]) -> None:
    """By identity; the names say nothing."""
    assert codes(in_mounts["git"]) == [["path.git"]]
    assert codes(in_mounts["configuration"]) == [["path.configuration"]]


def test_a_disk_that_folds_case(project: Path) -> None:
    """It is asked, and what it takes for one file is one file for us."""
    seen = run(mounted_ignoring_case(project), "folding", project)
    assert seen["folds"] and seen["other spelling"] == "old\n"
    assert codes(seen["twins"]) == [[], ["path.twice"]]
    assert seen["twins"][-1]["ended"] == "completed" and seen["now"] == "one\n"
    assert codes(seen["create"]) == [["target.exists"]]
    for name in (".GIT/config", ".Git", "STUDIO.yaml"):
        assert codes(seen[name]) == [["policy.denied"]]
    for name in ("composed twins", "kelvin twins", "sharp s twins"):
        assert codes(seen[name]) == [[], ["path.twice"]], "twins on some system are refused on all that fold"
        assert seen[name][-1]["ended"] == "completed"
    ended = seen["not for Windows"][-1]["ended"]
    assert (
        ended == "Nothing was written: its file system does not take the name what?.txt. Choose another name."
    )


def test_move_between_spellings_of_one_name(project: Path) -> None:
    """In one step it is refused; two plans do it, by a third name."""
    seen = run(mounted_ignoring_case(project), "respelling", project)
    assert codes(seen["at once"]) == [["path.same_name"]]
    assert [seen[plan][-1]["ended"] for plan in ("away", "back")] == ["completed", "completed"]
    assert seen["content"] == "words\n"
