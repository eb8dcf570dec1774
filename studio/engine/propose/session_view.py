"""Agent session's view of files: project plus its pending plans' results.

It is rebuilt from the store each time and never stored, so it reflects what was decided, applied or withdrawn
meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from studio.engine.disk import changes_kind, is_same
from studio.engine.draft import DraftStep
from studio.engine.filesystem import HostFilesystem, OverlayFilesystem, PathLimits
from studio.engine.filesystem.content import Content
from studio.engine.filesystem.overlay import OverlayBacking
from studio.engine.plan import (
    ACTIVE_PLAN_STATES,
    Effect,
    Operation,
    Plan,
    PlanState,
    Step,
    StepState,
)
from studio.engine.project.context import Context
from studio.engine.root import EntryKind, FileState, TreeEntry, Unseen
from studio.engine.root.reading import too_large
from studio.engine.session import Session
from studio.journal.file_image import FileImage, sha256
from studio.names import folded

_DECIDED = frozenset({StepState.APPROVED, StepState.REJECTED, StepState.APPLIED, StepState.ROLLED_BACK})


class SessionView:
    """What a session reads, as two layers over the disk.

    `below` is the base of the open plan's steps: the disk, with the results of the session's other plans.
    `tree` is the session's view: the results of the open plan over that. A step whose base is gone is in
    neither, with its unit, so that its agent can read what is on disk now. `waits_for` maps a path to another
    plan that comes first; `was_open` is the plan that the session's last call left open, whatever happened to
    it since; `out_of_sight` are such steps of the open plan. `is_disk`: no plan of the session changes what
    it sees.
    """

    def __init__(self, context: Context, session: Session, limits: PathLimits, *, joins: str | None) -> None:
        """Build the view.

        `joins` is the format of the next draft, whose plan may be the open one; None: it may not. Raises
        Refused where the store no longer has the bytes of a plan.
        """
        self._context = context
        self._blobs = context.store.blobs
        stored = context.store.sessions.get(session.id)
        self.was_open = stored.open_plan if stored is not None else None
        plans = context.store.plans.find_by_session(session.id, ACTIVE_PLAN_STATES)
        self.is_disk = not plans
        self.open_plan = None if joins is None else _open_plan(context, self.was_open, plans, joins)
        self.below = OverlayFilesystem(HostFilesystem(context.root, read_only=True, limits=limits))
        self.tree = OverlayFilesystem(self.below, keeps_bases=True)
        self.waits_for: dict[str, Plan] = {}
        self.out_of_sight: set[int] = set()
        for plan in plans:
            if self.open_plan is None or plan.id != self.open_plan.id:
                self._add_bases(plan)
        if self.open_plan is not None:
            self._add_open_plan(self.open_plan)

    def _add_open_plan(self, plan: Plan) -> None:
        """Add the open plan's results to `tree`."""
        self.out_of_sight = self._find_stale(plan)
        for step in sorted(unwritten_steps(plan), key=execution_order):
            if step.number not in self.out_of_sight:
                try:
                    self.apply_step(step, self._read_bytes(step.decided))
                except OSError:  # a folder that it deletes has a file that the plan does not delete any more
                    self.out_of_sight.add(step.number)

    def _add_bases(self, plan: Plan) -> None:
        stale = self._find_stale(plan)
        for step in unwritten_steps(plan):
            for effect in () if step.number in stale else step.effects:
                if effect.path in step.written_paths:
                    with suppress(OSError):
                        self._set_path(self.below, effect.path, effect.after)
                        self.waits_for[self.key(effect.path)] = plan

    def _find_stale(self, plan: Plan) -> set[int]:
        """Return the steps whose base is gone, with their units."""
        stale = [step.number for step in unwritten_steps(plan) if not all(map(self._has_base, step.effects))]
        return set(plan.with_units(stale))

    def _has_base(self, effect: Effect) -> bool:
        if not self.has_disk_changed(effect):
            return True
        try:
            return _has_image(self.below.layers, effect.path, effect.before)
        except OSError:  # beneath a link
            return False

    def key(self, path: str) -> str:
        """Return the path in the form in which paths are compared."""
        return folded(path) if self.below.backing.folds_case else path

    def waiting_for(self, step: Step) -> Plan | None:
        """Return the plan whose result a step was made on."""
        found = (self.waits_for.get(self.key(effect.path)) for effect in step.effects)
        return next((plan for plan in found if plan is not None), None)

    def make_base(self, draft: DraftStep) -> None:
        """Add a draft's stated base to `below`, where that differs.

        Its step then waits, or is stale.
        """
        made_on = draft.made_on
        if made_on is None or self.is_planned(draft.path):
            return
        image = None
        if made_on.content is not None:
            image = FileImage(sha256(made_on.content), len(made_on.content), made_on.mode)
        self.is_disk = False
        with suppress(OSError):  # a link, or a file where a folder should be: the checks report it
            self._set_path(self.below, draft.path, image, made_on.content)

    def is_planned(self, path: str) -> bool:
        """Return whether an open plan's step is seen at the path.

        Then that step's base is the effective one.
        """
        steps = unwritten_steps(self.open_plan) if self.open_plan is not None else ()
        return any(
            self.key(path) in map(self.key, step.written_paths)
            for step in steps
            if step.number not in self.out_of_sight
        )

    def find_plan_at(self, path: str) -> Plan | None:
        """Return the session's plan whose result is seen at a path."""
        return self.open_plan if self.is_planned(path) else self.waits_for.get(self.key(path))

    def has_disk_changed(self, effect: Effect) -> bool:
        """Return whether the disk differs from a step's base at a path."""
        try:
            return not is_same(self._context.known_files.image(effect.path), effect.before)
        except OSError:
            return True

    def apply_step(self, step: Step, result: bytes | None) -> None:
        """Carry out a step in the tree; a move stays a move."""
        backing = self.tree.layers
        image = step.decided
        if step.op is Operation.DELETE:
            backing.remove(step.path, recursive=False)
            return
        if changes_kind(step.base, step.result):
            backing.remove(step.path, recursive=False)
        _make_parents(backing, step.target)
        if step.result is not None and step.result.is_folder:
            if backing.node(step.path) is None:
                backing.make_folder(step.path)
            return
        if step.op is Operation.MOVE:
            backing.move(step.path, step.target, replace=False)
        elif step.op is Operation.COPY:
            backing.copy(step.path, step.target, replace=False)
        if image is not None and result is not None and not _has_image(backing, step.target, image):
            backing.put(step.target, _make_content(result), image.mode)

    def _set_path(
        self, layer: OverlayFilesystem, path: str, image: FileImage | None, data: bytes | None = None
    ) -> None:
        """Set a path to `image`.

        `data` are its bytes where the store need not be read.
        """
        backing = layer.layers
        if _has_image(backing, path, image):
            return
        if image is None:
            backing.remove(path, recursive=False)
            return
        _make_parents(backing, path)
        if image.is_folder:
            backing.make_folder(path)
        else:
            content = data if data is not None else self._blobs.get(image.sha256 or "")
            backing.put(path, _make_content(content), image.mode)

    def _read_bytes(self, image: FileImage | None) -> bytes | None:
        return None if image is None or image.sha256 is None else self._blobs.get(image.sha256)


