"""What a person typed on a text that is another one by now; these functions run on the engine thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.ui.desk.hunk_choices import Choice

if TYPE_CHECKING:
    from studio.engine.editing import EditableText
    from studio.engine.plan import Plan, Step
    from studio.engine.rebasing import RebasePreview
    from studio.engine.workspace import Reviewer, StepContents, Workspace


def put_on(before: bytes, now: bytes, typed: bytes, setting: str | None = None) -> bytes:
    """What was typed on `before`, put on `now`. Where both changed the same lines, what was typed stands: it
    is shown as a difference before anybody decides.

    Raises Refused where the three can't be merged as text.
    """
    from studio.engine.diff import merge, settled
    from studio.engine.text import Lines, diff_text

    merged = merge(before, now, typed, setting)
    if merged.result is not None:
        return merged.result
    lines = Lines(diff_text(typed, setting))
    places = (conflict.proposed for conflict in merged.conflicts)
    return settled(merged.pieces, [lines.block(at.first, at.count) for at in places], now, setting)


def text_to_edit(
    workspace: Workspace,
    plan_id: str,
    step: Step,
    contents: StepContents,
    chosen_at: tuple[Choice, int],
    *,
    begun: tuple[str, str] | None,
) -> tuple[EditableText, str]:
    """What would be written now, as text around a line, and what an editor shows of it.

    `begun` is what was typed before and the text it was typed on.
    """
    content, (chosen, line) = contents.result or b"", chosen_at
    if chosen:
        from studio.engine.diff import choose

        content = choose(contents.base or b"", content, chosen, workspace.config.encoding_for(step.path))
    part = workspace.proposer.editable(plan_id, step.number, content, line)
    if begun is None or not part.is_whole:
        return part, part.text
    before, now, typed = (each.encode("utf-8", "surrogatepass") for each in (begun[0], part.text, begun[1]))
    return part, put_on(before, now, typed).decode("utf-8", "surrogatepass")


def rebase_with_edit(
    reviewer: Reviewer,
    plan_id: str,
    number: int,
    look: RebasePreview,
    *,
    settled: bytes | None,
    edited: bytes | None,
) -> tuple[Plan, bytes | None]:
    """Put a stale step on the new file; returns the plan, and the person's own result, put on that file."""
    from studio.engine.errors import Refused
    from studio.engine.plan import sha256

    plan = reviewer.rebase(plan_id, number, settled=settled, onto=sha256(look.current))
    if edited is None:
        return plan, None
    try:
        return plan, put_on(look.base, look.current, edited, look.setting)
    except Refused:
        return plan, None
