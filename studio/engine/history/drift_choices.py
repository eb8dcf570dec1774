"""Drift resolutions: rollback steps for files changed since the plan's apply."""

from __future__ import annotations

from collections.abc import Set
from enum import Enum

from msgspec.structs import replace

from studio.engine.diff.three_way_merge import merge
from studio.engine.disk import link_image
from studio.engine.history.inverse import hash_of, is_folder_step, measured, new_step, stored
from studio.engine.plan import Fact, Operation, Severity, Step
from studio.engine.project.context import Context
from studio.errors import Conflict, LeadsOutside, NotAFile, Refused
from studio.journal.file_image import FileImage, sha256
from studio.limits import ROLLED_BACK_NAMES_UP_TO, SEGMENT_BYTES
from studio.names import show_name
from studio.system.os_errors import failure
from studio.text import describe
from studio.text.encoding_check import check_own_form
from studio.values import Value

NOTHING = "Nothing was rolled back"
"""Beginning of every message that gives a reason."""

_PERMISSIONS = 0o7777


class DriftResolution(Enum):
    """Drift resolution for one changed file; none is a default."""

    KEEP = "keep"
    RESTORE = "restore"
    SAVE_BESIDE = "save_beside"
    MERGE = "merge"


class ResolutionStep(Value):
    """The rollback step for a changed file.

    `contents` are bytes that it needs and that may not be stored yet.
    """

    step: Step
    contents: tuple[bytes, ...] = ()


def resolution_step(
    context: Context, step: Step, resolution: DriftResolution, reserved: Set[str]
) -> ResolutionStep | None:
    """Return the rollback step that a drift resolution leads to.

    Its base is the current content, so that it can be rolled back, too. None where the file stays as it is.
    Nothing is written or stored. `reserved` are paths at which nothing new may be made. Raises Conflict where
    the resolution is impossible, FileError or Refused where the file can't be read.
    """
    if resolution is DriftResolution.KEEP:
        return None
    if is_folder_step(step):
        raise _impossible_error(step, "it is a folder")
    if resolution is DriftResolution.MERGE:
        return _merge_step(context, step)
    if resolution is DriftResolution.SAVE_BESIDE:
        return _save_beside_step(context, step, reserved)
    return _restore_step(context, step)


def _restore_step(context: Context, step: Step) -> ResolutionStep:
    """Return the step that replaces the current content by the old bytes."""
    old, data = None, None
    if step.op is not Operation.COPY and step.base is not None:
        old, data = step.base, _old_bytes(context, step)
    if step.op is Operation.MOVE and (current := _read_current(context, step, step.target)) is not None:
        return _move_back_step(context, step, current, old, data)
    path = step.target if step.op is Operation.COPY else step.path
    current = _read_current(context, step, path)
    if current is None and old is None:
        raise _impossible_error(step, "it is gone already, and was not there before the plan")
    if current is None:
        return _build_step(context, step, new_step(Operation.CREATE, path, None, old), None, data)
    operation = Operation.DELETE if old is None else Operation.MODIFY
    return _build_step(context, step, new_step(operation, path, current.image, old), current.data, data)


def _merge_step(context: Context, step: Step) -> ResolutionStep:
    """Return the step that removes only the plan's change, by three-way merge.

    The merge base is what the plan left.
    """
    if step.op is Operation.COPY or step.base is None:
        raise _impossible_error(step, "there was no file before the plan")
    if step.decided is None:
        raise _impossible_error(step, "the plan deleted it, so nothing is left to merge")
    if step.base.is_link or step.decided.is_link:
        raise _impossible_error(step, "a link has no lines to merge")
    decided, old = stored(context, step.decided.sha256), _old_bytes(context, step)
    if decided is None:
        raise _impossible_error(step, "the content written by the plan is no longer stored")
    current = _read_current(context, step, step.target)
    if current is None:
        raise _impossible_error(step, "it is gone")
    setting = context.config().encoding_for(step.path)
    try:
        merger = merge(decided, current.data, old, setting)
        if merger.result is not None and merger.result not in (current.data, old):
            check_own_form(merger.result, describe(current.data, setting), step.path, setting)
    except Refused as error:
        raise _impossible_error(
            step, f"{error.message[:1].lower()}{error.message[1:].rstrip('.')}"
        ) from error
    if merger.result is None:
        count = len(merger.conflicts)
        noun = "place" if count == 1 else "places"
        raise _impossible_error(step, f"the changes after the plan touch what it changed, in {count} {noun}")
    changed = (step.base.mode ^ step.decided.mode) & _PERMISSIONS
    mode = current.image.mode & ~changed | step.base.mode & changed
    result = FileImage(sha256(merger.result), len(merger.result), mode)
    if step.op is Operation.MOVE:
        return _move_back_step(context, step, current, result, merger.result)
    new = new_step(Operation.MODIFY, step.path, current.image, result)
    return _build_step(context, step, new, current.data, merger.result)


