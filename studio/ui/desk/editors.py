"""Editors that show a file at a line in a window of their own, and how each is told so."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Final

from PySide6.QtCore import QProcess

_COLON = ("{file}:{line}",)
_PLUS = ("+{line}", "{file}")
_KNOWN: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("code", "codium", "code-insiders", "cursor", "windsurf"), ("-g", *_COLON)),
    **dict.fromkeys(("zed", "zeditor", "subl", "sublime_text", "lapce", "hx-gui"), _COLON),
    **dict.fromkeys(("pycharm", "idea", "clion", "goland", "webstorm"), ("--line", "{line}", "{file}")),
    **dict.fromkeys(("gvim", "neovide", "gedit", "gnome-text-editor", "pluma", "xed", "mousepad"), _PLUS),
    "kate": ("-l", "{line}", "{file}"),
    "emacsclient": ("-n", "-c", "+{line}", "{file}"),
}
"""The words after an editor's name, the ones looked for first standing first."""

_NEED_A_TERMINAL: Final = frozenset(
    "vi vim nvim nano pico ed ex emacs joe jed mcedit micro hx kak ne".split()
)


def editor_command(
    file: str, line: int, *, environment: Mapping[str, str], which: Callable[[str], str | None]
) -> tuple[str, ...]:
    """The command that opens a file at a line, counted from 1: in the editor that VISUAL or EDITOR name,
    where that needs no terminal, else in the first known one that is there; () where there is none."""
    for variable in ("VISUAL", "EDITOR"):
        words = _words(environment.get(variable, ""))
        name = PurePath(words[0]).name if words else ""
        if name and name not in _NEED_A_TERMINAL and which(words[0]) is not None:
            return (*words, *_told(_KNOWN.get(name, ("{file}",)), file, line))
    for name, told in _KNOWN.items():
        found = which(name)
        if found is not None:
            return (found, *_told(told, file, line))
    return ()


def start_editor(command: Sequence[str], folder: str) -> bool:
    """Start it in a folder, for itself; says whether it could be started."""
    started, _pid = QProcess.startDetached(command[0], list(command[1:]), folder)
    return bool(started)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _told(words: tuple[str, ...], file: str, line: int) -> tuple[str, ...]:
    return tuple(word.replace("{line}", str(max(1, line))).replace("{file}", file) for word in words)
