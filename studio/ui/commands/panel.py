"""Dock panel for sandboxed commands on the project or plan: permissions, output."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QWidget

from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.limits import SHOWN_OUTPUT_LINES_UP_TO
from studio.ui.look.theme import px
from studio.ui.look.words import say, short_words
from studio.ui.review.state import Running
from studio.ui.widgets import Button, CheckBox, Label, Surface, column_of
from studio.ui.widgets.choice import Choice, LoginChoice
from studio.ui.widgets.text_field import CodeFont

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from studio.ui.review.commands import LoginFiles
    from studio.ui.review.desk import Desk

_LINE_CHARACTERS = 4000


class OutputView(QPlainTextEdit):
    """Last output lines of a command, selectable; follows the end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("command-output")
        self.setAccessibleName(self.tr("Command output"))
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setMaximumBlockCount(SHOWN_OUTPUT_LINES_UP_TO)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        CodeFont(self)
        self._line_length = 0

    def clear_output(self) -> None:
        """Remove all output."""
        self.clear()
        self._line_length = 0

    def append_text(self, text: str) -> None:
        """Append text; scroll on only if the view was at its end."""
        bar = self.verticalScrollBar()
        is_at_end = bar.value() >= bar.maximum() - 1
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(self._broken(text))
        if is_at_end:
            bar.setValue(bar.maximum())

    def _broken(self, text: str) -> str:
        """Break overlong lines, which Qt lays out ever more slowly."""
        lines: list[str] = []
        for number, line in enumerate(text.split("\n")):
            rest = line
            if number > 0:
                self._line_length = 0
            while self._line_length + len(rest) > _LINE_CHARACTERS:
                room = _LINE_CHARACTERS - self._line_length
                lines.append(rest[:room])
                rest, self._line_length = rest[room:], 0
            lines.append(rest)
            self._line_length += len(rest)
        return "\n".join(lines)


class Aim(Enum):
    """What Enter in the field does: the last action requested."""

    RUN = "run"
    TRY = "try"


