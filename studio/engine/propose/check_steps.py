"""Check of a draft's steps: path, policy, disk state, exact result.

Nothing is written here. A step that fails a check is `invalid` with the reason; the others continue.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Final

from msgspec.structs import replace

from studio.engine.config import Config
from studio.engine.diff import DoesNotMatch, FileDiff, compute
from studio.engine.diff.step_hunks import with_diff
from studio.engine.disk import allowed_bits, inherited_bit
from studio.engine.draft import DraftStep
from studio.engine.plan import (
    Fact,
    Operation,
    Problem,
    Severity,
    Share,
    Step,
    StepState,
    shortened_path,
)
from studio.engine.policy import Policy
from studio.engine.propose import step_problems
from studio.engine.propose.agent_reply import recontext
from studio.engine.propose.build_result import Built, build_changed, build_new
from studio.engine.propose.checked_files import Files
from studio.engine.propose.expanded_steps import StepExpander
from studio.engine.propose.ordered_steps import OrderedSteps, mode_after
from studio.engine.propose.path_conflicts import PathKeys
from studio.engine.propose.repairs import Repair, RepairFinder
from studio.engine.propose.target_context import TargetContextReader
from studio.engine.risks import facts_of
from studio.engine.root import EntryKind, FileState, Guard, ProjectRoot, ReservedNames
from studio.engine.store.mismatches import Mismatch
from studio.errors import StudioError
from studio.journal.file_image import FileImage, sha256
from studio.limits import (
    MISMATCHES_UP_TO,
    PATH_BYTES,
    PLAN_FACTS_UP_TO,
    PLAN_PROBLEMS_UP_TO,
    STEP_FACTS_UP_TO,
    STEP_PROBLEMS_UP_TO,
    UNPACKED_BYTES,
)
from studio.names import show_name
from studio.system.syscalls import creation_mask
from studio.text import Forms, detect_forms
from studio.values import Value

FailedBefore = Callable[[str], "Mismatch | None"]
"""Callback: the agent's recorded mismatches of a path."""

AppliedBefore = Callable[[str], "tuple[Step, bytes | None] | None"]
"""Callback: a path's latest applied step with its base bytes, or None."""


class Prepared(Value):
    """One checked step and the bytes to store with it."""

    step: Step
    base: bytes | None = None
    result: bytes | None = None
    forms: Forms | None = None
    """How both are text, once detected."""
    diff: FileDiff | None = None
    """Their difference, kept until the facts are collected."""
    mismatch: str | None = None
    """SHA-256 of the file that the step's change did not match."""
    line: int | None = None
    """The step's line in the submitted text, 1-based."""
    repair: str = ""
    """The repair that was made or that would help, or ""."""


class _Rejected(Exception):
    """Raised to end the checks of one step."""

    def __init__(self, *problems: Problem, repair: str = "") -> None:
        super().__init__(problems)
        self.problems = problems
        self.repair = repair


