"""Rows beneath a plan: steps, folders of large plans, generated files."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from studio.engine import Step, StepState
from studio.ui.look.states import has_warnings, is_collapsed

GENERATED = "generated files"
"""Key of the row of generated files; those of folders end with a slash."""


class Entry(NamedTuple):
    """Row of a step or folder; `steps` are positions in `plan.steps`.

    The `key` is a step's number, a folder's path with a slash, or `GENERATED`. A chain of folders that hold
    nothing but the next one is one row, and that of a single step is the step's row; `name` is that chain.
    """

    key: str
    depth: int
    steps: tuple[int, ...]
    name: str = ""
    is_open: bool = False

    @property
    def is_folder(self) -> bool:
        return not self.key.isdecimal()


class Total(NamedTuple):
    """Totals of steps: lines added and removed, undecided, with warnings or refused."""

    added: int = 0
    removed: int = 0
    undecided: int = 0
    warnings: int = 0


def total_of(steps: Iterable[Step]) -> Total:
    """Return the totals of some steps."""
    added = removed = undecided = warnings = 0
    for step in steps:
        added += step.added
        removed += step.removed
        undecided += step.state in (StepState.PENDING, StepState.STALE)
        warnings += step.state is StepState.INVALID or has_warnings(step)
    return Total(added, removed, undecided, warnings)


def entries_of(
    steps: Sequence[Step], listed: Sequence[int], toggled: Container[str], *, is_tree: bool
) -> list[Entry]:
    """Return the rows for the listed positions, top to bottom.

    Folders are open and generated files closed, but those whose key is in `toggled`. A plan of nothing but
    generated files shows them like any others.
    """
    own = [at for at in listed if not is_collapsed(steps[at])]
    generated = tuple(at for at in listed if is_collapsed(steps[at])) if own else ()
    own = own or list(listed)
    rows = list(_walk(_build_tree(steps, own), "", 0, toggled)) if is_tree else [_row(at, 0) for at in own]
    if generated:
        is_open = GENERATED in toggled
        rows.append(Entry(GENERATED, 0, generated, GENERATED, is_open))
        rows += [_row(at, 1) for at in generated if is_open]
    return rows


def _row(at: int, depth: int, folder: str = "") -> Entry:
    return Entry(str(at + 1), depth, (at,), folder)


class _Folder(Struct):
    folders: dict[str, _Folder] = field(default_factory=dict)
    files: list[tuple[str, int]] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    """All positions beneath it."""


def _build_tree(steps: Sequence[Step], listed: Iterable[int]) -> _Folder:
    top = _Folder()
    for at in listed:
        *parts, name = steps[at].target.split("/")
        folder = top
        for part in parts:
            folder = folder.folders.setdefault(part, _Folder())
            folder.steps.append(at)
        folder.files.append((name, at))
    return top


def _walk(folder: _Folder, path: str, depth: int, toggled: Container[str]) -> Iterator[Entry]:
    """Yield folders first, then files, each by name."""
    for name, inner in sorted(folder.folders.items(), key=lambda each: _sort_key(each[0])):
        shown, last = _chain(name, inner)
        if len(last.steps) == 1:
            yield _row(last.steps[0], depth, shown)
            continue
        key = f"{path}{shown}/"
        is_open = key not in toggled
        yield Entry(key, depth, tuple(last.steps), shown, is_open)
        if is_open:
            yield from _walk(last, key, depth + 1, toggled)
    for _name, at in sorted(folder.files, key=lambda each: _sort_key(each[0])):
        yield _row(at, depth)


def _chain(name: str, folder: _Folder) -> tuple[str, _Folder]:
    """Return the last of a chain of single folders, with its path."""
    while len(folder.folders) == 1 and not folder.files:
        inner, folder = next(iter(folder.folders.items()))
        name = f"{name}/{inner}"
    return name, folder


def _sort_key(name: str) -> tuple[str, str]:
    return name.casefold(), name
