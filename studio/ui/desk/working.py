"""What a person works out about a step before they decide it: chosen hunks, an edited result, comments.

Each of these is a draft: it survives a kill, and stays beside the decision, so that it is there again when
that is taken back, or void because the file changed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from studio.engine.plan import Decision, HunkChoice, LineComment, Plan, Step, StepState, sha256
from studio.ui.actions.action import Action
from studio.ui.desk.dead_time import OWN_MOVE, surprise
from studio.ui.desk.draft_book import (
    CHOICES,
    COMMENT,
    EDITED,
    NOTE,
    REASON,
    DraftPlace,
    choices_draft,
    drafted_choices,
)
from studio.ui.desk.happening import Tone
from studio.ui.desk.hunk_choices import Choice, HunkChoices
from studio.ui.desk.kept_text import BEGUN, USED, KeptTexts
from studio.ui.desk.reading import ReadingDesk
from studio.ui.desk.shown_step import ShownStep
from studio.ui.desk.typed_text import OpenedText, text_to_edit
from studio.ui.desk.viewed import content_key

if TYPE_CHECKING:
    from studio.engine.reviewer import EditableText


class WorkingDesk(ReadingDesk):
    """Keeps what was worked out for each step; an edited result takes the place of chosen hunks."""

    comments_changed = Signal()
    editing_changed = Signal()
    """An editor is wanted for `editing`, or closed."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.editing: EditableText | None = None
        self.shown = ShownStep(self, self._workspace, self.edited_of)
        self.kept = KeptTexts(self, self.shown, self, self._workspace)
        self._opened: OpenedText | None = None
        self._opened_at = self.draft_place(EDITED, BEGUN)
        self._edits = ""
        self._consented: set[str] = set()
        self._known_choices: tuple[Decision, HunkChoices] | None = None
        self.drafts.loaded.connect(self.comments_changed)
        self.current_changed.connect(self._leave_editor)

    # Choosing

    @property
    def choices(self) -> HunkChoices:
        """Hunk number to what of it goes in, of the current step; as decided once it is decided."""
        plan, step = self.current_plan, self.current_step
        if plan is None or step is None or self.edited is not None:
            return HunkChoices()
        if step.decision is not None and step.state is not StepState.PENDING:
            if step.decision.edited:
                return HunkChoices()
            return self._decided_choices(step.decision, len(step.hunks))
        return HunkChoices(len(step.hunks), self.chosen_of(plan, step))

    def _decided_choices(self, decision: Decision, hunks: int) -> HunkChoices:
        # Asked many times for every press, and a decision may name a million hunks.
        if self._known_choices is None or self._known_choices[0] is not decision:
            self._known_choices = decision, HunkChoices(hunks, decision.choices)
        return self._known_choices[1]

    def chosen_of(self, plan: Plan, step: Step) -> Choice:
        """What the person chose of a step's hunks; only hunks that do not go in whole are named."""
        value = self.drafts.value(DraftPlace(plan.id, step.number, CHOICES))
        return drafted_choices(value, content_key(step))

    def toggle_hunk(self, number: int) -> None:
        """Leave a hunk of the current step out, or take it in again."""
        self.choose(number, self.choices.get(number, True) is False)

    def toggle_lines(self, number: int, lines: frozenset[int]) -> None:
        """Leave changed lines of a hunk out, or take them in if one of them is out; counted from 1."""
        if self.shown.diff is None:
            return
        every = frozenset(range(1, self.shown.diff.hunks[number - 1].changed_lines + 1))
        before = self.choices.get(number, True)
        taken = before if not isinstance(before, bool) else every if before else frozenset[int]()
        after = taken - lines if lines <= taken else taken | lines
        self.choose(number, True if after == every else after or False)

    def choose(self, number: int, choice: HunkChoice) -> None:
        """Say what of a hunk of the current step goes in: all, nothing, or those changed lines (from 1)."""
        plan, step = self.current_plan, self.current_step
        if plan is None or step is None or self.can(Action.TOGGLE_HUNK):
            return
        chosen = {**self.chosen_of(plan, step), number: choice}
        self.drafts.keep(self.draft_place(CHOICES), choices_draft(content_key(step), chosen))
        self.choices_changed.emit()

    # Editing

    @property
    def edited(self) -> bytes | None:
        """The current step's result as the person wrote it, None where it is as proposed."""
        plan, step = self.current_plan, self.current_step
        return self.edited_of(plan, step) if plan is not None and step is not None else None

    def edited_of(self, plan: Plan, step: Step) -> bytes | None:
        """The same for any step that is still to decide."""
        return self.kept_edit(plan, step) if step.state is StepState.PENDING else None

    def kept_edit(self, plan: Plan, step: Step) -> bytes | None:
        """What the person last made of the result, whatever became of the step since."""
        value = self.drafts.value(DraftPlace(plan.id, step.number, EDITED, USED))
        key, line_end, content = value.partition(b"\n")
        return content if line_end and key.decode() == content_key(step) else None

    def keep_edit(self, plan: Plan, step: Step, content: bytes) -> None:
        """Make that the result of a step that would be written; what is proposed is no edit."""
        proposed = step.result is not None and step.result.sha256 == sha256(content)
        kept = b"" if proposed else content_key(step).encode() + b"\n" + content
        self.drafts.keep(DraftPlace(plan.id, step.number, EDITED, USED), kept)

    def edit(self, line: int = 0) -> None:
        """Open the editor on the result as it would be written now, around a 0-based line of it."""
        plan, step, contents = self.current_plan, self.current_step, self.shown.contents
        if plan is None or step is None or contents is None or self.can(Action.EDIT):
            return
        read = partial(text_to_edit, begun=self.kept.begun(plan, step))
        self.runner.call(
            read, self._workspace, plan.id, step, contents, (dict(self.choices.named), line),
            then=partial(
                self._open_editor, self.draft_place(EDITED, BEGUN), content_key(step), self.press_guard.field
            ),
            failed=self._report,
        )  # fmt: skip

    @property
    def editing_place(self) -> DraftPlace | None:
        """Where the text of the open editor is kept, None while none is open."""
        return self._opened_at if self.editing is not None else None

    def begun_text(self) -> str:
        """What an editor should show: the text that was begun in it, else the text of the result."""
        return self._opened.text if self.editing is not None and self._opened is not None else ""

    def keep_begun_text(self, text: str) -> None:
        """Keep what stands in the editor, or stood in the one that was open last."""
        if self._opened is not None:
            self.kept.keep(self._opened_at, self._opened, text)

    def finish_editing(self, text: str) -> None:
        """Take the text as the result; the diff is computed anew. What can't be written keeps the editor."""
        if self.editing is not None and not self.can(Action.FINISH_EDIT):
            self.keep_begun_text(text)
            step = self.current_step
            wanted = content_key(step) if step is not None else ""
            self.runner.compute(
                _edited, self.editing, text, then=partial(self._take_edited, wanted), failed=self._report
            )

    def close_editor(self) -> None:
        """Close the editor; the text is kept as a draft."""
        if self.editing is not None:
            self._close_editor()
            plan, step = self.current_plan, self.current_step
            if plan is not None and step is not None and self.kept.has(plan, step):
                # The strip about it may come to stand where the second click of a double click falls.
                self.dead_time.begin(surprise())
            self.kept.changed.emit()

    def _close_editor(self) -> None:
        self.editing = None
        self.editing_changed.emit()

    def say_no_editor(self) -> None:
        """The text holds signs that an editor would change."""
        sentence = self.tr("This text holds line separators that an editor would change.")
        self._say(sentence, Tone.WARNING, self.tr("Leave hunks out, or reject the step."))

    def drop_edit(self) -> None:
        """Go back to the result as it was proposed."""
        if self.edited is not None:
            self.drafts.keep(self.draft_place(EDITED, USED), "")
            self._show_edit()

    @property
    def is_edit_outdated(self) -> bool:
        """Whether the open editor holds a text of a step that has other sides by now."""
        step = self.current_step
        return self.editing is not None and (step is None or content_key(step) != self._edits)

    def _open_editor(
        self, place: DraftPlace, wanted: str, asked_in: QObject | None, opened: OpenedText
    ) -> None:
        """Open it, unless it is open by now, another step or other contents are current, or the person went
        into another field meanwhile."""
        step = self.current_step
        if self.press_guard.is_typing and self.press_guard.field is not asked_in:
            return
        is_wanted = step is not None and content_key(step) == wanted
        if self.editing is None and is_wanted and self.draft_place(EDITED, BEGUN) == place:
            self.editing, self._opened, self._opened_at, self._edits = opened.part, opened, place, wanted
            self.editing_changed.emit()
            self.kept.changed.emit()

    def _take_edited(self, wanted: str, content: bytes) -> None:
        plan, step = self.current_plan, self.current_step
        if self.editing is None or plan is None or step is None or content_key(step) != wanted:
            return
        self.press_guard.follows_own_press()
        self._close_editor()
        self.use_result(plan, step, content)

    def use_result(self, plan: Plan, step: Step, content: bytes) -> None:
        """Make that the result of the current step; a text that was begun and chosen hunks are in it."""
        self.keep_edit(plan, step, content)
        self.kept.drop(plan, step)
        self.drafts.keep(self.draft_place(CHOICES), "")
        self._show_edit()

    def _show_edit(self) -> None:
        self.dead_time.begin(OWN_MOVE)
        self.shown.load()
        self.choices_changed.emit()

    def _leave_editor(self) -> None:
        """Another step is current. What becomes of a step under the hand takes no editor away."""
        if self.draft_place(EDITED, BEGUN) != self._opened_at:
            self.close_editor()

    # What was typed

    def typed_texts(self) -> tuple[str, ...]:
        """Every text that was begun about the current plan, that of an editor too."""
        if self._plan_id is None:
            return ()
        found: list[str] = []
        for kind in (REASON, NOTE, COMMENT):
            places = (place for place in self.drafts.every(kind) if place.plan_id == self._plan_id)
            found += [self.drafts.text(place) for place in sorted(places, key=lambda at: (at.step, at.place))]
        found += self.kept.texts_of(self._plan_id)
        return tuple(text for text in found if text.strip())

    def copy_typed(self) -> None:
        """Put what was typed about the current plan on the clipboard."""
        texts = self.typed_texts()
        if texts:
            QGuiApplication.clipboard().setText("\n\n".join(texts))
            self._say(self.tr("Copied what you typed."), Tone.NEWS)
        else:
            self._say(self.tr("Nothing that you typed about this plan is kept."), Tone.NEWS)

    # What is shown of it

    @property
    def shown_key(self) -> str:
        """Names exactly what is shown of the current step: its revision, and what was worked out."""
        step = self.current_step
        if step is None:
            return ""
        edited = self.edited
        worked = [] if edited is None else [sha256(edited)]
        worked += [
            f"{number}={choice if isinstance(choice, bool) else sorted(choice)}"
            for number, choice in sorted(self.choices.named.items())
        ]
        return "/".join((step.revision, *worked))

    # Comments

    @property
    def comments(self) -> tuple[LineComment, ...]:
        """What was said about lines of the current step: with its decision, else so far."""
        plan, step = self.current_plan, self.current_step
        if plan is None or step is None:
            return ()
        if step.decision is not None and step.state is not StepState.PENDING:
            return step.decision.comments
        return self.comments_of(plan, step)

    def comments_of(self, plan: Plan, step: Step) -> tuple[LineComment, ...]:
        """What was begun to be said about a step's lines; the base's first."""
        return tuple(
            LineComment("base" if place < 0 else "result", abs(place), value.decode("utf-8", "replace"))
            for place, value in self.drafts.of(plan.id, step.number, COMMENT).items()
        )

    def comment(self, side: str, line: int) -> str:
        """What was said about a line (from 1) of the "base" or the "result"."""
        return self.drafts.text(self.comment_place(side, line))

    def comment_place(self, side: str, line: int) -> DraftPlace:
        """Where a comment on a line (from 1) of the current step is kept."""
        return self.draft_place(COMMENT, -line if side == "base" else line)

    def keep_comment(self, place: DraftPlace, text: str) -> None:
        """Say something about a line, whatever is current by now; "" takes it away."""
        self.drafts.keep(place, text)
        self.comments_changed.emit()

    # Lines that can't be read

    @property
    def unread(self) -> int:
        """Changed lines of what is shown that are too long to be read on screen."""
        return self.shown.unshown if self.shown.diff is not None else 0

    @property
    def is_accepted(self) -> bool:
        """Whether the person accepts what is shown with the lines they could not read."""
        return not self.unread or self.shown_key.partition("/")[0] in self._consented

    def accept_unread(self, accepted: bool) -> None:
        """Accept the lines of the current step that were never shown, or no longer."""
        step = self.current_step
        if step is not None:
            (self._consented.add if accepted else self._consented.discard)(step.revision)
            self.allowed_changed.emit()

    def needs_consent(self, step: Step) -> bool:
        """Whether a step has lines nobody can have read, and nobody has accepted that."""
        too_long = any(fact.kind == "long_line" for fact in step.facts)
        return too_long and step.revision not in self._consented


def _edited(part: EditableText, text: str) -> bytes:
    from studio.engine.reviewer import edited

    return edited(part, text)
