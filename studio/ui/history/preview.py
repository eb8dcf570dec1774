"""What a rollback preview shows of its files: a table row for each, and the step that a diff can paint."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.engine.names import show_name
from studio.engine.plan import FileImage, Operation, Plan, Step, StepState
from studio.ui.history.table import Cell, Column, TableRow
from studio.ui.look.row_painter import SECOND
from studio.ui.look.words import split_path

if TYPE_CHECKING:
    from studio.engine.diff import FileDiff
    from studio.engine.history import RollbackFile, WayPreview

_PLAIN_MODE = 0o644


@dataclass(frozen=True, slots=True)
class FilePreview:
    """One file of a rollback, ready to be painted: what is on disk now, and what would be there after."""

    step: Step
    diff: FileDiff | None
    now: bytes | None
    after: bytes | None
    setting: str | None = None


def file_columns() -> tuple[Column, ...]:
    return (Column(_tr("File"), 0), Column(_tr("Lines"), 100), Column(_tr("What happens"), 560))


def file_row(
    file: RollbackFile, *, chosen: bool, way: WayPreview | None = None, refusal: str = ""
) -> TableRow:
    """A row of the preview's table; a file that changed since stays, unless a way is chosen for it.

    `refusal` says why the way that was asked for leads nowhere.
    """
    folder, name = split_path(show_name(file.path))
    icon, token = ("look-out", "warn") if file.drifted else ("file", "muted")
    said = show_name(refusal or (_way_sentence(way) if way is not None else file.sentence))
    words = way_words()
    choice = words[way.way.value if way is not None else "keep"] if file.drifted else ""
    counts = Cell(added=file.added, removed=file.removed) if not file.drifted else Cell()
    cells = (
        Cell(name, icon=icon, icon_token=token, second=folder.rstrip("/"), weight=500, is_path=True),
        counts,
        Cell(said, "warn" if file.drifted else "text", size=SECOND),
    )
    spoken = ", ".join(part for part in (show_name(file.path), said, choice) if part)
    return TableRow(str(file.step), cells, spoken, checked=chosen, checkable=not file.drifted, choice=choice)


def way_words() -> dict[str, str]:
    """What the choice for a drifted file says, by the value of its `WayOut`."""
    return {
        "keep": _tr("Keep as it is"),
        "restore": _tr("Restore the old bytes"),
        "save_beside": _tr("Save the old version beside"),
        "merge": _tr("Merge…"),
    }


def _way_sentence(way: WayPreview) -> str:
    words = {
        "restore": _tr("goes back, what was written since is replaced"),
        "save_beside": _tr("stays, the old version comes as {path}"),
        "merge": _tr("keeps what was written since, without this plan"),
    }[way.way.value]
    return words.replace("{path}", split_path(way.path)[1])


def preview_of(plan: Plan, file: RollbackFile) -> FilePreview:
    """The way back as a step, with its diff. Takes time for large files: not for the ui thread."""
    from studio.ui.desk.snapshot import diff_of

    diff = diff_of(file.now, file.after, file.setting)
    return FilePreview(_way_back(plan, file), diff, file.now, file.after, file.setting)


def preview_of_way(plan: Plan, file: RollbackFile, way: WayPreview) -> FilePreview:
    """The same for a file that changed since: what the chosen way does."""
    return preview_of(plan, replace(file, path=way.path, now=way.now, after=way.after))


def _way_back(plan: Plan, file: RollbackFile) -> Step:
    done = plan.step(file.step)
    base_mode = done.result.mode if done is not None and done.result is not None else _PLAIN_MODE
    result_mode = done.base.mode if done is not None and done.base is not None else _PLAIN_MODE
    path, to = file.path, None
    operation, base, result = _operation(file), _image(file.now, base_mode), _image(file.after, result_mode)
    if done is not None and _is_folder(done):
        # The way back of a folder is the other way round; it has no bytes to compare.
        operation = Operation.DELETE if done.base is None else Operation.MKDIR
        base, result = done.result, done.base
    if done is not None and done.op is Operation.MOVE:
        operation, path, to = Operation.MOVE, done.target, done.path
    return Step(
        number=file.step,
        id=f"{plan.id}/back/{file.step}",
        op=operation,
        path=path,
        to=to,
        state=StepState.PENDING,
        base=base,
        result=result,
        added=file.added,
        removed=file.removed,
    )


def _is_folder(step: Step) -> bool:
    return any(image is not None and image.is_folder for image in (step.base, step.result))


def _operation(file: RollbackFile) -> Operation:
    if file.now is None:
        return Operation.CREATE
    if file.after is None:
        return Operation.DELETE
    return Operation.MODE if file.now == file.after else Operation.MODIFY


def _image(data: bytes | None, mode: int) -> FileImage | None:
    return FileImage(hashlib.sha256(data).hexdigest(), len(data), mode) if data is not None else None


def _tr(text: str) -> str:
    return QCoreApplication.translate("Rollback", text)
