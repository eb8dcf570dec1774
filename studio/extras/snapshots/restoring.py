"""Plans that restore snapshots, wholly or partly: building steps, trial checks, applying.

A restore previews, refuses where files changed since, can itself be undone, and never touches `.git`.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import field
from msgspec.structs import replace

from studio.engine import disk
from studio.engine.apply import gateway, recovery
from studio.engine.apply.progress import ApplyControl, Progress
from studio.engine.diff import choose, compute
from studio.engine.diff.step_hunks import with_diff
from studio.engine.history.generated_plan import carry_out
from studio.engine.history.inverse import fingerprint
from studio.engine.plan import Operation, Plan, PlanState, Step, StepState
from studio.engine.project.context import Context, Person
from studio.engine.propose.path_conflicts import PathKeys
from studio.engine.review.staleness import SeenFiles
from studio.engine.snapshot_store import Difference, StoredEntry, StoredTree, image_of
from studio.engine.store.content_cache import ContentCache
from studio.engine.store.rows import now
from studio.errors import Conflict, Refused, StudioError, UsageError
from studio.journal.file_image import FileImage
from studio.names import show_name
from studio.text import detect_forms
from studio.values import Value


class Content(Value):
    """Bytes of one side of a step, read from a stored tree."""

    tree: StoredTree
    entry: StoredEntry

    def read(self) -> bytes:
        return self.tree.content(self.entry)


class Restoration(Value):
    """Approved steps, and where to read their contents."""

    steps: tuple[Step, ...]
    contents: tuple[Content, ...]
    extra: tuple[bytes, ...] = ()
    """Contents in no tree: results of partial restores."""

    def bytes(self) -> Iterator[bytes]:
        """Yield all contents that the steps name."""
        yield from (content.read() for content in self.contents)
        yield from self.extra

    @property
    def fingerprint(self) -> str:
        """Hash of the steps, which binds a confirmation to this result."""
        hashes = "\n".join(fingerprint(step) for step in self.steps)
        return hashlib.sha256(hashes.encode()).hexdigest()[:16]


class RestorePreview(Value):
    """Everything that restoring a snapshot would do; nothing is written.

    `unplanned` are paths whose current bytes no applied plan wrote: afterwards they are only in the undo of
    the restoring plan. `left_out` maps paths that a restore never touches to the reason, and `refusal` says
    why nothing would be done. `trees` are the raw git ids of both states, the current one first.
    """

    title: str
    steps: tuple[Step, ...]
    fingerprint: str
    unplanned: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    refusal: StudioError | None = None
    trees: tuple[bytes, bytes] = (b"", b"")


def steps_to(context: Context, here: StoredTree, wanted: StoredTree) -> Restoration:
    """Return the steps that change the project from `here` to `wanted`.

    Entries that either could not store are skipped. Raises Refused where the steps exceed a plan's limit,
    SnapshotError where objects are damaged.
    """
    differences = [found for found in here.differences(wanted) if found.path not in here.manifest.left_out]
    return restoration(context, here, wanted, _filter_possible(here, differences))


def _filter_possible(here: StoredTree, differences: Iterable[Difference]) -> Iterator[Difference]:
    """Skip folders that can't be removed because they hold excluded entries."""
    remaining = {above for path in here.manifest.left_out for above in _yield_parents(path)}
    for found in differences:
        if found.after is not None or found.path not in remaining:
            yield found


def _yield_parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def restoration(
    context: Context, here: StoredTree, wanted: StoredTree, differences: Iterable[Difference]
) -> Restoration:
    """Return approved steps for these differences from `here` to `wanted`.

    Where the disk takes two spellings for one file, that file gets the wanted bytes and permissions and keeps
    its current name: no plan writes one file under two names (`check_steps`). Raises as `steps_to`.
    """
    every = tuple(_match_current_spelling(context, differences))
    context.config().limits.check_steps(len(every), is_own=True)
    steps: list[Step] = []
    contents: list[Content] = []
    for found in every:
        sides = [
            Content(tree, entry) if entry is not None else None
            for tree, entry in ((here, found.before), (wanted, found.after))
        ]
        steps.append(_build_step(context, len(steps) + 1, found.path, sides))
        contents += [side for side in sides if side is not None and not side.entry.is_folder]
    return Restoration(tuple(steps), tuple(contents))


def _match_current_spelling(context: Context, differences: Iterable[Difference]) -> Iterator[Difference]:
    listed = tuple(differences)
    removed = {found.path: found for found in listed if found.before is not None and found.after is None}
    keys = PathKeys(context.root)
    spellings = {keys.of(path): path for path in removed}
    spelled: dict[str, StoredEntry] = {}
    renamed: set[str] = set()
    for found in listed:
        if found.before is None and found.after is not None:
            now_called = spellings.get(keys.of(found.path))
            if now_called is not None and _is_one_file(context, removed[now_called], found):
                spelled[now_called] = found.after
                renamed.add(found.path)
    for found in listed:
        after = spelled.get(found.path)
        if after is None:
            if found.path not in renamed:
                yield found
        elif found.before is not None and (found.before.mode, found.before.object_id) != (
            after.mode,
            after.object_id,
        ):
            yield replace(found, after=after)


