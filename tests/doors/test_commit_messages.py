"""`studio show --message`: the words and the paths of a commit; the commit is the user's."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from studio.formats import detect
from studio.workspace import Workspace
from tests.doors.conftest import CommandLine

WHEN = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"

pytestmark = pytest.mark.usefixtures("allow_review")


def applied(studio: CommandLine, agent: str, *steps: dict[str, Any]) -> str:
    text = json.dumps({"title": "T", "agent": agent, "steps": steps}).encode()
    plan = str(studio("submit", stdin=text).json["plan"])
    assert studio("approve", plan, "--apply").code == 0
    return plan


def create(path: str) -> dict[str, Any]:
    return {"op": "create", "path": path, "content": "a\n"}


def test_one_file_has_one_line(studio: CommandLine) -> None:
    plan = applied(studio, "claude-code", create("docs/a b.md"))
    said = studio("show", plan, "--message", json=False)
    assert (said.code, said.err) == (0, "")
    assert re.fullmatch(rf"\[AI:claude-code\]\[create\]\[N/A\] docs/a b\.md @ {WHEN}\n", said.text)
    told = studio("show", plan, "--message").json["commit"]
    assert told == {"message": said.text.removesuffix("\n"), "paths": ["docs/a b.md"]}
    assert "commit" not in studio("show", plan).json


def test_several_files_are_named_below(studio: CommandLine, project: Path) -> None:
    """What was rejected is in no commit, nor is a folder; of a move both ends are."""
    (project / "old.txt").write_text("old\n")
    (project / "here.txt").write_text("here\n")
    text = [create("a.txt"), create("no.txt"), {"op": "mkdir", "path": "empty"}]
    text += [{"op": "delete", "path": "old.txt"}, {"op": "move", "path": "here.txt", "to": "there.txt"}]
    plan = studio("submit", stdin=json.dumps({"title": "T", "agent": "a]\nb", "steps": text}).encode()).json[
        "plan"
    ]
    assert studio("reject", plan, "--step", "2", "--reason", "no").code == 0
    assert studio("approve", plan, "--apply").code == 0
    told = studio("show", plan, "--message").json["commit"]
    subject, *body = told["message"].split("\n")
    assert re.fullmatch(rf"\[AI:a__b\]\[create\+delete\+move\]\[N/A\] a\.txt and 2 more @ {WHEN}", subject)
    assert body == ["", "create a.txt", "delete old.txt", "move here.txt -> there.txt"]
    assert told["paths"] == ["a.txt", "old.txt", "here.txt", "there.txt"]


def test_what_is_not_on_disk_has_no_message(studio: CommandLine) -> None:
    """A rollback has one, which names the agent whose change it took back; so has a redo."""
    pending = studio("submit", stdin=json.dumps({"title": "P", "steps": [create("p.txt")]}).encode()).json[
        "plan"
    ]
    refused = studio("show", pending, "--message")
    assert (refused.code, refused.error["code"]) == (1, "plan.state")
    plan = applied(studio, "", create("a.txt"))
    assert studio("show", plan, "--message").json["commit"]["message"].startswith("[AI:unknown][create]")
    back = studio("rollback", plan).json["plan"]
    assert studio("show", plan, "--message").code == 1
    message = studio("show", back, "--message").json["commit"]["message"]
    assert message.startswith("[AI:unknown][rollback][N/A] a.txt @ ")
    redo = studio("rollback", back).json["plan"]
    message = studio("show", redo, "--message").json["commit"]["message"]
    assert message.startswith("[AI:unknown][create][N/A] a.txt @ ")


def test_the_session_is_named_where_there_is_one(studio: CommandLine, project: Path) -> None:
    with_sessions = Workspace.open(project)
    proposer = with_sessions.proposer
    plans: list[str] = []
    for name in ("night run", ""):
        session = proposer.open_session("codex", "mcp", name=name)
        draft = detect.read(json.dumps({"title": "T", "steps": [create(f"{session.id}.txt")]}).encode())
        plans.append(proposer.propose(draft, session=session).id)
        named = session.id[:8]
    with_sessions.close()
    heads: list[str] = []
    for plan in plans:
        assert studio("approve", plan, "--apply").code == 0
        heads.append(studio("show", plan, "--message").json["commit"]["message"].partition("] ")[0])
    assert heads == ["[AI:codex][create][night_run", f"[AI:codex][create][{named}"]


def test_a_terminal_obeys_no_name(studio: CommandLine) -> None:
    """What can't be seen is escaped, in a pipe too: it would stand in the log of a repository."""
    plan = applied(studio, "\x1b[31mred", create("a\u202eb.txt"))
    said = studio("show", plan, "--message", json=False).text
    assert "\u202e" not in said and "\x1b" not in said
    assert said.startswith("[AI:__31mred][create][N/A] a")
    assert studio("show", plan, "--message").json["commit"]["paths"] == ["a\u202eb.txt"]


def test_the_repository_stays_as_it_is(studio: CommandLine, project: Path) -> None:
    """Nothing is staged and nothing is committed."""
    git = project / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    plan = applied(studio, "codex", create("a.txt"))
    assert studio("show", plan, "--message").code == 0
    assert {path.name: path.read_text() for path in git.iterdir()} == {"HEAD": "ref: refs/heads/main\n"}
