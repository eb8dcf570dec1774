"""Banners below the panes: a tool call to allow, a configuration to trust, an apply to recover."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio.engine.limits import INTERRUPTED_FILES_SHOWN, WIDENED_SETTINGS_NAMED
from studio.engine.names import show_name
from studio.ui.actions.action import Action
from studio.ui.configuration import parts
from studio.ui.desk.desk import Desk
from studio.ui.desk.recovery import Recovery
from studio.ui.look.theme import px
from studio.ui.look.words import counted, exact_moment, say, utc_now
from studio.ui.widgets import Banner, BannerKind, Button, ButtonKind, Label, column_of, row_of
from studio.ui.widgets.buttons import RING
from studio.ui.widgets.text_field import CodeFont, TextField

if TYPE_CHECKING:
    from studio.engine.workspace import InterruptedFile
    from studio.ui.desk.trust import Trust

_LINES = 8


class CallText(QPlainTextEdit):
    """The text of a tool call; `end_seen` is emitted once its last row is painted."""

    end_seen = Signal()

    def fit(self) -> None:
        """Take the height of all rows, wrapped as they are, up to _LINES."""
        rows = min(ceil(self.document().size().height()), _LINES)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * rows + px(20))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        bar = self.verticalScrollBar()
        if bar.value() >= bar.maximum():
            self.end_seen.emit()


class CallStrip(Banner):
    """Shows the whole command; what it would do to files nobody can show. Not modal."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="call-strip", below=True)
        self._desk, self._calls = desk, desk.calls
        self._call = ""
        self.command = CallText(self)
        self.command.setObjectName("call-command")
        self.command.setReadOnly(True)
        self.command.setTabChangesFocus(True)
        self.command.setAccessibleName(self.tr("What would be run"))
        CodeFont(self.command).use()
        self.reason = TextField("call-reason", self)
        self.reason.setAccessibleName(self.tr("Text for the agent"))
        self.reason.setPlaceholderText(self.tr("A word to the agent; a denial needs one"))
        self.reason.set_lines(1)
        self.next = Button(
            self.tr("Next"),
            self,
            kind=ButtonKind.TOOL,
            name="call-next",
            tip=self.tr("Shows the next one that waits; nothing is decided."),
            pressed=self._calls.next,
        )
        self.allow = Button(
            self.tr("Allow"),
            self,
            icon="check",
            icon_token="ok",
            name="call-allow",
            pressed=self._calls.allow,
        )
        self.deny = Button(
            self.tr("Deny"), self, icon="cross", icon_token="bad", name="call-deny", pressed=self.ask_to_deny
        )
        row = row_of(
            (self.reason, 1), self.next, self.deny, self.allow, margins=(RING, 0, 0, 0), spacing=px(12)
        )
        self.add_field(self.command)
        self.body.addLayout(row)
        # Queued: nothing may be resized or enabled while it is painted.
        self.command.end_seen.connect(self._note_read, Qt.ConnectionType.QueuedConnection)
        self.reason.textChanged.connect(self._typed)
        self.reason.done.connect(self.ask_to_deny)
        self.reason.cancelled.connect(self.left)
        self._calls.changed.connect(self._refresh)
        desk.guards.allowed_changed.connect(self._refresh_buttons)

    def ask_to_deny(self) -> None:
        """Deny with what is typed; without it the field for that takes the keyboard."""
        if self._calls.words.strip():
            self._calls.deny()
        elif self._calls.current is not None:
            self.reason.setFocus()

    def _refresh(self) -> None:
        call, count = self._calls.current, len(self._calls.waiting)
        if call is None:
            self._call = ""
            self.leave()
            return
        agent = show_name(call.agent) or self.tr("An agent")
        title = say(self.tr("{agent} asks to use {tool}, and waits."), agent=agent, tool=show_name(call.tool))
        where = say(
            self.tr("In {folder}, since {when}. What it does to files can't be shown."),
            folder=show_name(call.cwd), when=exact_moment(call.since, utc_now()),
        )  # fmt: skip
        if count > 1:
            more = counted(count - 1, self.tr("{n} more waits."), self.tr("{n} more wait."))
            where = f"{where} {more}"
        self.show_message(BannerKind.WARNING, title, where, icon="agent")
        self.next.setVisible(count > 1)
        if call.id != self._call:
            self._call = call.id
            lines = call.command.split("\n")
            self.command.setPlainText("\n".join(map(show_name, lines)))
            self.command.fit()
            self.reason.setPlainText(self._calls.words)
        self._refresh_buttons()

    def _note_read(self) -> None:
        bar = self.command.verticalScrollBar()
        if self._call and self.command.isVisible() and bar.value() >= bar.maximum():
            self._calls.note_read(self._call)

    def _typed(self) -> None:
        self._calls.keep_words(self.reason.toPlainText())
        self._refresh_buttons()

    def _refresh_buttons(self) -> None:
        if self.isHidden():
            return
        share = self._desk.guards.dead_time.share_left
        for button, action in ((self.allow, Action.ALLOW_CALL), (self.deny, Action.DENY_CALL)):
            reason = self._desk.reasons.of(action)
            if reason and button.hasFocus():
                # Qt would hand the keyboard on to a button of the toolbar, and Space would press that.
                self.command.setFocus(Qt.FocusReason.OtherFocusReason)
            button.set_reason(reason)
            button.set_dead_time(share)


