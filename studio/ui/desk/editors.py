"""External programs for project files: editor and file manager."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QProcess, QUrl
from PySide6.QtGui import QDesktopServices

from studio.ui.desk.reading import FilePlace
from studio.ui.desk.state import Tone
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.reading import Reading

_COLON = ("{file}:{line}",)
_PLUS = ("+{line}", "{file}")
_LINE_ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("code", "codium", "code-insiders", "cursor", "windsurf"), ("-g", *_COLON)),
    **dict.fromkeys(("zed", "zeditor", "subl", "sublime_text", "lapce", "hx-gui"), _COLON),
    **dict.fromkeys(("pycharm", "idea", "clion", "goland", "webstorm"), ("--line", "{line}", "{file}")),
    **dict.fromkeys(("gvim", "neovide", "gedit", "gnome-text-editor", "pluma", "xed", "mousepad"), _PLUS),
    "kate": ("-l", "{line}", "{file}"),
    "emacsclient": ("-n", "-c", "+{line}", "{file}"),
}
"""Arguments after an editor's name; names are tried in this order."""

_TERMINAL_EDITORS: Final = frozenset(
    "vi vim nvim nano pico ed ex emacs joe jed mcedit micro hx kak ne".split()
)


def editor_command(
    file: str, line: int, *, environment: Mapping[str, str], which: Callable[[str], str | None]
) -> tuple[str, ...]:
    """Return the command that opens a file at a line (from 1).

    That is the editor in VISUAL or EDITOR where it needs no terminal, else the first supported one installed;
    () if there is none.
    """
    for variable in ("VISUAL", "EDITOR"):
        words = _words(environment.get(variable, ""))
        name = PurePath(words[0]).name if words else ""
        if name and name not in _TERMINAL_EDITORS and which(words[0]) is not None:
            return (*words, *_fill_arguments(_LINE_ARGUMENTS.get(name, ("{file}",)), file, line))
    for name, arguments in _LINE_ARGUMENTS.items():
        found = which(name)
        if found is not None:
            return (found, *_fill_arguments(arguments, file, line))
    return ()


def start_editor(command: Sequence[str], folder: str) -> bool:
    """Start the editor detached; return whether it started."""
    started, _pid = QProcess.startDetached(command[0], list(command[1:]), folder)
    return bool(started)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _fill_arguments(words: tuple[str, ...], file: str, line: int) -> tuple[str, ...]:
    return tuple(word.replace("{line}", str(max(1, line))).replace("{file}", file) for word in words)


# Opening the current file outside of the program.


class Outside(QObject):
    """Opener of the current file in other programs.

    It acts only on the user's click or key press, and never by the file's extension, which may run it.
    """

    def __init__(self, project: Project, queue: Queue, reading: Reading) -> None:
        super().__init__(project)
        self._project, self._queue, self._reading = project, queue, reading

    @property
    def path(self) -> str:
        """Path of the file shown in the middle, "" for none.

        That is the file being read, else the step's.
        """
        place, step = self._reading.place, self._queue.current_step
        if isinstance(place, FilePlace):
            return place.path
        if place is not None or step is None:
            return ""
        return step.path if step.base is not None else step.target

    def open_in_editor(self, path: str, line: int) -> None:
        """Open a file in the user's editor, at a line from 1."""
        if path:
            on_disk = self._project.workspace.reader.on_disk
            self._project.ask(on_disk, path, then=partial(self._start_editor, line))

    def show_in_folder(self, path: str) -> None:
        """Show a file's folder in the desktop's file manager."""
        if path:
            self._project.ask(self._project.workspace.reader.on_disk, path, then=self._show_folder)

    def _start_editor(self, line: int, file: Path) -> None:
        command = editor_command(str(file), line, environment=os.environ, which=shutil.which)
        if not command:
            self._warn(
                self.tr("No editor with a window is known here. Name yours in VISUAL, and start again.")
            )
            return
        root = str(self._project.root_path)
        if not start_editor(command, root):
            self._warn(say(self.tr("{editor} could not be started."), editor=Path(command[0]).name))

    def _show_folder(self, file: Path) -> None:
        folder = file if file.is_dir() else file.parent
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._warn(self.tr("This desktop has no program that shows folders."))

    def _warn(self, sentence: str) -> None:
        self._project.say(sentence, Tone.WARNING)
