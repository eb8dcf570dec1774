"""Text output for plans, sessions, history, rollbacks, snapshots, diffs and errors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio import engine
from studio.doors.cli.console.answer import hint_with_command
from studio.doors.cli.console.terminal import painted_diff, painted_state
from studio.doors.limits import PRINTED_FILES_UP_TO, PRINTED_GOING_UP_TO
from studio.engine import (
    Operation,
    PersonSource,
    SessionState,
    Severity,
)
from studio.journal.file_image import FileImage, time_text
from studio.names import show_lines, show_name

if TYPE_CHECKING:
    from studio.engine import (
        Decision,
        HistoryEntry,
        PathConflict,
        PathVerdict,
        Plan,
        Problem,
        RetentionReport,
        RollbackPreview,
        Session,
        Step,
        StepContents,
        ToolCall,
        UndoLoss,
    )
    from studio.errors import StudioError
    from studio.extras.snapshots import RestorePreview
    from studio.workspace import InterruptedFile

_MARKS = {
    Severity.NOTE: "note",
    Severity.WARNING: "warning",
    Severity.DANGER: "danger",
    Severity.ERROR: "refused",
}

_PLACES = {
    "before": "old content",
    "after": "new content",
    "neither": "another program's content; it remains",
}
"""What a path holds after an interrupted apply."""

SEEN = {
    PersonSource.WINDOW: "in the window",
    PersonSource.TERMINAL: "at a terminal",
    PersonSource.CONFIGURATION: "by the setting command_line: allow",
    None: "",
}
"""How a person was seen; older versions did not store it."""

_PRESENCE = {
    SessionState.ALIVE: "is active",
    SessionState.WAITING: "is waiting for a decision",
    SessionState.GONE: "has ended",
}


def plan_line(plan: Plan) -> str:
    stale = f", {painted_state('stale')}" if plan.stale else ""
    by = f" by {show_name(plan.agent)}" if plan.agent else ""
    state = painted_state(_state(plan.state.value)) + stale
    return f"{plan.short_id}  {state}  {show_name(plan.title)}{by}, {steps_text(len(plan.steps))}"


def plan_text(plan: Plan, conflicts: Sequence[PathConflict] = ()) -> str:
    lines = [plan_line(plan)]
    lines += [
        f"  warning: step {conflict.step} and plan {conflict.other_plan[:8]} both write "
        f"{show_name(conflict.path)}"
        for conflict in conflicts
    ]
    if plan.dismissal is not None:
        how = SEEN[plan.dismissal.seen]
        was = _state(plan.dismissal.was.value)
        lines.append(f"  dismissed by {show_name(plan.dismissal.who)} {how}; it was {was}")
    if plan.duplicate and plan.is_review:
        lines.append("  nothing changed since this review")
    elif plan.duplicate:
        lines.append("  duplicate: the same change is already in the queue")
    lines += [f"  {_problem(problem)}" for problem in plan.problems]
    if len(plan.parts) > 1 or (plan.parts and plan.state.is_active):
        for part in plan.parts:
            numbers = ", ".join(str(step.number) for step in plan.steps_of_part(part.number))
            kept = "" if part.discarded is None else "  (undo data expired)"
            lines.append(f"  part {part.number} applied {time_text(part.applied)}: steps {numbers}{kept}")
    if plan.message:
        heading = "result of the command" if plan.is_of_command else "message to the agent"
        lines += [f"  {heading}:", *(f"  | {show_name(line)}" for line in plan.message.splitlines())]
    for step in plan.steps:
        state = painted_state(_state(step.state.value), 16)
        lines.append(f"  {step.number:>3} {state} {step.op.value:<7} {_step(step)}")
        if step.decision is not None:
            text = f": {show_name(step.decision.text)}" if step.decision.text else ""
            lines.append(f"        {decided_by(step.decision)}{text}")
        lines += [f"        {_problem(problem)}" for problem in step.problems]
        lines += [
            f"        {_MARKS[fact.severity]}: {show_name(fact.message)}"
            for fact in step.facts
            if fact.severity is not Severity.NOTE or fact.kind == "lock_file"
        ]
    return "\n".join(lines)


def _step(step: Step) -> str:
    path = show_name(step.path) + (f" -> {show_name(step.to)}" if step.to is not None else "")
    mode = f"  mode {step.mode_change[0]} -> {step.mode_change[1]}" if step.mode_change is not None else ""
    counts = f"  +{step.added} -{step.removed}" if step.added or step.removed else ""
    return f"{path}{counts}{mode}"


def _problem(problem: Problem) -> str:
    where = f" (line {problem.line} of the {problem.at})" if problem.line is not None else ""
    hint = show_name(hint_with_command(problem.code, problem.hint))
    return f"{_MARKS[problem.severity]}: {show_name(problem.message)}{where} {hint}"


def session_line(session: Session) -> str:
    """Return one sentence about a session."""
    who = show_name(session.agent) or "Unnamed agent"
    named = f" ({show_name(session.name)})" if session.name else ""
    plans = f": {', '.join(plan[:8] for plan in session.plans)}" if session.plans else ""
    count = f"{len(session.plans)} {'plan' if len(session.plans) == 1 else 'plans'}{plans}"
    return (
        f"{who} via {show_name(session.door)}{named} {_PRESENCE[session.state]}; started "
        f"{time_text(session.since)}, last seen {time_text(session.last)}, {count}."
    )


def call_line(call: ToolCall) -> str:
    """Return a tool call in one line: agent, request, folder, state."""
    who = show_name(call.agent) or "Unnamed agent"
    line = f"{call.short_id}  {call.state.value:<8}  {who}, {show_name(call.tool)}"
    if call.command:
        line += f": {show_name(call.command)}"
    if call.cwd:
        line += f"  in {show_name(call.cwd)}"
    return line if call.decision is None or not call.decision.text else f"{line}\n  {call.decision.text}"


def history_line(entry: HistoryEntry) -> str:
    files = f"{entry.files} {'file' if entry.files == 1 else 'files'}"
    state = painted_state(_state(entry.state.value))
    lines = f"+{entry.added} -{entry.removed}" if entry.is_counted else "lines unknown"
    return (
        f"{time_text(entry.applied_at)}  {entry.plan.short_id}  {state}  {show_name(entry.plan.title)}  "
        f"{files}  {lines}"
        + (f"  part {entry.part}" if entry.is_part else "")
        + (f"  ({decided_by(entry.decision)})" if entry.decision is not None else "")
        + _discarded(entry)
    )


def _discarded(entry: HistoryEntry) -> str:
    part = entry.discarded
    if part is None:
        return ""
    if part.discarded_by is None:
        return "  (undo data expired)"
    by = f"{show_name(part.discarded_by)} {SEEN[part.discarded_seen]}".rstrip()
    return f"  (undo data discarded by {by})"


def decided_by(decision: Decision) -> str:
    """Return who decided, and how they were seen."""
    how = SEEN[decision.seen]
    return f"{decision.verdict.words} by {show_name(decision.who)} {how}".rstrip()


def retention_line(report: RetentionReport) -> str:
    plan_count = _plans(len({undo.plan_id for undo in report.retained}))
    summary = f"Undo data of {plan_count} uses {report.size:,} of {report.limits.bytes:,} bytes."
    loss = undo_loss_text(report)
    return f"{summary}\n{loss}" if loss else summary


def undo_loss_text(report: RetentionReport) -> str:
    """Name the plans whose undo the next apply discards; "" for none."""
    named: list[str] = []
    for undo in report.due[-PRINTED_GOING_UP_TO:]:
        part = f", part {undo.part}" if undo.is_one_of_several else ""
        named.append(f"“{show_name(undo.title)}” ({undo.plan_id[:8]}{part})")
    more = len(report.due) - len(named)
    sentences: list[str] = []
    if named:
        rest = f" and {_plans(more)} more" if more else ""
        sentences.append(f"The next apply discards the undo data of {', '.join(reversed(named))}{rest}.")
    if not report.keeps_next:
        sentences.append(
            "The next apply can't be rolled back: the retention limit leaves no room for its undo data."
        )
    return " ".join(sentences)


def loss_text(loss: UndoLoss) -> str:
    freed = f"{loss.freed:,} bytes freed."
    files = f"{len(loss.paths)} {'file' if len(loss.paths) == 1 else 'files'}"
    lines = [f"“{show_name(loss.plan.title)}” can no longer be rolled back: {files}; {freed}"]
    lines += [f"  {show_name(path)}" for path in loss.paths[:PRINTED_FILES_UP_TO]]
    if len(loss.paths) > PRINTED_FILES_UP_TO:
        lines.append(f"  and {len(loss.paths) - PRINTED_FILES_UP_TO} more")
    return "\n".join(lines)


def interrupted_text(files: Sequence[InterruptedFile]) -> str:
    """Describe what an interrupted apply left at each path.

    The first line says what recovery does.
    """
    lines = [
        (
            "An apply was interrupted. Recovery finishes it if every file has its new "
            "content, else restores all old content:"
        )
    ]
    lines += [f"  {show_name(file.path)}: {_found(file)}" for file in files[:PRINTED_FILES_UP_TO]]
    if len(files) > PRINTED_FILES_UP_TO:
        lines.append(f"  and {len(files) - PRINTED_FILES_UP_TO} more")
    return "\n".join(lines)


def preview_text(preview: RollbackPreview) -> str:
    would = "would do this; nothing is written yet:"
    if preview.refusal is not None:
        would = "would be refused. Files and planned effects:"
    lines = [f"Rolling back “{show_name(preview.plan.title)}” {would}"]
    lines += [f"  {file.step:>3} {show_name(file.path)} {file.sentence}" for file in preview.files]
    return "\n".join(lines)


def restore_text(preview: RestorePreview) -> str:
    """Describe what restoring a snapshot would do and leave unchanged."""
    would = "would do this; nothing is written yet:"
    if preview.refusal is not None:
        would = "would be refused:"
    elif not preview.steps:
        would = "would do nothing: the project already matches."
    lines = [f"{show_name(preview.title)} {would}"]
    lines += [f"  {step.number:>3} {show_name(step.path)} {_restored(step)}" for step in preview.steps]
    lines += [f"  overwrites outside change: {show_name(path)}" for path in preview.unplanned]
    lines += [f"  unchanged: {show_name(path)}: {why}" for path, why in preview.left_out.items()]
    return "\n".join(lines)


def _restored(step: Step) -> str:
    if step.result is None:
        return "is deleted"
    if step.base is None:
        return "is restored"
    return "gets its old mode" if step.op is Operation.MODE else "is restored to its old content"


def outcome_lines(preview: RollbackPreview) -> list[str]:
    """List the files that a rollback left unchanged, or saved beside others."""
    stayed = (file for file in preview.files if file.does is None or file.saved_as is not None)
    return [f"  {show_name(file.path)} {file.sentence}" for file in stayed]


def verdict_line(verdict: PathVerdict) -> str:
    word = "allowed" if verdict.allowed else "denied"
    return show_name(f"{word}  {verdict.path}  {verdict.rule} ({verdict.level}): {verdict.reason}")


def file_text(text: str) -> str:
    """Return a file's text or a diff for standard output.

    A pipe gets it exactly. A terminal would obey control characters, so it gets them escaped; tabs and line
    ends stay.
    """
    return show_lines(text) if sys.stdout.isatty() else text


def diff_text(diff: str) -> str:
    """Return a diff as `file_text`, in colours where a terminal shows them."""
    return painted_diff(file_text(diff))


def error_text(error: StudioError) -> str:
    """Return an error's sentence and hint, followed by all its problems.

    Problems are listed only where there are more than the one that it names.
    """
    hint = hint_with_command(error.code, error.hint)
    lines = [f"studio: {show_name(error.message)} {show_name(hint)}".rstrip()]
    if isinstance(error, engine.ApplyRefused | engine.Drifted) and len(error.problems) > 1:
        lines += [f"  {step:>3} {show_name(problem.message)}" for step, problem in error.problems.items()]
    if isinstance(error, engine.ConfigRefused) and len(error.problems) > 1:
        lines += [f"  {show_name(problem.message)}" for problem in error.problems]
    return "\n".join(lines)


def _found(file: InterruptedFile) -> str:
    return "currently can't be read" if file.disk_state is None else _PLACES[file.disk_state.value]


def _plans(count: int) -> str:
    return f"{count} {'plan' if count == 1 else 'plans'}"


def steps_text(count: int) -> str:
    return f"{count} {'step' if count == 1 else 'steps'}"


def _state(word: str) -> str:
    """Return a state as shown on screen, where `invalid` is "refused"."""
    return "refused" if word == "invalid" else word.replace("_", " ")


Sides = tuple[FileImage | None, FileImage | None]
"""What is at a path before a change, and after it."""


def change_diff(
    paths: tuple[str, str], sides: Sides, contents: StepContents, *, copied: bool = False, for_people: bool
) -> str:
    """Return the diff from the first path to the second.

    For people, a binary change is git's one sentence: base 85 is unreadable, and a terminal would scroll for
    minutes. With an unknown encoding they get its lines, with U+FFFD for each byte that can't be shown.
    """
    old, new = sides
    base, result = contents.base, contents.result
    old_path = paths[0] if old is not None else None
    new_path = paths[1] if new is not None else None
    old_mode = int(old.git_mode, 8) if old is not None else None
    new_mode = int(new.git_mode, 8) if new is not None else None
    if contents.forms.are_text or (for_people and contents.forms.have_lines):
        diff = engine.compute(base or b"", result or b"", setting=contents.setting)
        text = engine.format_unified(
            diff, old_path, new_path, old_mode=old_mode, new_mode=new_mode, copied=copied
        )
    elif for_people and base != result:
        names = (f"a/{old_path}" if old_path else "/dev/null", f"b/{new_path}" if new_path else "/dev/null")
        return "Binary files {} and {} differ\n".format(*names)
    elif (base is None) is not (old is None) or (result is None) is not (new is None):
        return ""  # its undo was discarded, and the bytes with it
    else:
        text = engine.format_binary(base, result, *paths, old_mode=old_mode, new_mode=new_mode, copied=copied)
    return engine.decode_diff(text, contents.form)