# The strip that says that the project's own file would allow more, until a person says what of it.


class TrustStrip(Banner):
    """Not modal and never in the way: what is allowed anyway goes on."""

    look_wanted = Signal()
    """The person wants to see what it would allow."""

    def __init__(self, trust: Trust, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="trust-strip", below=True)
        self._trust = trust
        trust.changed.connect(self._refresh)

    def _refresh(self) -> None:
        file = self._trust.file
        if file is None or not self._trust.is_asked:
            self.hide()
            return
        named = list(dict.fromkeys(parts.title_of(setting.key) for setting in file.waiting))
        more = "…" if len(named) > WIDENED_SETTINGS_NAMED else ""
        title = say(
            self.tr("This project's studio.yaml would allow more: {settings}"),
            settings=", ".join(named[:WIDENED_SETTINGS_NAMED]) + more,
        )
        explanation = self.tr("Nothing of that counts until you trust this very file. The rest goes on.")
        self.show_message(BannerKind.WARNING, title, explanation)
        self.add_choice(
            self.tr("Look at it…"),
            tip=self.tr("Shows what it would allow, beside what counts now."),
            name="trust-look",
            pressed=self.look_wanted,
        )
        self.add_choice(
            self.tr("Not this version"),
            tip=self.tr("Asks again once the file has changed."),
            name="trust-later",
            pressed=self._trust.put_aside,
            leaves=True,
        )


# The strip that asks what becomes of an interrupted apply, or of a folder that is another one.


class RecoveryStrip(Banner):
    """Says what happened to each file, old, new or somebody else's, and what can be done. Not modal."""

    def __init__(self, recovery: Recovery, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="recovery", below=True)
        self._recovery = recovery
        self._lines = QWidget(self)
        self._lines.setObjectName("recovery-files")
        self._column = column_of(parent=self._lines, spacing=px(2))
        self.add_field(self._lines)
        recovery.changed.connect(self._refresh)

    def _refresh(self) -> None:
        need = self._recovery.need
        if need is None or self._recovery.is_postponed:
            self.hide()
            return
        if need.is_same_folder:
            self.show_message(BannerKind.DANGER, need.sentence, need.hint)
            self._offer(self.tr("Try again"), self.tr("Finishes the apply, or puts every old file back."))
        else:
            self.show_message(
                BannerKind.WARNING,
                self.tr("This is not the folder that the history of this project belongs to."),
                self.tr("It was replaced or copied. Nothing is written until you say it is the same one."),
            )
            self._offer(self.tr("It is the same project"), self.tr("Plans and history go on in this folder."))
        self._show_files(need.files)

    def _offer(self, text: str, explanation: str) -> None:
        is_busy = self._recovery.is_busy
        self.add_choice(
            text,
            explanation=explanation,
            name="recovery-settle",
            pressed=self._recovery.settle,
            reason=lambda: self.tr("This is being done.") if is_busy else "",
            leaves=True,
        )
        self.add_choice(
            self.tr("Later"),
            explanation=self.tr("Nothing can be applied until then."),
            name="recovery-later",
            pressed=self._recovery.postpone,
            leaves=True,
        )

    def _show_files(self, files: tuple[InterruptedFile, ...]) -> None:
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        for file in files[:INTERRUPTED_FILES_SHOWN]:
            self._column.addWidget(Label(self._sentence(file), self._lines, size=12, wrap=True))
        if len(files) > INTERRUPTED_FILES_SHOWN:
            more = counted(
                len(files) - INTERRUPTED_FILES_SHOWN, self.tr("and {n} more"), self.tr("and {n} more")
            )
            self._column.addWidget(Label(more, self._lines, size=12))
        self._lines.setVisible(bool(files))

    def _sentence(self, file: InterruptedFile) -> str:
        words = {
            "before": self.tr("{file}: the old file is there ({old}); “{title}” was to write {new}."),
            "after": self.tr("{file}: what “{title}” writes is there already ({new}); before it was {old}."),
            "neither": self.tr("{file}: somebody else's work is there, neither {old} nor {new}. It stays."),
        }
        place = file.place.value if file.place is not None else ""
        said = words.get(place, self.tr("{file}: it can't be looked at now; before it was {old}."))
        return said.format(
            old=self._image(file.before), new=self._image(file.after),
            file=show_name(file.path), title=show_name(file.title),
        )  # fmt: skip

    def _image(self, image: object) -> str:
        digest = getattr(image, "sha256", None)
        if image is None:
            return self.tr("no file")
        return digest[:7] if digest else self.tr("a folder")
