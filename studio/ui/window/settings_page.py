"""Settings page: list of sections, their settings, search, built-in rules, problems."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QScrollArea, QWidget
from shiboken6 import isValid

from studio.engine import BUILT_IN, BuiltInRule
from studio.names import CONFIGURATION_NAME, show_name
from studio.ui.configuration.model import ConfigurationModel
from studio.ui.configuration.part_view import PartView
from studio.ui.configuration.parts import Part, heading, icon
from studio.ui.configuration.setting_row import SettingRow
from studio.ui.configuration.trust_part import TrustPart
from studio.ui.history.table import Cell, Column, TableRow, TableView
from studio.ui.limits import CONFIGURATION_PROBLEMS_NAMED
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.review.reading import editor_command, start_editor
from studio.ui.widgets import (
    STRETCH,
    STYLE_GAP,
    Banner,
    BannerKind,
    Button,
    HairLine,
    Label,
    Surface,
    column_of,
    row_of,
)
from studio.ui.widgets.buttons import ButtonKind
from studio.ui.widgets.text_field import SearchField
from studio.ui.window.interface_settings import OwnSettings

if TYPE_CHECKING:
    from studio.engine import Problem
    from studio.ui.actions.actions import Actions
    from studio.ui.review.desk import Desk
    from studio.ui.runner import Runner

# Problems of a configuration file, above all settings, with a way to fix them


class ProblemBanner(Banner):
    """Banner on problems of a configuration file, until they are fixed."""

    def __init__(self, model: ConfigurationModel, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="settings-trouble")
        self._model = model
        self._shown_problems: tuple[object, ...] = ()
        model.changed.connect(self._refresh)

    def _refresh(self) -> None:
        read = self._model.read
        is_users = read is not None and bool(read.user.problems)
        problems = () if read is None else read.user.problems if is_users else read.problems
        warnings = read.effective.without_effect if read is not None and read.effective is not None else ()
        shown = (is_users, problems, warnings)
        if shown == self._shown_problems:
            return
        self._shown_problems = shown
        if read is not None and problems:
            self._show_problems(problems, read.user.path if is_users else None)
        elif warnings:
            self.show_message(BannerKind.WARNING, self.tr("Some settings have no effect."), _lines(warnings))
        else:
            self.hide()

    def _show_problems(self, problems: tuple[Problem, ...], own: Path | None) -> None:
        name = show_name(own.name) if own is not None else CONFIGURATION_NAME
        title = say(
            self.tr("{file} is invalid. Nothing can be proposed or written until it is fixed."),
            file=name,
        )
        messages = [f"{problem.message} {problem.hint}".strip() for problem in problems]
        self.show_message(BannerKind.DANGER, title, _lines(messages))
        if own is None:
            return
        command = partial(editor_command, environment=os.environ, which=shutil.which)
        words = command(str(own), problems[0].line or 1)
        if words:
            self.add_choice(
                self.tr("Open in editor"),
                explanation=show_name(str(own)),
                name="settings-mend",
                pressed=partial(start_editor, words, str(own.parent)),
            )


def _lines(value: object) -> str:
    lines = [show_name(str(each)) for each in value] if isinstance(value, (tuple, list)) else []
    more = ["…"] if len(lines) > CONFIGURATION_PROBLEMS_NAMED else []
    return "\n".join([*lines[:CONFIGURATION_PROBLEMS_NAMED], *more])


# Built-in rules, which are in no configuration and can't be changed

_PATTERN_WIDTH = 220


class BuiltInPart(QWidget):
    """List of built-in rules with their reasons."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("built-in-rules")
        self.setAccessibleName(self.tr("Built-in rules"))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, px(14), 0, 0)
        grid.setVerticalSpacing(px(4))
        grid.setColumnMinimumWidth(0, px(_PATTERN_WIDTH))
        grid.setColumnStretch(1, 1)
        grid.addWidget(Label(self.tr("Built-in rules"), self, weight=600, token="muted"), 0, 0, 1, 2)
        for row, rule in enumerate(BUILT_IN, start=1):
            grid.addWidget(Label(rule.pattern, self, token="muted"), row, 0)
            grid.addWidget(Label(self._reason(rule), self, token="muted", wrap=True), row, 1)

    def _reason(self, rule: BuiltInRule) -> str:
        if rule.is_locked:
            text = self.tr("Locked: {reason}. No rule can override this.")
        elif rule.is_opened_by_git:
            text = self.tr(
                "Denied by default: {reason}. "
                "Allowed only if a rule permits it or the folder has files in HEAD."
            )
        else:
            text = self.tr("Denied: {reason}. A rule can override this.")
        return say(text, reason=rule.reason)


