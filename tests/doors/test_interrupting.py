"""Ctrl-C leaves nothing half done: exit 130, a sentence or nothing, store and project as before or whole."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import termios
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from typing import Any

import pytest

from studio.doors.cli.commands import demo
from studio.doors.cli.main import run
from studio.doors.demo import demo_submissions
from studio.engine.plan import PersonSource
from studio.workspace import Person, Workspace
from tests.doors.conftest import TIMEOUT_SECONDS, CommandLine, Said, plan_text, set_configuration

# `studio` that interrupts itself as it enters a function: a known moment, a real signal, its own handler.
_AT_CALL = """
import importlib, os, signal, sys
place, function, number, *first = sys.argv[1].split()
module, _, of = place.partition(":")
owner = importlib.import_module(module)
owner = getattr(owner, of) if of else owner
called, left = getattr(owner, function), int(number)

def interrupted(*arguments, **named):
    global left
    hit = not first or arguments[:1] == (*first,)
    left -= hit
    if hit and left == 0:
        os.kill(os.getpid(), signal.SIGINT)
    return called(*arguments, **named)

setattr(owner, function, interrupted)
sys.argv[1:] = sys.argv[2:]
from studio.__main__ import main
sys.exit(main())
"""
# What takes a press while an object goes, and then waits to be ended by it.
_IN_DEL = """
import signal, threading
from studio.doors.cli.console.interrupt_signals import install_interrupt_handler

class Goes:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

install_interrupt_handler()
try:
    del (gone := [Goes()])[0]
    threading.Event().wait()
except KeyboardInterrupt:
    print("heard", end="")