class LayerFiles:
    """A layer with the interface that `StepChecker` needs."""

    def __init__(self, layer: OverlayFilesystem) -> None:
        self._layer = layer
        self._backing = layer.layers

    def state(self, path: str) -> FileState | None:
        """Return the state of a path, of a link itself.

        Raises as `ProjectRoot.state`.
        """
        return self._backing.node(path)

    def read(self, path: str, limit: int) -> tuple[bytes, FileState]:
        """Return the bytes and state of a file.

        Raises FileError, and Refused above `limit` bytes.
        """
        with self._layer.open_read(path) as reader:
            if reader.size > limit:
                raise too_large(path, reader.size, limit)
            state = self._backing.node(path)
            assert state is not None
            return reader.read(), state

    def read_bytes(self, path: str, limit: int) -> bytes:
        """Return the bytes alone; raises as `read`."""
        return self.read(path, limit)[0]

    def digest(self, path: str) -> tuple[str, FileState] | None:
        """Return SHA-256 and state of a path.

        The hash is "" for what is no file; None for nothing.
        """
        state = self._backing.node(path)
        if state is None or state.kind is not EntryKind.FILE:
            return None if state is None else ("", state)
        return sha256(self.read(path, state.size)[0]), state

    def walk(self, path: str) -> Iterator[TreeEntry | Unseen]:
        """Yield every entry beneath a folder, parents before children."""
        entries = self._backing.entries(path)
        yield from entries.unseen
        for name, kind in (*((name, EntryKind.FILE) for name in entries.files), *entries.others):
            yield TreeEntry(f"{path}/{name}", False, 0, kind is EntryKind.LINK)
        for name in entries.folders:
            yield TreeEntry(f"{path}/{name}", True, 0, False)
            yield from self.walk(f"{path}/{name}")


