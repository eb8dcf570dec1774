"""Dataclasses of file changes made outside plans: state, group, decision."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from pathlib import Path

from studio.engine.plan import Operation, PersonSource
from studio.journal.file_image import FileImage
from studio.values import Value


class ObservedState(Enum):
    """Decision state of an observed change: open, kept or reverted."""

    OPEN = "open"
    KEPT = "kept"
    REVERTED = "reverted"


OBSERVED_TRANSITIONS: Mapping[ObservedState, frozenset[ObservedState]] = {
    ObservedState.OPEN: frozenset({ObservedState.KEPT, ObservedState.REVERTED}),
    ObservedState.KEPT: frozenset(),
    ObservedState.REVERTED: frozenset(),
}


class GroupKind(Enum):
    """Why changes are grouped: one burst, or one operation of git."""

    BURST = "burst"
    GIT = "git"


class ObservedGroup(Value):
    """A named group of changes.

    `first` and `last` are when they were seen.
    """

    number: int
    name: str
    kind: GroupKind
    first: datetime
    last: datetime


class ObservedDecision(Value):
    """A person's decision on a change, and how that person was identified."""

    who: str
    when: datetime
    seen: PersonSource
    folder: Path | None = None


class ObservedChange(Value):
    """One path that differs on disk from the baseline.

    `to` is a move's target. `before` None: there was nothing (but see `is_before_unknown`); `after` None:
    there is nothing now. `hints` are sentences on who was at work then, without proof that they did it.
    """

    id: str
    op: Operation
    path: str
    to: str | None
    before: FileImage | None
    after: FileImage | None
    seen: datetime
    group: ObservedGroup | None = None
    hints: tuple[str, ...] = ()
    state: ObservedState = ObservedState.OPEN
    decision: ObservedDecision | None = None

    @property
    def short_id(self) -> str:
        """The first eight hex digits."""
        return self.id[:8]

    @property
    def is_before_unknown(self) -> bool:
        """Whether a file changed while the baseline was made.

        `before` is then None, though there was a file.
        """
        return self.before is None and self.op in (Operation.MODIFY, Operation.DELETE)

    @property
    def target(self) -> str:
        """The path that holds it now."""
        return self.to if self.to is not None else self.path

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that the change involves."""
        return (self.path,) if self.to is None else (self.path, self.to)

    @property
    def revision(self) -> str:
        """Short hash of the change.

        A click carries it, so that no other change is kept or reverted.
        """
        fields = (self.op.value, self.path, self.to, self.before, self.after)
        return hashlib.sha256(repr(fields).encode("utf-8", "surrogatepass")).hexdigest()[:16]
