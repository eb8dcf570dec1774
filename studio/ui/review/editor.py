"""Controller for editing a step's result by hand, with stored drafts."""

from __future__ import annotations

import json
from functools import partial
from itertools import takewhile
from operator import eq
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from studio import engine
from studio.engine import Plan, Step
from studio.errors import Refused
from studio.journal.file_image import sha256
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.limits import BEGUN_LINE_CHARACTERS
from studio.ui.look import words
from studio.ui.look.words import say
from studio.ui.review.choices import Choice
from studio.ui.review.guards import OWN_CHANGE_SECONDS, foreign_change_seconds
from studio.ui.review.queue_state import diff_of, own_lines
from studio.ui.review.state import StatusMessage, Tone
from studio.ui.review.unsent import CHOICES, DRAFT, DRAFT_BASE, EDITED, USED, DraftKey
from studio.ui.review.viewed import content_key
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import EditableText, FileDiff, RebasePreview, StepContents
    from studio.errors import StudioError
    from studio.ui.review.choices import Choices
    from studio.ui.review.guards import Guards
    from studio.ui.review.project import Project
    from studio.ui.review.queue import Queue
    from studio.ui.review.queue_state import Own
    from studio.ui.review.shown_step import EditedResults, ShownStep
    from studio.workspace import Reviewer, Workspace


class TypedDraft(Value):
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
    content, (chosen, line) = contents.result or b"", chosen_at
    if chosen:
        content = engine.choose(
            contents.base or b"", content, chosen, workspace.config.encoding_for(step.path)
        )
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
            f"Your draft no longer fits {name}: the file is edited in parts.",
            "Your draft is kept. Discard it to start over.",
        )
    if draft.older is not None:
        return OpenedText(
            part, workspace.proposer.editable(plan_id, step.number, draft.older).text, requested_line
        )
    before, now, typed = (_bytes(each) for each in (draft.on, part.text, draft.text))
    return OpenedText(
        part, engine.merge_typed(before, now, typed).decode("utf-8", "surrogatepass"), requested_line
    )


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

    opened = text_to_edit(workspace, plan_id, step, contents, (chosen, draft.requested_line), draft=draft)
    return opened.part.with_text(opened.text)


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
    refusal = ""
    try:
        result = part.with_text(text)
    except Refused as error:
        refusal = f"{error.message} {error.hint}".strip()
        result = part.with_text(text.encode(part.encoding, "replace").decode(part.encoding))
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
    plan = reviewer.rebase(plan_id, number, settled=settled, onto=sha256(preview.current))
    if edited is None:
        return plan, None
    try:
        return plan, engine.merge_typed(preview.base, preview.current, edited, preview.setting)
    except Refused:
        return plan, None


class EditDraft(Value):
    """Summary of a draft: where it first differs from its original.

    `line` counts from 1 and is 0 where unknown. `of_another` is true where the step changed since.
    """

    line: int
    excerpt: str
    of_another: bool


