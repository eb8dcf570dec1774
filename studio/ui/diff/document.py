"""Both sides of a diff as lines to draw, with the word marks and code colours that belong to them.

Colours come late: the first look at a line asks for its block, `coloured` tells when it has come.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.diff.compute import FileDiff
from studio.engine.text import Lines, NotText, TextForm, describe
from studio.ui.diff import colouring
from studio.ui.diff.columns import DisplayLine, display_line, source_text, split_ending
from studio.ui.diff.layout import Side

if TYPE_CHECKING:
    from studio.ui.runner import Runner

Spans = tuple[tuple[int, int], ...]

_KEPT_LINES = 4000
"""Lines whose drawn form is kept: a few screens, whatever the size of the file."""

TOO_LARGE_TO_COLOUR = 32 * 1024 * 1024
"""Bytes of one side above which code stays without colours."""


class DiffDocument(QObject):
    """What the canvas draws from. `paths` are the names that choose the lexer, base and result."""

    coloured = Signal()

    def __init__(
        self,
        diff: FileDiff,
        forms: tuple[TextForm | NotText | None, TextForm | NotText | None],
        paths: tuple[str, str],
        runner: Runner | None,
        *,
        no_newline: str,
        show_blanks: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.diff = diff
        self.show_blanks = show_blanks
        self._forms = {Side.BASE: forms[0], Side.RESULT: forms[1]}
        self._no_newline = no_newline
        self._endings_differ = _endings_differ(*forms)
        self._colours = {
            side: _SideColours(self, side, path, runner)
            for side, path in ((Side.BASE, paths[0]), (Side.RESULT, paths[1]))
        }
        self._display = lru_cache(_KEPT_LINES)(self._make_display)
        self._words = lru_cache(_KEPT_LINES)(self._compare_words)

    @property
    def is_colourless(self) -> bool:
        """Whether no side gets colours: unknown kind of file, too large, or a lexer that failed."""
        return all(colours.dropped for colours in self._colours.values())

    def set_blanks(self, shown: bool) -> None:
        """Draw spaces, tabs and line ends, or don't."""
        self.show_blanks = shown
        self._display.cache_clear()

    def encoding(self, side: Side) -> str:
        """The encoding of the bytes that are compared: a UTF-16 file is compared as UTF-8."""
        form = self._forms[side]
        single = isinstance(form, TextForm) and form.encoding == "windows-1252"
        return "windows-1252" if single else "utf-8"

    def lines(self, side: Side) -> Lines:
        return self.diff.base_lines if side is Side.BASE else self.diff.result_lines

    def source(self, side: Side, line: int) -> str:
        """Text of a line without its ending."""
        return source_text(self.lines(side)[line], self._forms[side])

    def display(self, side: Side, line: int, *, name_ending: bool = False) -> DisplayLine:
        """A line as drawn, with the name of its ending if that is asked for or white space is on."""
        return self._display(side, line, name_ending or self.show_blanks)

    def ending_matters(self, side: Side, line: int, pair: tuple[int, int] | None) -> bool:
        """Whether a changed line's ending is a part of what changes."""
        if self._endings_differ:
            return True
        if pair is None:
            return not self.lines(side)[line].endswith(b"\n")
        before, after = self.lines(Side.BASE)[pair[0]], self.lines(Side.RESULT)[pair[1]]
        return split_ending(before)[1] != split_ending(after)[1]

    def words(self, old: int, new: int) -> tuple[Spans, Spans] | None:
        """What differs between a base and a result line, in characters; None where marks say nothing."""
        return self._words(old, new)

    def colours(self, side: Side, line: int) -> tuple[colouring.Span, ...]:
        """Colours of a line, none as long as they are not there."""
        return self._colours[side].of(line)

    def stop(self) -> None:
        """Take no colours any more: another step is shown."""
        for colours in self._colours.values():
            colours.stop()

    def _make_display(self, side: Side, line: int, name_ending: bool) -> DisplayLine:
        return display_line(
            self.lines(side)[line],
            self._forms[side],
            show_blanks=self.show_blanks,
            show_ending=name_ending,
            no_newline=self._no_newline,
        )

    def _compare_words(self, old: int, new: int) -> tuple[Spans, Spans] | None:
        # rapidfuzz loads with the first diff that is looked at, not with the window.
        from studio.engine.diff.words import word_spans

        spans = word_spans(self.source(Side.BASE, old), self.source(Side.RESULT, new))
        return None if spans is None else (spans.old, spans.new)


def _endings_differ(base: TextForm | NotText | None, result: TextForm | NotText | None) -> bool:
    if not isinstance(base, TextForm) or not isinstance(result, TextForm):
        return False
    return "none" not in (base.line_ending, result.line_ending) and base.line_ending != result.line_ending


class _SideColours:
    """Colours of one side, block by block."""

    def __init__(self, document: DiffDocument, side: Side, path: str, runner: Runner | None) -> None:
        self._document = document
        self._side = side
        self._path = path
        self._runner = runner
        self._blocks: dict[int, tuple[tuple[colouring.Span, ...], ...]] = {}
        self._asked: set[int] = set()
        self.dropped = runner is None or not path

    def of(self, line: int) -> tuple[colouring.Span, ...]:
        if self.dropped:
            return ()
        lines = self._document.lines(self._side)
        block = colouring.block_at(line, len(lines))
        spans = self._blocks.get(block.first)
        if spans is not None:
            return spans[line - block.first]
        if block.first not in self._asked:
            self._ask(block, lines)
        return ()

    def stop(self) -> None:
        self.dropped = True

    def _ask(self, block: colouring.Block, lines: Lines) -> None:
        self._asked.add(block.first)
        if len(lines.data) > TOO_LARGE_TO_COLOUR or self._runner is None:
            self.dropped = True
            return
        texts = tuple(self._document.source(self._side, line) for line in range(block.start, block.last))
        self._runner.compute_apart(
            colouring.colour, self._path, texts, block.first - block.start,
            then=partial(self._take, block.first), failed=self._failed,
        )  # fmt: skip

    def _take(self, first: int, colours: colouring.Colours) -> None:
        if self.dropped:
            return
        if colours.dropped:
            self.dropped = True
            return
        self._blocks[first] = colours.lines
        self._document.coloured.emit()

    def _failed(self, _error: Exception) -> None:
        self.dropped = True


def form_of(data: bytes | None) -> TextForm | NotText | None:
    """How a side is text; None for a side that does not exist."""
    return None if data is None else describe(data)
