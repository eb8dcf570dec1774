"""Why nothing can be read now, or shown in another program (R181)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from studio.engine.plan import FileImage
from studio.ui.actions.action import Action
from studio.ui.desk.obstacles import covered, no_step
from studio.ui.desk.state import DeskState
from studio.ui.language import translator

_tr = translator("Reasons")


def _read_earlier(state: DeskState) -> str:
    return "" if state.can_read_back else _tr("Nothing was read before.")


def _read_later(state: DeskState) -> str:
    return "" if state.can_read_ahead else _tr("Nothing was left by going back.")


def _read_base(state: DeskState) -> str:
    base = None if state.step is None else state.step.base
    return no_step(state) or _no_bytes(base, _tr("There was no file before this step."))


def _read_result(state: DeskState) -> str:
    result = None if state.step is None else state.step.result
    return no_step(state) or _no_bytes(result, _tr("This step leaves no file."))


def _no_bytes(side: FileImage | None, sentence: str) -> str:
    return "" if side is not None and side.sha256 is not None else sentence


def _file_on_show(state: DeskState) -> str:
    return "" if state.has_file else _tr("Select a step, or read a file first.")


def _other_end(state: DeskState) -> str:
    if over := no_step(state) or covered(state):
        return over
    if state.is_comparing:
        return _tr("Close the comparison with the earlier round first.")
    if state.is_editing:
        return _tr("Finish or close the editor first.")
    return "" if state.moves_code else _tr("No code in this file is known to have moved.")


READING_CHECKS: Final[Mapping[Action, Callable[[DeskState], str]]] = {
    Action.READ_FILE: no_step,
    Action.READ_BASE: _read_base,
    Action.READ_RESULT: _read_result,
    Action.OPEN_IN_EDITOR: _file_on_show,
    Action.SHOW_IN_FOLDER: _file_on_show,
    Action.OTHER_END: _other_end,
    Action.READ_EARLIER: _read_earlier,
    Action.READ_LATER: _read_later,
}
