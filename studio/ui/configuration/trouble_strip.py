"""What is wrong with a file of the configuration, above all settings, and where to mend it."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from studio.engine.names import CONFIGURATION_NAME, show_name
from studio.engine.reading_limits import CONFIGURATION_PROBLEMS_NAMED
from studio.ui.desk.editors import editor_command, start_editor
from studio.ui.look.words import say
from studio.ui.widgets import Strip, StripKind

if TYPE_CHECKING:
    from studio.engine.plan import Problem
    from studio.ui.configuration.model import ConfigurationModel


class TroubleStrip(Strip):
    """Goes once the file can be read again."""

    def __init__(self, model: ConfigurationModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._said: tuple[object, ...] = ()
        self.setObjectName("settings-trouble")
        self.hide()
        model.changed.connect(self._refresh)

    def _refresh(self) -> None:
        read = self._model.read
        is_users = read is not None and bool(read.user.problems)
        problems = () if read is None else read.user.problems if is_users else read.problems
        warnings = read.effective.without_effect if read is not None and read.effective is not None else ()
        shown = (is_users, problems, warnings)
        if shown == self._said:
            return
        self._said = shown
        if read is not None and problems:
            self._show_problems(problems, read.user.path if is_users else None)
        elif warnings:
            self.show_message(
                StripKind.WARNING, self.tr("Not all that is configured has an effect."), _lines(warnings)
            )
        else:
            self.hide()

    def _show_problems(self, problems: tuple[Problem, ...], own: Path | None) -> None:
        name = show_name(own.name) if own is not None else CONFIGURATION_NAME
        title = say(
            self.tr("{file} can't be used as it is. Nothing can be proposed or written until it is mended."),
            file=name,
        )
        said = [f"{problem.message} {problem.hint}".strip() for problem in problems]
        self.show_message(StripKind.DANGER, title, _lines(said))
        if own is None:
            return
        command = partial(editor_command, environment=os.environ, which=shutil.which)
        words = command(str(own), problems[0].line or 1)
        if words:
            mend = self.add_choice(self.tr("Open in your editor"), explanation=show_name(str(own)))
            mend.setObjectName("settings-mend")
            mend.clicked.connect(partial(start_editor, words, str(own.parent)))


def _lines(said: object) -> str:
    lines = [show_name(str(each)) for each in said] if isinstance(said, (tuple, list)) else []
    more = ["…"] if len(lines) > CONFIGURATION_PROBLEMS_NAMED else []
    return "\n".join([*lines[:CONFIGURATION_PROBLEMS_NAMED], *more])
