"""Editor of a step's result, opened on what would be written now."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.ui.actions.action import Action
from studio.ui.desk.guards import foreign_change_seconds
from studio.ui.desk.status_message import Tone
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
        kept: EditDrafts,
    ) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._shown, self._edited, self._choices, self._kept = shown, edited, choices, kept
        self.part: EditableText | None = None
        """The text being edited, None while no editor is open."""
        self._opened: OpenedText | None = None
        self._opened_at = self._place
        self._contents = ""
        self.preview: EditedPreview | None = None
        """Diff of the typed text against the base, while an editor is open."""
        self.refusal = ""
        self._base: StepContents | None = None
        self._typed: str | None = None
        self._is_comparing = False
        queue.current_changed.connect(self._leave)
        shown.changed.connect(self._forget_preview)

    @property
    def _place(self) -> DraftKey:
        return self._queue.draft_key(EDITED, BEGUN)

    @property
    def current_draft(self) -> str:
        """The text to show in the editor: its draft, else the result."""
        return self._opened.text if self.part is not None and self._opened is not None else ""

    @property
    def is_outdated(self) -> bool:
        """Whether the open editor's step has other contents by now."""
        step = self._queue.current_step
        return self.part is not None and (step is None or content_key(step) != self._contents)

    def begin(self, line: int = 0) -> None:
        """Open the editor on the current result.

        `line` is the 0-based line of the result to show.
        """
        plan, step, contents = self._queue.current_plan, self._queue.current_step, self._shown.contents
        if plan is None or step is None or contents is None or self._guards.can(Action.EDIT):
            return
        read = partial(text_to_edit, begun=self._kept.begun(plan, step))
        asked_in = self._guards.key_guard.field
        self._project.runner.call(
            read, self._project.workspace, plan.id, step, contents,
            (dict(self._choices.current.named), line),
            then=partial(self._open, self._place, content_key(step), asked_in, contents),
            failed=self._project.report,
        )  # fmt: skip

    def keep(self, text: str) -> None:
        """Store the text of the open or last open editor."""
        if self._opened is not None:
            self._kept.keep(self._opened_at, self._opened, text)

    def compare(self, text: str) -> None:
        """Compute the diff of the typed text; the last request wins."""
        self._typed = text
        if not self._is_comparing:
            self._compare()

    def _compare(self) -> None:
        text, part, base = self._typed, self.part, self._base
        self._typed = None
        if text is None or part is None or base is None:
            return
        self._is_comparing = True
        self._project.runner.compute(
            preview_edit, part, text, base, self._shown.proposed,
            then=partial(self._compared, part), failed=self._not_compared,
        )  # fmt: skip

    def _compared(self, part: EditableText, preview: EditedPreview) -> None:
        self._is_comparing = False
        if part is self.part:
            self.preview, self.refusal = preview, preview.refusal
            self.compared.emit()
        self._compare()

    def _not_compared(self, error: StudioError) -> None:
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
            wanted = content_key(step) if step is not None else ""
            self._project.compute(_edited, self.part, text, then=partial(self._take, wanted))

    def close(self) -> None:
        """Close the editor; the text is stored as a draft."""
        if self.part is not None:
            self._close()
            plan, step = self._queue.current_plan, self._queue.current_step
            if plan is not None and step is not None and self._kept.has(plan, step):
                # The banner about the draft may appear where the second click of a double click lands.
                self._guards.input_guard.begin(foreign_change_seconds())
            self._kept.changed.emit()

    def say_none(self) -> None:
        """Warn that the text holds line separators an editor would change."""
        sentence = self.tr("This text holds line separators that an editor would change.")
        self._project.say(sentence, Tone.WARNING, self.tr("Leave hunks out, or reject the step."))

    def _open(
        self,
        place: DraftKey,
        wanted: str,
        asked_in: QObject | None,
        base: StepContents,
        opened: OpenedText,
    ) -> None:
        """Open the editor, unless the situation changed while the text was read.

        That is: an editor is open by now, another step or other contents are current, or the reviewer moved
        to another field.
        """
        step, key_guard = self._queue.current_step, self._guards.key_guard
        if key_guard.is_typing and key_guard.field is not asked_in:
            return
        is_wanted = step is not None and content_key(step) == wanted
        if self.part is None and is_wanted and self._place == place:
            self.part, self._opened, self._opened_at, self._contents = opened.part, opened, place, wanted
            self._base, self.preview, self.refusal = base, None, ""
            self._kept.open_place = place
            self.changed.emit()
            self._kept.changed.emit()

    def _take(self, wanted: str, content: bytes) -> None:
        plan, step = self._queue.current_plan, self._queue.current_step
        if self.part is None or plan is None or step is None or content_key(step) != wanted:
            return
        self._guards.key_guard.follows_own_press()
        self._close(is_used=True)
        self._edited.use(plan, step, content)

    def _close(self, *, is_used: bool = False) -> None:
        self.part = self._kept.open_place = self._base = None
        if not is_used:
            self.preview = None
        self.changed.emit()

    def _forget_preview(self) -> None:
        """Drop the preview of a closed editor.

        The step's result is shown now.
        """
        if self.part is None:
            self.preview = None

    def _leave(self) -> None:
        """Close the editor when another step becomes current.

        A change of its own step leaves it open.
        """
        if self._place != self._opened_at:
            self.close()


def _edited(part: EditableText, text: str) -> bytes:
    from studio.engine.reviewer import edited

    return edited(part, text)