class StepChecker:
    """Checker of one draft's steps against the project, or a session's view."""

    def __init__(
        self,
        root: ProjectRoot,
        config: Config,
        policy: Policy,
        guard_of: Callable[[Sequence[str], Set[str] | tuple[()]], Guard],
        *,
        applied_before: AppliedBefore,
        failed_before: FailedBefore,
        files: Files,
        is_own: bool = False,
        takes_repairs: bool = False,
    ) -> None:
        self._root = root
        self._files = files
        self._config = config
        self._policy = policy
        self._guard_of = guard_of
        self._guard = guard_of((), ())
        self._mounts = sorted(root.mounts())
        # Read once: the system has it in a file of /proc, which would be read for every new file.
        self._mask = creation_mask()
        self._allowed: dict[str, int] = {}
        self._applied_before = applied_before
        self._failed_before = failed_before
        self._is_own = is_own
        self._takes_repairs = takes_repairs
        self._repairs = RepairFinder()
        self._written: dict[str, int] = {}
        self._path_keys = PathKeys(root)
        self._reserved = ReservedNames(root, files.state)
        self._unpacked = 0
        self._target_context = TargetContextReader(root, ())
        self._problem_share = Share(PLAN_PROBLEMS_UP_TO, STEP_PROBLEMS_UP_TO)
        self._fact_share = Share(PLAN_FACTS_UP_TO, STEP_FACTS_UP_TO)

    def prepare(self, drafts: tuple[DraftStep, ...]) -> tuple[Prepared, ...]:
        """Return every step checked, numbered from 1.

        A folder delete becomes one step for each file and folder in it. Raises Refused when there are more
        steps, or hunks of diffs, than the limits allow.
        """
        limits = self._config.limits
        limits.check_hunks(sum(len(patch.hunks) for draft in drafts for patch in draft.patches))
        singles = [single for draft in drafts for single in (draft.parts or (draft,))]
        targets = (draft.to or draft.path for draft in singles if draft.op is not Operation.DELETE)
        # A name longer than any path is refused, but could have a hundred thousand parent folders.
        left = [path for path in targets if len(path) <= PATH_BYTES]
        self._target_context = TargetContextReader(self._root, left)
        self._guard = self._guard_of(left, ())
        ordered = OrderedSteps(
            self._files, self._build_from_base, self._config.limits.file_bytes, self._read_mode_bits
        )
        expanded = StepExpander(self._files, ordered, self._check_allowed).expand(drafts)
        limits.check_steps(len(expanded), is_own=self._is_own)
        new_folders = {
            draft.path for draft in expanded if draft.changes_kind and draft.op is Operation.DELETE
        }
        if new_folders:
            self._guard = self._guard_of(left, new_folders)
        self._problem_share = Share(PLAN_PROBLEMS_UP_TO - len(expanded), STEP_PROBLEMS_UP_TO)
        self._fact_share = Share(PLAN_FACTS_UP_TO, STEP_FACTS_UP_TO)
        prepared = [
            replace(self._prepare_step(number, draft), line=draft.line)
            for number, draft in enumerate(expanded, start=1)
        ]
        steps = [item.step for item in prepared]
        problems = mutual_problems(steps, self._files, new_folders)
        for place, item in enumerate(prepared):
            step = item.step
            if step.number in problems:
                prepared[place] = Prepared(_refuse_step(step, (problems[step.number],)))
            elif step.unit is not None and step.state is not StepState.INVALID:
                prepared[place] = replace(item, step=replace(step, facts=(UNIT_FACT, *step.facts)))
        return tuple(map(self._shorten_lists, prepared))

    def _shorten_lists(self, item: Prepared) -> Prepared:
        """Shorten a step's problems and facts to the limits."""
        step = item.step
        if not step.problems and not step.facts:
            return item
        problems = Problem.shorten(step.problems, self._problem_share.of_one)
        facts = Fact.shorten(step.facts, self._fact_share.of_one)
        self._problem_share.subtract(len(problems))
        self._fact_share.subtract(len(facts))
        return replace(item, step=replace(step, problems=problems, facts=facts))

    def _prepare_step(self, number: int, draft: DraftStep) -> Prepared:
        step = Step(
            number,
            str(uuid.uuid4()),
            draft.op,
            shortened_path(draft.path),
            shortened_path(draft.to) if draft.to is not None else None,
            StepState.PENDING,
            None,
            None,
            reason=draft.reason,
            unit=draft.unit,
        )
        try:
            if draft.problems:
                raise _Rejected(*draft.problems)
            self._check_paths(step, draft)
            return self._check_step(step, draft)
        except _Rejected as rejected:
            return Prepared(_refuse_step(step, rejected.problems), repair=rejected.repair)
        except DoesNotMatch as failed:
            return self._describe_mismatch(step, draft, failed.problems)
        except (StudioError, OSError) as error:
            problems = step_problems.problems_of(draft.path, error)
        return Prepared(_refuse_step(step, problems))

    def _check_step(self, step: Step, draft: DraftStep) -> Prepared:
        prepared = self._resolve(step, draft)
        patch_facts = (fact for patch in draft.patches for fact in patch.facts)
        repaired = (draft.repaired,) if draft.repaired is not None else ()
        facts = (*repaired, *draft.facts, *prepared.step.facts, *self._collect_facts(prepared), *patch_facts)
        facts = (*facts, *self._yield_missed_facts(draft))
        return replace(prepared, step=replace(prepared.step, facts=facts), diff=None)

    def _describe_mismatch(self, step: Step, draft: DraftStep, problems: tuple[Problem, ...]) -> Prepared:
        """Return the step for a mismatch, with what a new change needs.

        It is repaired where that was requested. A second mismatch in a row is left to a person, unless the
        next change fits.
        """
        repaired = self._find_repair(step, draft)
        if repaired is not None and self._takes_repairs:
            return repaired[1]
        if repaired is not None:
            problems = (repaired[0].with_repair_hint(problems[0]), *problems[1:])
        failed, repair = _refuse_step(step, problems), repaired[0].sentence if repaired is not None else ""
        try:
            current = self._files.read_bytes(step.path, self._config.limits.file_bytes)
        except (StudioError, OSError):
            return Prepared(failed, repair=repair)
        excerpt = recontext(step.path, current, problems, self._config.encoding_for(step.path))
        if self._failed_before(step.path) is not None:
            failed = replace(failed, problems=(step_problems.manual_only(step.path), *problems))
        return Prepared(replace(failed, recontext=excerpt), mismatch=sha256(current), repair=repair)

    def _find_repair(self, step: Step, draft: DraftStep) -> tuple[Repair, Prepared] | None:
        """Return the only repair that passes all checks, with the checked step."""
        setting = self._config.encoding_for(step.path)
        try:
            base = self._files.read_bytes(step.path, self._config.limits.file_bytes)
            repair = self._repairs.find(draft, base, setting)
            prepared = self._check_step(step, repair.draft) if repair is not None else None
        except (StudioError, OSError, _Rejected):
            return None
        if repair is None or prepared is None or prepared.step.state is not StepState.PENDING:
            return None
        return repair, replace(prepared, repair=repair.sentence)

    def _yield_missed_facts(self, draft: DraftStep) -> Iterator[Fact]:
        """Yield a fact if the change fits where earlier ones did not."""
        before = self._failed_before(draft.path)
        if (
            (draft.patch is None and not draft.edits and not draft.cells)
            or before is None
            or before.times < MISMATCHES_UP_TO
        ):
            return
        found = self._files.digest(draft.path)
        if found is not None and found[0] == before.sha256:
            message = f"This change fits, but {before.times} changes before it were refused."
            yield Fact("after_mismatches", Severity.NOTE, message)

    def _check_paths(self, step: Step, draft: DraftStep) -> None:
        for path in [draft.path] if draft.to is None else [draft.path, draft.to]:
            self._check_allowed(path, folder=self._is_folder(draft, path))
        # Two spellings of one file on this disk would overwrite each other.
        for path in step.written_paths:
            key = self._path_keys.of(path)
            if self._written.get(key) == step.number:
                raise _Rejected(step_problems.same_name(step.path, path))
            if key in self._written:
                raise _Rejected(
                    Problem(
                        "path.twice",
                        f"{show_name(path)} is already written by step {self._written[key]} of this plan.",
                        "Put all changes of one file into one step.",
                        line=draft.line,
                    )
                )
            self._written[key] = step.number

    def _check_allowed(self, path: str, *, folder: bool = False) -> None:
        exists = self._reserved.check(path)
        verdict = self._policy.check(path, folder=folder, exists=exists)
        if not verdict.allowed:
            raise verdict.denial()
        self._guard.check(path)

    def _is_folder(self, draft: DraftStep, path: str) -> bool:
        if draft.op is not Operation.DELETE:
            return draft.op is Operation.MKDIR
        state = self._files.state(path)
        return state is not None and state.kind is EntryKind.FOLDER

    def _resolve(self, step: Step, draft: DraftStep) -> Prepared:
        try:
            return self._resolve_on_disk(step, draft)
        except StudioError:
            already_applied = self._check_already_applied(step, draft)
            if already_applied is None:
                raise
            return already_applied

    def _resolve_on_disk(self, step: Step, draft: DraftStep) -> Prepared:
        state = self._files.state(draft.path)
        if draft.op is Operation.MKDIR:
            return self._check_folder(step, draft, state)
        if draft.changes_kind and state is not None:
            return self._check_kind_change(step, draft, state)
        if draft.op is Operation.CREATE and not (state is not None and _may_write_over(draft, state)):
            return self._check_create(step, draft, state)
        if draft.op is Operation.CREATE:
            step, draft = replace(step, op=Operation.MODIFY), replace(draft, op=Operation.MODIFY)
        if state is None and draft.patch is not None and draft.patch.may_create and not draft.following:
            created = replace(draft, op=Operation.CREATE)
            return self._check_create(replace(step, op=Operation.CREATE), created, None)
        if state is None:
            raise step_problems.missing(draft.path, is_diff=draft.patch is not None)
        if draft.op is Operation.DELETE and state.kind is EntryKind.FOLDER:
            return Prepared(replace(step, base=FileImage(None, 0, state.mode)))
        limit = self._config.limits.file_bytes
        base, state = self._files.read(draft.path, limit)
        if draft.op.has_target and self._files.state(step.target) is not None:
            raise step_problems.exists(step.target)
        return self._check_change(step, draft, base, state)

    def _check_kind_change(self, step: Step, draft: DraftStep, state: FileState) -> Prepared:
        """Check a step that makes a file a folder, or the reverse.

        The plan's other steps fill or empty the folder.
        """
        step = replace(step, op=Operation.MODIFY)
        if draft.op is Operation.DELETE:
            base, state = self._files.read(draft.path, self._config.limits.file_bytes)
            if draft.base_sha256 not in (None, sha256(base)):
                raise step_problems.other_base(draft.path)
            if draft.patch is not None and self._build_result(draft, base).result:
                raise step_problems.deletion_leaves_lines(draft.path)
            step = replace(step, base=_build_image(base, state.mode), result=self._build_folder_image(draft))
            return add_hunks(Prepared(step, base, None))
        setting = self._config.encoding_for(draft.path)
        built = self._build_result(draft, None, setting)
        self._check_size(step.path, len(built.result))
        image = _build_image(built.result, self._build_new_mode(draft))
        step = replace(step, base=FileImage(None, 0, state.mode), result=image, facts=built.facts)
        return add_hunks(Prepared(step, None, built.result, built.forms), setting)

    def _build_folder_image(self, draft: DraftStep) -> FileImage:
        bits = self._read_mode_bits(draft.path) & draft.mode_limit
        return FileImage(None, 0, bits | inherited_bit(self._root, draft.path))

    def _build_new_mode(self, draft: DraftStep) -> int:
        if draft.mode is not None:
            return draft.mode
        return (0o777 if draft.executable else 0o666) & self._read_mode_bits(draft.path) & draft.mode_limit

    def _check_folder(self, step: Step, draft: DraftStep, state: FileState | None) -> Prepared:
        image = self._build_folder_image(draft)
        if state is None:
            return Prepared(replace(step, result=image))
        if state.kind is EntryKind.FOLDER:
            return Prepared(replace(step, result=image, state=StepState.ALREADY_APPLIED))
        raise step_problems.exists(step.path)

    def _check_create(self, step: Step, draft: DraftStep, state: FileState | None) -> Prepared:
        setting = self._config.encoding_for(draft.path)
        is_unclear = draft.patch is not None and draft.patch.may_be_prefixed
        if is_unclear and self._files.state(draft.path.partition("/")[0]) is None:
            raise step_problems.unclear_prefix(draft.path)
        built = self._build_result(draft, None, setting)
        step = replace(
            step, result=_build_image(built.result, self._build_new_mode(draft)), facts=built.facts
        )
        self._check_size(step.path, len(built.result))
        if state is not None:
            found = self._files.read_bytes(step.path, self._config.limits.file_bytes)
            if found != built.result:
                raise step_problems.exists(step.path)
            step = replace(step, state=StepState.ALREADY_APPLIED)
        return add_hunks(Prepared(step, None, built.result, built.forms), setting)

    def _read_mode_bits(self, path: str) -> int:
        """Return the permission bits a new entry can get, cached by folder."""
        folder = path.rpartition("/")[0]
        if folder not in self._allowed:
            self._allowed[folder] = allowed_bits(self._root, path, self._mask)
        return self._allowed[folder]

    def _check_change(self, step: Step, draft: DraftStep, base: bytes, state: FileState) -> Prepared:
        before = _build_image(base, state.mode)
        setting = self._config.encoding_for(draft.path)
        if draft.base_sha256 is not None and draft.base_sha256 != before.sha256:
            already_applied = self._check_already_applied(step, draft)
            if already_applied is not None:
                return already_applied
            step = replace(step, state=StepState.STALE, facts=(step_problems.stale_on_arrival(draft.path),))
            before = replace(before, sha256=draft.base_sha256)
        if draft.op is Operation.DELETE:
            if draft.patch is not None and self._build_result(draft, base, setting).result:
                raise step_problems.deletion_leaves_lines(draft.path)
            return add_hunks(Prepared(replace(step, base=before), base, None), setting)
        built = self._build_result(draft, base, setting)
        mode = mode_after(state.mode, draft.executable) if draft.mode is None else draft.mode
        self._check_size(step.target, len(built.result))
        step = replace(
            step, base=before, result=_build_image(built.result, mode), facts=(*step.facts, *built.facts)
        )
        if built.result == base and mode == state.mode and not draft.op.has_target:
            step = replace(step, state=StepState.ALREADY_APPLIED)
        return add_hunks(Prepared(step, base, built.result, built.forms), setting)

    def _build_from_base(self, draft: DraftStep, base: bytes | None) -> Built:
        return self._build_result(draft, base, self._config.encoding_for(draft.path))

    def _build_result(self, draft: DraftStep, base: bytes | None, setting: str | None = None) -> Built:
        """Build the step's result from a base, None for no file.

        A small text may unpack to very much: the binary patches of a plan have a common limit, and those
        beyond it are refused before they are unpacked.
        """
        limit = self._config.limits.file_bytes
        binary = draft.patch.binary if draft.patch is not None else None
        if binary is not None:
            claimed = sum(size for size in binary.sizes if size <= limit)
            if self._unpacked + claimed > UNPACKED_BYTES:
                raise _Rejected(step_problems.unpacks_too_much(draft.path))
            self._unpacked += claimed
        if base is None:
            built = build_new(draft, setting, at_most=limit)
        else:
            built = build_changed(draft, base, setting, at_most=limit)
        if binary is not None:
            self._unpacked += len(built.result)
        return built

    def _check_already_applied(self, step: Step, draft: DraftStep) -> Prepared | None:
        """Return the step as applied if the disk already holds its result."""
        before = self._applied_before(step.target)
        if before is None:
            return None
        earlier, base = before
        if (earlier.op, earlier.path, earlier.to) != (draft.op, draft.path, draft.to):
            return None
        if draft.base_sha256 is not None and (
            earlier.base is None or earlier.base.sha256 != draft.base_sha256
        ):
            return None
        found = self._files.digest(step.target)
        now = None if found is None else found[0]
        if now != (earlier.result.sha256 if earlier.result else None):
            return None
        setting = self._config.encoding_for(draft.path)
        try:
            result = None
            if earlier.result is not None and base is not None:
                result = self._build_result(draft, base, setting).result
            elif earlier.result is not None:
                result = self._build_result(draft, None, setting).result
        except StudioError:
            return None
        if (sha256(result) if result is not None else None) != now:
            return None
        done = replace(step, state=StepState.ALREADY_APPLIED, base=earlier.base, result=earlier.result)
        return add_hunks(Prepared(done, base, result), setting)

    def _check_size(self, path: str, size: int) -> None:
        verdict = self._policy.check_size(path, size)
        if verdict is not None and not verdict.allowed:
            raise _Rejected(step_problems.denied(verdict))

    def _collect_facts(self, item: Prepared) -> tuple[Fact, ...]:
        step = item.step
        setting = self._config.encoding_for(step.path)
        target_context = self._target_context.of(step)
        facts = facts_of(
            step,
            item.base,
            item.result,
            setting=setting,
            forms=item.forms,
            diff=item.diff,
            around=target_context,
        )
        danger = self._policy.danger(step.target)
        if danger is not None:
            facts = (Fact("danger_path", Severity.DANGER, danger), *facts)
        return (*facts, *self._yield_opened_facts(step), *self._yield_mount_facts(step))

    def _yield_opened_facts(self, step: Step) -> Iterator[Fact]:
        """Yield facts on denied folders that git's HEAD opens."""
        image = step.base or step.result
        is_folder = image is not None and image.is_folder
        opened = (self._policy.opened_folders(path, folder=is_folder) for path in (step.path, step.target))
        for folder in dict.fromkeys(each for folders in opened for each in folders):
            name = show_name(folder)
            message = f"{name} is open to changes: git's HEAD has files in it. A built-in rule denies others."
            yield Fact("tracked_folder", Severity.NOTE, message)

    def _yield_mount_facts(self, step: Step) -> Iterator[Fact]:
        """Yield facts on paths in a mount, possibly foreign or temporary."""
        for path in (step.path, step.to):
            for mount in self._mounts:
                if path is not None and f"{path}/".startswith(f"{mount}/"):
                    message = f"{show_name(path)} is on what is mounted at {show_name(mount)}."
                    yield Fact("mount_point", Severity.WARNING, message)


