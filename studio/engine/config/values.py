"""What single parts of a configuration say (contract 8)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studio.engine.config.levels import Setting


@dataclass(frozen=True, slots=True)
class Retention:
    """How long undo is kept: newest plans, days, and a cap in bytes (design 7)."""

    plans: int
    days: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """The project's studio.yaml as read: hash of its bytes, whether the user trusts them, and the
    settings that wait for that trust because they widen what agents may do."""

    sha256: str
    trusted: bool
    waiting: tuple[Setting, ...] = ()


@dataclass(frozen=True, slots=True)
class AllowedDirectory:
    """A folder outside of the project that tools may read (R5, C15).

    `path` is absolute, without "..", as it is written: links on the way are followed when it is opened.
    """

    path: Path
    level: str
