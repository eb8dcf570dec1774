"""Agents' tool calls that change no file, and the reviewer's answers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.names import show_name
from studio.ui.actions.action import Action
from studio.ui.desk.guards import foreign_change_seconds
from studio.ui.desk.state import Tone
from studio.ui.look.words import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.engine.errors import StudioError
    from studio.engine.proposer import Call
    from studio.ui.desk.guards import Guards
    from studio.ui.desk.project import Project
    from studio.ui.desk.queue import Queue


class Calls(QObject):
    """Queue of tool calls to answer, longest waiting first.

    One is shown at a time, the others are counted. A draft answer is kept with its call for as long as that
    waits.
    """

    changed = Signal()
    """Another call is shown, or the number of waiting calls changed."""

    def __init__(self, project: Project, queue: Queue, guards: Guards) -> None:
        super().__init__(project)
        self._project, self._queue, self._guards = project, queue, guards
        self._drafts: dict[str, str] = {}
        self._answered_ids: set[str] = set()
        self._read_ids: set[str] = set()
        self._skip_count = 0
        self._shown: tuple[tuple[Call, ...], str] = ((), "")
        queue.store_changed.connect(self._update)

    @property
    def waiting(self) -> tuple[Call, ...]:
        """Calls whose agent waits, without those just answered here."""
        return tuple(call for call in self._queue.calls if call.id not in self._answered_ids)

    @property
    def current(self) -> Call | None:
        """The call that is shown."""
        calls = self.waiting
        return calls[self._skip_count % len(calls)] if calls else None

    @property
    def words(self) -> str:
        """The draft answer to the current call."""
        return self._drafts.get(self.current.id, "") if self.current is not None else ""

    @property
    def is_unread(self) -> bool:
        """Whether the end of the current call was never on screen."""
        return self.current is not None and self.current.id not in self._read_ids

    def note_read(self, call_id: str) -> None:
        """Record that the end of a call was on screen.

        From then on it can be allowed.
        """
        if call_id not in self._read_ids:
            self._read_ids.add(call_id)
            self._guards.allowed_changed.emit()

    def store_draft(self, words: str) -> None:
        """Store the draft answer to the current call."""
        if self.current is not None:
            self._drafts[self.current.id] = words

    def next(self) -> None:
        """Show the next waiting call."""
        self._skip_count += 1
        self._update()

    def allow(self) -> None:
        """Allow the current call."""
        call = self.current
        if call is not None and not self._guards.can(Action.ALLOW_CALL):
            message = say(self.tr("Allowed what {agent} asked for."), agent=show_name(call.agent))
            self._send_answer(
                call, partial(self._project.reviewer.allow, call.id, note=self.words.strip()), message
            )

    def deny(self) -> None:
        """Deny the current call with the typed reason."""
        call = self.current
        if call is not None and self.words.strip() and not self._guards.can(Action.DENY_CALL):
            message = say(self.tr("Denied what {agent} asked for."), agent=show_name(call.agent))
            self._send_answer(
                call, partial(self._project.reviewer.deny, call.id, reason=self.words.strip()), message
            )

    def _send_answer(self, call: Call, decide: Callable[[], Call], message: str) -> None:
        self._answered_ids.add(call.id)
        self._update()
        self._project.runner.call(
            decide,
            then=lambda _call: self._project.say(message, Tone.NEWS),
            failed=partial(self._restore_call, call),
        )

    def _restore_call(self, call: Call, error: StudioError) -> None:
        """Show the call again after an error: its agent still waits."""
        self._answered_ids.discard(call.id)
        self._update()
        self._project.report(error)

    def _update(self) -> None:
        calls = self._queue.calls
        waiting_ids = {call.id for call in calls}
        self._answered_ids &= waiting_ids
        self._read_ids &= waiting_ids
        self._drafts = {call: words for call, words in self._drafts.items() if call in waiting_ids}
        current = self.current
        shown = (self.waiting, current.id if current is not None else "")
        if shown == self._shown:
            return
        is_another_call = shown[1] != self._shown[1]
        self._shown = shown
        if is_another_call:
            # The banner appears, goes or changes under the pointer.
            self._guards.dead_time.begin(foreign_change_seconds())
        self.changed.emit()
