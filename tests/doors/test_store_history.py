"""A store of every schema in the history is brought up to date, read back and worked on (design 7)."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from studio.engine.store.schema import MIGRATIONS, SCHEMA_VERSION
from studio.engine.workspace import Workspace
from tests.doors.conftest import CommandLine
from tests.tools import day
from tests.tools.store_history import ARCHIVE, PASTS, TITLES, Past, lay_out

OF_SESSIONS, OF_SNAPSHOTS = 8, 11
"""The versions from which on the stores hold a session's plan, and a snapshot."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_every_version_leads_to_the_next_and_was_kept() -> None:
    """The tables of trials were once added without a number: stores of before never got them."""
    assert list(MIGRATIONS) == list(range(1, SCHEMA_VERSION))
    # The recorded day of a whole build is of version 12.
    assert {past.version for past in PASTS} | {day.SCHEMA} == set(range(1, SCHEMA_VERSION)) - {2}
    with zipfile.ZipFile(ARCHIVE) as archive:
        assert {name.partition("/")[0] for name in archive.namelist()} == {past.name for past in PASTS}


@pytest.mark.parametrize("past", PASTS, ids=lambda past: past.name)
def test_a_store_of_then_is_read_and_worked_on(
    past: Past, project: Path, studio: CommandLine, allow_review: None
) -> None:
    store = lay_out(past, project)
    workspace = Workspace.open(project)
    found = {plan.title: plan.state.value for plan in workspace.proposer.plans()}
    workspace.close()
    assert {title: found[title] for title in TITLES} == TITLES
    assert store.with_name(f"{store.name}.version-{past.version}").exists(), "a copy of what was there"

    plans = {plan["title"]: plan["plan"] for plan in studio("plans").json["plans"]}
    assert len(plans) == len(TITLES) + (past.version >= OF_SESSIONS)
    for title in ("First", "Waits", "Refused"):
        shown = studio("show", plans[title], "--diff")
        assert (shown.code, shown.err, shown.json["title"]) == (0, "", title)
    assert "not now" in studio("show", plans["No"], "--reply", json=False).text
    assert len(studio("journal").json["entries"]) >= 8
    for words in (("sessions",), ("calls",), ("observed", "list"), ("journal", "--verify")):
        said = studio(*words)
        assert (said.code, said.err) == (0, ""), (words, said)
    snapshots = studio("snapshot", "list").json["snapshots"]
    assert ["before" in str(each) for each in snapshots] == [True] * (past.version >= OF_SNAPSHOTS)

    assert studio("approve", plans["Waits"], "--apply").code == 0
    assert (project / "a.txt").read_bytes() == b"eins\nzwei\n" and not (project / "src/new.txt").exists()
    for title, left in (("Waits", b"eins\ntwo\n"), ("First", b"one\ntwo\n")):
        said = studio("rollback", plans[title])
        assert said.code == 0, said
        assert (project / "a.txt").read_bytes() == left
    assert not (project / "src").exists()
    assert studio("journal", "--verify").json["damaged_at"] is None
    history = studio("history").json["entries"]
    assert [entry["state"] for entry in history].count("rolled_back") == 3
