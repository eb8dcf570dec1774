"""Permission bits that a disk has for what steps wrote, where it does not keep those that were asked for."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

_OF_REBASE = """
UPDATE rebases SET result = json_set(result, '$[2]', :mode) WHERE result IS NOT NULL AND sequence =
    (SELECT MAX(sequence) FROM rebases WHERE plan_id = :plan AND number = :number)
"""
_OF_STEP = """
UPDATE steps SET result = json_set(result, '$[2]', :mode)
WHERE result IS NOT NULL AND plan_id = :plan AND number = :number
"""


def record_modes(connection: sqlite3.Connection, plan_id: str, modes: Mapping[int, int]) -> None:
    """Record the permission bits, by step number, that the results of a plan's steps have on disk."""
    for number, mode in modes.items():
        of_step = {"plan": plan_id, "number": number, "mode": mode}
        if not connection.execute(_OF_REBASE, of_step).rowcount:
            connection.execute(_OF_STEP, of_step)