def _is_one_file(context: Context, now: Difference, wanted: Difference) -> bool:
    """Return whether the wanted path already exists under the name to remove."""
    assert now.before is not None
    assert wanted.after is not None
    return now.before.is_folder == wanted.after.is_folder and context.root.state(wanted.path) is not None


def _build_step(context: Context, number: int, path: str, sides: Sequence[Content | None]) -> Step:
    before, after = (side.read() if side is not None and not side.entry.is_folder else None for side in sides)
    base, result = (
        image_of(side.entry, data) if side is not None else None
        for side, data in zip(sides, (before, after), strict=True)
    )
    step = Step(
        number, str(uuid.uuid4()), operation_of(base, result), path, None, StepState.APPROVED, base, result
    )
    if step.op is Operation.MODE or before == after:
        return step
    return with_diff(step, before, after, context.config().encoding_for(path))


def operation_of(base: FileImage | None, result: FileImage | None) -> Operation:
    """Return the operation that turns `base` into `result`."""
    if base is None:
        return Operation.MKDIR if result is not None and result.is_folder else Operation.CREATE
    if result is None:
        return Operation.DELETE
    is_same = (base.sha256, base.is_link) == (result.sha256, result.is_link)
    return Operation.MODE if is_same else Operation.MODIFY


def in_part(
    context: Context, step: Step, before: bytes, after: bytes, hunks: Collection[int]
) -> tuple[Step, bytes]:
    """Limit a step to some hunks, and return it with its result.

    The step takes `after` back to `before`; hunks are numbered as in the diff from `before` to `after`.
    Raises UsageError.
    """
    setting = context.config().encoding_for(step.path)
    shown = {hunk.number for hunk in compute(before, after, setting=setting).hunks}
    has_lines = detect_forms(before, after, setting).have_lines
    is_in_lines = step.op is Operation.MODIFY and has_lines and not step.has_link_side
    if not is_in_lines or not hunks or not shown.issuperset(hunks):
        raise UsageError(
            "observed.hunks",
            f"{show_name(step.path)} can't be reverted in part like that.",
            "Revert all of it, or choose other hunks.",
            path=step.path,
        )
    data = choose(before, after, {number: number not in hunks for number in shown}, setting)
    assert step.base is not None
    part = replace(step, result=FileImage(hashlib.sha256(data).hexdigest(), len(data), step.base.mode))
    return with_diff(part, after, data, setting), data


def plan_of(restored: Restoration, title: str, restores: str, author: str = "") -> Plan:
    """Return the plan with these steps, not decided yet."""
    return Plan(
        str(uuid.uuid4()),
        1,
        title,
        author,
        PlanState.APPROVED,
        now(),
        restored.steps,
        format="restore",
        restores=restores,
    )


def rehearse(context: Context, plan: Plan, restored: Restoration) -> StudioError | None:
    """Return the error that applying would raise before writing, if any."""
    contents = ContentCache(context.store.blobs)
    for data in restored.bytes():
        contents.add(data)
    try:
        gateway.check_obstacles(context, plan, contents)
    except StudioError as error:
        return error
    return None


def write(
    context: Context,
    plan: Plan,
    restored: Restoration,
    person: Person,
    *,
    progress: Progress | None = None,
    control: ApplyControl | None = None,
) -> Plan:
    """Apply a restoring plan, all or nothing.

    Raises as `gateway.apply`.
    """
    context.check_root()
    if not plan.steps:
        raise Refused(
            "restore.nothing",
            "Nothing was restored: the project is already as the snapshot has it.",
            "There is nothing to do.",
        )
    with disk.writer_lock(context.store.lock_file):
        recovery.finish_interrupted(context)
        seen, contents = SeenFiles(context.root), ContentCache(context.store.blobs)
        context.store.blobs.add(restored.bytes())
        return carry_out(context, plan, person, seen, contents, progress=progress, control=control)


def check_shown(restored: Restoration, shown: str | None) -> None:
    """Raise Conflict where the steps differ from the ones that were shown."""
    if shown is not None and restored.fingerprint != shown:
        raise Conflict(
            "restore.changed",
            "Nothing was restored: files changed while you looked.",
            "Check again what it would do.",
        )


def unplanned(context: Context, steps: Iterable[Step]) -> tuple[str, ...]:
    """Return paths whose current bytes are in no applied step's result."""
    overwritten = {
        step.path: step.base.sha256
        for step in steps
        if step.op is not Operation.MODE and step.base is not None and step.base.sha256 is not None
    }
    for plan in context.store.plans.all():
        for step in plan.steps:
            for effect in step.effects if step.part is not None else ():
                # Neither a folder nor a path without a removing step has a hash here.
                if effect.after is not None and (effect.path, effect.after.sha256) in overwritten.items():
                    del overwritten[effect.path]
    return tuple(overwritten)
