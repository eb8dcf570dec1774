"""Editor of a step's result, opened on what would be written now."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.ui.actions.action import Action
from studio.ui.desk.guards import foreign_change_seconds
from studio.ui.desk.state import Tone
from studio.ui.desk.typed_text import EditedPreview, OpenedText, preview_edit, text_to_edit
from studio.ui.desk.unsent import BEGUN, EDITED, DraftKey
from studio.ui.desk.viewed import content_key

if TYPE_CHECKING:
    from studio.engine.errors import StudioError
    from studio.engine.reviewer import EditableText
    from studio.engine.workspace import StepContents
    from studio.ui.desk.choices import Choices
    from studio.ui.desk.edit_drafts import EditDrafts
    from studio.ui.desk.edited import EditedResults
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue
    from studio.ui.desk.shown_step import ShownStep


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
        return self._queue.draft_key(EDITED, BEGUN)

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

    def keep(self, text: str) -> None:
        """Store the text of the open or last open editor."""
        if self._opened is not None:
            self._edit_drafts.keep(self._opened_key, self._opened, text)

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
            self.keep(text)
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
        sentence = self.tr("This text holds line separators that an editor would change.")
        self._project.say(sentence, Tone.WARNING, self.tr("Leave hunks out, or reject the step."))

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
    from studio.engine.reviewer import edited

    return edited(part, text)
