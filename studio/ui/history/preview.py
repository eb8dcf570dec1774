"""Table rows and paintable steps of a rollback preview."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from studio.engine.names import show_name
from studio.engine.plan import Plan, Step, StepState
from studio.ui.history.table import Cell, Column, TableRow
from studio.ui.language import translator
from studio.ui.look.states import NO_LINES
from studio.ui.look.words import say, split_path
from studio.ui.widgets.row_painter import SECOND

if TYPE_CHECKING:
    from studio.engine.diff import FileDiff
    from studio.engine.history import RollbackFile

_tr = translator("Rollback")


@dataclass(frozen=True, slots=True)
class FilePreview:
    """One file of a rollback: content on disk, content after it, diff."""

    step: Step
    diff: FileDiff | None
    now: bytes | None
    after: bytes | None
    setting: str | None = None


def file_columns() -> tuple[Column, ...]:
    return (Column(_tr("File"), 0), Column(_tr("Lines"), 100), Column(_tr("What happens"), 560))


def file_row(
    file: RollbackFile, *, chosen: bool, resolution: RollbackFile | None = None, refusal: str = ""
) -> TableRow:
    """Return a row of the preview's table.

    A file that drifted stays unless a drift resolution is chosen; `resolution` is the file with that
    resolution. `refusal` is why the requested resolution is impossible.
    """
    folder, name = split_path(show_name(file.path))
    is_unusual = file.drifted or file.problem is not None
    icon, token = ("look-out", "warn") if is_unusual else ("file", "muted")
    sentence = show_name(
        refusal or (_resolution_sentence(resolution) if resolution is not None else file.sentence)
    )
    chosen_way = resolution.way.value if resolution is not None and resolution.way is not None else "keep"
    choice = resolution_words()[chosen_way] if file.drifted else ""
    is_included = file.does is not None
    counts = Cell(added=file.added, removed=file.removed)
    if not is_included or not (file.added or file.removed):
        counts = Cell(NO_LINES, "muted", size=SECOND)
    cells = (
        Cell(name, icon=icon, icon_token=token, second=folder.rstrip("/"), weight=500, is_path=True),
        counts,
        Cell(sentence, "warn" if is_unusual else "text", size=SECOND),
    )
    accessible = ", ".join(part for part in (show_name(file.path), sentence, choice) if part)
    return TableRow(str(file.step), cells, accessible, checked=chosen, checkable=is_included, choice=choice)


def resolution_words() -> dict[str, str]:
    """Return the label of each drift resolution, by `DriftResolution` value."""
    return {
        "keep": _tr("Keep as it is"),
        "restore": _tr("Restore the old bytes"),
        "save_beside": _tr("Save the old version beside"),
        "merge": _tr("Merge…"),
    }


def _resolution_sentence(file: RollbackFile) -> str:
    """Return a short sentence on a drift resolution, for a row."""
    words = {
        "recreate": _tr("comes back with its old bytes"),
        "delete": _tr("is deleted with what was written since"),
        "save_beside": _tr("stays, the old version comes as {path}"),
        "merge": _tr("keeps what was written since, without this plan"),
    }
    usual = _tr("goes back, what was written since is replaced")
    return say(words.get(file.effect.value, usual), path=split_path(file.saved_as or "")[1])


def preview_of(plan: Plan, file: RollbackFile) -> FilePreview | None:
    """Return a file's rollback as a step with its diff.

    Returns None where the file stays. Slow for large files: not for the UI thread.
    """
    from studio.ui.desk.queue_state import diff_of

    if file.does is None:
        return None
    # A stable id, so that showing the preview again counts as the same step.
    step = replace(
        file.does, number=file.step, id=f"{plan.id}/back/{file.step}", state=StepState.PENDING, facts=()
    )
    return FilePreview(step, diff_of(file.now, file.after, file.setting), file.now, file.after, file.setting)
