"""Expansion of draft steps to single paths, with dependent steps grouped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import chain

from msgspec.structs import replace

from studio.engine.draft import DraftStep
from studio.engine.plan import Operation, Problem
from studio.engine.propose import step_problems
from studio.engine.propose.checked_files import Files
from studio.engine.propose.ordered_steps import REMOVES, OrderedSteps
from studio.engine.root import EntryKind, TreeEntry, Unseen
from studio.errors import StudioError
from studio.journal.file_image import sha256
from studio.limits import PATH_BYTES
from studio.names import parse_name


def expanded_delete(files: Files, draft: DraftStep, leaving: Set[str]) -> Iterator[DraftStep]:
    """Yield the step, or for a folder's delete one for each entry.

    The folder itself comes last, so that a person sees each file that would go. `leaving` are paths that the
    plan moves away or deletes by itself. Where something in the folder can't be read, the step has that
    problem.
    """
    if draft.op is not Operation.DELETE or draft.problems:
        yield draft
        return
    try:
        state = files.state(parse_name(draft.path, exists=True))
    except (StudioError, OSError):
        state = None
    if state is None or state.kind is not EntryKind.FOLDER:
        yield draft
        return
    entries: list[TreeEntry] = []
    for entry in files.walk(draft.path):
        if isinstance(entry, Unseen):
            problem = Problem(
                "target.unseen",
                entry.reason,
                "Change its permissions; a folder is deleted only if everything in it is readable.",
                at="target",
            )
            yield replace(draft, problems=(problem,))
            return
        if entry.path not in leaving:
            entries.append(entry)
    for entry in entries:
        if not entry.is_folder:
            yield replace(draft, path=entry.path)
    for entry in reversed(entries):
        if entry.is_folder:
            yield replace(draft, path=entry.path)
    yield draft


_PLACES = (Operation.CREATE, Operation.MKDIR, Operation.MOVE, Operation.COPY)


class StepExpander:
    """Expander of a plan's drafts to single steps, grouped into units."""

    def __init__(self, files: Files, ordered: OrderedSteps, check: Callable[[str], None]) -> None:
        """Store the sources.

        `check` raises StudioError for a path that no step may read or write.
        """
        self._files = files
        self._ordered = ordered
        self._check = check
        self._emptied_by: dict[str, list[str]] = {}

    def expand(self, drafts: Sequence[DraftStep]) -> list[DraftStep]:
        """Return the steps in order; those of a unit have its id.

        A unit is what one text does to one path in several steps, and a file that becomes a folder, or the
        reverse, with all that leaves or enters it: `git apply` carries these out whole.
        """
        singles = [single for draft in drafts for single in (draft.parts or (draft,))]
        leaving = {single.path for single in singles if single.op in REMOVES}
        self._emptied_by = self._find_emptied(singles, leaving)
        steps: list[DraftStep] = []
        for draft in drafts:
            steps += self._split_delete(draft, leaving)
        moved = [each.path for each in singles if each.op is Operation.MOVE and each.patch is not None]
        return self._add_folder_deletes(self._mark_kind_changes(steps), moved)

    def _split_delete(self, draft: DraftStep, leaving: set[str]) -> Iterable[DraftStep]:
        if draft.rewrites and draft.path in self._emptied_by:
            delete = replace(draft, op=Operation.DELETE, content=None, exact=None, executable=None)
            inside = [
                each for each in expanded_delete(self._files, delete, leaving) if each.path != draft.path
            ]
            return (*inside, replace(draft, op=Operation.CREATE))
        is_onto_folder = draft.op.has_target and draft.to in self._emptied_by
        if not draft.parts and not is_onto_folder:
            return expanded_delete(self._files, draft, leaving)
        return self._combine_parts(draft, draft.parts or (draft,))

    def _combine_parts(self, draft: DraftStep, parts: Sequence[DraftStep]) -> Iterable[DraftStep]:
        try:
            for part in parts:
                self._check(part.path)
                if part.to is not None:
                    self._check(part.to)
            steps = self._ordered.combine(parts, self._emptied_by.keys())
        except (StudioError, OSError) as error:
            return (replace(draft, parts=(), problems=step_problems.problems_of(draft.path, error)),)
        unit = _unit_name(min(step.path for step in steps)) if len(steps) > 1 else None
        return [replace(step, unit=unit) for step in steps]

    def _find_emptied(self, singles: Sequence[DraftStep], leaving: set[str]) -> dict[str, list[str]]:
        """Return the folders that files replace, each with its subfolders.

        Subfolders are innermost first.
        """
        above = {folder for path in leaving for folder in _yield_parents(path)}
        found: dict[str, list[str]] = {}
        for step in singles:
            target = step.to or step.path
            is_placed = step.op in _PLACES and step.op is not Operation.MKDIR and target in above
            if step.rewrites or is_placed:
                inside = self._list_emptied(target, leaving, everything=step.rewrites)
                if inside is not None:
                    found[target] = inside
        return found

    def _list_emptied(self, path: str, leaving: set[str], *, everything: bool) -> list[str] | None:
        """Return the subfolders of a folder that all files leave, innermost first.

        None for any other path.
        """
        try:
            self._check(path)
            state = self._files.state(path)
            if state is None or state.kind is not EntryKind.FOLDER:
                return None
            folders: list[str] = []
            for entry in self._files.walk(path):
                if isinstance(entry, Unseen):
                    return None
                if entry.is_folder:
                    folders.append(entry.path)
                elif not everything and leaving.isdisjoint((entry.path, *_yield_parents(entry.path))):
                    return None
        except (StudioError, OSError):
            return None
        return folders[::-1]

    def _mark_kind_changes(self, steps: list[DraftStep]) -> list[DraftStep]:
        removed = {step.path: number for number, step in enumerate(steps) if step.op in REMOVES}
        if not removed:
            return steps
        groups = _Groups(steps)
        new_folders: set[str] = set()
        placed = {step.to or step.path: number for number, step in enumerate(steps) if step.op in _PLACES}
        for target, number in placed.items():
            for path in _yield_parents(target):
                if path in removed and (path in new_folders or self._is_file(path)):
                    new_folders.add(path)
                    groups.join(removed[path], number)
        for path, number in removed.items():
            for target in _yield_parents(path):
                if target in placed and steps[placed[target]].op is not Operation.MKDIR:
                    groups.join(placed[target], number)
        return [
            single
            for number, step in enumerate(steps)
            for single in self._mark_kind_change(
                replace(step, unit=groups.unit_of(number)), new_folders, removed.keys()
            )
        ]

    def _mark_kind_change(self, step: DraftStep, new_folders: Set[str], removed: Set[str]) -> list[DraftStep]:
        """Return the step, marked if it turns a file into a folder.

        The reverse is marked, too, and preceded by deletes of the folders that go. A move counts as its
        combined steps.
        """
        if step.problems:
            return [step]
        if step.op is Operation.CREATE and step.path in self._emptied_by:
            inside = [path for path in self._emptied_by[step.path] if path not in removed]
            deletes = [DraftStep(Operation.DELETE, path, unit=step.unit, line=step.line) for path in inside]
            return [*deletes, replace(step, changes_kind=True)]
        if step.path not in new_folders or step.op not in REMOVES:
            return [step]
        if step.op is Operation.DELETE:
            return [replace(step, changes_kind=True)]
        unit = step.unit or _unit_name(step.path)
        return [
            replace(each, unit=unit, changes_kind=each.op is Operation.DELETE)
            for each in self._combine_parts(step, (step,))
        ]

    def _add_folder_deletes(self, steps: list[DraftStep], moved: Sequence[str]) -> list[DraftStep]:
        """Add deletes of folders that a diff's renames leave empty.

        They are steps, so that a person sees them and a rollback restores the folders with their own bits.
        """
        places = {
            step.path: number
            for number, step in enumerate(steps)
            if step.op in REMOVES and not step.changes_kind and not step.problems
        }
        kept_folders = {
            folder
            for step in steps
            if step.op is not Operation.DELETE or step.changes_kind
            for folder in (step.to or step.path, *_yield_parents(step.to or step.path))
        }
        leaving, grown = set(places), list(steps)
        # Each folder once, innermost first: to list it again for each of 1,000 renames took 11 s.
        left = dict.fromkeys(folder for path in moved if path in places for folder in _yield_parents(path))
        for folder in sorted(left, key=lambda path: -path.count("/")):
            if folder not in leaving and folder not in kept_folders and self._is_left_empty(folder, leaving):
                leaving.add(folder)
                places[folder] = len(grown)
                grown.append(DraftStep(Operation.DELETE, folder))
        groups = _Groups(grown)
        for path, number in places.items():
            for folder in _yield_parents(path):
                if places.get(folder, 0) >= len(steps):
                    groups.join(places[folder], number)
        return [replace(step, unit=groups.unit_of(number)) for number, step in enumerate(grown)]

    def _is_left_empty(self, folder: str, leaving: Set[str]) -> bool:
        """Return whether a folder has contents, all of which leave."""
        try:
            self._check(folder)
            entries = self._files.walk(folder)
            first = next(entries, None)
            found = () if first is None else chain((first,), entries)
            return first is not None and all(
                not isinstance(entry, Unseen) and entry.path in leaving for entry in found
            )
        except (StudioError, OSError):
            return False

    def _is_file(self, path: str) -> bool:
        try:
            self._check(path)
            state = self._files.state(path)
        except (StudioError, OSError):
            return False
        return state is not None and state.kind is EntryKind.FILE


