"""Computation of a plan step's hunk ranges and line counts, also inverted."""

from __future__ import annotations

from msgspec.structs import replace

from studio.engine.diff.line_diff import FileDiff, compute
from studio.engine.plan import Fact, HunkRange, Severity, Step
from studio.text import Forms, detect_forms


def with_diff(
    step: Step,
    base: bytes | None,
    result: bytes | None,
    setting: str | None = None,
    *,
    forms: Forms | None = None,
    diff: FileDiff | None = None,
) -> Step:
    """Return the step with the hunks and counts between two contents.

    None is no file; binary content gives none. `setting` is the project's encoding for the path, `forms` the
    text forms and `diff` the difference of both, where already computed. A fact is added where the difference
    is not exact.
    """
    if not (forms or detect_forms(base, result, setting)).have_lines:
        return replace(step, hunks=(), added=0, removed=0)
    if diff is None:
        diff = compute(base or b"", result or b"", setting=setting)
    facts = tuple(fact for fact in step.facts if fact.kind != _COARSE.kind)
    if not diff.is_exact:
        facts = (*facts, _COARSE)
    return replace(step, hunks=diff.hunk_ranges, added=diff.added, removed=diff.removed, facts=facts)


def with_diff_of_inverse(inverse: Step, step: Step) -> Step:
    """Return the inverse step with the hunks of a step reversed."""
    hunks = tuple(
        HunkRange(hunk.hunk, hunk.new_start, hunk.new_lines, hunk.old_start, hunk.old_lines)
        for hunk in step.hunks
    )
    facts = tuple(fact for fact in step.facts if fact.kind == _COARSE.kind)
    return replace(inverse, hunks=hunks, added=step.removed, removed=step.added, facts=facts)


_COARSE = Fact(
    "diff_coarse",
    Severity.NOTE,
    (
        "Comparing the two sides took too long: everything between their common start and end is "
        "shown as one change."
    ),
)
