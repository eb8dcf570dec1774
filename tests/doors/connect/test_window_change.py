"""The process in which the window connects an agent: it does what it showed, at a press in a window."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import pytest

from studio.doors.connect.window_change import change_for_window
from studio.extras.agents import ChangeMade, ChangeNotMade, PlannedChange
from studio.open_window import agent_processes
from studio.system.child_process import SERVICES
from tests.doors.conftest import CommandLine, set_review

CLAUDE = "claude-code"
SOURCES = Path(__file__).parents[3] / "studio"
SETTINGS = '{\n  "model": "opus"\n}\n'
SECONDS = 20


@pytest.fixture
def home(private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Somebody's home, in whose one folder of programs this machine's agents are not found."""
    folder = private_folders / "home"
    (folder / ".claude").mkdir()
    (folder / ".claude/settings.json").write_text(SETTINGS)
    programs = private_folders / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    return folder


@pytest.fixture
def settings(home: Path) -> Path:
    return home / ".claude/settings.json"


@contextmanager
def started(name: str = CLAUDE, *, removes: bool = False) -> Generator[Connection]:
    """The process as the window has it, and the window's end of the pipe."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=agent_processes().connections.change(name, removes), args=(theirs,))
    process.start()
    theirs.close()
    try:
        yield ours
    finally:
        ours.close()
        process.join(SECONDS)
        assert process.exitcode == 0


def heard(pipe: Connection) -> Any:
    assert pipe.poll(SECONDS)
    return pipe.recv()


def carried_out(*, removes: bool = False) -> Any:
    with started(removes=removes) as pipe:
        heard(pipe)
        pipe.send(True)
        return heard(pipe)


def test_it_shows_what_the_command_shows_and_does_exactly_that(studio: CommandLine, settings: Path) -> None:
    set_review("off")  # of the command line: a press is a person
    before = settings.read_bytes()
    would_be = studio("connect", CLAUDE, "--dry-run").json["files"]
    with started() as pipe:
        shown = heard(pipe)
        assert isinstance(shown, PlannedChange) and not shown.is_done
        assert [file.diff for file in shown.files] == [file["diff"] for file in would_be]
        assert shown.files[0].shown == str(settings)
        assert shown.files[0].meanings == ("Each tool call asks Exacta Studio first.",)
        assert any("not installed" in remark for remark in shown.remarks)
        assert settings.read_bytes() == before, "nothing is written before a press"
        pipe.send(True)
        made = heard(pipe)
    assert isinstance(made, ChangeMade)
    assert [Path(file).read_bytes() for file in made.backups] == [before]
    assert '"onFailure": "block"' in settings.read_text() and "opus" in settings.read_text()
    assert isinstance(carried_out(removes=True), ChangeMade)
    assert settings.read_bytes() == before and not (settings.parents[1] / ".claude.json").exists()


@pytest.mark.parametrize("word", [None, "True", b"true\n", 1], ids=repr)
def test_without_the_word_nothing_is_written(settings: Path, word: object) -> None:
    with started() as pipe:
        heard(pipe)
        pipe.send(word)
        with pytest.raises(EOFError):
            heard(pipe)
    assert settings.read_text() == SETTINGS


def test_a_window_that_goes_away_ends_it(settings: Path) -> None:
    with started() as pipe:
        heard(pipe)
    assert settings.read_text() == SETTINGS


def test_what_changed_since_it_was_shown_is_not_written_over(home: Path, settings: Path) -> None:
    with started() as pipe:
        heard(pipe)
        settings.write_text('{"model": "sonnet"}\n')
        pipe.send(True)
        said = heard(pipe)
    assert isinstance(said, ChangeNotMade) and not said.made
    assert "changed since it was shown" in said.message and "Try again" in said.hint
    assert settings.read_text() == '{"model": "sonnet"}\n' and not (home / ".claude.json").exists()


def test_a_failure_at_the_second_file_names_the_first(
    home: Path, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two files somebody else writes the second one."""
    from studio.doors.connect import connection

    place = connection.replace_home_file

    def place_and_meddle(file: Any, data: Any, **options: Any) -> None:
        place(file, data, **options)
        (home / ".claude.json").write_text("{}\n")

    monkeypatch.setattr(connection, "replace_home_file", place_and_meddle)
    ours, theirs = multiprocessing.Pipe()
    ours.send(True)
    change_for_window(theirs, name=CLAUDE, removes=False)
    assert isinstance(heard(ours), PlannedChange)
    said = heard(ours)
    for pipe in (ours, theirs):
        pipe.close()
    assert isinstance(said, ChangeNotMade) and "no longer as it was shown" in said.message
    assert said.made == (str(settings),) and (home / ".claude.json").read_text() == "{}\n"