_LIST_WIDTH, _FIELD_WIDTH, _WIDTH = 220, 300, 860
_PAUSE_MS = 150


class SettingsPage(Surface):
    """Settings page, which creates each part on first use.

    A search creates the others, one after another.
    """

    left = Signal()
    """Emitted to go back."""
    message_sent = Signal(str)
    """Emitted with a message on what was written."""

    def __init__(
        self,
        runner: Runner,
        actions: Actions,
        parent: QWidget,
        *,
        extras: Callable[[Part, QWidget], QWidget | None],
    ) -> None:
        """Create the page; `extras` creates further widgets of a part."""
        super().__init__("content", parent)
        self._actions, self._extras = actions, extras
        self._desk: Desk | None = None
        self._parts: dict[Part, PartView] = {}
        self._trust: TrustPart | None = None
        self._part = Part.RULES
        self._positions: dict[Part, int] = {}
        self._is_searching = False
        self._held: tuple[QWidget, int] | None = None
        """The focused row, and where it is on the page."""
        self.setObjectName("settings-page")
        self.setAccessibleName(self.tr("Settings"))
        self.model = ConfigurationModel(runner, self)
        self.model.written.connect(self._on_written)
        self.field = SearchField("settings-find", self.tr("Search settings"), self)
        self.field.setFixedSize(px(_FIELD_WIDTH), px(26))
        self.field.textChanged.connect(lambda _text: self._pause.start())
        self.field.moved.connect(self._move)
        self.field.cancelled.connect(self._cancel)
        self._pause = self._timer(_PAUSE_MS, self._search)
        self._more = self._timer(0, self._make_next)
        self._reveal_timer = self._timer(0, self._reveal)
        self._open_row: SettingRow | None = None
        self.close_button = Button(
            self.tr("Close"), self, key="Esc", kind=ButtonKind.TOOL, name="settings-close", pressed=self.left
        )
        self.list = TableView(
            (Column(self.tr("Section"), 0),),
            self,
            row_height=28,
            name="settings-parts",
            accessible=self.tr("Settings sections"),
        )
        self.list.header().hide()
        self.list.setFixedWidth(px(_LIST_WIDTH))
        self.list.rows.set_rows(tuple(map(_row, Part)))
        self.list.selectionModel().currentChanged.connect(self._choose_current)
        self.nothing = Label("", self, token="muted", wrap=True, name="settings-nothing")
        self.nothing.hide()
        self.area = QScrollArea(self)
        self.area.setObjectName("settings-area")
        self.area.setAccessibleName(self.tr("Settings in this section"))
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._lay_out()
        self.area.verticalScrollBar().rangeChanged.connect(self._hold_row)
        window_app = QApplication.instance()
        assert isinstance(window_app, QApplication)
        window_app.focusChanged.connect(self._hold_row)
        self.show_part(Part.RULES)

    def follow(self, desk: Desk | None) -> None:
        """Use the project of this desk from now on, or None."""
        self._desk = desk
        self.model.follow(desk.project if desk is not None else None)
        if self._trust is not None:
            self._trust.follow(desk.trust if desk is not None else None)
        if desk is not None:
            desk.project.closed.connect(partial(self.follow, None))

    def show_part(self, part: Part) -> None:
        """Show a part, scrolled as it was left."""
        self._remember_position()
        self.field.clear()
        self._pause.stop()
        self._part = part
        self._show_chosen()

    def propose(self, part: Part, key: str, text: str) -> None:
        """Fill in one more entry of a list, without writing it yet."""
        row = next(row for row in self.part(part).rows if row.key == key)
        row.propose(text)
        self._row_opened(row)

    def part(self, part: Part) -> PartView:
        """Return a part, creating it on first use."""
        view = self._parts.get(part)
        if view is None:
            view = self._parts[part] = PartView(self.model, part, self._body)
            view.opened.connect(self._row_opened)
            for extra in self._create_extras(part, view):
                view.add(extra)
            order = list(Part)
            before = sum(other in self._parts for other in order[: order.index(part)])
            self._column.insertWidget(before, view)
        return view

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.model.begin()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.model.pause()

    def _lay_out(self) -> None:
        head = row_of(
            Label(self.tr("Settings"), self, size=15, weight=600),
            self.field,
            STRETCH,
            self.close_button,
            margins=(px(20), px(12), px(12), px(10)),
            spacing=px(20),
        )
        self._body = Surface("content")
        self._body.setObjectName("settings-body")
        inner = QWidget(self._body)
        inner.setObjectName("settings-column")
        inner.setMaximumWidth(px(_WIDTH))
        self._column = column_of(
            self.nothing, STRETCH, parent=inner, margins=(px(24), px(12), px(24), px(24))
        )
        beside = row_of((inner, 1), parent=self._body, spacing=STYLE_GAP)
        beside.addStretch(0)
        self.area.setWidget(self._body)
        row = row_of(self.list, (self.area, 1))
        column_of(head, HairLine(self), ProblemBanner(self.model, self), (row, 1), parent=self)

    def _create_extras(self, part: Part, view: PartView) -> list[QWidget]:
        if part is Part.LOOK:
            return [OwnSettings(self._actions, view), *self._make_extras(part, view)]
        if part is Part.RULES:
            return [BuiltInPart(view), *self._make_extras(part, view)]
        if part is Part.TRUST:
            self._trust = TrustPart(self.model, view)
            self._trust.follow(self._desk.trust if self._desk is not None else None)
            return [self._trust]
        return self._make_extras(part, view)

    def _make_extras(self, part: Part, view: PartView) -> list[QWidget]:
        extra = self._extras(part, view)
        return [extra] if extra is not None else []

    def _timer(self, pause: int, call: Callable[[], object]) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=pause)
        timer.timeout.connect(call)
        return timer

    def _choose_current(self) -> None:
        row = self.list.rows.row(self.list.currentIndex())
        if row is not None and (Part(row.key) is not self._part or self.field.text()):
            self.show_part(Part(row.key))

    def _show_chosen(self) -> None:
        """Show the chosen part without a filter."""
        self.list.setCurrentIndex(self.list.rows.index_of(self._part.value))
        self.nothing.hide()
        shown = self.part(self._part)
        for view in self._parts.values():
            view.setVisible(view is shown)
        shown.filter([])
        self._is_searching = False
        # Laid out now, so that the page can be scrolled to its end.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        self.area.verticalScrollBar().setValue(self._positions.get(self._part, 0))

    def _remember_position(self) -> None:
        """Remember the scroll position of the shown part."""
        if not self._is_searching:
            self._positions[self._part] = self.area.verticalScrollBar().value()

    def _hold_row(self) -> None:
        """Scroll by as much as the focused row was moved by others."""
        focused = QApplication.focusWidget()
        held, self._held = self._held, None
        if focused is not None and self._body.isAncestorOf(focused):
            top = focused.mapTo(self._body, QPoint()).y()
            if held is not None and held[0] is focused:
                bar = self.area.verticalScrollBar()
                bar.setValue(bar.value() + top - held[1])
            self._held = focused, top

    def _search(self) -> None:
        """Show the matches in every part; without words the chosen part."""
        search = self.field.text().casefold().split()
        if not search:
            self._show_chosen()
            return
        if not self._is_searching:
            self._remember_position()
            self._is_searching = True
            self.area.verticalScrollBar().setValue(0)
        self.list.setCurrentIndex(QModelIndex())
        found = [view.filter(search) for view in self._parts.values()]
        for view, fits in zip(self._parts.values(), found, strict=True):
            view.setVisible(fits)
        is_whole = len(self._parts) == len(Part)
        self.nothing.setText(say(self.tr("No settings match “{words}”."), words=self.field.text().strip()))
        self.nothing.setVisible(is_whole and not any(found))
        if not is_whole:
            self._more.start()

    def _make_next(self) -> None:
        """Create one more part, in a turn of its own.

        All at once would block key presses.
        """
        self.part(next(part for part in Part if part not in self._parts)).hide()
        if self.field.text().strip():
            self._search()

    def _move(self, by: int) -> None:
        order = list(Part)
        position = min(max(0, order.index(self._part) + by), len(order) - 1)
        if not self.field.text():
            self.show_part(order[position])
            self.field.setFocus()

    def _cancel(self) -> None:
        """Clear the search, else leave the page."""
        if self.field.text():
            self.show_part(self._part)
        else:
            self.left.emit()

    def _row_opened(self, row: SettingRow) -> None:
        # Once the rows have their final position, and not when a change preview only grows, as with another
        # theme: the page scrolled far past the text field.
        self._open_row = row
        self._reveal_timer.start()

    def _reveal(self) -> None:
        """Scroll to the pending change, and with priority to its text field."""
        row, self._open_row = self._open_row, None
        if row is not None and isValid(row):
            for part in (row.change_preview, row.field):
                self.area.ensureWidgetVisible(part, 0, px(8))

    def _on_written(self, file: str) -> None:
        name = Path(file).name
        self.message_sent.emit(say(self.tr("{file} was saved and is now in effect."), file=name))


def _row(part: Part) -> TableRow:
    words = heading(part)
    return TableRow(part.value, (Cell(words, icon=icon(part)),), words)
