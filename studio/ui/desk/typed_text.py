"""Rebase of edit drafts whose original changed.

These functions run on the engine thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from studio.engine.names import show_name
from studio.ui.desk.choices import Choice

if TYPE_CHECKING:
    from studio.engine.diff import FileDiff
    from studio.engine.plan import Plan, Step
    from studio.engine.reviewer import EditableText, RebasePreview
    from studio.engine.workspace import Reviewer, StepContents, Workspace
    from studio.ui.desk.queue_state import Own


@dataclass(frozen=True, slots=True)
class TypedDraft:
    """Unused draft and the text it was typed `on`.

    `of` is the SHA-256 of the content that text was a part of, `requested_line` the 0-based line shown.
    `older` replaces all of it: a result edited on other contents.
    """

    text: str = ""
    on: str = ""
    of: str = ""
    requested_line: int = 0
    older: bytes | None = None


class OpenedText(NamedTuple):
    """Part of the result, its editor text, and the requested line."""

    part: EditableText
    text: str
    requested_line: int


def text_to_edit(
    workspace: Workspace,
    plan_id: str,
    step: Step,
    contents: StepContents,
    chosen_at: tuple[Choice, int],
    *,
    draft: TypedDraft | None,
) -> OpenedText:
    """Return the current result around a line, with the draft rebased.

    The line is 0-based. Raises Refused where the draft can't be applied to the current result.
    """
    from studio.engine.diff import merge_typed
    from studio.engine.errors import Refused
    from studio.engine.plan import sha256

    content, (chosen, line) = contents.result or b"", chosen_at
    if chosen:
        from studio.engine.diff import choose

        content = choose(contents.base or b"", content, chosen, workspace.config.encoding_for(step.path))
    is_same = draft is not None and draft.of == sha256(content)
    # Of a large file the same part has to open again, wherever the cursor is.
    requested_line = draft.requested_line if draft is not None and is_same else line
    part = workspace.proposer.editable(plan_id, step.number, content, requested_line)
    if draft is None:
        return OpenedText(part, part.text, requested_line)
    if is_same and draft.on == part.text:
        return OpenedText(part, draft.text, requested_line)
    if not part.is_whole:
        name = show_name(step.target)
        raise Refused(
            "edit.moved_on",
            f"What you typed can't be put on {name} as it is now: the file is edited in parts.",
            "Your text is kept. Forget it to begin anew.",
        )
    if draft.older is not None:
        return OpenedText(
            part, workspace.proposer.editable(plan_id, step.number, draft.older).text, requested_line
        )
    before, now, typed = (_bytes(each) for each in (draft.on, part.text, draft.text))
    return OpenedText(part, merge_typed(before, now, typed).decode("utf-8", "surrogatepass"), requested_line)


def text_to_use(
    workspace: Workspace,
    plan_id: str,
    step: Step,
    contents: StepContents,
    chosen: Choice,
    *,
    draft: TypedDraft,
) -> bytes:
    """Return the result that *Done* would use with this draft.

    Raises Refused.
    """
    from studio.engine.reviewer import edited

    opened = text_to_edit(workspace, plan_id, step, contents, (chosen, draft.requested_line), draft=draft)
    return edited(opened.part, opened.text)


class EditedPreview(NamedTuple):
    """Result while it is typed, and its diff against the base.

    `own` are the lines (0-based first and count) that the reviewer wrote. `refusal` says why `text` can't be
    written.
    """

    text: str
    result: bytes
    diff: FileDiff | None
    own: Own
    refusal: str


def preview_edit(
    part: EditableText, text: str, contents: StepContents, proposed: bytes | None
) -> EditedPreview:
    """Return the result of a typed text.

    Letters that the file's encoding lacks are shown as "?".
    """
    from studio.engine.errors import Refused
    from studio.engine.reviewer import edited
    from studio.ui.desk.queue_state import diff_of, own_lines

    refusal = ""
    try:
        result = edited(part, text)
    except Refused as error:
        refusal = f"{error.message} {error.hint}".strip()
        result = edited(part, text.encode(part.encoding, "replace").decode(part.encoding))
    diff = diff_of(contents.base, result, contents.setting)
    return EditedPreview(text, result, diff, own_lines(proposed, result, contents.setting), refusal)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def rebase_with_edit(
    reviewer: Reviewer,
    plan_id: str,
    number: int,
    preview: RebasePreview,
    *,
    settled: bytes | None,
    edited: bytes | None,
) -> tuple[Plan, bytes | None]:
    """Rebase a stale step, and the reviewer's edited result with it.

    The edited result is None where there was none or it can't be applied to the new file.
    """
    from studio.engine.diff import merge_typed
    from studio.engine.errors import Refused
    from studio.engine.plan import sha256

    plan = reviewer.rebase(plan_id, number, settled=settled, onto=sha256(preview.current))
    if edited is None:
        return plan, None
    try:
        return plan, merge_typed(preview.base, preview.current, edited, preview.setting)
    except Refused:
        return plan, None
