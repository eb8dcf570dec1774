"""Non-blocking file dialogs, including one that asks where to save."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget


def open_file_dialog(dialog: QFileDialog) -> None:
    """Show a dialog, which is deleted once closed."""
    dialog.setObjectName("file-dialog")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    # Qt's own dialog could create, rename and delete files of the project.
    dialog.setOption(QFileDialog.Option.ReadOnly, True)
    # Not exec(): its nested event loop within a task of qasync 0.28.0 loses the other tasks, and the window
    # freezes.
    dialog.open()


def ask_where_to_save(
    parent: QWidget, title: str, name: str, chosen: Callable[[Path], object]
) -> QFileDialog:
    """Ask for a new file's path, suggesting `name`; `chosen` receives it."""
    dialog = QFileDialog(parent, title)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    # Nothing is ever overwritten: the writer reports an existing file.
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, True)
    dialog.selectFile(name)
    dialog.fileSelected.connect(lambda file: chosen(Path(file)))
    open_file_dialog(dialog)
    return dialog