def _move_back_step(
    context: Context, step: Step, current: _CurrentFile, result: FileImage | None, data: bytes | None
) -> ResolutionStep:
    if _exists(context, step, step.path):
        raise _impossible_error(step, f"another file is at {show_name(step.path)}")
    new = replace(new_step(Operation.MOVE, step.target, current.image, result), to=step.path)
    return _build_step(context, step, new, current.data, data)


def _build_step(
    context: Context, step: Step, new: Step, now: bytes | None, after: bytes | None
) -> ResolutionStep:
    contents = tuple(data for data in (now, after) if data is not None)
    return ResolutionStep(measured(context, replace(new, undoes=step.id), now, after), contents)


def _save_beside_step(context: Context, step: Step, reserved: Set[str]) -> ResolutionStep:
    """Return the step that saves the old bytes beside the file.

    The original step stays applied.
    """
    if step.base is None or step.op is Operation.COPY:
        raise _impossible_error(step, "there was no file before the plan")
    data = _old_bytes(context, step)
    for count in range(1, ROLLED_BACK_NAMES_UP_TO):
        path = _name_beside(step.path, "before" if count == 1 else f"before-{count}")
        if path not in reserved and not _exists(context, step, path):
            message = f"This is {show_name(step.path)} as it was before the plan that was rolled back."
            new = new_step(Operation.CREATE, path, None, step.base)
            new = replace(new, facts=(Fact("saved_beside", Severity.NOTE, message),))
            return ResolutionStep(measured(context, new, None, data), (data,))
    raise _impossible_error(step, "no free name was found beside it")


def _name_beside(path: str, mark: str) -> str:
    """Insert a mark before the extension, shortening an overlong stem."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    if not stem:
        stem, dot, ending = name, "", ""
    tail = f".{mark}{dot}{ending}"
    while stem and len(f"{stem}{tail}".encode(errors="surrogateescape")) > SEGMENT_BYTES:
        stem = stem[:-1]
    return f"{folder}{slash}{stem}{tail}"


def _old_bytes(context: Context, step: Step) -> bytes:
    data = stored(context, hash_of(step.base))
    if data is None:
        raise _impossible_error(step, "its old bytes are no longer stored")
    return data


class _CurrentFile(Value):
    """The current content of a file, with its image."""

    image: FileImage
    data: bytes


def _read_current(context: Context, step: Step, path: str) -> _CurrentFile | None:
    """Return the current content; None where nothing exists.

    Raises Conflict for what is no file, Refused for what is too large to keep.
    """
    if not _exists(context, step, path):
        return None
    lead = f"{NOTHING}: {show_name(path)} can't be read"
    image = _read_current_link(context, step, path)
    if image is not None:
        return image
    try:
        data, state = context.root.read(path, context.config().limits.file_bytes)
    except (LeadsOutside, NotAFile) as error:
        raise _impossible_error(step, "something other than a file is in its place") from error
    except Refused as error:
        raise Refused(error.code, f"{lead}: {error.message}", error.hint, path=path) from error
    except OSError as error:
        raise failure(error, lead, path=path) from error
    return _CurrentFile(FileImage(sha256(data), len(data), state.mode), data)


def _read_current_link(context: Context, step: Step, path: str) -> _CurrentFile | None:
    """Return the current link, where the plan made or removed a link.

    Then another link is expected.
    """
    if not any(side is not None and side.is_link for side in (step.base, step.decided)):
        return None
    target = context.root.link_target(path)
    return None if target is None else _CurrentFile(link_image(target), target)


def _exists(context: Context, step: Step, path: str) -> bool:
    try:
        return context.root.state(path) is not None
    except LeadsOutside as error:
        raise _impossible_error(step, f"a parent folder of {show_name(path)} is a link") from error
    except OSError as error:
        lead = f"{NOTHING}: {show_name(path)} can't be accessed"
        raise failure(error, lead, path=path) from error


def _impossible_error(step: Step, cause: str) -> Conflict:
    return Conflict(
        "rollback.no_way",
        f"This resolution is not possible for {show_name(step.target)}: {cause}.",
        "Choose another resolution for this file, or keep it.",
        path=step.target,
    )
