"""Steps against the disk: which are stale, which are there already (R158, contract 4)."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from studio.engine.context import Context
from studio.engine.disk import image_at, is_same
from studio.engine.errors import StudioError
from studio.engine.plan import OPEN_PLAN_STATES, OPEN_STEP_STATES, FileImage, Operation, Plan, Step, StepState
from studio.engine.policy import Policy
from studio.engine.root import ProjectRoot


class Standing(Enum):
    """How what is on disk relates to a step."""

    BASE = "base"
    RESULT = "result"
    OTHER = "other"


def standing(root: ProjectRoot, step: Step) -> Standing:
    """Compare every path of a step with what it must hold before, and with what it would hold after.

    Raises OSError where the disk does not let it look: that is no drift, and may pass.
    """
    return standing_by(lambda path: image_at(root, path), step)


class SeenFiles:
    """What files held when they were first looked at: for the holder of the writer lock, who looks once and
    then writes. Whoever else writes meanwhile is found by what comes out of the exchange."""

    def __init__(self, root: ProjectRoot) -> None:
        self._root = root
        self._seen: dict[str, FileImage | None] = {}

    def image(self, path: str) -> FileImage | None:
        """As `image_at`, and raising as that does."""
        if path not in self._seen:
            self._seen[path] = image_at(self._root, path)
        return self._seen[path]


def standing_by(look: Callable[[str], FileImage | None], step: Step) -> Standing:
    """As `standing`, with another way to look."""
    try:
        found = [(effect, look(effect.path)) for effect in step.effects]
    except StudioError:
        return Standing.OTHER
    if all(is_same(now, effect.before) for effect, now in found):
        return Standing.BASE
    if all(is_same(now, effect.after) for effect, now in found):
        return Standing.RESULT
    return Standing.OTHER


def refresh(context: Context) -> bool:
    """Bring the states of all open steps in line with the disk; True if any changed.

    A pending or approved step whose target drifted turns stale; a stale one whose base is back turns
    pending, its old decision void; one whose result is on disk already is already applied.
    """
    store = context.store
    changes: list[tuple[Plan, Step, StepState]] = []
    seen: set[str] = set()
    for plan in store.plans.all(OPEN_PLAN_STATES):
        for step in plan.steps:
            if step.state in OPEN_STEP_STATES:
                seen.update(effect.path for effect in step.effects)
                wanted = _wanted(context, step)
                if wanted is not step.state:
                    changes.append((plan, step, wanted))
    context.known_files.keep_only(seen)
    if not changes or store.database.is_newer:
        return False
    with store.database.write() as connection:
        for plan, step, wanted in changes:
            if step.state is StepState.APPROVED and wanted is StepState.ALREADY_APPLIED:
                store.plans.set_step_state(connection, plan.id, step.number, StepState.STALE)
            store.plans.set_step_state(connection, plan.id, step.number, wanted)
        for plan_id in {plan.id for plan, _, _ in changes}:
            store.plans.settle(connection, plan_id)
    return True


def _wanted(context: Context, step: Step) -> StepState:
    try:
        now = standing_by(context.known_files.image, step)
    except OSError:
        return step.state
    match now:
        case Standing.RESULT:
            return StepState.ALREADY_APPLIED
        case Standing.OTHER:
            return StepState.STALE
        case Standing.BASE if step.state is StepState.STALE:
            back = _content_is_stored(context, step.base) and is_allowed(context.policy(), step)
            return StepState.PENDING if back else StepState.STALE
        case Standing.BASE:
            return step.state


def _content_is_stored(context: Context, image: FileImage | None) -> bool:
    if image is None or image.sha256 is None:
        return True
    try:
        context.store.blobs.get(image.sha256)
    except StudioError:
        return False
    return True


def is_allowed(policy: Policy, step: Step) -> bool:
    """Whether the rules as they are now still allow every path of a step."""
    paths = (step.path, step.target) if step.op is Operation.COPY else step.written_paths
    image = step.base or step.result
    is_folder = image is not None and image.is_folder
    return all(policy.check(path, folder=is_folder).allowed for path in paths)