def unwritten_steps(plan: Plan) -> tuple[Step, ...]:
    """Return a plan's steps whose results may still be written."""
    return tuple(step for step in plan.steps if step.state.is_open)


def execution_order(step: Step) -> tuple[int, int]:
    """Return a step's sort key: deletes last, deepest first.

    So what a folder held can be moved out of it before. A file becomes a folder first, a folder a file last.
    """
    if changes_kind(step.base, step.result):
        return (2 if step.base is not None and step.base.is_folder else -1), 0
    is_delete = step.op is Operation.DELETE
    return int(is_delete), -step.path.count("/") if is_delete else 0


def _open_plan(context: Context, wanted: str | None, plans: Iterable[Plan], joins: str) -> Plan | None:
    """Return the session's plan that its next call may still change.

    It is pending, and none of it is decided. None where other rules apply to the next draft, or where a newer
    plan writes the same path: that one is based on this one, or is independent of it.
    """
    found: Plan | None = None
    newer: set[str] = set()
    for plan in plans:
        if plan.id == wanted:
            found = plan
        elif found is not None:
            newer.update(path for step in unwritten_steps(plan) for path in step.written_paths)
    if found is None or not is_joinable(found):
        return None
    sources = context.config().sources_of
    if sources(found.format, found.agent) != sources(joins, found.agent):
        return None
    return None if newer & {path for step in unwritten_steps(found) for path in step.written_paths} else found


def is_joinable(plan: Plan) -> bool:
    """Return whether a session may still change its plan.

    It must be pending, and no step of it decided.
    """
    return plan.state is PlanState.PENDING and not any(step.state in _DECIDED for step in plan.steps)


def _has_image(backing: OverlayBacking, path: str, image: FileImage | None) -> bool:
    state = backing.node(path)
    if state is None or image is None:
        return state is None and image is None
    if state.kind is EntryKind.FOLDER:
        return image.is_folder
    if state.kind is not EntryKind.FILE or state.size != image.size:
        return False
    reading = backing.open(path)
    try:
        same_bytes = sha256(reading.read_at(0, reading.size)) == image.sha256
    finally:
        reading.close()
    return same_bytes and not (state.mode ^ image.mode) & 0o777


def _make_parents(backing: OverlayBacking, path: str) -> None:
    above = path.rpartition("/")[0]
    if above and backing.node(above) is None:
        _make_parents(backing, above)
        backing.make_folder(above)


def _make_content(data: bytes) -> Content:
    return Content((data,))


def session_view(context: Context, session: Session, joins: str | None) -> SessionView:
    """Return the session's present view; `joins` as in `SessionView`."""
    limits = context.config().limits
    return SessionView(context, session, PathLimits(limits.depth, limits.segment), joins=joins)
