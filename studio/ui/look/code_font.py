"""The dialog that chooses the font for code: fixed-width ones only, and never in anybody's way."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFontDialog, QWidget

from studio.ui.look.theme import code_font


class CodeFontDialog(QFontDialog):
    """Qt's own dialog; its size is left to the zoom of the diff."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(code_font(), parent)
        self.setObjectName("code-font-dialog")
        self.setWindowTitle(self.tr("Font for code"))
        self.setOption(QFontDialog.FontDialogOption.MonospacedFonts, True)
        self.setOption(QFontDialog.FontDialogOption.DontUseNativeDialog, True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.NonModal)
