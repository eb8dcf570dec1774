"""The inbox as a process of its own: its stream, its end, and what a kill or a second one leaves."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from studio.engine.limits import SUBMISSION_BYTES
from studio.engine.plan import PlanState
from studio.engine.workspace import Workspace
from tests.doors.conftest import TIMEOUT_SECONDS, CommandLine, set_configuration
from tests.doors.inbox.conftest import CLAIMS, PERSON, Take, answer, names, plans, text_of


def once(studio: CommandLine) -> dict[str, dict[str, Any]]:
    """What one run tells of each file, by the file's name."""
    said = studio("inbox", "--once")
    assert said.code == 0, said
    told = [json.loads(line) for line in said.out.splitlines()]
    assert len({each["file"] for each in told}) == len(told), told
    return {each["file"]: each for each in told}


class Running:
    """An inbox that goes on until it is ended; `news` waits for its next line."""

    def __init__(self, studio: CommandLine) -> None:
        self.process = studio.start("inbox")
        assert self.process.stderr is not None
        self.started = self.process.stderr.readline()

    @property
    def news(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.end()
        return json.loads(line)

    def end(self, how: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        self.process.send_signal(how)
        _, err = self.process.communicate(timeout=TIMEOUT_SECONDS)
        return self.process.returncode, err.decode()


@pytest.fixture
def running(studio: CommandLine, inbox: Path) -> Iterator[Running]:
    started = Running(studio)
    yield started
    if started.process.returncode is None:
        started.end(signal.SIGKILL)


@pytest.mark.process
def test_an_agent_is_answered_at_once_and_when_it_is_decided(
    running: Running, inbox: Path, workspace: Workspace, project: Path
) -> None:
    assert b"taking files from" in running.started
    (inbox / "coming").write_text(text_of("from the inbox\n"))
    (inbox / "coming").rename(inbox / "claude-code.fix.json")
    news = running.news
    (plan,) = plans(workspace)
    assert news == {
        "file": "claude-code.fix.json",
        "happened": "proposed",
        "plan": plan.id,
        "state": "pending",
        "answer": "claude-code.fix.json.answer.txt",
        "message": "“t” is pending.",
    }
    assert (plan.agent, plan.waits) == ("claude-code", False)
    assert [session.door for session in workspace.proposer.sessions()] == ["inbox"]
    assert "before a person has approved" in answer(inbox, "claude-code.fix.json")
    assert not (project / "a.txt").exists()

    reviewer = workspace.reviewer(PERSON)
    reviewer.approve(plan.id)
    reviewer.apply(plan.id)
    news = running.news
    assert (news["happened"], news["state"], news["plan"]) == ("decided", "completed", plan.id)
    assert "applied" in answer(inbox, "claude-code.fix.json")
    assert names(inbox) == {
        CLAIMS,
        "claude-code.fix.json.answer.txt",
        "claude-code.fix.json.taken",
    }
    assert (inbox / "claude-code.fix.json.taken").read_text() == text_of("from the inbox\n")
    assert names(inbox / CLAIMS) == set()
    assert running.end() == (130, "")


def test_what_is_no_text_of_ours_is_answered_and_never_followed(
    studio: CommandLine, inbox: Path, workspace: Workspace, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text(text_of("x\n"))
    (inbox / "link").symlink_to(secret)
    (inbox / "hard").hardlink_to(secret)
    os.mkfifo(inbox / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(inbox / "socket"))
    (inbox / "folder").mkdir()
    (inbox / ".begun").write_text(text_of("x\n"))
    (inbox / "empty").touch()
    (inbox / "prose").write_text("Hello!\n")
    with (inbox / "large").open("wb") as large:
        large.truncate(100 * 1024 * 1024)
    told = once(studio)
    reasons = {
        "link": "is a link; it was not followed",
        "hard": "has other names beside this one",
        "pipe": "is a pipe",
        "socket": "is a socket",
        "empty": "is empty",
        "large": f"the limit is {SUBMISSION_BYTES}",
        "prose": "no known format",
    }
    assert told.keys() == reasons.keys()
    for name, reason in reasons.items():
        assert reason in answer(inbox, name), name
        assert os.path.lexists(inbox / f"{name}.taken") and not os.path.lexists(inbox / name)
    assert {name for name, each in told.items() if each["happened"] == "refused"} == reasons.keys() - {
        "prose"
    }
    assert [plan.state for plan in plans(workspace)] == [PlanState.INVALID]
    assert (inbox / "folder").is_dir() and (inbox / ".begun").exists()
    assert secret.read_text() == text_of("x\n")


@pytest.mark.process
def test_a_text_that_grows_is_left_until_it_is_whole(
    running: Running, inbox: Path, workspace: Workspace
) -> None:
    """Others are not held up by it."""
    ended = threading.Event()

    def write() -> None:
        with (inbox / "slow.json").open("wb", buffering=0) as slow:
            while not ended.wait(0.1):
                slow.write(b" ")
            slow.write(text_of("slow\n", "slow.txt").encode())

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for name in ("quick", "quicker"):
            (inbox / name).write_text(text_of("x\n", f"{name}.txt"))
            assert running.news["file"] == name
            assert (inbox / "slow.json").exists()
    finally:
        ended.set()
        writer.join()
    news = running.news
    assert (news["file"], news["happened"]) == ("slow.json", "proposed")
    assert [step.path for plan in plans(workspace) for step in plan.steps][-1] == "slow.txt"


@pytest.mark.process
def test_a_second_process_is_turned_away(
    running: Running, studio: CommandLine, inbox: Path, take: Take
) -> None:
    (inbox / "one").write_text(text_of("x\n"))
    assert studio("inbox", "--once").error["code"] == "inbox.held"
    assert running.news["file"] == "one"
    running.end(signal.SIGKILL)


@pytest.mark.process
def test_a_folder_that_becomes_a_link_ends_it(running: Running, inbox: Path, tmp_path: Path) -> None:
    """The link's folder, and what lies in it, is neither taken from nor written to."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "one").write_text(text_of("x\n"))
    inbox.rename(tmp_path / "moved")
    inbox.symlink_to(other)
    out, _ = running.process.communicate(timeout=TIMEOUT_SECONDS)
    assert running.process.returncode == 3
    assert json.loads(out)["error"]["code"] == "inbox.exchanged"
    assert names(other) == {"one"}


@pytest.mark.parametrize(
    "inject",
    ["?rename,?renameat:signal=KILL:when=2", "renameat2:signal=KILL:when=2", "renameat2:signal=KILL:when=3"],
    ids=["before its plan is recorded", "before the answer", "before the text is laid beside it"],
)
@pytest.mark.process
def test_a_killed_process_s_work_is_finished_by_the_next(
    studio: CommandLine, inbox: Path, workspace: Workspace, take: Take, inject: str
) -> None:
    """Also where a person decided meanwhile: it is not proposed once more."""
    (inbox / "one").write_text(text_of("x\n"))
    kill = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={inject}")
    assert studio("inbox", "--once", prefix=kill).code == -signal.SIGKILL
    assert len(names(inbox / CLAIMS)) == 1 and not (inbox / "one").exists()
    (plan,) = plans(workspace)
    workspace.reviewer(PERSON).reject(plan.id, reason="Not today.")
    told = take()
    assert plans(workspace) == [told["one"].plan]
    assert plan.short_id in answer(inbox, "one") and "Not today." in answer(inbox, "one")
    assert (inbox / "one.taken").read_text() == text_of("x\n") and names(inbox / CLAIMS) == set()
    assert names(inbox) == {CLAIMS, "one.taken", "one.answer.txt"}
    assert take() == {}


def test_it_is_off_until_a_folder_is_named(studio: CommandLine) -> None:
    said = studio("inbox", "--once")
    assert (said.code, said.error["code"]) == (1, "inbox.off")
    set_configuration("agents: {inbox: not/absolute}")
    assert "is no absolute path" in studio("inbox", "--once").error["message"]
