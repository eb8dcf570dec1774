"""Combination of successive draft steps on the same paths, by simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import Final

from msgspec.structs import replace

from studio.engine.draft import DraftStep
from studio.engine.plan import Fact, Operation
from studio.engine.propose import step_problems
from studio.engine.propose.build_result import Built
from studio.engine.propose.checked_files import Files
from studio.engine.root import EntryKind
from studio.errors import StudioError
from studio.journal.file_image import sha256
from studio.names import parse_name
from studio.values import Value

Build = Callable[[DraftStep, bytes | None], Built]
"""Callback that builds a result from a base, None for no file.

Raises StudioError.
"""

REMOVES: Final = (Operation.DELETE, Operation.MOVE)
"""Operations after which nothing is at the step's path."""


class _File(Value):
    """Content of a path between steps, with its facts."""

    data: bytes
    mode: int
    facts: tuple[Fact, ...] = ()


class OrderedSteps:
    """Simulator of a group's steps on copies, to compare end and start."""

    def __init__(self, files: Files, build: Build, limit: int, bits_at: Callable[[str], int]) -> None:
        """Store the sources.

        `limit` is the size of a file in bytes, `bits_at` returns the permission bits of a new one.
        """
        self._files = files
        self._build = build
        self._limit = limit
        self._bits_at = bits_at
        self._first: dict[str, _File | None] = {}

    def combine(self, parts: Sequence[DraftStep], emptied: Set[str] = frozenset()) -> list[DraftStep]:
        """Return one step for each path that differs in the end.

        `emptied` are folders that files replace, which count as absent. A diff has the meaning that `git
        apply` gives it: renames and copies read the file as it was, and all removals come before all writes
        (git 2.39.5, apply.c). Where the steps carried out one by one would leave something else, as with an
        edit that is followed by a rename, the intent is ambiguous and the steps are refused.
        Raises StudioError or OSError.
        """
        paths = (path for part in parts for path in (part.path, part.to) if path is not None)
        self._first = {
            path: None if path in emptied else self._read_file(path) for path in dict.fromkeys(paths)
        }
        orders = [self._apply_in_order(parts)]
        if any(part.patch is not None for part in parts):
            orders.append(self._apply_as_git(parts))
        ends = [end for end in orders if not isinstance(end, StudioError)]
        if not ends:
            raise next(end for end in reversed(orders) if isinstance(end, StudioError))
        if any(_end_contents(end) != _end_contents(ends[0]) for end in ends):
            moved = next(part for part in parts if part.op is Operation.MOVE or part is parts[-1])
            raise step_problems.unclear_order(moved.path, moved.to or moved.path)
        return self._build_steps(parts, ends[0])

    def _read_file(self, path: str) -> _File | None:
        parse_name(path, exists=True)
        state = self._files.state(path)
        if state is None:
            return None
        if state.kind is EntryKind.FOLDER:
            raise step_problems.exists(path)
        data, state = self._files.read(path, self._limit)
        return _File(data, state.mode)

    def _apply_in_order(self, parts: Sequence[DraftStep]) -> dict[str, _File | None] | StudioError:
        now = dict(self._first)
        try:
            for part in parts:
                source = self._first if part.op is Operation.COPY else now
                result = self._apply_part(part, source[part.path], now[part.to or part.path])
                if part.op in REMOVES:
                    now[part.path] = None
                if part.op is not Operation.DELETE:
                    now[part.to or part.path] = result
        except StudioError as error:
            return error
        return now

    def _apply_as_git(self, parts: Sequence[DraftStep]) -> dict[str, _File | None] | StudioError:
        leaving = {part.path for part in parts if part.op in REMOVES}
        results = dict(self._first)
        written: list[tuple[str, _File | None]] = []
        try:
            for part in parts:
                target = part.to or part.path
                before = self._first if part.op.has_target else results
                there = None if target in leaving else before[target]
                result = self._apply_part(part, before[part.path], there)
                if part.op in REMOVES:
                    results[part.path] = None
                if part.op is not Operation.DELETE:
                    results[target] = result
                    written.append((target, result))
        except StudioError as error:
            return error
        removed = dict.fromkeys((part.path for part in parts if part.op is not Operation.COPY), None)
        return self._first | removed | dict(written)

    def _apply_part(self, part: DraftStep, base: _File | None, there: _File | None) -> _File | None:
        """Return what a step leaves; `there` is what its target holds."""
        may_exist = part.may_exist or (part.over_empty and there is not None and not there.data)
        if part.op is Operation.CREATE and may_exist and there is not None:
            part, base = replace(part, op=Operation.MODIFY), there
        if part.op is Operation.CREATE:
            if there is not None:
                raise step_problems.exists(part.path)
            built = self._build(part, None)
            mode = (0o777 if part.executable else 0o666) & self._bits_at(part.path) & part.mode_limit
            return _File(built.result, mode, (*built.facts, *_yield_patch_facts(part)))
        if base is None:
            raise step_problems.missing(part.path, is_diff=part.patch is not None)
        if part.op.has_target and there is not None:
            raise step_problems.exists(part.to or "")
        if part.base_sha256 not in (None, sha256(base.data)):
            raise step_problems.other_base(part.path)
        if part.op is Operation.DELETE:
            if part.patch is not None and self._build(part, base.data).result:
                raise step_problems.deletion_leaves_lines(part.path)
            return None
        built = self._build(part, base.data)
        mode = mode_after(base.mode, part.executable)
        return _File(built.result, mode, (*base.facts, *built.facts, *_yield_patch_facts(part)))

    def _build_steps(self, parts: Sequence[DraftStep], end: dict[str, _File | None]) -> list[DraftStep]:
        reason = "\n".join(dict.fromkeys(part.reason for part in parts if part.reason))
        line = next((part.line for part in parts if part.line is not None), None)
        repaired = next((part.repaired for part in parts if part.repaired is not None), None)
        steps: list[DraftStep] = []
        for path in sorted(end, key=lambda path: end[path] is None):
            before, after = self._first[path], end[path]
            if _content(before) == _content(after):
                continue
            step = DraftStep(Operation.DELETE, path, reason=reason, line=line, repaired=repaired)
            if before is not None:
                step = replace(step, base_sha256=sha256(before.data))
            if after is not None:
                op = Operation.CREATE if before is None else Operation.MODIFY
                step = replace(step, op=op, exact=after.data, mode=after.mode, facts=after.facts)
            steps.append(step)
        return steps


def mode_after(mode: int, executable: bool | None) -> int:
    """Return the mode with execution for all readers, or for no one.

    `executable` None leaves it unchanged.
    """
    if executable is None:
        return mode
    return mode | (mode & 0o444) >> 2 if executable else mode & ~0o111


def _yield_patch_facts(part: DraftStep) -> Iterator[Fact]:
    return (fact for patch in part.patches for fact in patch.facts)


def _content(file: _File | None) -> tuple[bytes, int] | None:
    return None if file is None else (file.data, file.mode)


def _end_contents(end: dict[str, _File | None]) -> dict[str, tuple[bytes, int] | None]:
    return {path: _content(file) for path, file in end.items()}