def test_the_end_of_the_window_comes_between_no_two_files(
    home: Path, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studio.doors.connect import connection

    place = connection.replace_home_file

    def place_and_end(file: Any, data: Any, **options: Any) -> None:
        place(file, data, **options)
        os.kill(os.getpid(), signal.SIGTERM)

    def end(_signal: int, _frame: object) -> None:
        raise SystemExit

    monkeypatch.setattr(connection, "replace_home_file", place_and_end)
    before = signal.signal(signal.SIGTERM, end)
    ours, theirs = multiprocessing.Pipe()
    ours.send(True)
    try:
        change_for_window(theirs, name=CLAUDE, removes=False)
        assert signal.getsignal(signal.SIGTERM) is end
    finally:
        signal.signal(signal.SIGTERM, before)
    assert isinstance(heard(ours), PlannedChange) and isinstance(heard(ours), ChangeMade)
    for pipe in (ours, theirs):
        pipe.close()
    assert "hooks" in settings.read_text() and (home / ".claude.json").exists()


@pytest.fixture(autouse=True)
def own_signals() -> Generator[None]:
    """The process does not hear Ctrl-C: what one of these tests runs here must not keep that."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_file_that_cant_be_read_is_told(settings: Path) -> None:
    settings.write_text('{"model": }\n')
    with started() as pipe:
        said = heard(pipe)
    assert isinstance(said, ChangeNotMade) and "line 1" in said.message
    assert "try again" in said.hint and settings.read_text() == '{"model": }\n'


def test_nothing_on_a_command_line_leads_to_it(studio: CommandLine, settings: Path) -> None:
    """An agent with a shell has words, variables, files and standard input: none of them is a press."""
    options = re.findall(r"--[a-z-]+", studio("connect", "--help", json=False).text)
    assert set(options) == {"--help", "--json", "--project", "--remove", "--dry-run"}
    assert not any("connect" in service.module for service in SERVICES)
    named = {
        file.relative_to(SOURCES).as_posix()
        for file in SOURCES.rglob("*.py")
        if "window_change" in file.read_text() or "change_for_window" in file.read_text()
    }
    assert named == {"doors/__init__.py", "doors/connect/window_change.py", "open_window.py"}
    word = ForkingPickler.dumps(True).tobytes()
    stdin = b"True\n" + len(word).to_bytes(4, "big") + word
    assert studio("connect", CLAUDE, stdin=stdin).error["code"] == "needs_person"
    assert settings.read_text() == SETTINGS
    assert isinstance(carried_out(), ChangeMade)
    connected = settings.read_text()
    assert studio("connect", CLAUDE, "--remove", stdin=stdin).error["code"] == "needs_person"
    assert settings.read_text() == connected != SETTINGS


@pytest.mark.parametrize(
    "module", ["studio.doors.connect.window_change", "studio.doors.connect.connection_change"]
)
def test_its_module_is_no_program(settings: Path, module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, CLAUDE],
        input=b"True\n",
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(SOURCES.parent)},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert settings.read_text() == SETTINGS


def test_what_the_window_holds_is_that_function() -> None:
    work: Callable[..., object] = agent_processes().connections.change(CLAUDE, True)
    assert isinstance(work, partial) and work.func is change_for_window
    assert work.keywords == {"name": CLAUDE, "removes": True}
