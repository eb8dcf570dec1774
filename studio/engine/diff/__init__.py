"""The diff engine: strict reading and applying, computing, rows for the screen, words, selecting.

Lines end at LF only and a CR belongs to its line; UTF-16 files are spoken of as UTF-8 (contract 3).
What only a screen needs stays in its module: `rows` (row maps) and `words` (loads rapidfuzz).
"""

from studio.engine.diff.apply import Applied, DoesNotMatch, Mismatch, apply_strict, apply_with_facts
from studio.engine.diff.compute import Change, FileDiff, Hunk, compute, format_unified
from studio.engine.diff.select import choose, left_out, select
from studio.engine.diff.unified import (
    DiffRefused,
    FilePatch,
    PatchHunk,
    parse_hunks,
    parse_unified,
    read_unified,
)

__all__ = [
    "Applied",
    "Change",
    "DiffRefused",
    "DoesNotMatch",
    "FileDiff",
    "FilePatch",
    "Hunk",
    "Mismatch",
    "PatchHunk",
    "apply_strict",
    "apply_with_facts",
    "choose",
    "compute",
    "format_unified",
    "left_out",
    "parse_hunks",
    "parse_unified",
    "read_unified",
    "select",
]