class _Groups:
    """Union-find of steps that need each other, by index."""

    def __init__(self, steps: Sequence[DraftStep]) -> None:
        self._steps = steps
        self._leader = list(range(len(steps)))
        self._joined: set[int] = set()
        self._units: dict[int, str] = {}
        first: dict[str, int] = {}
        for number, step in enumerate(steps):
            if step.unit is not None:
                self.join(first.setdefault(step.unit, number), number)

    def join(self, one: int, other: int) -> None:
        """Merge the groups of two steps."""
        if one != other:
            self._leader[self._find_group(other)] = self._find_group(one)
            self._joined |= {one, other}

    def unit_of(self, number: int) -> str | None:
        """Return the id of a step's group, None for a single step.

        It is derived from the group's smallest path, which is above the others, so it stays the same in
        further rounds of a plan.
        """
        if not self._units:
            paths: dict[int, str] = {}
            for each in self._joined:
                leader, path = self._find_group(each), self._steps[each].path
                paths[leader] = min(path, paths.get(leader, path))
            self._units = {leader: _unit_name(path) for leader, path in paths.items()}
        return self._units[self._find_group(number)] if number in self._joined else None

    def _find_group(self, number: int) -> int:
        while self._leader[number] != number:
            self._leader[number] = self._leader[self._leader[number]]
            number = self._leader[number]
        return number


def _unit_name(path: str) -> str:
    return sha256(path.encode("utf-8", "surrogatepass"))[:12]


def _yield_parents(path: str) -> Iterator[str]:
    # A name longer than any path is refused, but could have a hundred thousand parent folders.
    parts = path.split("/") if len(path) <= PATH_BYTES else ()
    return ("/".join(parts[:count]) for count in range(1, len(parts)))
