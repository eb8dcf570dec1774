"""Dialogs that ask for a file or folder: not modal to the program, and without hands on what is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget


def open_file_dialog(dialog: QFileDialog) -> None:
    """Show it; it goes by itself once something was chosen."""
    dialog.setObjectName("file-dialog")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    # Qt's own dialog would make, rename and delete files of the project.
    dialog.setOption(QFileDialog.Option.ReadOnly, True)
    # Not exec(): its own event loop within a task of qasync
    # 0.28.0 loses the other tasks, and the window hangs.
    dialog.open()


def ask_where_to_save(
    parent: QWidget, title: str, name: str, chosen: Callable[[Path], object]
) -> QFileDialog:
    """Ask for the place of a new file that is first called `name`; `chosen` gets it."""
    dialog = QFileDialog(parent, title)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    # Nothing is ever written over: whoever writes says so.
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite, True)
    dialog.selectFile(name)
    dialog.fileSelected.connect(lambda file: chosen(Path(file)))
    open_file_dialog(dialog)
    return dialog
