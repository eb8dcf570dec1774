"""The open changes are read once, whoever writes what between two questions."""

from __future__ import annotations

import random
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from studio.engine.observed_change import (
    GroupKind,
    ObservedChange,
    ObservedDecision,
    ObservedGroup,
    ObservedState,
)
from studio.engine.plan import Operation, PersonSource
from studio.engine.store import rows
from studio.engine.store.database import Database
from studio.engine.store.observed import ObservedRows
from studio.extras.observed.observer import OpenChanges
from studio.journal.file_image import FileImage

MOMENT = rows.now().replace(microsecond=0)


def change(number: int) -> ObservedChange:
    return ObservedChange(f"{number:036}", Operation.DELETE, f"{number}.txt", None, None, None, MOMENT)


def put(database: Database, *changes: ObservedChange) -> None:
    with database.write() as connection:
        ObservedRows(database).replace(connection, (), changes)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(tmp_path)) as opened:
        yield opened


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the changes that are read out of their rows."""
    ids: list[str] = []
    image_of = rows.image_of

    def noted(row: sqlite3.Row, name: str) -> FileImage | None:
        if name == "before":
            ids.append(row["id"])
        return image_of(row, name)

    monkeypatch.setattr(rows, "image_of", noted)
    return ids


def test_what_stays_is_not_read_again(database: Database, parsed: list[str]) -> None:
    """Neither where nothing was written, nor where what was written is no observed change."""
    known, stored = OpenChanges(), ObservedRows(database)
    put(database, *map(change, range(2000)))
    before = known.read(stored)
    assert len(before) == len(parsed) == 2000
    asked: list[str] = []
    parsed.clear()
    with database.write() as connection:
        connection.execute("INSERT INTO meta VALUES ('x', 'y')")
    database.connection.set_trace_callback(asked.append)
    assert known.read(stored) is before
    database.connection.set_trace_callback(None)
    assert len(asked) == 3 and not parsed, "a transaction, and one value in it"
    put(database, change(2000), replace(change(7), seen=MOMENT + timedelta(seconds=1)))
    after = known.read(stored)
    assert sorted(parsed) == [change(7).id, change(2000).id]
    assert [each for each, was in zip(after, before, strict=False) if each is not was] == [after[7]]


class Story:
    """What two processes write, and what a third one knows."""

    def __init__(self, one: Database, other: Database, chance: random.Random) -> None:
        self._databases, self._chance = (one, other), chance
        self._stored = ObservedRows(one)
        self._known = OpenChanges()
        self._moment = MOMENT

    def check(self) -> None:
        expected = tuple(each for each in self._stored.all() if each.state is ObservedState.OPEN)
        found = self._known.read(self._stored)
        assert found == expected
        assert self._known.read(self._stored) is found

    def write(self) -> None:
        chance, self._moment = self._chance, self._moment + timedelta(milliseconds=1)
        database, known = chance.choice(self._databases), self._known.read(self._stored)
        some = chance.sample(known, min(len(known), chance.randrange(4)))
        stored = ObservedRows(database)
        with database.write() as connection:
            if chance.random() < 0.3:
                decision = ObservedDecision("somebody", self._moment, PersonSource.WINDOW)
                stored.close(connection, some, ObservedState.KEPT, decision)
                return
            group = self._group(stored, connection, known)
            news = [change(chance.randrange(60)) for _ in range(chance.randrange(4))]
            changed = [replace(each, seen=self._moment, group=group) for each in (*some, *news)]
            gone = [each for each in known if chance.random() < 0.1]
            stored.replace(connection, gone, changed)

    def _group(
        self, stored: ObservedRows, connection: sqlite3.Connection, known: Sequence[ObservedChange]
    ) -> ObservedGroup | None:
        numbers = [each.group.number for each in known if each.group is not None]
        if self._chance.random() < 0.5:
            return None
        number = self._chance.choice([0, *numbers])
        named = ObservedGroup(number, f"{self._chance.random()}", GroupKind.BURST, self._moment, self._moment)
        return stored.store_group(connection, named)


@settings(max_examples=40)
@given(seed=st.integers())
def test_what_is_known_is_what_the_store_says(seed: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with closing(Database(folder)) as one, closing(Database(folder)) as other:
            story = Story(one, other, random.Random(seed))
            for _ in range(15):
                story.write()
                story.check()
