"""What is said and done in a session is kept in its order, for whoever looks later."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from studio.engine import proposer as side
from studio.engine.session import EventKind, Session
from studio.engine.store import session_events
from studio.engine.store.database import FILE_NAME
from studio.errors import StudioError
from studio.limits import EVENT_CHARACTERS, EVENT_ITEMS_UP_TO
from studio.workspace import Workspace


@pytest.fixture
def session(workspace: Workspace) -> Session:
    return workspace.proposer.open_session("gemini", "acp", name="one")


def said(workspace: Workspace, session: Session, after: int = 0) -> list[tuple[int, str, Any]]:
    events = workspace.proposer.events(session.id, after)
    return [(event.number, event.kind.value, event.fields.get("text")) for event in events]


def test_events_stand_in_their_order_beside_those_of_others(workspace: Workspace, session: Session) -> None:
    other = workspace.proposer.open_session("qwen", "acp", name="two")
    for number, each in enumerate((session, other, session), start=1):
        workspace.proposer.record(each, [(EventKind.MESSAGE, {"text": f"said {number}"})])
    assert said(workspace, session) == [(1, "message", "said 1"), (2, "message", "said 3")]
    assert said(workspace, session, after=1) == [(2, "message", "said 3")]
    assert said(workspace, other) == [(1, "message", "said 2")]


def test_they_are_there_for_whoever_comes_back_to_the_session(workspace: Workspace, session: Session) -> None:
    workspace.proposer.record(session, [(EventKind.PROMPT, {"text": "Go on."})])
    workspace.proposer.close_session(session)
    again = workspace.proposer.open_session("gemini", "acp", name="one")
    workspace.proposer.record(again, [(EventKind.MESSAGE, {"text": "Yes."})])
    assert again.id == session.id
    assert said(workspace, again) == [(1, "prompt", "Go on."), (2, "message", "Yes.")]


def test_the_newest_are_kept_and_read_in_parts(
    workspace: Workspace, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_events, "SESSION_EVENTS_UP_TO", 3)
    monkeypatch.setattr(side, "EVENTS_AT_ONCE", 2)
    for number in range(1, 6):
        workspace.proposer.record(session, [(EventKind.MESSAGE, {"text": str(number)})])
    assert said(workspace, session) == [(3, "message", "3"), (4, "message", "4")]
    assert said(workspace, session, after=4) == [(5, "message", "5")]


def test_what_has_no_end_is_cut(workspace: Workspace, session: Session) -> None:
    endless = {"text": "x" * 2 * EVENT_CHARACTERS, "paths": ["y" * 2 * EVENT_CHARACTERS, *["p"] * 1000]}
    workspace.proposer.record(session, [(EventKind.TOOL, endless)])
    (event,) = workspace.proposer.events(session.id)
    assert len(event.fields["text"]) == len(event.fields["paths"][0]) == EVENT_CHARACTERS
    assert len(event.fields["paths"]) == EVENT_ITEMS_UP_TO


def test_a_name_that_is_no_text_for_a_database_is_kept(workspace: Workspace, session: Session) -> None:
    workspace.proposer.record(session, [(EventKind.TOOL, {"paths": ["a\udcff\ud800\x00"]})])
    assert workspace.proposer.events(session.id)[0].fields["paths"] == ["a\udcff\ud800\x00"]


def test_a_damaged_row_is_told(workspace: Workspace, session: Session) -> None:
    workspace.proposer.record(session, [(EventKind.MESSAGE, {"text": "x"})])
    with sqlite3.connect(workspace.state_folder / FILE_NAME) as connection:
        connection.execute("UPDATE session_events SET kind = 'forged'")
    with pytest.raises(StudioError, match="kind"):
        workspace.proposer.events(session.id)


def test_an_older_store_gets_them(workspace: Workspace, session: Session) -> None:
    """A store of version 9 has no such table until it is opened."""
    file, root = workspace.state_folder / FILE_NAME, workspace.root_path
    workspace.close()
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE session_events")
        connection.execute("ALTER TABLE plans DROP COLUMN restores")
        connection.execute("ALTER TABLE steps DROP COLUMN unit")
        connection.execute("PRAGMA user_version = 9")
    opened = Workspace.open(root)
    again = opened.proposer.open_session("gemini", "acp", name="one")
    opened.proposer.record(again, [(EventKind.MESSAGE, {"text": "x"})])
    assert said(opened, again) == [(1, "message", "x")]
    opened.close()
