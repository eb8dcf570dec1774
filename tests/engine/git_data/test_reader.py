"""Whatever lies where git's data should, nobody waits for it for long, and the process that did is gone."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.engine.git_data import GitData, reader as reading
from studio.engine.git_data.value_types import Question
from studio.system import child_process
from studio.system.child_process import Process, Service
from tests.engine.git_data.repositories import commit, git, init, state_of, write

SECONDS = 0.3
"""The limit in these tests: much for a small repository, and little for who waits at a pipe."""

LONG = 20.0

_OPENED: list[str] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str | bytes):
        _OPENED.append(os.fsdecode(arguments[0]))


@pytest.fixture(scope="module", autouse=True)
def note_what_is_opened() -> None:
    """All that Python opens in this process; the library that opens without it is not loaded by `GitData`."""
    sys.addaudithook(_note)


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = init(tmp_path_factory.mktemp("repository"))
    commit(made, {"a.txt": "1\n", ".gitignore": "*.log\n"})
    git(made, "pack-refs", "--all", "--no-prune")
    return made


@pytest.fixture
def repository(made_once: Path, project: Path) -> Path:
    return shutil.copytree(made_once, project, dirs_exist_ok=True)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    """The processes that were started."""
    processes: list[Process] = []
    start = child_process.start

    def noted(service: Service) -> Process:
        processes.append(start(service))
        return processes[-1]

    monkeypatch.setattr(child_process, "start", noted)
    return processes


def plant_pipe(place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)


def ask_everything(git_data: GitData, held: str) -> dict[str, object]:
    questions: dict[str, Callable[[], object]] = {
        "ignored": lambda: git_data.ignored([("a.log", False)]),
        "head": git_data.head,
        "blobs_at": lambda: git_data.blobs_at(held, ["a.txt"]),
        "tracked_folders": git_data.tracked_folders,
    }
    answers: dict[str, object] = {}
    for name, question in questions.items():
        answers[name] = question()
        assert (answers[name] is None) == bool(git_data.why), (name, git_data.why)
    return answers


# What is found before anything is read

_TOLD = {
    "config": ".git/config",
    "HEAD": ".git/HEAD",
    "index": ".git/index",
    "exclude": ".git/info/exclude",
    "log": ".git/logs/HEAD",
    "packed-refs": ".git/packed-refs",
    "alternates": ".git/objects/info/alternates",
    "commondir": ".git/commondir",
    "config.worktree": ".git/config.worktree",
    ".git": ".git",
    "include": "../included",
    "excludesFile": "../excludes",
    "home": "{home}/.gitconfig",
    "user's": "{config}/git/config",
    "user's ignore": "{config}/git/ignore",
}


@pytest.mark.parametrize("name", _TOLD)
def test_a_pipe_is_told_without_a_process(
    repository: Path, started: list[Process], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    git(repository, "config", "core.excludesFile", str(repository.parent / "excludes"))
    git(repository, "config", "include.path", str(repository.parent / "included"))
    held = git(repository, "rev-parse", "HEAD").strip()
    place = repository / _TOLD[name].format(home=os.environ["HOME"], config=os.environ["XDG_CONFIG_HOME"])
    if name == ".git":
        (repository / ".git").rename(repository.parent / "moved")
    plant_pipe(place)
    _OPENED.clear()
    with GitData(repository) as git_data:
        answers = ask_everything(git_data, held)
        assert set(answers.values()) == {None}
        assert os.path.normpath(place).rpartition("/")[2] in git_data.why
        assert started == []
        assert str(place) not in _OPENED
        if name == "index":  # as for all of them
            place.unlink()
            assert git_data.head() is not None, "it is told as it is now"


def test_a_pipe_among_the_rules_is_told(repository: Path, started: list[Process]) -> None:
    plant_pipe(repository / "deep/.gitignore")
    with GitData(repository, seconds=LONG) as git_data:
        assert git_data.ignored([("a.log", False)]) == {"a.log"}
        assert git_data.ignored([("deep/a.log", False)]) is None
        assert "deep/.gitignore is a pipe" in git_data.why
        assert git_data.ignored([("deep", True)]) == frozenset()
        assert git_data.ignored([("deep/inner", True)]) is None
        assert len(started) == 1


# What only the limit ends

_WAITED_FOR = {
    "branch": (".git/refs/heads/main", "head"),
    "object": (".git/objects/{object}", "blobs_at"),
}


@pytest.mark.parametrize("name", _WAITED_FOR)
def test_who_waits_at_a_pipe_is_ended(
    repository: Path, started: list[Process], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    held = git(repository, "rev-parse", "HEAD").strip()
    where, question = _WAITED_FOR[name]
    place = repository / where.format(object=f"{held[:2]}/{held[2:]}")
    kept = place.read_bytes()
    plant_pipe(place)
    _OPENED.clear()
    with GitData(repository, seconds=SECONDS) as git_data:
        asked = {
            "head": git_data.head,
            "blobs_at": lambda: git_data.blobs_at(held, ["a.txt"]),
        }[question]
        assert asked() is None
        assert "longer than 0.3 seconds" in git_data.why
        assert [process.poll() for process in started] == [-signal.SIGKILL]
        assert str(place) not in _OPENED
        assert asked() is None and git_data.ignored([("deep", True)]) is None
        assert len(started) == 1, "nobody waits once more"
        place.unlink()
        place.write_bytes(kept)
        assert asked() is None, "for a while it is not tried"
        git(repository, "config", "x.y", "1")
        assert asked() is not None
        assert len(started) == 2
        plant_pipe(place)
        assert asked() is None
        place.unlink()
        place.write_bytes(kept)
        monkeypatch.setattr(reading, "monotonic", later_by(reading.RETRY_SECONDS))
        assert asked() is not None
    assert all(process.returncode is not None for process in started)


def test_a_history_that_takes_too_long_takes_nothing_else_with_it(repository: Path) -> None:
    """Who wrote a line is asked of every commit there is; the rest of what git knows is there meanwhile."""
    old = git(repository, "rev-parse", "HEAD:a.txt").strip()
    commit(repository, {"a.txt": "changed\n"})
    plant_pipe(repository / f".git/objects/{old[:2]}/{old[2:]}")
    with GitData(repository, seconds=SECONDS) as git_data:
        assert git_data.blame("a.txt") is None
        assert "longer than 0.3 seconds" in git_data.why
        assert git_data.head() is not None and git_data.ignored([("deep", True)]) is not None
        assert git_data.blame("a.txt") is None and "longer" in git_data.why, "for a while it is not tried"


def test_a_tree_that_takes_too_long_takes_nothing_else_with_it(repository: Path) -> None:
    """How long the folders of HEAD take grows with all that it holds."""
    commit(repository, {"bin/a.txt": "1\n"})
    folder = git(repository, "rev-parse", "HEAD:bin").strip()
    plant_pipe(repository / f".git/objects/{folder[:2]}/{folder[2:]}")
    with GitData(repository, seconds=SECONDS) as git_data:
        assert git_data.tracked_folders() is None
        assert "longer than 0.3 seconds" in git_data.why
        assert git_data.head() is not None


def later_by(seconds: float) -> Callable[[], float]:
    now = reading.monotonic
    return lambda: now() + seconds


def test_a_process_that_stands_still_is_ended(repository: Path, started: list[Process]) -> None:
    with GitData(repository, seconds=SECONDS) as git_data:
        assert git_data.head() is not None
        os.kill(started[0].pid, signal.SIGSTOP)
        # Larger than a pipe holds: not even the question is taken.
        assert git_data.ignored([(f"{'x' * 200}{number}", False) for number in range(1000)]) is None
        assert "longer" in git_data.why
        assert started[0].poll() == -signal.SIGKILL


def test_a_process_that_was_killed_is_replaced(
    repository: Path, started: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    with GitData(repository, seconds=LONG) as git_data:
        assert git_data.head() is not None
        questions = started[0].stdin
        assert questions is not None
        flush = questions.flush

        def flush_and_kill() -> None:
            flush()
            started[0].kill()

        branch = repository / ".git/refs/heads/main"
        held = branch.read_text()
        plant_pipe(branch)
        monkeypatch.setattr(questions, "flush", flush_and_kill)
        assert git_data.head() is None
        assert "ended unexpectedly" in git_data.why
        branch.unlink()
        branch.write_text(held)
        assert git_data.ignored([("a.log", False)]) == {"a.log"}
        os.kill(started[1].pid, signal.SIGKILL)
        started[1].wait()
        assert git_data.ignored([("a.log", False)]) == {"a.log"}, "also between two questions"
        assert len(started) == 3


def test_without_anybody_to_end_it_a_waiting_process_ends_itself(
    repository: Path,
) -> None:
    plant_pipe(repository / ".git/refs/heads/main")
    question: Question = {
        "what": "head",
        "root": str(repository),
        "paths": [],
        "folders": [],
        "commit": "",
        "objects": [],
        "seconds": SECONDS,
    }
    process = child_process.start(child_process.READING_GIT)
    try:
        assert process.stdin is not None
        process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(LONG) == -signal.SIGALRM
    finally:
        child_process.end(process)


_KILLED = """
import os, signal, sys
from pathlib import Path
from studio.engine.git_data import GitData
from studio.system import child_process
start, started = child_process.start, []
child_process.start = lambda service: started.append(start(service)) or started[-1]
assert GitData(Path(sys.argv[1])).head() is not None
assert "pygit2" not in sys.modules
print(started[0].pid, flush=True)
sys.stdin.readline()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a process is watched through its handle, as on Linux")
def test_it_ends_when_who_asks_is_killed(repository: Path) -> None:
    command = [sys.executable, "-c", _KILLED, str(repository)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as asking:
        assert asking.stdin is not None and asking.stdout is not None
        process = int(asking.stdout.readline())
        assert os.getsid(process) == process, "it has no terminal"
        handle = os.pidfd_open(process)
        try:
            asking.stdin.write("\n")
            assert asking.wait(LONG) == -signal.SIGKILL
            assert select.select([handle], [], [], LONG)[0], "it runs on"
        finally:
            os.close(handle)


def test_a_process_that_cannot_be_had_is_said(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(service: Service) -> Process:
        raise OSError(24, "Too many open files")

    with GitData(repository) as git_data, monkeypatch.context() as patch:
        patch.setattr(child_process, "start", fail)
        assert git_data.head() is None
        assert "Too many open files" in git_data.why
        patch.undo()
        assert git_data.head() is not None


def test_what_git_itself_cannot_read_is_said(repository: Path, started: list[Process]) -> None:
    before = state_of(repository)
    (repository / ".git/index").rename(repository.parent / "index")
    write(repository, {".git/index": "DIRC, but no more"})
    with GitData(repository) as git_data:
        assert git_data.ignored([("a.log", False)]) is None
        assert git_data.why.startswith("Git data can't be read. ")
        (repository.parent / "index").replace(repository / ".git/index")
        assert git_data.ignored([("a.log", False)]) == {"a.log"}
        assert len(started) == 1
    assert state_of(repository).keys() == before.keys()
