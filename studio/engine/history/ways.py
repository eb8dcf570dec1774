"""The ways out where a file changed after the plan that is to be taken back (contract 6, Q59)."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from enum import Enum

from studio.engine.context import Context
from studio.engine.diff.merge import merge
from studio.engine.disk import image_at
from studio.engine.errors import Conflict, Refused
from studio.engine.history.preview import measured, stored
from studio.engine.names import show_name
from studio.engine.own_form import check_own_form
from studio.engine.plan import FileImage, Operation, Step, StepState, sha256
from studio.engine.text import describe

_NAMES_TRIED = 1000


class WayOut(Enum):
    """What becomes of one file that changed; nothing is ever chosen by itself."""

    KEEP = "keep"
    RESTORE = "restore"
    SAVE_BESIDE = "save_beside"
    MERGE = "merge"


def step_for(context: Context, number: int, step: Step, way: WayOut) -> Step | None:
    """The step of a rollback for a drifted one; None where the file stays as it is.

    Today's bytes are its base and are stored, so that it can itself be taken back. Raises Conflict where
    the way does not lead anywhere.
    """
    if way is WayOut.KEEP:
        return None
    _check_old(context, step)
    if way is WayOut.MERGE:
        return _merged(context, number, step)
    if way is WayOut.SAVE_BESIDE:
        return _saved_beside(context, number, step)
    return _restored(context, number, step)


@dataclass(frozen=True, slots=True)
class WayPreview:
    """What one way out would do: the bytes at `path` now and after it, None where no file is."""

    way: WayOut
    path: str
    now: bytes | None
    after: bytes | None


def look_at(context: Context, step: Step, way: WayOut) -> WayPreview | None:
    """What a way out would do with a drifted step; no project file changes. None where the file stays.

    Raises Conflict where the way does not lead anywhere.
    """
    new = step_for(context, 1, step, way)
    if new is None:
        return None
    now, after = (
        stored(context, image.sha256 if image is not None else None) for image in (new.base, new.result)
    )
    return WayPreview(way, new.target, now, after)


def _check_old(context: Context, step: Step) -> None:
    if step.base is not None and step.base.is_folder:
        raise _no_way(step, "it is a folder")
    if step.base is not None and stored(context, step.base.sha256) is None:
        raise _no_way(step, "its old bytes are no longer stored")


def _restored(context: Context, number: int, step: Step) -> Step:
    """The old bytes in the place of today's, whatever those are."""
    path = step.target if step.op is Operation.COPY else step.path
    if step.op is Operation.MOVE and image_at(context.root, step.target) is not None:
        return _moved_back(context, number, step)
    before, data = _today(context, step, path)
    old = None if step.op is Operation.COPY else step.base
    if before is None and old is None:
        raise _no_way(step, "it is gone already, and was not there before the plan")
    operation = Operation.MODIFY
    if before is None:
        operation = Operation.CREATE
    elif old is None:
        operation = Operation.DELETE
    new = _new_step(number, operation, path, before, old)
    result = stored(context, old.sha256) if old is not None else None
    return measured(context, replace(new, undoes=step.id), data, result)


def _merged(context: Context, number: int, step: Step) -> Step:
    """Today's bytes without the plan's change: the three-way inverse (base: what the plan left)."""
    left = stored(context, step.decided.sha256) if step.decided is not None else None
    old = stored(context, step.base.sha256) if step.base is not None else None
    before, data = _today(context, step, step.path)
    if step.op is Operation.MOVE or left is None or old is None or before is None or data is None:
        raise _no_way(step, "there are no three texts to merge")
    setting = context.config().encoding_for(step.path)
    try:
        merged = merge(left, data, old, setting)
    except Refused as error:
        raise _no_way(step, f"{error.message[:1].lower()}{error.message[1:].rstrip('.')}") from error
    if merged.result is None:
        count = len(merged.conflicts)
        places = "place" if count == 1 else "places"
        raise _no_way(step, f"the changes after the plan touch what it changed, in {count} {places}")
    if merged.result not in (data, old):
        check_own_form(merged.result, describe(data, setting), step.path, setting)
    context.store.blobs.add([merged.result])
    result = FileImage(sha256(merged.result), len(merged.result), before.mode)
    new = _new_step(number, Operation.MODIFY, step.path, before, result)
    return measured(context, replace(new, undoes=step.id), data, merged.result)


def _moved_back(context: Context, number: int, step: Step) -> Step:
    if image_at(context.root, step.path) is not None:
        raise _no_way(step, f"something new is at {show_name(step.path)}")
    before, data = _today(context, step, step.target)
    new = _new_step(number, Operation.MOVE, step.target, before, step.base)
    result = stored(context, step.base.sha256) if step.base is not None else None
    return measured(context, replace(new, to=step.path, undoes=step.id), data, result)


def _saved_beside(context: Context, number: int, step: Step) -> Step:
    """The old bytes as a new file beside the one that changed; the step itself stays applied."""
    if step.base is None or step.op is Operation.COPY:
        raise _no_way(step, "there was no file before the plan")
    folder, slash, name = step.path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    if not stem:
        stem, dot, ending = name, "", ""
    for count in range(1, _NAMES_TRIED):
        mark = "before" if count == 1 else f"before-{count}"
        path = f"{folder}{slash}{stem}.{mark}{dot}{ending}"
        if image_at(context.root, path) is None:
            new = _new_step(number, Operation.CREATE, path, None, step.base)
            return measured(context, new, None, stored(context, step.base.sha256))
    raise _no_way(step, "no free name was found beside it")


def _today(context: Context, step: Step, path: str) -> tuple[FileImage | None, bytes | None]:
    """What is at a path now, with its bytes stored."""
    image = image_at(context.root, path)
    if image is None:
        return None, None
    if not image.sha256:
        raise _no_way(step, "something that is no file stands in its place")
    data = context.root.read_bytes(path, context.config().limits.file_bytes)
    context.store.blobs.add([data])
    return image, data


def _new_step(
    number: int, operation: Operation, path: str, base: FileImage | None, result: FileImage | None
) -> Step:
    return Step(number, str(uuid.uuid4()), operation, path, None, StepState.APPROVED, base, result)


def _no_way(step: Step, why: str) -> Conflict:
    return Conflict(
        "rollback.no_way",
        f"Nothing was rolled back: {show_name(step.target)} can't go that way, because {why}.",
        "Choose another way for this file, or leave it as it is.",
        path=step.target,
    )
