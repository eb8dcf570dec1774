"""What an interrupted apply left behind, path by path, for a person who has to say what comes next."""

from __future__ import annotations

from dataclasses import dataclass

from studio.engine.branch.posix import placements_of
from studio.engine.disk import Place, place_of
from studio.engine.errors import Refused
from studio.engine.plan import FileImage
from studio.engine.project.context import Context


@dataclass(frozen=True, slots=True)
class InterruptedFile:
    """One path of an unfinished apply: what it held before, what the plan puts there, what is there now.

    `place` None: the disk does not let it be looked at.
    """

    plan_id: str
    title: str
    path: str
    before: FileImage | None
    after: FileImage | None
    place: Place | None


def interrupted_files(context: Context) -> tuple[InterruptedFile, ...]:
    """Every path of every apply that did not come to its end, in the order it was to be written."""
    found: list[InterruptedFile] = []
    for plan in context.store.plans.unfinished():
        requests = [request for _, request in context.store.journal.unanswered(plan.id)]
        for placement in placements_of(requests):
            if placement.if_empty or placement.made_here:
                continue
            try:
                place = place_of(context.root, placement)
            except (OSError, Refused):
                place = None
            found.append(
                InterruptedFile(plan.id, plan.title, placement.path, placement.before, placement.after, place)
            )
    return tuple(found)