"""
OLD, NEW = "old\n", "new\n"


def interrupted(studio: CommandLine, moment: str, *words: str | Path, json: bool = False) -> Said:
    """Run a command that is interrupted as it enters the Nth call of a function: a real signal."""
    place, function, number = moment.split()
    module, _, of = place.partition(":")
    owner: Any = importlib.import_module(module)
    owner = getattr(owner, of) if of else owner
    called, left = getattr(owner, function), int(number)

    def hit(*arguments: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            signal.raise_signal(signal.SIGINT)
        return called(*arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, function, hit)
        said = studio(*words, json=json)
    assert left <= 0, f"{moment} was never called"
    return said


def interrupted_process(
    project: Path, moment: str, *words: str, stdin: bytes = b""
) -> subprocess.CompletedProcess[str]:
    """The same of a process, with the handler that the program itself sets."""
    done = subprocess.run(
        [sys.executable, "-c", _AT_CALL, moment, *words],
        cwd=project, input=stdin, capture_output=True, timeout=TIMEOUT_SECONDS, check=False,
        start_new_session=True,
    )  # fmt: skip
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def left_behind(project: Path) -> list[Path]:
    """Files that are only there while something is under way."""
    places = (project, Path(os.environ["STUDIO_STATE_DIR"]))
    found = [file for place in places for file in place.rglob("*")]
    return [file for file in found if file.suffix == ".new" or file.name.startswith(".exacta")]


def files_of(project: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in project.iterdir() if file.suffix == ".txt"}


def waits_for_more(running: subprocess.Popen[bytes]) -> bool:
    """Whether it has read all that its standard input holds, and sleeps."""
    assert running.stdin is not None
    unread = array("i", [0])
    ioctl(running.stdin.fileno(), termios.FIONREAD, unread)
    return unread[0] == 0 and ") S " in Path(f"/proc/{running.pid}/stat").read_text()


@contextmanager
def started(project: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    running = subprocess.Popen(
        [sys.executable, "-m", "studio", *words],
        cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


@pytest.fixture
def approved(studio: CommandLine, project: Path, allow_review: None) -> str:
    """A plan that rewrites three files, to be applied."""
    for name in "abc":
        (project / f"{name}.txt").write_text(OLD)
    plan: str = studio.submit(*(_rewrite(name) for name in "abc"))["plan"]
    studio("approve", plan)
    return plan


def _rewrite(name: str) -> dict[str, Any]:
    return {"op": "modify", "path": f"{name}.txt", "content": NEW}


@pytest.mark.parametrize(
    "moment",
    [
        "os scandir 1",
        "os fsync 1",
        "os fsync 2",
        "pathlib:Path replace 1",
        "studio.engine.propose.new_plan plan_of 1",
        "studio.engine.propose propose_alone 1",
    ],
)
def test_a_folder_that_is_submitted(studio: CommandLine, project: Path, tmp_path: Path, moment: str) -> None:
    """While it is compared and while large contents are stored: no plan, no half content; it works again."""
    other = tmp_path / "other"
    other.mkdir()
    for name in ("one.txt", "two.txt"):
        (other / name).write_text(os.urandom(300_000).hex())
    done = interrupted(studio, moment, "submit", "--tree", str(other))
    assert (done.code, done.text, done.err) == (130, "", "")
    assert studio("plans").json == {"plans": []}
    assert left_behind(project) == [] and files_of(project) == {}
    assert len(studio("submit", "--tree", str(other)).json["steps"]) == 2


@pytest.mark.parametrize("words", [("apply",), ("approve", "--apply")])
def test_an_apply_before_anything_is_in_place(
    studio: CommandLine, project: Path, approved: str, words: tuple[str, ...]
) -> None:
    """It is undone and told; the decision stands, and applying goes on."""
    plan = approved
    if words[0] == "approve":
        (project / "d.txt").write_text(OLD)
        plan = studio.submit(_rewrite("d"))["plan"]
    moment = "studio.engine.branch.posix:PosixFS prepare 1"
    done = interrupted(studio, moment, words[0], plan, *words[1:])
    assert (done.code, done.text) == (130, "")
    assert done.err == "studio: Paused: nothing was written yet. Apply the plan to go on.\n"
    assert set(files_of(project).values()) == {OLD} and left_behind(project) == []
    assert studio("apply", plan).json["state"] == "completed"


@pytest.mark.parametrize("command", ["apply", "rollback"])
@pytest.mark.parametrize("number", [1, 2])
def test_what_has_begun_to_write_ends_whole(
    studio: CommandLine, project: Path, approved: str, command: str, number: int
) -> None:
    if command == "rollback":
        studio("apply", approved)
    moment = f"studio.system.syscalls exchange {number}"
    done = interrupted(studio, moment, command, approved)
    assert (done.code, done.text) == (130, ""), done.err
    assert done.err == "studio: Ctrl-C came too late; the command completed.\n"
    assert set(files_of(project).values()) == {NEW if command == "apply" else OLD}
    assert left_behind(project) == []
    state = "completed" if command == "apply" else "rolled_back"
    assert studio("show", approved).json["state"] == state


@pytest.mark.parametrize("moment", ["re compile 1", "os scandir 1"])
def test_a_search(studio: CommandLine, project: Path, moment: str) -> None:
    (project / "a.txt").write_text("a line\n")
    done = interrupted(studio, moment, "fs", "search", "line")
    assert (done.code, done.text, done.err) == (130, "", "")
    assert studio("sessions").json == {"sessions": []}


@pytest.mark.parametrize("moment", ["os fchmod 1", "studio.engine.store.exporting named_contents 2"])
def test_an_export(studio: CommandLine, project: Path, tmp_path: Path, approved: str, moment: str) -> None:
    """Nothing of a file."""
    studio("apply", approved)
    file = tmp_path / "journal.jsonl"
    done = interrupted(studio, moment, "journal", "--export", str(file), "--with-contents")
    assert (done.code, done.text, done.err) == (130, "", "")
    assert not file.exists()
    assert studio("journal", "--export", file, "--with-contents").code == 0


@pytest.mark.parametrize("plans", [1, 2])
def test_a_replay(studio: CommandLine, project: Path, tmp_path: Path, approved: str, plans: int) -> None:
    """What one apply wrote is written whole; the next one is not begun."""
    studio("apply", approved)
    if plans == 2:
        studio("approve", studio.submit({"op": "create", "path": "d.txt", "content": NEW})["plan"], "--apply")
    folder = tmp_path / "again"
    folder.mkdir()
    moment = "studio.engine.branch.posix:PosixFS prepare 1"
    done = interrupted(studio, moment, "journal", "--replay", str(folder))
    assert (done.code, done.text) == (130, "")
    told = {1: "Ctrl-C came too late; the command completed.", 2: "The replay stopped at entry "}
    assert done.err.startswith(f"studio: {told[plans]}")
    assert files_of(folder) == dict.fromkeys(("a.txt", "b.txt", "c.txt"), NEW)
    assert [file for file in folder.rglob("*") if file.suffix != ".txt"] == []
    again = tmp_path / "whole"
    again.mkdir()
    assert studio("journal", "--replay", again).code == 0
    assert files_of(again) == files_of(project)


def test_demos_that_are_being_removed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one that was begun goes with its store, the others stay whole."""
    for _ in range(2):
        demo.prepare_demo(None)
    remove = demo.remove_demo

    def interrupted_remove(folder: Path) -> None:
        signal.raise_signal(signal.SIGINT)
        remove(folder)

    person = Person(PersonSource.TERMINAL, "ada")
    monkeypatch.setattr(demo, "require_person", lambda *_, **__: person)
    monkeypatch.setattr(demo, "remove_demo", interrupted_remove)
    assert run(["demo", "--remove-old"]) == 130
    assert capsys.readouterr().err == "studio: Interrupted: 1 copy removed, the others are unchanged.\n"
    (copy,) = demo.demo_copies()
    assert (copy / "README.md").exists()


