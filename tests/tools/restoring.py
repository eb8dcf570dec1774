"""A plan of the app's own that makes a project a given tree: with links, and with every permission bit.

No proposal can say this. It is decided as a rollback is, and carried out by the one gateway.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from msgspec.structs import replace

from studio.engine import disk
from studio.engine.plan import Decision, Operation, Plan, PlanState, Step, StepState, Verdict
from studio.engine.propose.new_plan import submission_hash
from studio.engine.store.rows import now
from studio.journal.file_image import FileImage, sha256
from studio.workspace import Workspace
from tests.faults.bench import PERSON, Tree, tree
from tests.tools.inside import context_of


def plan_to(workspace: Workspace, wanted: Tree) -> str:
    """The id of an approved plan that makes the project this tree."""
    context = context_of(workspace)
    there = tree(workspace.root_path)
    context.store.blobs.add(data for side in (there, wanted) for _, _, data in side.values())
    plan_id = str(uuid.uuid4())
    fingerprint = context.policy().fingerprint
    steps = tuple(
        _step(number, operation, path, ends, (context.root.lasting_identity, fingerprint))
        for number, (operation, path, ends) in enumerate(_changes(there, wanted), start=1)
    )
    plan = Plan(plan_id, 1, "Restore", "tester", PlanState.APPROVED, now(), steps, format="restore")
    with context.store.database.write() as connection:
        context.store.plans.add_decided_plan(connection, plan, submission_hash(steps))
    return plan_id


_Ends = tuple[FileImage | None, FileImage | None]


def _changes(there: Tree, wanted: Tree) -> Iterator[tuple[Operation, str, _Ends]]:
    for path in sorted({*there, *wanted}):
        base, result = _image(there, path), _image(wanted, path)
        if base == result:
            continue
        if base is None:
            assert result is not None
            yield Operation.MKDIR if result.is_folder else Operation.CREATE, path, (base, result)
        elif result is None:
            yield Operation.DELETE, path, (base, result)
        else:
            is_mode = (base.sha256, base.is_link) == (result.sha256, result.is_link)
            yield Operation.MODE if is_mode else Operation.MODIFY, path, (base, result)


def _image(side: Tree, path: str) -> FileImage | None:
    if path not in side:
        return None
    kind, mode, data = side[path]
    if kind == "link":
        return disk.link_image(data)
    return FileImage(None, 0, mode) if kind == "folder" else FileImage(sha256(data), len(data), mode)


def _step(number: int, operation: Operation, path: str, ends: _Ends, decided_on: tuple[str, str]) -> Step:
    base, result = ends
    decision = Decision(
        Verdict.APPROVE,
        PERSON.name,
        now(),
        "",
        base.sha256 if base is not None else None,
        result.sha256 if result is not None else None,
        {},
        False,
        *decided_on,
        seen=PERSON.source,
    )
    step = Step(number, str(uuid.uuid4()), operation, path, None, StepState.APPROVED, base, result)
    return replace(step, decision=decision)
