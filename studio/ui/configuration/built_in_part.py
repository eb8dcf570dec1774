"""The rules that no configuration names: shown, and changed by nobody."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QWidget

from studio.engine.policy import BUILT_IN, BuiltInRule
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.widgets import Label

_PATTERN_WIDTH = 220


class BuiltInPart(QWidget):
    """A row for each rule: its pattern, and why it is there."""

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
            text = self.tr("Locked: {reason}. No rule allows it.")
        elif rule.is_opened_by_git:
            text = self.tr("Denied: {reason}. Allowed by a rule, or where git's HEAD has files in it.")
        else:
            text = self.tr("Denied: {reason}. Allowed by a rule.")
        return say(text, reason=rule.reason)
