"""Diff engine: strict parsing and applying, computing, line selection, merging.

Lines end at LF only and a CR belongs to its line. Diffs of UTF-16 files are UTF-8. Helpers that only the user
interface needs are in `on_screen`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.engine.diff.apply import Applied, DoesNotMatch, Mismatch, apply_strict, apply_with_facts
    from studio.engine.diff.formatting import decode_diff, format_binary, format_unified
    from studio.engine.diff.hunk_selection import choose, format_excluded_diff, select
    from studio.engine.diff.line_diff import Change, FileDiff, Hunk, compute
    from studio.engine.diff.patch_series import apply_series
    from studio.engine.diff.three_way_merge import (
        LineRange,
        MergeConflict,
        Merged,
        MergePlace,
        merge,
        merge_typed,
        only_formatting,
        resolve_conflicts,
    )
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
    "LineRange",
    "MergeConflict",
    "MergePlace",
    "Merged",
    "Mismatch",
    "PatchHunk",
    "apply_series",
    "apply_strict",
    "apply_with_facts",
    "choose",
    "compute",
    "decode_diff",
    "format_binary",
    "format_excluded_diff",
    "format_unified",
    "merge",
    "merge_typed",
    "only_formatting",
    "parse_hunks",
    "parse_unified",
    "read_unified",
    "resolve_conflicts",
    "select",
]

__getattr__ = late_names(
    __name__,
    {
        "studio.engine.diff.apply": "Applied DoesNotMatch Mismatch apply_strict apply_with_facts",
        "studio.engine.diff.patch_series": "apply_series",
        "studio.engine.diff.line_diff": "Change FileDiff Hunk compute",
        "studio.engine.diff.formatting": "decode_diff format_binary format_unified",
        "studio.engine.diff.three_way_merge": (
            "LineRange MergeConflict Merged MergePlace merge merge_typed only_formatting resolve_conflicts"
        ),
        "studio.engine.diff.hunk_selection": "choose format_excluded_diff select",
        "studio.engine.diff.unified": (
            "DiffRefused FilePatch PatchHunk parse_hunks parse_unified read_unified"
        ),
    },
)
