"""The step that takes another one back, and what it needs of the store (contract 6)."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import replace

from studio.engine.diff.step_hunks import with_diff, with_diff_of_inverse
from studio.engine.errors import Refused
from studio.engine.plan import FileImage, Operation, Step, StepState
from studio.engine.project.context import Context


def inverse_of(step: Step) -> Step:
    """Its base is what the step left, its result what the step found; not numbered, and without its hunks.

    It touches what the step wrote, and nothing else: of a copy the copy alone.
    """
    left = step.decided
    new = replace(new_step(Operation.MODIFY, step.path, left, step.base), undoes=step.id, unit=step.unit)
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
    """The inverse with its difference: the one that the step shows, unless something else was written."""
    if step.decided == step.result and step.op is not Operation.COPY:
        return with_diff_of_inverse(inverse, step)
    return measured(context, inverse, *(stored(context, hash_of(side)) for side in sides(inverse)))


def new_step(operation: Operation, path: str, base: FileImage | None, result: FileImage | None) -> Step:
    """A step of a rollback, approved by whoever rolls back; its place in the plan is not known yet."""
    return Step(0, str(uuid.uuid4()), operation, path, None, StepState.APPROVED, base, result)


def sides(step: Step) -> tuple[FileImage | None, FileImage | None]:
    """What must be there before, and what will be there after."""
    return step.base, step.result


def hash_of(image: FileImage | None) -> str | None:
    """The SHA-256 of a file's bytes; None for a folder, and for nothing."""
    return image.sha256 if image is not None else None


def needed(step: Step) -> frozenset[str]:
    """The SHA-256 of everything that taking the step back needs: the old bytes, and, so that this can be
    taken back in turn, those it left."""
    hashes = (hash_of(side) for side in sides(inverse_of(step)))
    return frozenset(sha256 for sha256 in hashes if sha256 is not None)


def measured(context: Context, step: Step, base: bytes | None, result: bytes | None) -> Step:
    """The step with the hunks and counts between these bytes, read by the project's encoding for its path."""
    return with_diff(step, base, result, context.config().encoding_for(step.path))


def stored(context: Context, sha256: str | None) -> bytes | None:
    """The stored bytes with that hash; None for none, and where they are gone or damaged."""
    if sha256 is None:
        return None
    try:
        return context.store.blobs.get(sha256)
    except Refused:
        return None


def is_folder_step(step: Step) -> bool:
    """Whether a step is about a folder and not about a file."""
    image = step.base if step.base is not None else step.result
    return image is not None and image.is_folder


def fingerprint(step: Step | None) -> str:
    """What a step of a rollback would do, as one word: another word is another deed. "" for none."""
    if step is None:
        return ""
    told = (
        step.op.value,
        step.path,
        step.to,
        *((side.sha256, side.mode) if side else None for side in sides(step)),
    )
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]
