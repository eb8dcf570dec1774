"""Elision of paths and of labels, with the important part whole."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics

_MIDDLE = Qt.TextElideMode.ElideMiddle
_LEAST_LETTERS = "abcd…"
"""What has to be left of an object, else it says nothing."""


def elide_path(metrics: QFontMetrics, path: str, room: int) -> str:
    """Elide the middle of a path's folder, its name only without room.

    A line number or a slash at the end belongs to the name.
    """
    if metrics.horizontalAdvance(path) <= room:
        return path
    folder, slash, name = path[:-1].rpartition("/")
    name = slash + name + path[-1:]
    left = room - metrics.horizontalAdvance(name)
    if folder and left >= metrics.horizontalAdvance("…"):
        return metrics.elidedText(folder, _MIDDLE, left) + name
    return metrics.elidedText(name.removeprefix("/"), _MIDDLE, room)


def elide_object(metrics: QFontMetrics, label: str, name: str, verb: str, room: int) -> str:
    """Elide the name within a label, or return its verb alone.

    Returns "" where not even the verb fits.
    """
    if metrics.horizontalAdvance(label) <= room:
        return label
    before, found, after = label.partition(name)
    left = room - metrics.horizontalAdvance(before + after)
    if found and left >= metrics.horizontalAdvance(_LEAST_LETTERS):
        shown = before + metrics.elidedText(name, _MIDDLE, left) + after
        if metrics.horizontalAdvance(shown) <= room:
            return shown
    return verb if metrics.horizontalAdvance(verb) <= room else ""
