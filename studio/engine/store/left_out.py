"""What of a folder, or of a command's changes, was not proposed with a plan."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from studio.engine.draft import LeftOutPath
from studio.engine.store.database import Database, readable


class LeftOutPaths:
    """The paths of one project's plans. Methods that write take the transaction's connection."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def set(self, connection: sqlite3.Connection, plan_id: str, paths: Sequence[LeftOutPath]) -> None:
        """Those of a plan, in the place of any before."""
        said = json.dumps([(each.path, each.why) for each in paths])
        connection.execute("INSERT OR REPLACE INTO left_out VALUES (?, ?)", (plan_id, said))

    def of(self, plan_id: str) -> tuple[LeftOutPath, ...]:
        """Those of one plan. Raises Refused for damaged ones."""
        with self._database.read() as connection:
            row = connection.execute("SELECT said FROM left_out WHERE plan_id = ?", (plan_id,)).fetchone()
        with readable(self._database.file):
            return () if row is None else tuple(LeftOutPath(path, why) for path, why in json.loads(row[0]))
