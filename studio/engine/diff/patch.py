"""Parsed change of one file in a diff: paths, modes, hunks."""

from __future__ import annotations

from collections.abc import Sequence

from studio.engine.diff.binary_patch import BinaryPatch
from studio.engine.diff.hunks import PatchHunk
from studio.engine.plan import Fact, Operation, Problem
from studio.values import Value


class FilePatch(Value):
    """One file of a diff; its paths are not yet validated.

    `old_path` is None for a create, `new_path` for a delete; both are equal for a modify or mode change.
    Modes are git's (0o100644); two different ones are a mode change. `line` is the 1-based line of the file's
    first header. New content comes as `hunks` or as `binary`, never both. `problems` make this step invalid
    without affecting other files. In names that are not UTF-8 the undecodable bytes are lone surrogates, and
    a problem reports it. `may_be_prefixed`: the first folder of a new file may not belong to its name.
    `may_create`: it fills an empty file, or creates a missing one. `is_text`: its lines came as characters of
    a JSON string, and not as bytes of a file.
    """

    operation: Operation
    old_path: str | None
    new_path: str | None
    hunks: Sequence[PatchHunk] = ()
    old_mode: int | None = None
    new_mode: int | None = None
    line: int = 1
    problems: tuple[Problem, ...] = ()
    facts: tuple[Fact, ...] = ()
    binary: BinaryPatch | None = None
    may_be_prefixed: bool = False
    may_create: bool = False
    is_text: bool = False

    @property
    def path(self) -> str:
        """The step's path: the old one, but for a create."""
        return self.old_path if self.old_path is not None else self.new_path or ""

    @property
    def to(self) -> str | None:
        """The target path of a move or copy."""
        return self.new_path if self.operation.has_target else None

    @property
    def has_content(self) -> bool:
        """Whether it changes the file's content, not only name or mode."""
        return bool(self.hunks) or self.binary is not None

    @property
    def written_paths(self) -> tuple[str, ...]:
        """Every path the change writes or removes."""
        if self.operation is Operation.COPY or self.old_path is None:
            return (self.new_path or "",)
        if self.new_path is None or self.new_path == self.old_path:
            return (self.old_path,)
        return self.old_path, self.new_path

    @property
    def added(self) -> int:
        return sum(hunk.added for hunk in self.hunks)

    @property
    def removed(self) -> int:
        return sum(hunk.removed for hunk in self.hunks)
