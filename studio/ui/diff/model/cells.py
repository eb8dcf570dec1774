"""The words of the rows on screen: modes, sides, cells, rows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Mode(Enum):
    """How the two sides stand: beside each other, in one column, or as the only side that has lines."""

    SIDE_BY_SIDE = "side_by_side"
    UNIFIED = "unified"
    ONE_SIDE = "one_side"


class Side(Enum):
    BASE = "base"
    RESULT = "result"


class Look(Enum):
    """What happens to a line. LEFT_OUT is proposed and will not happen, KEPT stays because of that."""

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


@dataclass(frozen=True, slots=True)
class Cell:
    """One line on one side of the screen; `side` and `line` (from 0) say where its bytes are.

    `number` is the number it has on its side of the screen, from 1. `choice` is the number of a changed
    line in a choice of lines of its hunk, from 1; 0 for a line that is no choice.
    """

    side: Side
    line: int
    number: int | None
    look: Look
    choice: int = 0

    @property
    def sign(self) -> str:
        if self.look is Look.LEFT_OUT:
            return "-" if self.side is Side.BASE else "+"
        return self.look.value.strip()

    @property
    def place(self) -> tuple[Side, int]:
        return self.side, self.line


@dataclass(frozen=True, slots=True)
class Row:
    """One row. A band has its hunk (from 1), a fold its gap and how many lines it hides, code its cells.

    `pair` holds the base and the result line that are two versions of each other. A note stands below the
    line `note` names.
    """

    kind: RowKind
    hunk: int = 0
    gap: int = -1
    hidden: int = 0
    left: Cell | None = None
    right: Cell | None = None
    pair: tuple[int, int] | None = None
    note: tuple[Side, int] | None = None


@dataclass(frozen=True, slots=True)
class Heights:
    code: int
    band: int
    fold: int