_IN_HOOK = """
import threading
from studio.doors.cli.console import interrupt_signals

real, calls = interrupt_signals._repeat_signal, []

def press_again():
    real()
    calls.append(len(calls))
    while len(calls) == 1:
        threading.Event().wait(0.001)

interrupt_signals._repeat_signal = press_again
"""


def test_ctrl_c_while_one_that_was_lost_is_told_of() -> None:
    """On a busy machine the second one comes before what is told of the first one is over."""
    command = [sys.executable, "-c", _IN_HOOK + _IN_DEL]
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"heard", b"")


def test_ctrl_c_where_an_object_is_taken_down() -> None:
    """The interpreter drops what is raised there."""
    command = [sys.executable, "-c", _IN_DEL]
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"heard", b"")


@pytest.mark.process
def test_what_waits(studio: CommandLine, project: Path) -> None:
    """A submit that reads standard input, and a wait."""
    with started(project, "submit") as running:
        assert running.stdin is not None and running.stderr is not None
        running.stdin.write(b" " * (1 << 20))  # more than a pipe holds: it has begun to read
        while not waits_for_more(running):
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        assert (running.wait(TIMEOUT_SECONDS), running.stderr.read()) == (130, b"")
    assert studio("plans").json == {"plans": []} and left_behind(project) == []

    plan = studio("fs", "mkdir", "new", "--session", "s").json["plan"]
    workspace = Workspace.open(project)
    with started(project, "wait", plan) as running:
        while not workspace.proposer.waiting():
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        assert running.stderr is not None
        assert (running.wait(TIMEOUT_SECONDS), running.stderr.read()) == (130, b"")
    assert not workspace.proposer.waiting()
    assert workspace.proposer.plan(plan).state.value == "pending"
    workspace.close()


@pytest.mark.process
def test_moments_of_a_process(studio: CommandLine, project: Path, tmp_path: Path) -> None:
    """What the handler of the program itself is for.

    The very first moments, in which the program still loads itself. An import that a package tries, catching
    all that comes out of it: the command went on to wait. The waiting of `threading`, where another exception
    comes in the place of Ctrl-C's. And a demo that is being made: it is whole, and no window opens on it.
    """
    plan = studio("fs", "mkdir", "new", "--session", "s").json["plan"]
    (tmp_path / "inbox").mkdir(mode=0o700)
    set_configuration(f"agents: {{inbox: {tmp_path / 'inbox'}}}")
    folder = tmp_path / "demo"
    late = "studio: Ctrl-C came too late; the command completed."
    for moment, words, said in (
        ("studio.doors.cli.parser build_parser 1", ("submit",), ""),
        ("os umask 1", ("plans",), ""),
        ("importlib.machinery:PathFinder find_spec 2 _ruamel_yaml", ("wait", plan), ""),
        ("threading:Condition _acquire_restore 1", ("inbox",), "studio: importing files from "),
        ("studio.engine.proposer:Proposer propose 2", ("demo", "--dir", str(folder), "--smoke"), late),
    ):
        done = interrupted_process(project, moment, *words, stdin=plan_text())
        assert (done.returncode, done.stdout) == (130, ""), moment
        assert done.stderr.startswith(said) and done.stderr.count("\n") == bool(said), (moment, done.stderr)
    workspace = Workspace.open(folder)
    assert len(workspace.proposer.plans()) == len(demo_submissions())
    workspace.close()
