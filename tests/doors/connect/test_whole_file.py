"""An agent's file that is all ours: put where nothing is, known by what it holds, and taken out."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from studio.documents import WHOLE
from studio.doors.clients.client import Client, Entry
from studio.doors.clients.known import client_of
from studio.doors.connect import EntryState, carry_out, entry_states, plan_connection, plan_removal
from studio.errors import Refused
from studio.extras.home_files import stored_file_path

CONTENT = "export const Studio = 1\n"


@pytest.fixture
def place(private_folders: Path) -> Path:
    return private_folders / "home/.agent/plugins/studio.js"


def client_with(place: Path, content: str = CONTENT) -> Client:
    """An agent with this file as its only entry."""
    value = {"content": content, "executable": True}
    entries = (Entry(place, WHOLE, value, "It asks first."),)
    return Client("agent", "Agent", "agent", entries, b"#!/bin/sh\n", client_of("codex").habits)


def mode_of(place: Path) -> int:
    return stat.S_IMODE(place.stat().st_mode)


def test_it_is_put_where_nothing_is_and_taken_out_with_its_file(place: Path) -> None:
    client = client_with(place)
    assert entry_states(client) == (EntryState.MISSING,)
    connection = plan_connection(client)
    assert not connection.is_done and "+export const Studio" in connection.changes[0].diff
    assert carry_out(connection) == {}
    assert place.read_text() == CONTENT and mode_of(place) == 0o700
    assert entry_states(client) == (EntryState.THERE,)
    assert plan_connection(client).is_done
    carry_out(plan_removal(client))
    assert not place.exists() and place.parent.is_dir()
    assert plan_removal(client).is_done


def test_somebody_elses_file_is_neither_replaced_nor_taken_out(place: Path) -> None:
    place.parent.mkdir(parents=True)
    place.write_text("mine\n")
    with pytest.raises(Refused, match="another program"):
        plan_connection(client_with(place))
    assert not plan_removal(client_with(place)).changes
    assert place.read_text() == "mine\n"


def test_a_link_is_neither_written_through_nor_taken_for_ours(place: Path) -> None:
    """Also where it leads to what we would put there: agents pass it over."""
    client = client_with(place)
    carry_out(plan_connection(client))
    elsewhere = place.rename(place.with_name("elsewhere"))
    place.symlink_to(elsewhere)
    with pytest.raises(Refused, match="which may be ignored"):
        plan_connection(client)
    carry_out(plan_removal(client))
    assert place.is_symlink() and elsewhere.read_text() == CONTENT


def test_what_somebody_changed_is_noticed_kept_and_mended(place: Path) -> None:
    client = client_with(place)
    carry_out(plan_connection(client))
    place.write_text("mine\n")
    assert entry_states(client) == (EntryState.CHANGED,)
    (backup,) = carry_out(plan_connection(client)).values()
    assert Path(backup).read_text() == "mine\n" and place.read_text() == CONTENT
    place.write_text("mine again\n")
    (backup,) = carry_out(plan_removal(client)).values()
    assert Path(backup).read_text() == "mine again\n" and not place.exists()


def test_one_that_can_no_longer_be_run_is_noticed_and_mended(place: Path) -> None:
    client = client_with(place)
    carry_out(plan_connection(client))
    place.chmod(0o600)
    assert entry_states(client) == (EntryState.CHANGED,)
    carry_out(plan_connection(client))
    assert mode_of(place) == 0o700 and entry_states(client) == (EntryState.THERE,)


def test_one_of_another_version_is_renewed_and_known_without_its_record(place: Path) -> None:
    carry_out(plan_connection(client_with(place, "older\n")))
    newer = client_with(place)
    assert entry_states(newer) == (EntryState.THERE,), "as we left it"
    carry_out(plan_connection(newer))
    assert place.read_text() == CONTENT and mode_of(place) == 0o700
    stored_file_path("connections.json").unlink()
    assert entry_states(newer) == (EntryState.THERE,)
    carry_out(plan_removal(newer))
    assert not place.exists()