def _may_write_over(draft: DraftStep, state: FileState) -> bool:
    """Return whether a create may change the existing entry."""
    return draft.may_exist or (draft.over_empty and state.kind is EntryKind.FILE and state.size == 0)


def _refuse_step(step: Step, problems: tuple[Problem, ...]) -> Step:
    return replace(step, state=StepState.INVALID, problems=problems)


def add_hunks(prepared: Prepared, setting: str | None = None) -> Prepared:
    """Return a step with the difference of its two contents."""
    base, result = prepared.base, prepared.result
    forms = prepared.forms or detect_forms(base, result, setting)
    diff = compute(base or b"", result or b"", setting=setting) if forms.have_lines else None
    step = with_diff(prepared.step, base, result, setting, forms=forms, diff=diff)
    return replace(prepared, step=step, forms=forms, diff=diff)


def _build_image(data: bytes, mode: int) -> FileImage:
    return FileImage(sha256(data), len(data), mode)


# Problems between steps of one plan: missing places and refused unit members.

UNIT_FACT: Final = Fact(
    "unit",
    Severity.WARNING,
    "The step is part of a larger change. Its steps are approved, written and rolled back together.",
)
"""Fact on every step that belongs to a unit."""


def mutual_problems(steps: Sequence[Step], files: Files, new_folders: Set[str]) -> Mapping[int, Problem]:
    """Return the problems between steps or with parent folders, by step number.

    `new_folders` are files that the plan makes folders of. A step of a unit is refused with any other of it.
    """
    problems = dict(_find_blocked_steps(steps, files, new_folders))
    state = StepState.INVALID
    refused = [replace(step, state=state) if step.number in problems else step for step in steps]
    units = {step.unit: step.target for step in reversed(refused) if step.unit and step.state is state}
    for step in refused:
        target = units.get(step.unit or "")
        if target is not None and step.state is not state:
            problems[step.number] = step_problems.needed_by_refused(step.target, target)
    return problems


