"""Go to a file (Ctrl+P): search in project files and open plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from studio.engine.limits import FOUND_FILES_UP_TO
from studio.engine.names import show_name
from studio.ui.desk.reading import FilePlace
from studio.ui.finders.finder import Finder
from studio.ui.language import translator
from studio.ui.look.theme import ui_font
from studio.ui.look.words import split_path
from studio.ui.tree.badges import Badges, badges_of
from studio.ui.widgets.row_painter import BODY, SECOND, ItemPainter

if TYPE_CHECKING:
    from studio.ui.desk.desk import Desk

_tr = translator("GoToFile")


_LEAST_LIKENESS = 70.0


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """Best paths first; `total` counts the project files searched."""

    paths: tuple[str, ...]
    total: int


_known: dict[str, tuple[str, ...]] = {}
"""Files of each project, by root."""


def find_files(
    list_files: Callable[[Path], Iterable[str]],
    root: str,
    search: str,
    proposed: Sequence[str],
    *,
    again: bool = False,
) -> FoundFiles:
    """Return the project's and proposed paths that match the text.

    Paths are relative with `/`. `again` lists the project again with `list_files`, which is a parameter
    because importing it from the engine here would load the whole engine (330 ms).
    """
    if again or root not in _known:
        _known[root] = tuple(list_files(Path(root)))
    paths = _known[root]
    extra = [path for path in proposed if path not in set(paths)]
    return FoundFiles(best(search, (*extra, *paths)), len(paths))


def best(search: str, paths: Iterable[str], *, most: int = FOUND_FILES_UP_TO) -> tuple[str, ...]:
    """Return the best matches.

    First paths with every word in the name, then with every word in the path, then near matches.
    """
    words = search.casefold().split()
    if not words:
        return tuple(sorted(paths, key=lambda path: (path.count("/"), path.casefold()))[:most])
    in_name: list[str] = []
    in_path: list[str] = []
    others: list[str] = []
    for path in paths:
        folded = path.casefold()
        if not all(word in folded for word in words):
            others.append(path)
        elif all(word in folded.rpartition("/")[2] for word in words):
            in_name.append(path)
        else:
            in_path.append(path)
    found = [*sorted(in_name, key=_shortest_name), *sorted(in_path, key=len)][:most]
    if len(found) < most:
        found += _find_near_matches("".join(words), others, most - len(found))
    return tuple(found)


def _find_near_matches(search: str, paths: Sequence[str], most: int) -> list[str]:
    """Return near matches: paths with typing errors or omitted letters."""
    from rapidfuzz import fuzz, process

    def folded(path: str) -> str:
        return path.casefold().replace("/", "")

    found = process.extract(
        search, paths, scorer=fuzz.partial_ratio, processor=folded, score_cutoff=_LEAST_LIKENESS, limit=most
    )
    return [path for path, _likeness, _place in found]


def _shortest_name(path: str) -> tuple[int, int, str]:
    return len(path.rpartition("/")[2]), len(path), path


class GoToFile(Finder[str]):
    """Finder of files.

    Running a row goes to the file's open step, else reads the file.
    """

    def __init__(self, desk: Desk, window: QWidget) -> None:
        super().__init__("go-to-file", _tr("Go to a file"), _tr("Files"), window)
        self._desk = desk
        self._requested = ""
        self._list_again = False
        self._badges = self._shown = Badges()

    def open_finder(self) -> None:
        """Open the finder on a new list of files."""
        self._list_again = True
        self._badges = badges_of(self._desk.queue.plans, self._desk.observed.rows)
        super().open_finder()

    def open_in(self, folder: str) -> None:
        """Open the finder on a folder's files; `folder` ends with a slash."""
        self.open_finder()
        self.field.setText(folder)

    def search(self, text: str) -> None:
        self._requested = text
        from studio.engine.workspace import file_paths

        again, self._list_again = self._list_again, False
        root, proposed = str(self._desk.project.root_path), tuple(self._badges.files)
        job = partial(find_files, file_paths, root, text, proposed, again=again)
        self._desk.project.runner.compute_apart(
            job, then=partial(self._show_found, text), failed=self._show_failure
        )

    def run(self, row: str) -> None:
        badge = self._shown.files.get(row)
        self.close_finder()
        if badge is not None and badge.observed:
            self._desk.observed.show(badge.observed)
        elif badge is not None:
            self._desk.select(badge.plan_id, badge.step)
        else:
            self._desk.reading.show(FilePlace(row))

    def words_of(self, row: str) -> str:
        return show_name(row)

    def accessible_text(self, row: str) -> str:
        badge = self._shown.files.get(row)
        return f"{show_name(row)}, {badge.look.word}" if badge is not None else show_name(row)

    def paint_row(self, painter: ItemPainter, row: str) -> None:
        folder, name = split_path(show_name(row))
        painter.icon("file", "muted", gap=8)
        if (badge := self._shown.files.get(row)) is not None:
            painter.icon_right(badge.look.icon, badge.look.token, size=14)
            painter.text_right(badge.look.word, badge.look.token, ui_font(SECOND))
        painter.text(name, "text", ui_font(BODY, 500), elide=Qt.TextElideMode.ElideMiddle)
        painter.text(folder.rstrip("/"), "muted", ui_font(SECOND), elide=Qt.TextElideMode.ElideMiddle)

    def _show_found(self, text: str, found: FoundFiles) -> None:
        if text != self._requested or self.isHidden():
            return
        self._list(found.paths, self.tr("No file of the project is called so."))

    def _show_failure(self, _error: object) -> None:
        self._list((), self.tr("The files of the project can't be listed."))

    def _list(self, paths: tuple[str, ...], none: str) -> None:
        self._shown = self._badges
        self.say("" if paths else none)
        self.show_found(paths)
