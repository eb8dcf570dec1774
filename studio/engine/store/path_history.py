"""Applied steps of one path, newest first, as used for blame."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import datetime

from studio.engine.plan import HunkRange, Operation, PersonSource, StepState
from studio.engine.store import rows, values
from studio.engine.store.database import Database, readable
from studio.journal.file_image import FileImage
from studio.values import Value

_WRITTEN = """
SELECT steps.id, steps.plan_id, steps.number, steps.state, op, path, target, undoes,
    plans.title, plans.agent, parts.applied,
    rolls_back IS NULL AND restores IS NULL AND reviews IS NULL AS is_proposal,
    COALESCE(rebased.base, steps.base) AS base, COALESCE(rebased.result, steps.result) AS result,
    COALESCE(rebased.hunks, steps.hunks) AS hunks,
    decisions.who, decisions.seen, decisions.edited, decisions.decided_sha256,
    parts.position
FROM steps JOIN plans ON plans.id = steps.plan_id
JOIN parts ON parts.plan_id = steps.plan_id AND parts.number = steps.part
LEFT JOIN decisions ON decisions.plan_id = steps.plan_id AND decisions.number = steps.number
    AND taken_back IS NULL
LEFT JOIN rebases AS rebased ON rebased.sequence = (SELECT MAX(sequence) FROM rebases
    WHERE rebases.plan_id = steps.plan_id AND rebases.number = steps.number)
WHERE steps.state IN ('applied', 'rolled_back') AND (target = :path OR path = :path AND op <> 'copy')
ORDER BY parts.position DESC
"""


class WrittenStep(Value):
    """A step that was applied, with the person who decided it.

    `proposed` and `decided_sha256` are the agent's proposal and what was written; they differ where hunks
    were excluded, or a person edited the result (`is_edited`). `agent` is "" for a rollback or restore.
    `position` grows with each apply.
    """

    id: str
    plan_id: str
    number: int
    op: Operation
    path: str
    target: str
    undoes: str | None
    title: str
    agent: str
    applied: datetime
    base: FileImage | None
    proposed: FileImage | None
    decided_sha256: str | None
    is_edited: bool
    who: str
    seen: PersonSource | None
    position: int
    is_undone: bool
    hunks: tuple[HunkRange, ...]
    """Hunks between base and proposal."""

    @property
    def base_sha256(self) -> str | None:
        """Hash of the base.

        For a move or a copy this is the file at `path`.
        """
        return self.base.sha256 if self.base is not None else None


def written_at(database: Database, path: str) -> Iterator[WrittenStep]:
    """Yield the steps that wrote or removed a path, newest first.

    Steps rolled back since are included. Raises Refused for a damaged one.
    """
    with database.read() as connection:
        cursor = connection.cursor()
        cursor.row_factory = sqlite3.Row
        found = cursor.execute(_WRITTEN, {"path": rows.path_bytes(path)}).fetchall()
    for row in found:
        with readable(database.file):
            yield _build_step(row)


def _build_step(row: sqlite3.Row) -> WrittenStep:
    """Build a step from its row.

    Raises ValueError.
    """
    path, proposed = values.path(row, "path"), rows.image_of(row, "result")
    decided = values.optional(values.content_hash, row, "decided_sha256")
    return WrittenStep(
        id=values.text(row, "id"),
        plan_id=values.text(row, "plan_id"),
        number=values.count(row, "number"),
        op=values.enum_value(Operation, row, "op"),
        path=path,
        target=values.optional(values.path, row, "target") or path,
        undoes=values.optional(values.text, row, "undoes"),
        title=values.text(row, "title"),
        agent=values.text(row, "agent") if row["is_proposal"] else "",
        applied=values.moment(row, "applied"),
        base=rows.image_of(row, "base"),
        proposed=proposed,
        decided_sha256=None if proposed is None else decided or proposed.sha256,
        is_edited=bool(row["edited"]),
        who=values.optional(values.text, row, "who") or "",
        seen=values.enum_value(PersonSource, row, "seen") if row["seen"] is not None else None,
        position=values.optional(values.count, row, "position") or 0,
        is_undone=row["state"] == StepState.ROLLED_BACK.value,
        hunks=rows.hunks_of(values.text(row, "hunks")),
    )
