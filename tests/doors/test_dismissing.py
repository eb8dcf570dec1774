"""Closed plans can be taken out of the queue for good, by a person alone."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from studio.engine.plan import PersonSource
from studio.workspace import Person, Workspace
from tests.doors.conftest import CommandLine, set_review

CREATE = {"op": "create", "path": "a.txt", "content": "a\n"}
DENIED = {"op": "create", "path": ".git/hooks/x", "content": "a\n"}


@pytest.fixture
def plan(studio: CommandLine) -> str:
    return studio.submit(CREATE)["plan"]


def _stored() -> int:
    (file,) = Path(os.environ["STUDIO_STATE_DIR"]).glob("*/store.sqlite3")
    connection = sqlite3.connect(file)
    (count,) = connection.execute("SELECT COUNT(*) FROM blobs").fetchone()
    connection.close()
    return count


def test_a_withdrawn_plan_is_dismissed_at_a_terminal(studio: CommandLine, plan: str) -> None:
    assert studio("withdraw", plan).code == 0
    said = studio("dismiss", plan)
    assert (said.code, said.error["code"]) == (1, "needs_person")
    assert studio.at_terminal("dismiss", plan, typed="no\n").code == 1
    assert [each["state"] for each in studio("plans").json["plans"]] == ["cancelled"]
    assert _stored() == 1
    done = studio.at_terminal("dismiss", plan, typed=f"{plan[:8]}\n")
    assert (done.code, done.json["state"]) == (0, "dismissed")
    assert f"Remove plan {plan[:8]} (cancelled) from the queue for good" in done.terminal
    assert studio("plans").json["plans"] == []
    assert [each["plan"] for each in studio("plans", "--state", "dismissed").json["plans"]] == [plan]
    shown = studio("show", plan).json
    assert (shown["dismissed"]["was"], shown["dismissed"]["seen"]) == ("cancelled", "terminal")
    assert shown["dismissed"]["folder"] == str(Path(os.environ["STUDIO_CONFIG_DIR"]).resolve())
    assert "at a terminal; it was cancelled" in studio("show", plan, json=False).text
    assert studio("wait", plan, "--timeout", "5").code == 1
    assert _stored() == 0, "what only it named is freed"


def test_every_closed_state_but_applied_ones(studio: CommandLine, project: Path, allow_review: None) -> None:
    """The states that no door leads to stand in the table, which is tested as a cross product."""
    refused = studio.submit(DENIED)["plan"]
    rejected = studio.submit({**CREATE, "path": "b.txt"})["plan"]
    assert studio("reject", rejected, "--reason", "not now").code == 0
    sent_back = studio.submit({**CREATE, "path": "c.txt"})["plan"]
    workspace = Workspace.open(project)
    workspace.reviewer(Person(PersonSource.WINDOW, "me")).request_changes(sent_back, reason="shorter")
    workspace.close()
    for closed in (refused, rejected, sent_back):
        assert studio("dismiss", closed).json["state"] == "dismissed"
    reason = studio("show", rejected).json["steps"][0]["decision"]["text"]
    assert reason == "not now", "what happened is still told"
    applied, open_ = studio.submit(CREATE)["plan"], studio.submit({**CREATE, "path": "d.txt"})["plan"]
    assert studio("approve", applied, "--apply").code == 0
    for other in (applied, open_, refused):
        said = studio("dismiss", other)
        assert (said.code, said.error["code"]) == (1, "plan.state")
    assert studio("rollback", applied).code == 0, "its undo is there"
    assert studio("dismiss", "ffffffff").code == 4


def test_a_rejection_is_told_of_again_and_shared_contents_stay(
    studio: CommandLine, plan: str, allow_review: None
) -> None:
    assert studio("reject", plan, "--reason", "no").code == 0
    other = studio.submit(CREATE, title="Again")["plan"]
    assert studio("dismiss", plan).code == 0
    assert _stored() == 1, "the open plan names the same bytes"
    assert studio("approve", other, "--apply").code == 0
    assert studio("rollback", other).code == 0
    again = studio.submit({**CREATE, "content": "a\n"}, title="Third")
    assert any(problem["code"] == "plan.rejected_before" for problem in again["problems"])


def test_its_person_makes_the_configuration_folder_known(studio: CommandLine, plan: str) -> None:
    """Recorded like a decision: the folder in which somebody dismissed is theirs."""
    assert studio("withdraw", plan).code == 0
    assert studio.at_terminal("dismiss", plan, typed=f"{plan[:8]}\n").code == 0
    workspace = Workspace.open(studio.project)
    set_review("allow")
    assert workspace.command_line_review == "allow"
    workspace.close()
