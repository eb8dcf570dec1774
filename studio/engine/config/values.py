"""What single parts of a configuration say (contract 8)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studio.engine.config.errors import place
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
    """A folder outside of the project that tools may read, and write where the user says so (R5, C15).

    `path` is absolute, without "..", as it is written: links on the way are followed when it is opened.
    """

    path: Path
    write: bool
    level: str


@dataclass(frozen=True, slots=True)
class Idle:
    """A setting that is taken and has no effect yet; `sha256` is that of its file's bytes."""

    setting: Setting
    sha256: str

    @property
    def sentence(self) -> str:
        """What a person is told of it, once for each file and change of it (contract 8)."""
        where = place(self.setting.file or "", self.setting.line, self.setting.key)
        return f"{where}: it has no effect yet."
