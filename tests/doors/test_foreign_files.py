"""Files that are not ours and may be anything: a pipe nobody writes to, a terminal, the program's own input.

No command waits for them, and what can't be read locks more.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, Said, plan_text
from tests.engine.policy.pipes import PLACES, pipe

SECONDS = 10
"""Longest time of a command that waits for nothing; the machine may be busy."""

HOOK = {"op": "create", "path": "tools/pre-commit", "content": "#!/bin/sh\n"}
PLAIN = {"op": "create", "path": "new.txt", "content": "new\n"}


@pytest.fixture(autouse=True)
def repository(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / ".git").mkdir()
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")


@pytest.mark.parametrize("place", ["config", "the terminal", "our own input"])
def test_no_command_waits_for_what_stands_in_git_s_place(
    studio: CommandLine, project: Path, tmp_path: Path, place: str
) -> None:
    """A hook that the unread configuration may name is refused, whatever its folder is called."""
    PLACES[place](project)
    (tmp_path / "plan.json").write_bytes(plan_text(HOOK, PLAIN))
    said = with_open_input(studio, "submit", str(tmp_path / "plan.json"))
    steps = said.json["steps"]
    assert [step["state"] for step in steps] == ["invalid", "pending"]
    assert "git's configuration can't be read" in steps[0]["problems"][0]["message"]
    assert "So it is not known what git runs here" in said.err


@pytest.mark.parametrize(
    "place", ["config", "commondir", ".git", "includeIf", "~/.gitconfig", "the user's git/config"]
)
def test_nothing_that_is_kept_or_observed_waits_for_it(
    studio: CommandLine, project: Path, place: str
) -> None:
    """Neither the look, nor the stream, nor a snapshot and its restore."""
    (project / "a.txt").write_text("one\n")
    PLACES[place](project)
    assert with_open_input(studio, "snapshot", "create", "before").code == 0
    assert with_open_input(studio, "observed", "list").code == 0
    (project / "a.txt").write_text("two\n")
    told = with_open_input(studio, "watch", "--once")
    assert [json.loads(line)["path"] for line in told.text.splitlines()] == ["a.txt"]
    preview = with_open_input(studio, "snapshot", "restore", "before", "--dry-run").json
    assert "a.txt" in {step["path"] for step in preview["steps"]}


@pytest.mark.parametrize("place", ["config", "~/.gitconfig"])
def test_check_says_that_more_is_locked_and_why(studio: CommandLine, project: Path, place: str) -> None:
    PLACES[place](project)
    said = studio("check", "tools/pre-commit", "my.gitconfig", "new.txt")
    assert [verdict["level"] for verdict in said.json["verdicts"]] == ["locked", "locked", "default"]
    assert said.err.count("is a pipe. So it is not known what git runs here") == 1


def test_the_null_device_is_a_configuration_without_a_word(
    studio: CommandLine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is how people say to git that there is none."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    (project / ".git/config").symlink_to(os.devnull)
    said = studio("check", "tools/pre-commit")
    assert (said.code, said.err) == (0, "")


def test_our_own_settings_may_be_pipes(studio: CommandLine, project: Path) -> None:
    """A list of trust that can't be read trusts nothing, a configuration that can't be allows nothing."""
    folder = Path(os.environ["STUDIO_CONFIG_DIR"])
    pipe(folder / "trust.json")
    assert studio("check", "new.txt").code == 0
    for name in ("config.json", "config.yaml"):
        pipe(folder / name)
        assert studio("check", "new.txt").error["code"] == "config.unreadable"
        (folder / name).unlink()
    (project / "studio.yaml").unlink()
    pipe(project / "studio.yaml")
    assert studio("check", "new.txt").error["code"] == "config.unreadable"


def test_a_plan_may_come_through_a_pipe_that_the_user_names(studio: CommandLine) -> None:
    """`studio submit <(git diff)`: here waiting is what was asked for."""
    reads, writes = os.pipe()
    with os.fdopen(reads, "rb"), os.fdopen(writes, "wb") as pipe:
        pipe.write(plan_text(PLAIN))
        pipe.close()
        said = studio("submit", f"/dev/fd/{reads}")
    assert (said.code, said.json["state"]) == (0, "pending")


def with_open_input(studio: CommandLine, *words: str) -> Said:
    """Run a command while standard input stays open and silent; it fails where the command waits."""
    silent, ours = os.pipe()
    before = os.dup(0)

    def waited(_signal: int, _frame: object) -> None:
        pytest.fail(f"{words} still waits")  # no OSError, which reads as a file that can't be read

    handler = signal.signal(signal.SIGALRM, waited)
    os.dup2(silent, 0)
    signal.alarm(SECONDS)
    try:
        return studio(*words)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        os.dup2(before, 0)
        for end in (silent, ours, before):
            os.close(end)
