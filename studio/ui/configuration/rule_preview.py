"""Live preview of project files matched by a path rule being typed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.names import show_name
from studio.ui.history.table import Cell, Column, TableRow, TableView
from studio.ui.language import translator
from studio.ui.look import words
from studio.ui.look.theme import px
from studio.ui.look.words import counted, say
from studio.ui.widgets import Label, column_of
from studio.ui.widgets.row_painter import SECOND

if TYPE_CHECKING:
    from studio.errors import StudioError
    from studio.extras.rule_trial import RuleTrial, TouchedFile
    from studio.ui.configuration.model import ConfigurationModel

_tr = translator("RulePreview")

_ROWS = 8
_STATE_WIDTH = 190


class RulePreview(QWidget):
    """Summary and first files of a rule's effect; hidden without text."""

    listed = Signal(QWidget)
    """Carries the list of files once it is created."""

    def __init__(self, model: ConfigurationModel, key: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._model, self._key, self._requested = model, key, ""
        self._running: str | None = None
        """The text being tried. Of the texts typed meanwhile only the last is tried next."""
        self.setObjectName("rule-sheet")
        self.sentence = Label("", self, size=12.5, wrap=True, name="rule-sentence")
        self._list: TableView | None = None
        self._column = column_of(self.sentence, parent=self, margins=(0, px(4), 0, px(4)), spacing=px(4))
        model.changed.connect(self._ask_again)
        self.hide()

    @property
    def is_trying(self) -> bool:
        """Whether a result is pending."""
        return self._running is not None

    @property
    def list(self) -> TableView:
        """The list of files, created on demand.

        Creating all seven lists at once delayed the opening of the page.
        """
        if self._list is None:
            view = self._list = TableView(_columns(), self)
            view.setObjectName("rule-files")
            view.setAccessibleName(self.tr("Files that match the rule"))
            self._column.addWidget(view)
            self.listed.emit(view)
        return self._list

    def ask(self, text: str) -> None:
        """Show what this rule would touch; hide for ""."""
        self._requested = text
        if not text:
            self.hide()
        elif not self._model.has_project:
            self._show_result(self.tr("Open a project to see which files match."), ())
        else:
            self._try()

    def _ask_again(self) -> None:
        """Try the rule again after the configuration changed.

        The running try used the rules before.
        """
        self._running = None
        self.ask(self._requested)

    def _try(self) -> None:
        if self._running is None and self._requested:
            text = self._running = self._requested
            self._model.try_rule(
                self._key, text, partial(self._show_trial, text), partial(self._show_failure, text)
            )

    def _show_trial(self, text: str, found: RuleTrial) -> None:
        self._running = None
        if text == self._requested:
            self._show_result(_sentence(found), found.files)
        else:
            self._try()

    def _show_failure(self, text: str, _error: StudioError) -> None:
        self._running = None
        if text == self._requested:
            # The preview of the change says why it is no valid rule.
            self.hide()
        else:
            self._try()

    def _show_result(self, sentence: str, files: tuple[TouchedFile, ...]) -> None:
        self.sentence.setText(sentence)
        if files or self._list is not None:
            self.list.rows.set_rows(tuple(map(_row, files)))
            self.list.setVisible(bool(files))
            self.list.fit_rows(_ROWS)
        self.show()


def _sentence(found: RuleTrial) -> str:
    if not found.matched and not found.closed and not found.opened:
        return say(_tr("This rule matches no files ({files} checked)."), files=words.files(found.total))
    sentences = [
        say(
            _tr("This rule matches {matched} of {total}."),
            matched=found.matched,
            total=words.files(found.total),
        )
    ]
    if found.closed:
        one = _tr("{n} file that is allowed now will be denied.")
        sentences.append(counted(found.closed, one, _tr("{n} files that are allowed now will be denied.")))
    if found.opened:
        one = _tr("{n} file that is denied now will be allowed.")
        sentences.append(counted(found.opened, one, _tr("{n} files that are denied now will be allowed.")))
    if not found.closed and not found.opened:
        sentences.append(_tr("This rule doesn't change which files are allowed."))
    listed = len(found.files)
    if listed < max(found.matched, found.closed + found.opened):
        sentences.append(say(_tr("Only the first {n} are listed."), n=listed))
    return " ".join(sentences)


def _columns() -> tuple[Column, ...]:
    headings = _tr("Now"), _tr("With this rule")
    return Column(_tr("File"), 0), *(Column(heading, _STATE_WIDTH) for heading in headings)


def _row(file: TouchedFile) -> TableRow:
    path, (was, _, _) = show_name(file.path), _state(file.was_allowed)
    now, icon, token = _state(file.is_allowed)
    if file.was_allowed == file.is_allowed:
        icon, token = "", "muted"
    cells = (
        Cell(path, icon="file", size=SECOND, is_path=True),
        Cell(was, "muted", size=SECOND),
        Cell(now, token, icon=icon, icon_token=token, size=SECOND),
    )
    return TableRow(file.path, cells, f"{path}, {was}, {now}")


def _state(is_allowed: bool) -> tuple[str, str, str]:
    return (_tr("allowed"), "check", "ok") if is_allowed else (_tr("denied"), "denied", "bad")
