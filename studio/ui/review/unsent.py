"""Store of the reviewer's unsubmitted drafts, autosaved and restored after a crash.

Reads are answered from memory; the store is written through the runner.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from studio import engine
from studio.engine import HunkChoice
from studio.ui.runner import is_disk_full

if TYPE_CHECKING:
    from studio.engine import UnsentText
    from studio.errors import StudioError
    from studio.ui.runner import Runner
    from studio.workspace import Reviewer

REASON, NOTE, COMMENT, EDITED, VIEWED, CHOICES = "reason", "note", "comment", "edited", "viewed", "choices"
"""The kinds of `studio.engine.store.unsaved_input.UnsentKind`, which a starting window does not load."""

USED, DRAFT, DRAFT_BASE = 0, 1, 2
"""Places of edited results: the one in use, an unused draft, and the text that draft was typed on."""

WHOLE_PLAN = 0
_KIND_OF = attrgetter("kind")
"""Step number of drafts about a whole plan."""


class DraftKey(NamedTuple):
    """Key of a draft: plan, step (0: the plan), kind and place.

    A comment's `slot` is its line, 1-based, negative on the base's side.
    """

    plan_id: str
    step: int
    kind: str
    slot: int = 0


def format_choices(contents: str, chosen: Mapping[int, HunkChoice]) -> str:
    """Return a hunk selection as a draft for these contents.

    "" where everything is included.
    """
    hunks = {
        str(hunk): choice if isinstance(choice, bool) else sorted(choice)
        for hunk, choice in sorted(chosen.items())
        if choice is not True
    }
    return json.dumps({"of": contents, "hunks": hunks}) if hunks else ""


def parse_choices(value: bytes, contents: str) -> dict[int, HunkChoice]:
    """Return a draft's hunk selection, empty if for other contents."""
    stored: dict[str, Any] = json.loads(value) if value else {}
    hunks: dict[str, bool | list[int]] = stored["hunks"] if stored.get("of") == contents else {}
    return {int(hunk): each if isinstance(each, bool) else frozenset(each) for hunk, each in hunks.items()}


class UnsentDrafts(QObject):
    """All drafts of the project.

    What could not be stored is tried again with the next draft.
    """

    loaded = Signal()
    changed = Signal()
    """Emitted with each draft that is set or deleted."""

    def __init__(self, runner: Runner, reviewer: Reviewer, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._reviewer = reviewer
        self._values: dict[DraftKey, bytes] = {}
        self._unsaved: set[DraftKey] = set()
        self._saving = 0
        self.revision = 0
        """Number of changes, for values that are computed from drafts."""

    def load(self) -> None:
        """Read the drafts of earlier windows."""
        self._runner.call(self._reviewer.unsent, then=self._add_stored, failed=self._report_loaded)

    def value(self, key: DraftKey) -> bytes:
        return self._values.get(key, b"")

    def text(self, key: DraftKey) -> str:
        """Return the draft text, "" when there is none."""
        return self.value(key).decode("utf-8", "replace")

    def every(self, kind: str) -> Mapping[DraftKey, bytes]:
        """Return all drafts of a kind."""
        return {key: value for key, value in self._values.items() if key.kind == kind}

    def has(self, kind: str) -> bool:
        """Return whether there is any draft of a kind."""
        return kind in map(_KIND_OF, self._values)

    def of(self, plan_id: str, step: int, kind: str) -> Mapping[int, bytes]:
        """Return the drafts of a kind on one step, by place."""
        found = (at for at in self._values if (at.plan_id, at.step, at.kind) == (plan_id, step, kind))
        return {at.slot: self._values[at] for at in sorted(found, key=lambda at: at.slot)}

    def of_plan(self, plan_id: str, kind: str) -> Mapping[int, Mapping[int, bytes]]:
        """Return a plan's drafts of a kind, by step and place."""
        found: dict[int, dict[int, bytes]] = {}
        wanted = (at for at in self._values if (at.plan_id, at.kind) == (plan_id, kind))
        for at in sorted(wanted, key=lambda at: at.slot):
            found.setdefault(at.step, {})[at.slot] = self._values[at]
        return found

    def store(self, key: DraftKey, value: bytes | str) -> None:
        """Store a draft; an empty one is deleted."""
        self.store_all({key: value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value})

    def store_all(self, values: Mapping[DraftKey, bytes]) -> None:
        """Store several drafts together."""
        changed = {key: data for key, data in values.items() if data != self.value(key)}
        for key, data in changed.items():
            self._set_value(key, data)
        self._unsaved.update(changed)
        if changed:
            self.save()

    def store_later(self, key: DraftKey, value: bytes) -> None:
        """Set a draft that the next poll stores, if not sooner."""
        if value != self.value(key):
            self._set_value(key, value)
            self._unsaved.add(key)

    def is_stored(self) -> bool:
        """Return whether the store holds every draft."""
        return not self._unsaved and not self._saving

    def save(self) -> None:
        """Store the drafts not stored yet."""
        unsaved, self._unsaved = self._unsaved, set()
        if unsaved:
            unsent = [(key, self.value(key)) for key in unsaved]
            retry = partial(self._retry_later, frozenset(unsaved))
            self._saving += 1
            self._runner.call(_store, self._reviewer, unsent, then=self._finish_save, failed=retry)

    def drop(self, plan_id: str, steps: Iterable[int], *kinds: str) -> None:
        """Delete drafts of these kinds on steps.

        All but viewed marks where no kind is named.
        """
        numbers = frozenset(steps)
        self._delete(
            key
            for key in self._values
            if key.plan_id == plan_id
            and key.step in numbers
            and (key.kind in kinds or (not kinds and key.kind != VIEWED))
        )

    def forget_except(self, plans: frozenset[str], ended: frozenset[str]) -> None:
        """Delete the drafts of other plans, which can't be decided any more.

        Of `ended` plans, whose agent may propose again, what was viewed stays.
        """
        self._delete(
            key for key in self._values
            if key.plan_id not in plans and (key.kind != VIEWED or key.plan_id not in ended)
        )  # fmt: skip

    def _delete(self, keys: Iterable[DraftKey]) -> None:
        deleted = tuple(keys)
        for key in deleted:
            self._set_value(key, b"")
        self._unsaved.update(deleted)
        self.save()

    def _set_value(self, key: DraftKey, data: bytes) -> None:
        self.revision += 1
        if data:
            self._values[key] = data
        else:
            self._values.pop(key, None)
        self.changed.emit()

    def _add_stored(self, unsent: tuple[UnsentText, ...]) -> None:
        for each in unsent:
            key = DraftKey(each.plan_id, each.step, each.kind.value, each.place)
            if key not in self._values:
                self._set_value(key, each.value)
        self.loaded.emit()

    def _report_loaded(self, _error: StudioError) -> None:
        self.loaded.emit()

    def _finish_save(self, _nothing: None) -> None:
        self._saving -= 1

    def _retry_later(self, keys: frozenset[DraftKey], error: StudioError) -> None:
        """Keep the drafts for another try: another process holds the store."""
        self._saving -= 1
        self._unsaved |= keys
        if is_disk_full(error):
            self._runner.unexpected_error.emit(error)


def _store(reviewer: Reviewer, unsent: list[tuple[DraftKey, bytes]]) -> None:
    reviewer.keep_unsent(
        *(
            engine.UnsentText(key.plan_id, key.step, engine.UnsentKind(key.kind), value, key.slot)
            for key, value in unsent
        )
    )