class EditDrafts(QObject):
    """All unused edit drafts of the project.

    An edited result of another version of its step counts as one.
    """

    changed = Signal()
    """A draft was stored or removed."""

    def __init__(
        self,
        project: Project,
        queue: Queue,
        guards: Guards,
        *,
        shown: ShownStep,
        edited: EditedResults,
        choices: Choices,
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._shown, self._edited, self._choices = shown, edited, choices
        self._unsent = project.unsent
        self.open_key: DraftKey | None = None
        """Storage key of the open editor's text, None while none is open."""
        self._discarded: dict[DraftKey, bytes] = {}
        self._parsed: tuple[bytes, TypedDraft, tuple[int, str]] = b"", TypedDraft(), (0, "")
        self._unsent.loaded.connect(self.changed)
        self.changed.connect(guards.allowed_changed)
        edited.changed.connect(self.changed)

    # Reading

    def has(self, plan: Plan, step: Step) -> bool:
        """Return whether the step has a draft.

        One that is in the open editor does not count.
        """
        if not plan.state.is_open or not step.state.is_open:
            return False
        # Called for every step of a plan, and mostly there is no draft at all.
        if not self._unsent.has(EDITED):
            return False
        key = _draft_key(plan, step)
        if key == self.open_key:
            return False
        return bool(self._unsent.value(key)) or self._older_result(plan, step) is not None

    @property
    def steps(self) -> frozenset[tuple[str, int]]:
        """Plan id and number of every step with a draft."""
        with_drafts = {(key.plan_id, key.step) for key in self._unsent.every(EDITED)}
        if not with_drafts:
            return frozenset()
        return frozenset(
            (plan.id, step.number)
            for plan in self._queue.plans
            for step in plan.steps
            if (plan.id, step.number) in with_drafts and self.has(plan, step)
        )

    def summary_of(self, plan: Plan, step: Step) -> EditDraft | None:
        """Return the summary of a step's draft, None without one."""
        if not self.has(plan, step):
            return None
        draft = self.draft_of(plan, step)
        if draft is None or draft.older is not None:
            return EditDraft(0, "", of_another=True)
        line, excerpt = self._parsed[2]
        edited = self._edited.of(plan, step)
        would_write = sha256(edited) if edited is not None else step.result.sha256 if step.result else None
        # The combined result of a hunk selection is not known here.
        is_comparable = not self._choices.of(plan, step)
        return EditDraft(line, excerpt, of_another=is_comparable and draft.of != would_write)

    def draft_of(self, plan: Plan, step: Step) -> TypedDraft | None:
        """Return the draft an editor opens with, None for the current result."""
        key = _draft_key(plan, step)
        value = self._unsent.value(key)
        if not value:
            older_result = self._older_result(plan, step)
            return None if older_result is None else TypedDraft(older=older_result)
        if self._parsed[0] != value:
            stored: dict[str, Any] = json.loads(value)
            original = self._unsent.text(_draft_key(plan, step, DRAFT_BASE))
            draft = TypedDraft(stored["text"], original, stored["of"], stored.get("asked", stored["line"]))
            self._parsed = value, draft, _first_difference(original, draft.text)
        return self._parsed[1]

    def texts_of(self, plan_id: str) -> list[str]:
        """Return all drafts of a plan, from editors and conflict views."""
        edited = ((key, value) for key, value in self._unsent.every(EDITED).items() if key.slot == DRAFT)
        texts = [json.loads(value)["text"] for key, value in edited if key.plan_id == plan_id]
        for key, value in self._unsent.every(CHOICES).items():
            if key.plan_id == plan_id:
                texts += [text for _conflict, text in json.loads(value).get("begun", ())]
        return texts

    @property
    def can_restore_discarded(self) -> bool:
        """Whether the last discarded draft can be restored to the current step."""
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self.has(plan, step):
            return False
        return any((key.plan_id, key.step) == (plan.id, step.number) for key in self._discarded)

    # Storing

    def store(self, key: DraftKey, opened: OpenedText, text: str) -> None:
        """Store an editor's text, or delete the draft where nothing differs."""
        part = opened.part
        draft = {
            "of": sha256(part.like),
            "line": part.first_line,
            "asked": opened.requested_line,
            "text": text,
        }
        changed = text != part.text
        self._unsent.store(key, json.dumps(draft) if changed else "")
        original_key = DraftKey(key.plan_id, key.step, EDITED, DRAFT_BASE)
        self._unsent.store(original_key, part.text if changed else "")

    # Commands

    def use(self) -> None:
        """Make the draft the current step's result, rebased on its file.

        This decides nothing.
        """
        plan, step, contents = self._queue.current_plan, self._queue.current_step, self._shown.contents
        if plan is None or step is None or contents is None or self._guards.can(Action.USE_TEXT):
            return
        draft = self.draft_of(plan, step)
        if draft is None:
            return
        self._project.runner.call(
            partial(text_to_use, draft=draft),
            self._project.workspace, plan.id, step, contents, dict(self._choices.current.named),
            then=partial(self._use_text, plan, self._draft_state(plan, step)), failed=self._project.report,
        )  # fmt: skip

    def discard(self) -> None:
        """Discard the current step's draft.

        It can be restored until another one is discarded.
        """
        plan, step = self._queue.current_plan, self._queue.current_step
        if plan is None or step is None or self._guards.can(Action.DISCARD_TEXT):
            return
        draft_keys = [_draft_key(plan, step), _draft_key(plan, step, DRAFT_BASE)]
        keys = draft_keys if self._unsent.value(draft_keys[0]) else [_draft_key(plan, step, USED)]
        self._discarded = {key: self._unsent.value(key) for key in keys}
        for key in keys:
            self._unsent.store(key, "")
        self._report(self.tr("Discarded the draft for {file}."), step)

    def restore_discarded(self) -> None:
        """Restore the last discarded draft."""
        step = self._queue.current_step
        if step is None or self._guards.can(Action.RESTORE_TEXT):
            return
        discarded, self._discarded = self._discarded, {}
        for key, value in discarded.items():
            self._unsent.store(key, value)
        self._report(self.tr("Restored the draft for {file}."), step)

    def _use_text(self, plan: Plan, state_before: tuple[object, ...], content: bytes) -> None:
        """Use the text, unless the step or its drafts changed meanwhile."""
        step = self._queue.current_step
        current_plan = self._queue.current_plan
        if (
            current_plan is None
            or step is None
            or current_plan.id != plan.id
            or self._draft_state(current_plan, step) != state_before
        ):
            sentence = self.tr("This step just changed, so your draft was not used. The draft is kept.")
            self._project.status_reported.emit(StatusMessage(sentence, Tone.WARNING))
            return
        self._edited.use(current_plan, step, content)
        self._report(self.tr("The result for {file} now includes your edit. Review it and decide."), step)

    def _draft_state(self, plan: Plan, step: Step) -> tuple[object, ...]:
        """Return everything that the result of `use` depends on."""
        draft_keys = (_draft_key(plan, step), _draft_key(plan, step, USED))
        selection_key = DraftKey(plan.id, step.number, CHOICES)
        values = (self._unsent.value(key) for key in (*draft_keys, selection_key))
        return step.number, step.revision, step.state, self.has(plan, step), *values

    def _older_result(self, plan: Plan, step: Step) -> bytes | None:
        """Return a result edited on another version of the step, or None."""
        value = self._unsent.value(_draft_key(plan, step, USED))
        if not value or value.startswith(content_key(step).encode() + b"\n"):
            return None
        return value.partition(b"\n")[2]

    def _report(self, sentence: str, step: Step) -> None:
        self._guards.dead_time.begin(OWN_CHANGE_SECONDS)
        name = show_name(words.split_path(step.target)[1])
        self._project.status_reported.emit(StatusMessage(say(sentence, file=name), Tone.NEWS))
        self.changed.emit()


def _draft_key(plan: Plan, step: Step, place: int = DRAFT) -> DraftKey:
    return DraftKey(plan.id, step.number, EDITED, place)


def _first_difference(before: str, after: str) -> tuple[int, str]:
    """Return the first differing line (from 1) and its start in `after`."""
    old, new = before.split("\n"), after.split("\n")
    same = sum(1 for _ in takewhile(bool, map(eq, old, new)))
    line = new[same] if same < len(new) else ""
    shown = line.strip()[:BEGUN_LINE_CHARACTERS]
    return same + 1, show_name(shown) + ("…" if len(line.strip()) > BEGUN_LINE_CHARACTERS else "")


class Editor(QObject):
    """Editing session of one step's result.

    What is typed is stored at each pause, and stays a draft when the editor closes without using it.
    """

    changed = Signal()
    """The editor for `part` opens or closes."""
    compared = Signal()
    """The typed text was compared with the base: see `preview`, or `refusal` for why it can't be written."""

    def __init__(
        self,
        project: Project,
        queue: Queue,
        guards: Guards,
        *,
        shown: ShownStep,
        edited: EditedResults,
        choices: Choices,
        edit_drafts: EditDrafts,
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._shown, self._edited, self._choices, self._edit_drafts = shown, edited, choices, edit_drafts
        self.part: EditableText | None = None
        """The text being edited, None while no editor is open."""
        self._opened: OpenedText | None = None
        self._opened_key = self._current_key
        self._contents_key = ""
        self.preview: EditedPreview | None = None
        """Diff of the typed text against the base, while an editor is open."""
        self.refusal = ""
        self._base: StepContents | None = None
        self._pending_text: str | None = None
        self._is_comparing = False
        queue.current_changed.connect(self._close_for_other_step)
        shown.changed.connect(self._drop_preview)

    @property
    def _current_key(self) -> DraftKey:
        return self._queue.draft_key(EDITED, DRAFT)

    @property
    def current_draft(self) -> str:
        """The text to show in the editor: its draft, else the result."""
        return self._opened.text if self.part is not None and self._opened is not None else ""

    @property
    def is_outdated(self) -> bool:
        """Whether the open editor's step has other contents by now."""
        step = self._queue.current_step
        return self.part is not None and (step is None or content_key(step) != self._contents_key)

    def begin(self, line: int = 0) -> None:
        """Open the editor on the current result.

        `line` is the 0-based line of the result to show.
        """
        plan, step, contents = self._queue.current_plan, self._queue.current_step, self._shown.contents
        if plan is None or step is None or contents is None or self._guards.can(Action.EDIT):
            return
        read_text = partial(text_to_edit, draft=self._edit_drafts.draft_of(plan, step))
        field = self._guards.key_guard.field
        self._project.runner.call(
            read_text, self._project.workspace, plan.id, step, contents,
            (dict(self._choices.current.named), line),
            then=partial(self._open, self._current_key, content_key(step), field, contents),
            failed=self._project.report,
        )  # fmt: skip

    def store_draft(self, text: str) -> None:
        """Store the text of the open or last open editor."""
        if self._opened is not None:
            self._edit_drafts.store(self._opened_key, self._opened, text)

    def compare(self, text: str) -> None:
        """Compute the diff of the typed text; the last request wins."""
        self._pending_text = text
        if not self._is_comparing:
            self._compare()

    def _compare(self) -> None:
        text, part, base = self._pending_text, self.part, self._base
        self._pending_text = None
        if text is None or part is None or base is None:
            return
        self._is_comparing = True
        self._project.runner.compute(
            preview_edit, part, text, base, self._shown.proposed,
            then=partial(self._show_preview, part), failed=self._report_preview_error,
        )  # fmt: skip

    def _show_preview(self, part: EditableText, preview: EditedPreview) -> None:
        self._is_comparing = False
        if part is self.part:
            self.preview, self.refusal = preview, preview.refusal
            self.compared.emit()
        self._compare()

    def _report_preview_error(self, error: StudioError) -> None:
        """Report the error and go on with text typed later."""
        self._is_comparing = False
        self._project.report(error)
        self._compare()

    def finish(self, text: str) -> None:
        """Use the text as the result and compute its diff.

        Text that can't be written leaves the editor open.
        """
        if self.part is not None and not self._guards.can(Action.FINISH_EDIT):
            self.store_draft(text)
            step = self._queue.current_step
            contents_key = content_key(step) if step is not None else ""
            self._project.compute(
                _encode_result, self.part, text, then=partial(self._use_result, contents_key)
            )

    def close(self) -> None:
        """Close the editor; the text is stored as a draft."""
        if self.part is not None:
            self._close()
            plan, step = self._queue.current_plan, self._queue.current_step
            if plan is not None and step is not None and self._edit_drafts.has(plan, step):
                # The banner about the draft may appear where the second click of a double click lands.
                self._guards.dead_time.begin(foreign_change_seconds())
            self._edit_drafts.changed.emit()

    def warn_not_editable(self) -> None:
        """Warn that the text holds line separators an editor would change."""
        sentence = self.tr("This text has line separators that the editor would change.")
        self._project.report_status(
            sentence, Tone.WARNING, self.tr("Exclude hunks or reject the step instead.")
        )

    def _open(
        self,
        key: DraftKey,
        contents_key: str,
        field: QObject | None,
        base: StepContents,
        opened: OpenedText,
    ) -> None:
        """Open the editor, unless the situation changed while the text was read.

        That is: an editor is open by now, another step or other contents are current, or the reviewer moved
        to another field.
        """
        step, key_guard = self._queue.current_step, self._guards.key_guard
        if key_guard.is_typing and key_guard.field is not field:
            return
        is_wanted = step is not None and content_key(step) == contents_key
        if self.part is None and is_wanted and self._current_key == key:
            self.part, self._opened, self._opened_key, self._contents_key = (
                opened.part,
                opened,
                key,
                contents_key,
            )
            self._base, self.preview, self.refusal = base, None, ""
            self._edit_drafts.open_key = key
            self.changed.emit()
            self._edit_drafts.changed.emit()

    def _use_result(self, contents_key: str, content: bytes) -> None:
        plan, step = self._queue.current_plan, self._queue.current_step
        if self.part is None or plan is None or step is None or content_key(step) != contents_key:
            return
        self._guards.key_guard.follows_own_press()
        self._close(is_used=True)
        self._edited.use(plan, step, content)

    def _close(self, *, is_used: bool = False) -> None:
        self.part = self._edit_drafts.open_key = self._base = None
        if not is_used:
            self.preview = None
        self.changed.emit()

    def _drop_preview(self) -> None:
        """Drop the preview of a closed editor.

        The step's result is shown now.
        """
        if self.part is None:
            self.preview = None

    def _close_for_other_step(self) -> None:
        """Close the editor when another step becomes current.

        A change of its own step leaves it open.
        """
        if self._current_key != self._opened_key:
            self.close()


def _encode_result(part: EditableText, text: str) -> bytes:

    return part.with_text(text)