class CommandPanel(Surface):
    """Panel for one command at a time, with its permissions beforehand."""

    def __init__(self, desk: Desk, logins: LoginFiles | None, parent: QWidget | None = None) -> None:
        super().__init__("panel", parent)
        self._desk, self._purpose = desk, Aim.RUN
        self.setObjectName("commands")
        self.setAccessibleName(self.tr("Commands"))
        self.line = Choice(self)
        self.line.setObjectName("command-line")
        self.line.setAccessibleName(self.tr("Command to run in the sandbox"))
        self.line.setEditable(True)
        self.line.setInsertPolicy(Choice.InsertPolicy.NoInsert)
        self.run_button = self._button("command-run", self.tr("Run"))
        self.try_button = self._button("command-try", self.tr("Try plan"))
        self.preview_button = self._button("command-look", self.tr("Propose changes now"))
        self.stop_button = self._button("command-stop", self.tr("Stop"))
        self.network = CheckBox(self.tr("Allow network"), self, name="command-network")
        self.login = LoginChoice("command-login", self, has_logins=logins is not None)
        self.container = QLineEdit(self)
        self.container.setObjectName("command-container")
        self.container.setPlaceholderText(self.tr("Container: image or root folder"))
        self.container.setAccessibleName(self.container.placeholderText())
        self.proposes = CheckBox(self.tr("Propose trial changes"), self, name="command-proposes")
        self.view = OutputView(self)
        self._state = Label("", self, size=12, token="muted", wrap=True, name="command-state")
        self._lay_out()
        self.run_button.clicked.connect(self._run)
        self.try_button.clicked.connect(self._try)
        self.preview_button.clicked.connect(desk.commands.propose_now)
        self.stop_button.clicked.connect(desk.commands.stop)
        self.line.editTextChanged.connect(self._show_permissions)
        desk.commands.is_restarted.connect(self._begin)
        desk.commands.output_received.connect(self.view.append_text)
        desk.commands.changed.connect(self._show)
        desk.commands.settings_changed.connect(self._list_commands)
        desk.guards.refresh_wanted.connect(self._show)
        desk.queue.current_changed.connect(self._show)
        self.setFocusProxy(self.line)
        if logins is not None:
            desk.commands.set_login_reader(logins)
        desk.commands.read_settings()
        self._list_commands()
        self._show()

    def minimumSizeHint(self) -> QSize:
        """Return a size as small as the other dock panels'.

        Nothing above the dock makes room for it.
        """
        return QSize(px(60), px(60))

    def aim(self, aim: Aim) -> None:
        """Focus the field; Enter then runs or tries the command."""
        self._purpose = aim
        self._desk.commands.read_settings()
        self._desk.commands.prepare()
        self._list_commands()
        self._show()
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        field = self.line.lineEdit()
        if field is not None:
            field.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run the last requested action on Enter in the field."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.line.hasFocus():
            (self._run if self._purpose is Aim.RUN else self._try)()
            return
        super().keyPressEvent(event)

    def _button(self, name: str, words: str) -> Button:
        return Button(words, self, name=name)

    def _lay_out(self) -> None:
        top, middle, bottom = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.line, 1)
        top.addWidget(self.run_button)
        top.addWidget(self.try_button)
        for widget in (self.network, self.login, self.proposes):
            middle.addWidget(widget)
        middle.addWidget(self.container, 1)
        middle.addWidget(self.preview_button)
        middle.addWidget(self.stop_button)
        bottom.addWidget(self._state, 1)
        column_of(
            top,
            middle,
            (self.view, 1),
            bottom,
            parent=self,
            margins=(px(12), px(6), px(12), px(6)),
            spacing=px(6),
        )

    def _list_commands(self) -> None:
        """List the configured and recent commands; typed text stays."""
        configured = self._desk.commands.trial_commands
        recent = [line for line in self._desk.commands.memory.recent if line not in configured]
        lines = (*configured, *recent) if self._purpose is Aim.TRY else (*recent, *configured)
        if lines == tuple(self.line.itemText(row) for row in range(self.line.count())):
            return
        field = self.line.lineEdit()
        assert field is not None
        text, start, length = field.text(), field.selectionStart(), field.selectionLength()
        self.line.blockSignals(True)
        self.line.clear()
        self.line.addItems(lines)
        self.line.setEditText(text or (lines[0] if lines else ""))
        self.line.blockSignals(False)
        if not text:
            field.selectAll()  # the next letter replaces it
        elif start >= 0:
            field.setSelection(start, length)
        self._show_permissions()

    def _show_permissions(self) -> None:
        """Show the program's last permissions, else the configured ones."""
        sandbox = self._desk.commands.default_permissions(self.line.currentText())
        self.network.setChecked(sandbox.network)
        self.login.choose(sandbox.login)

    def _run(self) -> None:
        self._desk.commands.run(
            self.line.currentText(),
            network=self.network.isChecked(),
            login=self.login.login,
            container=self.container.text().strip(),
        )

    def _try(self) -> None:
        self._desk.commands.try_plan(
            self.line.currentText(),
            network=self.network.isChecked(),
            proposes=self.proposes.isChecked(),
            container=self.container.text().strip(),
        )

    def _begin(self) -> None:
        self.view.clear_output()
        self._list_commands()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show()

    def _show(self) -> None:
        if not self.isVisible():
            return
        reasons, commands, plan = self._desk.reasons, self._desk.commands, self._desk.queue.current_plan
        self.run_button.set_reason(reasons.of(Action.START_COMMAND))
        self.try_button.set_reason(reasons.of(Action.START_TRIAL))
        title = short_words(show_name(plan.title), 24) if plan is not None else ""
        self.try_button.set_label(
            say(self.tr("Try “{title}”"), title=title) if title else self.tr("Try plan")
        )
        self.preview_button.set_reason(reasons.of(Action.PREVIEW_RESULT))
        self.stop_button.set_reason(reasons.of(Action.STOP_COMMAND))
        idle = self.tr("Commands run on a copy-on-write layer and don't change the project.")
        self._state.setText(show_name(commands.status) if commands.status else idle)
        is_idle = commands.running is Running.NOTHING
        for widget in (self.network, self.login, self.proposes, self.container):
            widget.setEnabled(is_idle)
