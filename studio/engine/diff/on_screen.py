"""What only a screen needs of a diff: rows, pairs of lines, words, sections, the head of a large one.

A door that writes a diff down loads none of it (`words` loads rapidfuzz).
"""

from studio.engine.diff import rows
from studio.engine.diff.ends import line_count
from studio.engine.diff.head import head_diff
from studio.engine.diff.pairing import paired
from studio.engine.diff.rows import SMALLEST_FOLD, RowMap
from studio.engine.diff.sections import definition_before, first_definition
from studio.engine.diff.words import word_spans
from studio.engine.system.chunks import ranges

__all__ = [
    "SMALLEST_FOLD",
    "RowMap",
    "definition_before",
    "first_definition",
    "head_diff",
    "line_count",
    "paired",
    "ranges",
    "rows",
    "word_spans",
]
