"""The inbox that goes on: its stream, its end, and what a kill or a second one leaves."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from pathlib import Path
from typing import Any, Self

import pytest

from studio.engine.plan import PlanState
from studio.formats.limits import SUBMISSION_BYTES
from studio.workspace import Workspace
from tests.doors.conftest import CommandLine, set_configuration
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
        """Start it."""
        self.stream = studio.stream("--json", "inbox")

    @property
    def news(self) -> dict[str, Any]:
        line = self.stream.line()
        assert line, self.stream.ended()
        return json.loads(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.stream.is_running:
            self.stream.end()


def test_an_agent_is_answered_at_once_and_when_it_is_decided(
    studio: CommandLine, inbox: Path, workspace: Workspace, project: Path
) -> None:
    with Running(studio) as running:
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
        assert "before the reviewer approves" in answer(inbox, "claude-code.fix.json")
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
        code, errors = running.stream.end()
        assert code == 130 and errors.startswith("studio: importing files from ") and errors.count("\n") == 1


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
        "large": f"the limit is {SUBMISSION_BYTES:,}",
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


def test_a_text_that_grows_is_left_until_it_is_whole(
    studio: CommandLine, inbox: Path, workspace: Workspace
) -> None:
    """Others are not held up by it."""
    with Running(studio) as running:
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


def test_a_second_process_is_turned_away(studio: CommandLine, inbox: Path) -> None:
    with Running(studio) as running:
        for name in ("one", "two"):
            (inbox / name).write_text(text_of("x\n", name))
            assert running.news["file"] == name
            assert studio("inbox", "--once").error["code"] == "inbox.held"


def test_a_folder_that_becomes_a_link_ends_it(studio: CommandLine, inbox: Path, tmp_path: Path) -> None:
    """The link's folder, and what lies in it, is neither taken from nor written to."""
    with Running(studio) as running:
        other = tmp_path / "other"
        other.mkdir()
        (other / "one").write_text(text_of("x\n"))
        (inbox / "first").write_text(text_of("x\n", "first"))
        assert running.news["file"] == "first", "it has begun"
        inbox.rename(tmp_path / "moved")
        inbox.symlink_to(other)
        assert json.loads(running.stream.line())["error"]["code"] == "inbox.exchanged"
        assert running.stream.ended()[0] == 3
        assert names(other) == {"one"}


@pytest.mark.process
def test_a_killed_process_s_work_is_finished_by_the_next(
    studio: CommandLine, inbox: Path, workspace: Workspace, take: Take
) -> None:
    """Before its plan is recorded, before the answer, and before the text is laid beside it. Also where a
    person decided meanwhile: it is not proposed once more."""
    for name, inject in (
        ("one", "?rename,?renameat:signal=KILL:when=2"),
        ("two", "renameat2:signal=KILL:when=2"),
        ("three", "renameat2:signal=KILL:when=3"),
    ):
        before, laid = plans(workspace), names(inbox)
        text = text_of("x\n", name)
        (inbox / name).write_text(text)
        kill = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={inject}")
        assert studio("inbox", "--once", prefix=kill).code == -signal.SIGKILL, name
        assert len(names(inbox / CLAIMS)) == 1 and not (inbox / name).exists(), name
        (plan,) = (each for each in plans(workspace) if each not in before)
        workspace.reviewer(PERSON).reject(plan.id, reason="Not today.")
        told = take()
        assert [each for each in plans(workspace) if each not in before] == [told[name].plan], name
        assert plan.short_id in answer(inbox, name) and "Not today." in answer(inbox, name)
        assert (inbox / f"{name}.taken").read_text() == text and names(inbox / CLAIMS) == set()
        assert names(inbox) == {*laid, CLAIMS, f"{name}.taken", f"{name}.answer.txt"}, name
        assert take() == {}


def test_it_is_off_until_a_folder_is_named(studio: CommandLine) -> None:
    said = studio("inbox", "--once")
    assert (said.code, said.error["code"]) == (1, "inbox.off")
    set_configuration("agents: {inbox: not/absolute}")
    assert "is not an absolute path" in studio("inbox", "--once").error["message"]
