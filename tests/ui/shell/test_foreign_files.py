"""The window opens, and takes in files, whatever stands where a file is expected."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio.errors import NotFound
from studio.ui.review.submission import import_file
from studio.workspace import Workspace

SECONDS = 60
"""The window starts in one; the machine may be busy."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "a.txt").write_text("one\n")
    return folder


def test_the_window_opens_with_pipes_in_all_places(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    home, configuration = Path(os.environ["HOME"]), Path(os.environ["STUDIO_CONFIG_DIR"])
    git = project / ".git"
    for place in (git / "config", git / "commondir", home / ".gitconfig", configuration / "trust.json"):
        os.mkfifo(place)
    ended = subprocess.run(
        [sys.executable, "-m", "studio", str(project), "--smoke"],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        check=False,
        text=True,
        timeout=SECONDS,
    )
    assert ended.returncode == 0, ended.stderr
    assert '"plans": 0' in ended.stdout


def test_a_pipe_that_is_dropped_is_no_plan(project: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "change.diff")
    workspace = Workspace.open(project)
    try:
        with pytest.raises(NotFound) as refused:
            import_file(workspace, tmp_path / "change.diff", "you")
    finally:
        workspace.close()
    assert refused.value.message.endswith("change.diff is a pipe.")
