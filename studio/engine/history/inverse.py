"""Inverse steps for rollback, and the contents they need."""

from __future__ import annotations

import hashlib
import uuid

from msgspec.structs import replace

from studio.engine.diff.step_hunks import with_diff, with_diff_of_inverse
from studio.engine.plan import Operation, Step, StepState
from studio.engine.project.context import Context
from studio.errors import Refused
from studio.journal.file_image import FileImage


def inverse_of(step: Step) -> Step:
    """Return the inverse of a step, without number and hunks.

    Its base is what the step left, its result what the step found. It touches only what the step wrote: of a
    copy the copy alone.
    """
    decided = step.decided
    new = replace(new_step(Operation.MODIFY, step.path, decided, step.base), undoes=step.id, unit=step.unit)
    if step.op is Operation.MOVE:
        return replace(new, op=Operation.MOVE, path=step.target, to=step.path)
    if step.op is Operation.COPY:
        return replace(new, op=Operation.DELETE, path=step.target, result=None)
    if step.op is Operation.MODE:
        return replace(new, op=Operation.MODE)
    if step.base is None:
        return replace(new, op=Operation.DELETE)
    if step.result is None:
        return replace(new, op=Operation.MKDIR if step.base.is_folder else Operation.CREATE)
    return new


def with_hunks_of(context: Context, inverse: Step, step: Step) -> Step:
    """Return the inverse with its hunks, reversed from the step if possible.

    They are computed where the decided result differs from the proposal.
    """
    if step.decided == step.result and step.op is not Operation.COPY:
        return with_diff_of_inverse(inverse, step)
    return measured(context, inverse, *(stored(context, hash_of(side)) for side in sides(inverse)))


def new_step(operation: Operation, path: str, base: FileImage | None, result: FileImage | None) -> Step:
    """Return an approved step of a rollback, not numbered yet."""
    return Step(0, str(uuid.uuid4()), operation, path, None, StepState.APPROVED, base, result)


def sides(step: Step) -> tuple[FileImage | None, FileImage | None]:
    """Return the states before and after a step."""
    return step.base, step.result


def hash_of(image: FileImage | None) -> str | None:
    """Return the SHA-256 of a file; None for folder or nothing."""
    return image.sha256 if image is not None else None


def needed(step: Step) -> frozenset[str]:
    """Return the SHA-256 of all contents needed to roll a step back.

    These are the old bytes, and those the step left, so that the rollback can be rolled back.
    """
    hashes = (hash_of(side) for side in sides(inverse_of(step)))
    return frozenset(sha256 for sha256 in hashes if sha256 is not None)


def measured(context: Context, step: Step, base: bytes | None, result: bytes | None) -> Step:
    """Return the step with hunks and counts between two contents.

    The project's encoding for its path is used.
    """
    return with_diff(step, base, result, context.config().encoding_for(step.path))


def stored(context: Context, sha256: str | None) -> bytes | None:
    """Return the stored bytes with a hash; None where gone or damaged."""
    if sha256 is None:
        return None
    try:
        return context.store.blobs.get(sha256)
    except Refused:
        return None


def is_folder_step(step: Step) -> bool:
    """Return whether a step is about a folder."""
    image = step.base if step.base is not None else step.result
    return image is not None and image.is_folder


def fingerprint(step: Step | None) -> str:
    """Return a hash of what a rollback step would do, or ""."""
    if step is None:
        return ""
    identity = (
        step.op.value,
        step.path,
        step.to,
        *((side.sha256, side.mode) if side else None for side in sides(step)),
    )
    return hashlib.sha256(repr(identity).encode()).hexdigest()[:16]
