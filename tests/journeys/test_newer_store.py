"""A store that a newer program wrote: the window shows it, says so, and writes nothing into it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from studio.program.app_folders import state_directory
from tests.journeys.desktop import Desktop
from tests.journeys.harbour import Harbour

SENTENCE = "written by a newer Exacta Studio"


def test_a_newer_store_is_shown_and_never_written(harbour: Harbour, desktop: Desktop) -> None:
    harbour.propose_three()
    (store,) = state_directory().rglob("store.sqlite3")
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA user_version = 999")
    before = store.read_bytes()

    person = desktop.open(harbour.root)
    person.wait_until_said(SENTENCE)
    person.wait_for_step(1)
    assert person.queue_titles() == ["Three files"]
    person.press("J")
    person.wait_for_step(2)
    person.press("A")
    person.wait_until_said(SENTENCE)
    person.click("step-approve_step")
    person.wait_until_said(SENTENCE)
    assert harbour.untouched() and store.read_bytes() == before
