"""Enums and dataclasses of diff rows: display mode, side, line state, cell."""

from __future__ import annotations

from enum import Enum

from studio.values import Value


class Mode(Enum):
    """Arrangement of the two sides: side by side, unified, or one only."""

    SIDE_BY_SIDE = "side_by_side"
    UNIFIED = "unified"
    ONE_SIDE = "one_side"


class Side(Enum):
    BASE = "base"
    RESULT = "result"


class LineState(Enum):
    """State of a line; `LEFT_OUT` is excluded, `KEPT` stays because of that."""

    PLAIN = " "
    REMOVED = "-"
    ADDED = "+"
    LEFT_OUT = "out"
    KEPT = "="


class RowKind(Enum):
    BAND = "band"
    FOLD = "fold"
    CODE = "code"
    NOTE = "note"


class Cell(Value):
    """Line on one side; `side` and `line` (from 0) locate its bytes.

    `number` is its line number on that side, from 1. `choice` is its number among the changed lines of its
    hunk, from 1, or 0 for an unchanged line.
    """

    side: Side
    line: int
    number: int | None
    state: LineState
    choice: int = 0

    @property
    def sign(self) -> str:
        if self.state is LineState.LEFT_OUT:
            return "-" if self.side is Side.BASE else "+"
        return self.state.value.strip()

    @property
    def line_key(self) -> tuple[Side, int]:
        return self.side, self.line


class Row(Value):
    """A row: a band, a fold, code cells, or a comment.

    A band has its hunk (from 1), a fold its gap and how many lines it hides. `pair` is the base and the
    result line that are versions of each other. A comment is below the line in `note`.
    """

    kind: RowKind
    hunk: int = 0
    gap: int = -1
    hidden: int = 0
    left: Cell | None = None
    right: Cell | None = None
    pair: tuple[int, int] | None = None
    note: tuple[Side, int] | None = None


class Heights(Value):
    code: int
    band: int
    fold: int
