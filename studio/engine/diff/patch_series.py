"""Application of several diffs of one file, in turn or all together.

The mails of a series, or the code blocks of a reply, may change one file repeatedly. Each diff was made on
the result of those before it, or all of them on the original file; the text does not say which. Both are
tried, as strictly as a single diff; where both fit and the results differ, the text is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from studio.engine.diff.apply import Applied, DoesNotMatch, apply_with_facts
from studio.engine.diff.patch import FilePatch
from studio.engine.plan import Operation, Problem
from studio.names import show_name
from studio.text import NotText, TextForm


def apply_series(
    base: bytes,
    patches: Sequence[FilePatch],
    setting: str | None = None,
    *,
    form: TextForm | NotText | None = None,
) -> Applied:
    """Return the bytes after applying all these patches of one file.

    `setting` and `form` are as for `apply_with_facts`. Raises as that does, and DoesNotMatch also where the
    patches fit in both orders with different results.
    """
    if len(patches) == 1:
        return apply_with_facts(base, patches[0], setting, form=form)
    combined = _apply_together(base, patches, setting, form)
    try:
        in_order = _apply_in_turn(base, patches, setting, form)
    except DoesNotMatch:
        if combined is None:
            raise
        return combined
    if combined is not None and combined.result != in_order.result:
        raise _ambiguous_error(patches)
    return in_order


def _apply_in_turn(
    base: bytes, patches: Sequence[FilePatch], setting: str | None, form: TextForm | NotText | None
) -> Applied:
    first = apply_with_facts(base, patches[0], setting, form=form)
    result, facts = first.result, first.facts
    for patch in patches[1:]:
        try:
            applied = apply_with_facts(result, patch, setting)
        except DoesNotMatch as error:
            raise _add_series_hint(error, patch) from error
        result = applied.result
        facts = (*facts, *(fact for fact in applied.facts if fact not in facts))
    return Applied(result, facts)


def _add_series_hint(error: DoesNotMatch, patch: FilePatch) -> DoesNotMatch:
    attempt = f"The diff at line {patch.line} fits neither the file nor the result of the diffs before it."
    problems = tuple(replace(problem, hint=f"{attempt} {problem.hint}") for problem in error.problems)
    return DoesNotMatch(problems, error.mismatches, patch.path)


def _apply_together(
    base: bytes, patches: Sequence[FilePatch], setting: str | None, form: TextForm | NotText | None
) -> Applied | None:
    """Apply all patches to the original file at once.

    None where they do not fit that way, or overlap.
    """
    if patches[0].operation is not Operation.MODIFY:
        return None
    hunks = sorted((hunk for patch in patches for hunk in patch.hunks), key=lambda hunk: hunk.old_first)
    for hunk, next_hunk in pairwise(hunks):
        if hunk.old_first + hunk.old_lines > next_hunk.old_first or hunk.old_first == next_hunk.old_first:
            return None
    try:
        return apply_with_facts(base, replace(patches[0], hunks=tuple(hunks)), setting, form=form)
    except DoesNotMatch:
        return None


def _ambiguous_error(patches: Sequence[FilePatch]) -> DoesNotMatch:
    name = show_name(patches[0].path)
    problem = Problem(
        "patch.two_ways",
        f"The {len(patches)} diffs of {name} fit in sequence and also separately, with different results.",
        "Combine all changes to the file in one diff.",
        line=patches[1].line,
    )
    return DoesNotMatch((problem,), (), patches[0].path)
