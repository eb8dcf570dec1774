"""What a format makes of a text: steps as they were read, before any check against the project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.engine.plan import Operation, Problem

if TYPE_CHECKING:
    from studio.engine.diff import FilePatch


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace `old`, which must occur exactly once, by `new`."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class MadeOn:
    """What an overlay saw at a path before it was changed there: None for `content` is no file at all."""

    content: bytes | None
    mode: int = 0


@dataclass(frozen=True, slots=True)
class DraftStep:
    """One step as a format read it, before any check against the project.

    Exactly one of `content`, `exact`, `edits` and `patch` is given where the operation needs new bytes:
    `content` is text in UTF-8, which takes the form of the file it changes; `exact` is the bytes themselves,
    text or not. `problems` already found by the format make the step invalid. `line` is where it stands in
    the text.
    """

    op: Operation
    path: str
    to: str | None = None
    base_sha256: str | None = None
    content: bytes | None = None
    exact: bytes | None = None
    edits: tuple[TextEdit, ...] = ()
    patch: FilePatch | None = None
    executable: bool | None = None
    reason: str = ""
    problems: tuple[Problem, ...] = ()
    line: int | None = None
    made_on: MadeOn | None = None
    """What its path held for whoever made it; None where only `base_sha256` says so, if that."""


@dataclass(frozen=True, slots=True)
class PlanDraft:
    """What a format made of a text. With `problems` the text as a whole can't be read."""

    format: str
    steps: tuple[DraftStep, ...]
    title: str = ""
    agent: str = ""
    problems: tuple[Problem, ...] = ()
