"""Reply to an agent about its plan: outcomes, unapproved diff, file excerpts.

It says what goes in, what was excluded and why, and what a new diff needs. Pure: everything comes from the
plan and the given bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from studio.engine.diff import compute, format_excluded_diff, format_unified
from studio.engine.plan import (
    REPAIRED,
    REPLACES_STALE,
    Decision,
    LineComment,
    Operation,
    Plan,
    PlanState,
    Problem,
    Severity,
    Step,
    StepState,
)
from studio.journal.file_image import sha256
from studio.limits import EXCERPT_LINE_CHARACTERS, EXCERPT_LINES, EXCERPTS_UP_TO
from studio.names import show_name
from studio.text import Forms, Lines, NotText, decode_line, describe, diff_text, has_lines

_STANDING = {
    StepState.PENDING: "not decided yet.",
    StepState.REJECTED: "rejected; nothing was written.",
    StepState.STALE: (
        "stale: the file changed on disk after this was proposed. Propose it again on the file as it is now."
    ),
    StepState.INVALID: "refused; it can't be approved as proposed.",
    StepState.ROLLED_BACK: "applied and rolled back: the file is as it was before.",
    StepState.ALREADY_APPLIED: "the file already contains this result.",
}
_ENDED = {
    PlanState.CHANGES_REQUESTED: "changes are requested.",
    PlanState.CANCELLED: "withdrawn; nothing was written.",
    PlanState.FAILED: "not written as decided; check the file.",
}
"""Status of an undecided step whose plan ended as a whole."""
_UNDONE = frozenset({StepState.PENDING, StepState.APPROVED, StepState.STALE})
_SAID_AS = {
    StepState.APPROVED: "Note",
    StepState.APPLIED: "Note",
    StepState.ROLLED_BACK: "Note",
    StepState.REJECTED: "Reason",
}


def reply_text(plan: Plan, steps: Sequence[Step], excluded_diffs: Mapping[int, str]) -> str:
    """Return the reply about these steps of a plan.

    `excluded_diffs` maps step numbers to the diff of what was proposed and does not go in.
    """
    parts = [
        _format_head(plan),
        *(_format_problem(problem) for problem in plan.problems if _is_of_the_text(problem)),
    ]
    decision = next((step.decision for step in steps if step.decision is not None), None)
    if plan.state is PlanState.CHANGES_REQUESTED and decision is not None and decision.text:
        parts.append(f"Requested change: {decision.text}")
    for step in steps:
        lines = [*_format_step(plan, step)]
        diff = excluded_diffs.get(step.number, "")
        if diff:
            lines += [_format_excluded(step), diff.rstrip("\n")]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def excluded_diff(
    step: Step,
    base: bytes | None,
    result: bytes | None,
    decided: bytes | None,
    *,
    forms: Forms,
    setting: str | None,
) -> bytes:
    """Return the diff from a step's decided result to the proposed one.

    Of a rejected step it is the whole proposal. None means no file, `forms` is how base and result are text.
    The diff applies to the target as the decision leaves it. Empty where everything goes in, or a side is not
    text.
    """
    if step.decision is None or result is None or decided == result or not forms.are_text:
        return b""
    if decided is not None and isinstance(describe(decided, setting), NotText):
        return b""
    if decided is not None:
        return format_excluded_diff(decided, result, step.target, setting)
    return format_unified(
        compute(base or b"", result, setting=setting),
        None if base is None else step.path,
        step.target,
        copied=step.op is Operation.COPY,
    )


def recontext(path: str, current: bytes, problems: Sequence[Problem], setting: str | None) -> str:
    """Return what an agent needs to redo a mismatched diff.

    That is the error, the file's hash, and its lines around the places of the mismatch. Lines of the file
    follow their number and a bar, long ones truncated; nothing in them is interpreted.
    """
    form = describe(current, setting)
    lines = Lines(diff_text(current, setting) if has_lines(form) else b"")
    about = f"{len(lines)} lines, unknown encoding" if has_lines(form) else f"{len(current):,} bytes, no text"
    if not isinstance(form, NotText):
        about = f"{len(lines)} lines, {form.encoding}"
        if form.line_ending not in ("none", "LF"):
            about += f", line ends {form.line_ending}"
    parts = [f"The change of {show_name(path)} does not match the file. Nothing was changed.", ""]
    parts += [f"- {problem.message} {problem.hint}".rstrip() for problem in problems[:EXCERPTS_UP_TO]]
    parts += ["", f"The file as it is now has the SHA-256 {sha256(current)} ({about})."]
    mismatched_lines = [
        problem.line for problem in problems if problem.at == "target" and problem.line is not None
    ]
    for first, end in _merge_ranges(mismatched_lines[:EXCERPTS_UP_TO], len(lines)):
        parts += ["", f"Lines {first + 1} to {end}:"]
        parts += [_number_line(number, decode_line(lines[number], form)) for number in range(first, end)]
    parts += ["", "Read the whole file again and make the change against exactly this content."]
    return "\n".join(parts) + "\n"


def _merge_ranges(places: Iterable[int], total: int) -> list[tuple[int, int]]:
    """Return the line ranges around 1-based places, with overlaps merged.

    Ranges are (first, behind), 0-based.
    """
    windows: list[tuple[int, int]] = []
    for place in sorted(places):
        first = min(max(0, place - 1 - EXCERPT_LINES), total)
        end = min(place + EXCERPT_LINES, total)
        if windows and first <= windows[-1][1]:
            windows[-1] = windows[-1][0], max(end, windows[-1][1])
        elif first < end:
            windows.append((first, end))
    return windows


def _number_line(index: int, text: str) -> str:
    shown = text.rstrip("\r\n")
    rest = "..." if len(shown) > EXCERPT_LINE_CHARACTERS else ""
    return f"{index + 1:6} | {shown[:EXCERPT_LINE_CHARACTERS]}{rest}"


def _is_of_the_text(problem: Problem) -> bool:
    """Return whether a problem concerns the text as a whole.

    A summary of refused steps does not; those are listed step by step.
    """
    return problem.severity is Severity.ERROR and problem.code != "plan.steps_refused"


def _format_problem(problem: Problem) -> str:
    where = f"Line {problem.line}: " if problem.line is not None else ""
    return f"{where}{problem.message} {problem.hint}".rstrip()


def _format_head(plan: Plan) -> str:
    open_steps = sum(step.state.is_open for step in plan.steps)
    if plan.is_sent_back:
        return (
            f"Plan {plan.short_id}, “{show_name(plan.title)}”: applied in part; changes are requested for"
            " the rest. Propose a new round for it."
        )
    if plan.has_applied_step and open_steps:
        return (
            f"Plan {plan.short_id}, “{show_name(plan.title)}”: applied in part, {open_steps} of "
            f"{len(plan.valid_steps)} steps are still open."
        )
    status = {
        PlanState.CHANGES_REQUESTED: "changes are requested; nothing was written. Propose a new round.",
        PlanState.COMPLETED: "applied.",
        PlanState.APPROVED: "decided, not applied yet.",
        PlanState.PENDING: "not decided as a whole yet.",
        PlanState.CANCELLED: "withdrawn; nothing was written.",
        PlanState.DISMISSED: "dismissed; nothing was written.",
    }.get(plan.state, f"{plan.state.words}.")
    if not plan.id and not plan.steps:
        return f"“{show_name(plan.title)}” can't be read; nothing was proposed."
    if not plan.id:
        return f"“{show_name(plan.title)}”: read, and not proposed yet."
    return f"Plan {plan.short_id}, “{show_name(plan.title)}”: {status}"


def _format_step(plan: Plan, step: Step) -> Iterator[str]:
    is_requested = plan.state is PlanState.CHANGES_REQUESTED and step.state is not StepState.INVALID
    ended = _ENDED.get(plan.state) if is_requested or step.state in _UNDONE else None
    if step.is_withdrawn:
        yield f"Step {step.number}, {show_name(step.target)}: {_ENDED[PlanState.CANCELLED]}"
        return
    status = ended or _STANDING.get(step.state) or _format_approval(step)
    yield f"Step {step.number}, {show_name(step.target)}: {status}"
    decision = step.decision
    if decision is not None and not is_requested:
        if decision.text:
            yield f"{_SAID_AS.get(step.state, 'Reason')}: {decision.text}"
        if step.state in (StepState.APPROVED, StepState.APPLIED):
            yield from _format_parts(step, decision)
    if decision is not None:
        yield from map(_format_comment, decision.comments)
    yield from (fact.message for fact in step.facts if fact.kind in (REPAIRED, REPLACES_STALE))
    if step.recontext:
        yield step.recontext.rstrip("\n")
    else:
        for problem in step.problems:
            yield f"{problem.message} {problem.hint}".strip()


def _format_approval(step: Step) -> str:
    decision = step.decision
    done = "applied" if step.state is StepState.APPLIED else "approved"
    if decision is None:
        return f"{done}."
    if decision.edited:
        return f"{done} with changes of the reviewer."
    if any(choice is not True for choice in decision.choices.values()):
        return f"{done} in part."
    return f"{done} as proposed."


def _format_parts(step: Step, decision: Decision) -> Iterator[str]:
    out = [number for number, choice in sorted(decision.choices.items()) if choice is False]
    partly = [number for number, choice in sorted(decision.choices.items()) if not isinstance(choice, bool)]
    if out:
        yield f"{_format_hunks(out)} of {len(step.hunks)} excluded."
    if partly:
        yield f"Only some lines of {_format_hunks(partly).lower()} are included."


def _format_hunks(numbers: Sequence[int]) -> str:
    listed = ", ".join(map(str, numbers))
    return f"Hunk {listed}" if len(numbers) == 1 else f"Hunks {listed}"


def _format_comment(comment: LineComment) -> str:
    side = "of the file as it was" if comment.side == "base" else "of your result"
    return f"On line {comment.line} {side}: {comment.text}"


def _format_excluded(step: Step) -> str:
    if step.decision is not None and step.decision.edited:
        return "From the decided result to your proposal:"
    if step.state in (StepState.APPROVED, StepState.APPLIED):
        return "Excluded from your proposal:"
    return "What you proposed:"
