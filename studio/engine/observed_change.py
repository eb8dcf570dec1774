"""Observed changes: what no step of ours wrote, against the baseline (design 2, contract 9)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path

from studio.engine.plan import FileImage, Operation, PersonSource


class ObservedState(Enum):
    """Open until a person keeps it, or takes it back."""

    OPEN = "open"
    KEPT = "kept"
    REVERTED = "reverted"


OBSERVED_TRANSITIONS: Mapping[ObservedState, frozenset[ObservedState]] = {
    ObservedState.OPEN: frozenset({ObservedState.KEPT, ObservedState.REVERTED}),
    ObservedState.KEPT: frozenset(),
    ObservedState.REVERTED: frozenset(),
}


class GroupKind(Enum):
    """Why changes stand together: they came in one burst, or are git's work."""

    BURST = "burst"
    GIT = "git"


@dataclass(frozen=True, slots=True)
class ObservedGroup:
    """Changes that belong together, under a name for people; `first` and `last` are when they were seen."""

    number: int
    name: str
    kind: GroupKind
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class ObservedDecision:
    """A person's word on a change, and how the person was seen."""

    who: str
    when: datetime
    seen: PersonSource
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class ObservedChange:
    """One path that the disk holds otherwise than the baseline; of a move `to` is where it went.

    `before` and `after` None: nothing was there, nothing is; see `is_before_unknown`. `hints` are sentences
    about who was at work then: nothing proves that it was them.
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
        """Whether it changed while the baseline was made: `before` is None, though a file was there."""
        return self.before is None and self.op in (Operation.MODIFY, Operation.DELETE)

    @property
    def target(self) -> str:
        """The path that holds it now."""
        return self.to if self.to is not None else self.path

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path it is about."""
        return (self.path,) if self.to is None else (self.path, self.to)

    @property
    def revision(self) -> str:
        """What it is, as one word: a press carries it, so that nothing else is kept or taken back."""
        told = (self.op.value, self.path, self.to, self.before, self.after)
        return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()[:16]