def _find_blocked_steps(
    steps: Sequence[Step], files: Files, new_folders: Set[str]
) -> Iterator[tuple[int, Problem]]:
    """Yield problems of steps beneath a file or a removed path."""
    valid = [step for step in steps if step.state is not StepState.INVALID]
    written = {step.target for step in valid if step.result is not None and not step.result.is_folder}
    removed = {step.path for step in valid if step.op in (Operation.DELETE, Operation.MOVE)}
    folders = set(new_folders)
    for step in steps:
        parts = step.target.split("/")[:-1]
        above = {"/".join(parts[:count]) for count in range(1, len(parts) + 1)}
        if step.result is not None and above & written:
            yield step.number, step_problems.beneath_file(step.target, min(above & written))
        elif step.result is not None and above & removed:
            yield step.number, step_problems.beneath_removed(step.target, min(above & removed))
        elif step.state is StepState.PENDING and (step.base is None or step.op.has_target):
            problem = _check_parents_on_disk(step.target, files, folders)
            if problem is not None:
                yield step.number, problem


def _check_parents_on_disk(path: str, files: Files, folders: set[str]) -> Problem | None:
    """Return the problem if a parent of the path is a file.

    `folders` are those known to be folders, and are added to.
    """
    folder = path.rpartition("/")[0]
    while folder and folder not in folders:
        state = files.state(folder)
        if state is not None and state.kind is not EntryKind.FOLDER:
            return step_problems.beneath_file(path, folder)
        if state is not None:
            folders.add(folder)
        folder = folder.rpartition("/")[0]
    return None
