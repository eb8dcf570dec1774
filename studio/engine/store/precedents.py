"""Counts of earlier decisions and approvals for each file extension."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from posixpath import splitext

from studio.engine.store import values
from studio.engine.store.database import Database, readable
from studio.limits import PRECEDENTS_UP_TO
from studio.values import Value

_DECIDED = """
SELECT COALESCE(steps.target, steps.path) AS path,
    verdict = 'approve' AND NOT edited AND choices NOT LIKE '%false%' AND choices NOT LIKE '%[%' AS is_whole
FROM decisions JOIN steps ON steps.plan_id = decisions.plan_id AND steps.number = decisions.number
WHERE taken_back IS NULL
ORDER BY decisions.sequence DESC LIMIT ?
"""


class Precedent(Value):
    """Numbers of decided steps, and of those approved as proposed."""

    decided: int
    approved: int


def precedents(database: Database) -> Mapping[str, Precedent]:
    """Count the newest decisions by file extension.

    The key is in lower case, with its dot. Raises Refused where a row is damaged.
    """
    with database.read() as connection:
        cursor = connection.cursor()
        cursor.row_factory = sqlite3.Row
        found = cursor.execute(_DECIDED, (PRECEDENTS_UP_TO,)).fetchall()
    decided, approved = Counter[str](), Counter[str]()
    with readable(database.file):
        for row in found:
            ending = splitext(values.path(row, "path"))[1].casefold()
            decided[ending] += 1
            approved[ending] += row["is_whole"]
    return {ending: Precedent(number, approved[ending]) for ending, number in decided.items()}
