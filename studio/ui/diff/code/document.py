"""Data source of the diff canvas: display lines, changed words, highlighting.

Highlighting arrives asynchronously: the first request for a line requests its block, and `colours` signals
when it is ready.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.engine import FileDiff
from studio.extras.diff_view.on_screen import word_spans
from studio.text import Lines, NotText, TextForm, line_codec
from studio.ui.diff.code.colour_cache import SideColours
from studio.ui.diff.code.colour_store import ColourStore
from studio.ui.diff.code.names import DefinitionNames
from studio.ui.diff.code.wrapping import WrappedLines
from studio.ui.diff.model.cells import Side
from studio.ui.diff.model.columns import DisplayLine, display_line, ending_of, source_text

if TYPE_CHECKING:
    from studio.ui.runner import Runner

Spans = tuple[tuple[int, int], ...]

_KEPT_LINES = 4000
"""Most drawn lines in the cache: a few screens, whatever the file's size."""

_KEPT_CHARACTERS = 4_000_000
"""Most characters of drawn lines in the cache: a few very long lines."""


class DiffDocument(QObject):
    """Data source of the canvas for one diff.

    `paths` are the names that select the lexers of base and result. `lines` is the line count of the longer
    side where `diff` is only its beginning. `before` is earlier highlighting of the same file.
    """

    def __init__(
        self,
        diff: FileDiff,
        forms: tuple[TextForm | NotText | None, TextForm | NotText | None],
        paths: tuple[str, str],
        runner: Runner | None,
        *,
        no_newline: str,
        show_blanks: bool = False,
        lines: int = 0,
        before: Mapping[Side, SideColours] | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.diff = diff
        self.show_blanks = show_blanks
        self.largest_number = max(lines, len(diff.base_lines), len(diff.result_lines))
        self._forms = {Side.BASE: forms[0], Side.RESULT: forms[1]}
        self._no_newline = no_newline
        self._endings_differ = _endings_differ(*forms)
        by_side = {Side.BASE: paths[0], Side.RESULT: paths[1]}
        self.names = DefinitionNames(diff, by_side, runner, self)
        self.colours = ColourStore(
            by_side, self.lines, self._forms, runner, self,
            before=before,
        )  # fmt: skip
        self._display: OrderedDict[tuple[Side, int, bool], DisplayLine] = OrderedDict()
        self._kept_characters = 0
        self._words = lru_cache(_KEPT_LINES)(self._compare_words)

    @property
    def is_colourless(self) -> bool:
        """Whether no side can be highlighted.

        The file type is unknown, the file is too large, or its lexer failed.
        """
        return self.colours.is_colourless

    def set_blanks(self, shown: bool) -> None:
        """Show or hide spaces, tabs and line ends."""
        self.show_blanks = shown
        self._display.clear()
        self._kept_characters = 0

    def encoding(self, side: Side) -> str:
        """Return the encoding of the compared bytes: UTF-8 for UTF-16 files."""
        return line_codec(self._forms[side])

    def lines(self, side: Side) -> Lines:
        return self.diff.base_lines if side is Side.BASE else self.diff.result_lines

    def source(self, side: Side, line: int) -> str:
        """Return the text of a line without its ending."""
        return source_text(self.lines(side)[line], self._forms[side])

    def display(self, side: Side, line: int, *, name_ending: bool = False) -> DisplayLine:
        """Return a line as drawn.

        The ending is named if that is requested or white space is shown.
        """
        key = (side, line, name_ending or self.show_blanks)
        shown = self._display.get(key)
        if shown is not None:
            self._display.move_to_end(key)
            return shown
        shown = self._display[key] = self._make_display(*key)
        self._kept_characters += len(shown.text)
        while len(self._display) > 1 and (
            len(self._display) > _KEPT_LINES or self._kept_characters > _KEPT_CHARACTERS
        ):
            _, evicted = self._display.popitem(last=False)
            self._kept_characters -= len(evicted.text)
        return shown

    def wrapped(self, columns: int) -> WrappedLines:
        """Return the lines that are wrapped at this many columns."""
        return WrappedLines(columns, self.lines, lambda side, line: self.display(side, line).text)

    def ending_matters(self, side: Side, line: int, pair: tuple[int, int] | None) -> bool:
        """Return whether the line ending is part of a line's change."""
        if self._endings_differ:
            return True
        if pair is None:
            return not self.lines(side)[line].endswith(b"\n")
        before, after = self.lines(Side.BASE)[pair[0]], self.lines(Side.RESULT)[pair[1]]
        return ending_of(before) != ending_of(after)

    def words(self, old: int, new: int) -> tuple[Spans, Spans] | None:
        """Return the differing character spans of a base and a result line.

        Returns None where marks would not help.
        """
        return self._words(old, new)

    def stop(self) -> None:
        """Stop highlighting, as another step is shown."""
        self.colours.stop()

    def _make_display(self, side: Side, line: int, name_ending: bool) -> DisplayLine:
        return display_line(
            self.lines(side)[line],
            self._forms[side],
            show_blanks=self.show_blanks,
            show_ending=name_ending,
            no_newline=self._no_newline,
        )

    def _compare_words(self, old: int, new: int) -> tuple[Spans, Spans] | None:
        before, after = self.display(Side.BASE, old), self.display(Side.RESULT, new)
        spans = word_spans(before.source, after.source)
        return None if spans is None else (spans.old, spans.new)


def _endings_differ(base: TextForm | NotText | None, result: TextForm | NotText | None) -> bool:
    if not isinstance(base, TextForm) or not isinstance(result, TextForm):
        return False
    return "none" not in (base.line_ending, result.line_ending) and base.line_ending != result.line_ending
