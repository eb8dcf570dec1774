"""`--smoke` and `--screenshot` as real processes."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QImage

from studio.ui.look.theme import make_theme
from tests.tools.forked import ForkServer, command_of

KEYS = {"first_paint_ms", "diff_paint_ms", "plans", "tree_rows", "diff_rows", "theme", "documentation"}


Smoke = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def smoke(forks: ForkServer | None) -> Smoke:
    """Runs `studio` with these words, without a display."""

    def run(*words: str, cwd: Path | None = None, is_forked: bool = True) -> subprocess.CompletedProcess[str]:
        command, handles = command_of(forks if is_forked else None, *words)
        without_display = {
            name: value
            for name, value in os.environ.items()
            if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
        }
        return subprocess.run(
            command, pass_fds=handles, capture_output=True, text=True, timeout=90, check=False, cwd=cwd,
            env={**without_display, "STUDIO_SPAWNED_NS": str(time.monotonic_ns())},
        )  # fmt: skip

    return run


def test_it_shows_the_first_diff_and_says_what_it_shows(smoke: Smoke, bench: Any) -> None:
    bench.propose_three()
    ended = smoke(str(bench.root), "--smoke", "--theme", "light", is_forked=False)
    assert ended.returncode == 0, ended.stderr
    shown = json.loads(ended.stdout)
    assert set(shown) == KEYS
    assert (shown["plans"], shown["theme"]) == (1, "light")
    assert shown["documentation"] is None, "a checkout has none"
    assert shown["tree_rows"] == 3
    assert shown["diff_rows"] > 10
    assert 0 < shown["first_paint_ms"] < 60_000
    assert 0 < shown["diff_paint_ms"] < 60_000
    assert bench.is_untouched()


def test_a_screenshot_is_a_picture_in_the_theme_asked_for(smoke: Smoke, bench: Any, tmp_path: Path) -> None:
    bench.propose_three()
    file = tmp_path / "window.png"
    ended = smoke("--project", str(bench.root), "--screenshot", str(file), "--theme", "dark")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["theme"] == "dark"
    picture = QImage(str(file))
    assert (picture.width(), picture.height()) == (1440, 900)
    window = make_theme("dark").color("window")
    assert picture.pixelColor(1200, 5) == window
    assert file.stat().st_mode & 0o777 == 0o600, "it shows what files hold"


@pytest.mark.parametrize("where", ["project", "git", "linked", "elsewhere"])
def test_a_screenshot_takes_the_place_of_no_file(
    smoke: Smoke, bench: Any, tmp_path: Path, where: str
) -> None:
    """Nothing that is there is written over, and nothing is made in a project."""
    other = tmp_path / "other" / "sub"
    (other.parent / ".git").mkdir(parents=True)
    (other.parent / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    other.mkdir()
    link = tmp_path / "link.png"
    link.symlink_to(bench.root / "new.png")
    file = {
        "project": bench.root / "picture.png",
        "git": other / "picture.png",
        "linked": link,
        "elsewhere": tmp_path / "mine.png",
    }[where]
    if where == "elsewhere":
        file.write_bytes(b"mine")
    ended = smoke("--project", str(bench.root), "--screenshot", str(file))
    assert (ended.returncode, ended.stdout) == (1, ""), ended.stderr
    assert ended.stderr.startswith("studio: ") and ended.stderr.count("\n") == 1
    assert not (bench.root / "new.png").exists() and bench.is_untouched()
    assert file.exists() == (where == "elsewhere")
    assert where != "elsewhere" or file.read_bytes() == b"mine"


@pytest.mark.parametrize("name", ["picture.xyz", "picture", "missing/picture.png"])
def test_a_picture_that_was_not_made_is_no_success(
    smoke: Smoke, bench: Any, tmp_path: Path, name: str
) -> None:
    file = tmp_path / name
    ended = smoke(str(bench.root), "--screenshot", str(file))
    assert ended.returncode in (1, 4), ended.stdout
    assert ended.stderr.startswith("studio: ") and not file.exists()


def test_a_plan_file_says_which_project_it_is_for(smoke: Smoke, bench: Any, tmp_path: Path) -> None:
    """Where nobody named the project, the reason for it is shown."""
    deep = bench.root / "deep"
    deep.mkdir()
    (bench.root / "studio.yaml").write_text("schema_version: 1\n")
    file = tmp_path / "a.diff"
    file.write_text("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n")
    ended = smoke(str(file), "--smoke", cwd=deep)
    assert ended.returncode == 0, ended.stderr
    assert f"The project is {bench.root}, the nearest folder with studio.yaml." in ended.stderr


def test_a_plan_file_from_a_file_manager_is_for_the_project_it_lies_in(smoke: Smoke, bench: Any) -> None:
    """A file manager starts it in the home folder or in /, which never can be a project."""
    (bench.root / "studio.yaml").write_text("schema_version: 1\n")
    file = bench.root / "a.diff"
    file.write_text("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n")
    ended = smoke(str(file), "--smoke", cwd=Path("/"))
    assert ended.returncode == 0, ended.stderr
    assert f"The project is {bench.root}, the folder around the file." in ended.stderr


def test_a_plan_file_outside_of_every_project_says_why_there_is_none(smoke: Smoke, tmp_path: Path) -> None:
    file = tmp_path / "a.diff"
    file.write_text("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n")
    ended = smoke(str(file), "--smoke", cwd=Path("/"))
    assert ended.returncode == 1, ended.stdout
    assert "can't be opened: it is" in ended.stderr


def test_without_a_project_it_shows_the_start_page(smoke: Smoke, tmp_path: Path) -> None:
    ended = smoke("--smoke")
    assert ended.returncode == 0, ended.stderr
    shown = json.loads(ended.stdout)
    assert (shown["plans"], shown["diff_rows"], shown["diff_paint_ms"]) == (0, 0, None)


def test_an_empty_project_is_fine(smoke: Smoke, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ended = smoke(str(tmp_path / "empty"), "--smoke")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["tree_rows"] == 0


def test_a_refused_root_is_a_sentence_and_exit_1(smoke: Smoke) -> None:
    ended = smoke("/etc", "--smoke")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "/etc" in ended.stderr


def test_it_opens_its_own_window_beside_a_running_one(smoke: Smoke, bench: Any) -> None:
    """A bell that somebody else holds does not swallow a smoke test, in which nothing waits."""
    from studio.program.notify_socket import listen

    bell = listen()
    assert bell is not None
    try:
        ended = smoke(str(bench.root), "--smoke")
        assert ended.returncode == 0, ended.stderr
        assert json.loads(ended.stdout)["plans"] == 0
        assert bell.drain() == []
    finally:
        bell.close()
