"""Popup listing whether connected agents' unreviewed writes are blocked, with fix buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QVBoxLayout, QWidget
from shiboken6 import isValid

from studio.extras.agents import GateStatus
from studio.names import show_name
from studio.ui.agents.gate_summary import SIGNS, GateSummary, summary_of, trial_words
from studio.ui.look.icons import Sign
from studio.ui.look.theme import px
from studio.ui.look.words import Clock, say, utc_now
from studio.ui.widgets import RING, STYLE_GAP, Button, ButtonKind, Label, Surface, column_of, row_of
from studio.ui.widgets.painting import paint_outline

_WIDTH = 480


class GatesPage(Surface):
    """Popup below the gate indicator; not modal.

    It closes with Esc, its button, when it loses the focus, and when one of its buttons opens another page.
    """

    wanted = Signal(str)
    """Id of the action that fixes a shown problem."""

    def __init__(self, gate_indicator: QWidget, clock: Clock = utc_now) -> None:
        super().__init__("panel", gate_indicator.window())
        self._gate_indicator, self._clock = gate_indicator, clock
        self._previous_focus: QWidget | None = None
        self._texts: list[str] = []
        self.setObjectName("gates-page")
        self.setAccessibleName(self.tr("Agent gate status"))
        self.close_button = Button(
            self.tr("Close"),
            self,
            key="Esc",
            kind=ButtonKind.TOOL,
            name="gates-close",
            pressed=self.close_page,
        )
        self._list = QScrollArea(self)
        self._list.setObjectName("gates-list")
        self._list.setAccessibleName(self.accessibleName())
        self._list.setWidgetResizable(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = row_of(
            (Label(self.accessibleName(), self, weight=600), 1), self.close_button, spacing=STYLE_GAP
        )
        column_of(head, (self._list, 1), parent=self, margins=(px(14), px(8), px(9), px(10)), spacing=px(6))
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_moved)
        for widget in (gate_indicator, gate_indicator.window()):
            widget.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay below the indicator while the window is resized."""
        if event.type() in (QEvent.Type.Move, QEvent.Type.Resize) and not self.isHidden():
            self._place_page()
        return super().eventFilter(watched, event)

    @property
    def text(self) -> str:
        """All text of the page, a line each."""
        return "\n".join(self._texts)

    def show_gates(self, statuses: Sequence[GateStatus], command_line_allowed: bool) -> None:
        """Update the page, whether it is open or not."""
        self._texts = []
        body = Surface("panel")
        rows = column_of(parent=body, margins=(0, 0, px(5), 0), spacing=px(12))
        if command_line_allowed:
            words = self.tr(
                "config.yaml sets review.command_line to allow. To require a reviewer, set it to ask."
            )
            row = self._row("danger", "bad", self.tr("Command-line approval is on"), words)
            rows.addWidget(self._add_button(row, "settings", self.tr("Open settings…")))
        for status in sorted(statuses, key=summary_of, reverse=True):
            sign = SIGNS[summary_of(status)]
            title = say(self.tr("{agent}: {worth}"), agent=show_name(status.agent), worth=sign.words)
            row = self._row(sign.icon, sign.token, title, self._details(status))
            if not status.is_safe:
                row = self._add_button(row, "connect_agents", self.tr("Connect agents…"))
            rows.addWidget(row)
        if not statuses:
            words = self.tr(
                "Changes by a connected agent wait here for your decision. Choose "
                "“Connect agents…” to connect one and verify its gate."
            )
            row = self._row("gate", "muted", self.tr("No agent is connected"), words)
            rows.addWidget(self._add_button(row, "connect_agents", self.tr("Connect agents…")))
        rows.addStretch(1)
        self._list.setWidget(body)
        self.setAccessibleDescription(self.text)
        self._place_page()

    def _details(self, status: GateStatus) -> str:
        lines = (self._unreviewed_words(status), show_name(status.why), trial_words(status, self._clock))
        return "\n".join(filter(None, lines))

    def _unreviewed_words(self, status: GateStatus) -> str:
        """Return what the agent can write unreviewed, "" for nothing."""
        match summary_of(status):
            case GateSummary.NOT_PROTECTED:
                return self.tr("This agent writes files without review.")
            case GateSummary.OPEN_ON_FAILURE:
                return self.tr("This agent writes files without review if the gate fails.")
            case GateSummary.NOT_PROVED:
                return self.tr("The gate has not been verified with the agent's installed version.")
            case GateSummary.ACTIVE:
                return ""

    def _add_button(self, row: QWidget, action: str, words: str) -> QWidget:
        """Add the button that helps below the row's words."""
        button = Button(words, row, name=f"gates-{action}", pressed=lambda: self._request_action(action))
        column = row.findChild(QVBoxLayout)
        assert column is not None
        column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        return row

    def _request_action(self, action: str) -> None:
        self.close_page()
        self.wanted.emit(action)

    def _row(self, icon: str, token: str, title: str, words: str) -> QWidget:
        self._texts += [title, words]
        row = QWidget()
        line = row_of(
            (Sign("gate-sign", row, icon=icon, token=token), 0, Qt.AlignmentFlag.AlignTop),
            parent=row,
            spacing=px(8),
        )
        column = column_of(spacing=px(2))
        for label in (
            Label(title, row, weight=500, wrap=True),
            Label(words, row, size=12.5, token="muted", wrap=True),
        ):
            label.setContentsMargins(RING, 0, RING, 0)  # aligned with the face of a button
            column.addWidget(label)
        line.addLayout(column, 1)
        return row

    def open_page(self) -> None:
        """Open the page and take the focus, or close it if open."""
        if not self.isHidden():
            self.close_page()
            return
        self._previous_focus = QApplication.focusWidget()
        self._place_page()
        self.show()
        self.raise_()
        self.close_button.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_page(self) -> bool:
        """Close the page and restore the focus; return whether it was open."""
        if self.isHidden():
            return False
        previous, self._previous_focus = self._previous_focus, None
        self.hide()
        if previous is not None and isValid(previous):
            previous.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def _focus_moved(self, _old: QWidget | None, now: QWidget | None) -> None:
        if now is not None and not self.isHidden() and not self.isAncestorOf(now):
            self._previous_focus = None
            self.hide()

    def _place_page(self) -> None:
        window = self._gate_indicator.window()
        corner = self._gate_indicator.mapTo(window, self._gate_indicator.rect().bottomRight())
        width = min(px(_WIDTH), window.width() - px(40))
        body = self._list.widget()
        # Qt 6.11 keeps a scroll bar that it once needed while the height is too low beside that bar.
        room = width - px(14) - px(9) - self._list.verticalScrollBar().sizeHint().width()
        content = body.heightForWidth(room) if body is not None else 0
        around = px(8) + self.close_button.sizeHint().height() + px(6) + px(10)
        top = corner.y() + px(9)
        self.setGeometry(
            corner.x() - width, top, width, min(content + around, window.height() - top - px(60))
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_outline(QPainter(self), self.rect(), "edge")
