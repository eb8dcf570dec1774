"""How many lines a decision writes, where a person left something out or edited it."""

from __future__ import annotations

from studio.engine.history.inverse import hash_of, measured, stored
from studio.engine.plan import Step
from studio.engine.project.context import Context


def decided_counts(context: Context, step: Step) -> tuple[int, int] | None:
    """Lines that come and go with what was decided; None where the bytes to be compared are gone."""
    if not step.is_decided_otherwise:
        return step.added, step.removed
    hashes = hash_of(step.base), step.decided_sha256
    base, decided = (stored(context, sha256) for sha256 in hashes)
    if any(sha256 is not None and data is None for sha256, data in zip(hashes, (base, decided), strict=True)):
        return None
    step = measured(context, step, base, decided)
    return step.added, step.removed
