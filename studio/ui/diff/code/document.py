"""Data source of the diff canvas: display lines, changed words, highlighting.

Highlighting arrives asynchronously: the first request for a line requests its block, and `colours` signals
when it is ready.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio.engine import Fact, FileDiff
from studio.extras.diff_view.on_screen import paired, word_spans
from studio.limits import LONG_LINE_CHARACTERS
from studio.text import Lines, NotText, TextForm, line_codec
from studio.ui.diff.code.colour_cache import SideColours
from studio.ui.diff.code.colour_store import ColourStore
from studio.ui.diff.code.names import DefinitionNames
from studio.ui.diff.code.wrapping import WrappedLines
from studio.ui.diff.model.cells import Side
from studio.ui.diff.model.columns import DisplayLine, display_line, ending_of, source_text
from studio.ui.language import translator
from studio.ui.limits import SHOWN_AROUND_CHARACTERS
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.ui.runner import Runner

Spans = tuple[tuple[int, int], ...]

_tr = translator("DiffView")
_OTHER = {Side.BASE: Side.RESULT, Side.RESULT: Side.BASE}

_KEPT_LINES = 4000
"""Most drawn lines in the cache: a few screens, whatever the file's size."""

_KEPT_CHARACTERS = 4_000_000
"""Most characters of drawn lines in the cache: a few very long lines."""


class DiffDocument(QObject):
    """Data source of the canvas for one diff.

    `paths` are the names that select the lexers of base and result. `lines` is the line count of the longer
    side where `diff` is only its beginning. `before` is earlier highlighting of the same file. The places of
    `facts` are never omitted.
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
        facts: Iterable[Fact] = (),
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
        self._omits = False
        self._whole: set[tuple[Side, int]] = set()
        self._fact_places = [
            (Side(fact.side), fact.line - 1, fact.column - 1)
            for fact in facts
            if fact.side and fact.line and fact.column
        ]
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

    def set_omits(self, omits: bool) -> bool:
        """Omit unchanged parts of long lines; return whether that is new."""
        if omits == self._omits:
            return False
        self._omits = omits
        self._display.clear()
        self._kept_characters = 0
        return True

    def hides(self, side: Side, line: int, byte: int) -> bool:
        """Return whether a byte of a line is in a hidden part."""
        character = len(source_text(self.lines(side)[line][:byte], self._forms[side]))
        return any(start <= character < end for start, end in self.omitted(side, line))

    def show_whole(self, side: Side, line: int) -> None:
        """Show all of a very long line."""
        self._whole.add((side, line))
        self._display.clear()
        self._kept_characters = 0

    def omitted(self, side: Side, line: int) -> Spans:
        """Return the unchanged characters of a long line that are hidden.

        200 around each change and fact are shown, and all of a line that differs as a whole.
        """
        starts = self.lines(side).starts
        is_long = starts[line + 1] - starts[line] > LONG_LINE_CHARACTERS
        if not is_long or not self._omits or (side, line) in self._whole:
            return ()
        changed = self._changed_characters(side, line)
        if changed is None:
            return ()
        warned = [(at, at) for fact_side, row, at in self._fact_places if (fact_side, row) == (side, line)]
        return _between(tuple(sorted((*changed, *warned))), len(self.source(side, line)))

    def _changed_characters(self, side: Side, line: int) -> Spans | None:
        """Return what a line changes against lines it may be beside.

        None where that is the whole line.
        """
        changes = self.diff.changes
        firsts = changes.old_firsts if side is Side.BASE else changes.new_firsts
        index = bisect_right(firsts, line) - 1
        if index < 0:
            return ()
        change = changes[index]
        end = change.old_end if side is Side.BASE else change.new_end
        if line >= end:
            return ()
        found: list[tuple[int, int]] = []
        for part in (change, *paired(self.diff).get(index, ())):
            first, end = (
                (part.old_first, part.old_end) if side is Side.BASE else (part.new_first, part.new_end)
            )
            if not first <= line < end:
                continue
            at = line - first
            if at >= min(part.old_count, part.new_count):
                return None
            words = self.words(part.old_first + at, part.new_first + at)
            if words is None:
                return None
            here, there = words if side is Side.BASE else words[::-1]
            found += here
            if there:
                # Where this side lacks what the other has, its place is shown.
                length = len(self.source(side, line))
                other = part.new_first + at if side is Side.BASE else part.old_first + at
                behind = len(self.source(_OTHER[side], other)) - there[-1][1]
                found += ((place, place) for place in (there[0][0], length - behind))
        return tuple(sorted(found))

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
            omitted=self.omitted(side, line),
            omission=omission_words,
        )

    def _compare_words(self, old: int, new: int) -> tuple[Spans, Spans] | None:
        spans = word_spans(self.source(Side.BASE, old), self.source(Side.RESULT, new))
        return None if spans is None else (spans.old, spans.new)


def omission_words(count: int) -> str:
    """Return the count shown in place of characters."""
    return say(_tr(" … {n} characters … "), n=f"{count:,}")


def _between(spans: Spans, length: int) -> Spans:
    """Return the long ranges that are far from all spans."""
    around, found, at = SHOWN_AROUND_CHARACTERS, list[tuple[int, int]](), 0
    for start, end in (*spans, (length + around, length)):
        if start - around - (at + around) > around:
            found.append((at + around, start - around))
        at = max(at, end)
    return tuple(found)


def _endings_differ(base: TextForm | NotText | None, result: TextForm | NotText | None) -> bool:
    if not isinstance(base, TextForm) or not isinstance(result, TextForm):
        return False
    return "none" not in (base.line_ending, result.line_ending) and base.line_ending != result.line_ending
