"""Showing a file of the project in other programs: the person's editor, and the folder it lies in."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from studio.ui.desk.editors import editor_command, start_editor
from studio.ui.desk.happening import Tone
from studio.ui.desk.reading import FilePlace
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.reading import Reading


class Outside(QObject):
    """Only what a person presses starts anything, and nothing is opened by what its name ends in: that may
    run it."""

    def __init__(self, project: Project, queue: Queue, reading: Reading) -> None:
        super().__init__(project)
        self._project, self._queue, self._reading = project, queue, reading

    @property
    def path(self) -> str:
        """The file on disk that stands in the middle, "" for none: the one that is read, else the step's."""
        place, step = self._reading.place, self._queue.current_step
        if isinstance(place, FilePlace):
            return place.path
        if place is not None or step is None:
            return ""
        return step.path if step.base is not None else step.target

    def open_in_editor(self, path: str, line: int) -> None:
        """Start the person's editor with a file, at a line from 1."""
        if path:
            on_disk = self._project.workspace.reader.on_disk
            self._project.ask(on_disk, path, then=partial(self._start_editor, line))

    def show_in_folder(self, path: str) -> None:
        """Show the folder of a file in the desktop's own program for folders."""
        if path:
            self._project.ask(self._project.workspace.reader.on_disk, path, then=self._show_folder)

    def _start_editor(self, line: int, file: Path) -> None:
        command = editor_command(str(file), line, environment=os.environ, which=shutil.which)
        if not command:
            self._say(
                self.tr("No editor with a window is known here. Name yours in VISUAL, and start again.")
            )
            return
        root = str(self._project.root_path)
        if not start_editor(command, root):
            self._say(say(self.tr("{editor} could not be started."), editor=Path(command[0]).name))

    def _show_folder(self, file: Path) -> None:
        folder = file if file.is_dir() else file.parent
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._say(self.tr("This desktop has no program that shows folders."))

    def _say(self, sentence: str) -> None:
        self._project.say(sentence, Tone.WARNING)
