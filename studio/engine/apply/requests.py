"""Conversion of a plan's approved steps into file write requests (`ApplyJob`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from studio.engine.disk import (
    allowed_bits,
    changes_kind,
    inherited_bit,
    is_unfit_for_temporaries,
    nearest_above,
    temporary_path,
)
from studio.engine.disk.temporary_names import temporary_name
from studio.engine.plan import Operation, Plan, Step, StepState
from studio.engine.project.context import Context
from studio.journal.entries import (
    Content,
    CreateMode,
    DirectoryCreate,
    FileDelete,
    FileModeSet,
    FileMove,
    FileWrite,
    WritingRequest,
)
from studio.journal.file_image import FileImage, sha256
from studio.system.syscalls import creation_mask
from studio.values import Value


class ApplyJob(Value):
    """A plan's approved steps with their write requests, in order.

    `requests` are (step id, request) pairs; `made_folders` lists by step number the missing folders that a
    step needs.
    """

    plan: Plan
    steps: tuple[Step, ...]
    requests: tuple[tuple[str, WritingRequest], ...]
    made_folders: Mapping[int, tuple[str, ...]]


def job_of(context: Context, plan: Plan) -> ApplyJob:
    """Return the job for a plan's approved steps on the current project."""
    steps = plan.approved
    attempt = context.store.journal.attempts(plan.id) + 1
    earlier_folders = context.store.plans.made_folders(step.undoes for step in steps if step.undoes)
    undone_folders = {step.id: earlier_folders.get(step.undoes, ()) for step in steps if step.undoes}
    builder = _Builder(context, attempt, steps, frozenset[str]().union(*undone_folders.values()))
    new_folders = {step.number: builder.missing_folders(step) for step in steps}
    mask = creation_mask()
    first_user = {folder: step.id for step in reversed(steps) for folder in new_folders[step.number]}
    requests: list[tuple[str, WritingRequest]] = [
        (step_id, DirectoryCreate(f"{step_id}-made{number}-{attempt}", folder, builder.mode_of(folder, mask)))
        for number, (folder, step_id) in enumerate(sorted(first_user.items()), start=1)
    ]
    requests.extend((step.id, request) for step in steps for request in builder.requests(step))
    for step in steps:
        for number, folder in enumerate(reversed(undone_folders.get(step.id, ())), start=1):
            image = FileImage(None, 0, 0o777 & ~mask)
            correlation = f"{step.id}-gone{number}-{attempt}"
            requests.append((step.id, FileDelete(correlation, folder, image, "", if_empty=True)))
    return ApplyJob(plan, steps, tuple(requests), _with_earlier_folders(plan, new_folders))


def _with_earlier_folders(
    plan: Plan, new_folders: Mapping[int, tuple[str, ...]]
) -> Mapping[int, tuple[str, ...]]:
    """Add the folders that an earlier part of the plan made.

    They go with the last of these steps that is rolled back.
    """
    made = {folder for step in plan.steps if step.state is StepState.APPLIED for folder in step.made_folders}
    if not made:
        return new_folders
    targets = {step.number: step.target for step in plan.steps}
    return {
        number: (*sorted(each for each in made if targets[number].startswith(f"{each}/")), *folders)
        for number, folders in new_folders.items()
    }


class _Builder:
    def __init__(
        self, context: Context, attempt: int, steps: Sequence[Step], undone_folders: frozenset[str]
    ) -> None:
        """Create a builder; `undone_folders` are the folders the undone steps made."""
        self._context = context
        self._attempt = attempt
        self._new_folders = {step.path for step in steps if step.result is not None and step.result.is_folder}
        self._changed_kinds = {step.path for step in steps if changes_kind(step.base, step.result)}
        self._removed_folders = undone_folders | {
            step.path for step in steps if is_unfit_for_temporaries(step.base, step.result)
        }
        self._exists: dict[str, bool] = {}

    def missing_folders(self, step: Step) -> tuple[str, ...]:
        """Return the missing parent folders of a step's result, outermost first."""
        missing: list[str] = []
        path = step.target
        other = nearest_above(path, self._changed_kinds)
        while step.result is not None and (path := path.rpartition("/")[0]) != other:
            if path in self._new_folders:
                continue
            if path not in self._exists:
                self._exists[path] = not other and self._context.root.state(path) is not None
            if self._exists[path]:
                break
            missing.append(path)
        return tuple(reversed(missing))

    def mode_of(self, folder: str, umask: int) -> int:
        """Return the mode for a missing folder, with its parent's inherited bits."""
        root, path = self._context.root, nearest_above(folder, self._changed_kinds) or folder
        return allowed_bits(root, path, umask) | inherited_bit(root, path)

    def requests(self, step: Step) -> tuple[WritingRequest, ...]:
        """Return the requests of a step.

        Two, a delete and a create, where a folder becomes a file or link or the reverse; else one.
        """
        if not changes_kind(step.base, step.result):
            return (self._request(step),)
        assert step.base is not None
        correlation = f"{step.id}-gone-{self._attempt}"
        deletion = FileDelete(correlation, step.path, step.base, self._temporary(step, step.path))
        return deletion, self._request(replace(step, base=None))

    def _request(self, step: Step) -> WritingRequest:
        correlation = f"{step.id}-{self._attempt}"
        temporary = self._temporary(step, step.path)
        if step.result is None:
            assert step.base is not None
            if_empty = step.base.is_folder and step.undoes is not None
            return FileDelete(correlation, step.path, step.base, temporary, if_empty=if_empty)
        if step.result.is_folder and step.base is not None:
            return FileModeSet(correlation, step.path, None, step.result, step.base, "")
        if step.result.is_folder:
            return DirectoryCreate(correlation, step.path, step.result.mode)
        result = self._decided_image(step)
        content = Content(result.sha256 or "", result.size)
        if step.base is None or step.op is Operation.COPY:
            temporary = self._temporary(step, step.target)
            return FileWrite(
                correlation, step.target, content, CreateMode.CREATE_NEW, result, None, temporary
            )
        if step.op is Operation.MOVE:
            far_end = self._temporary(step, step.target, far_end=True)
            return FileMove(
                correlation, step.path, step.target, content, result, step.base, temporary, far_end
            )
        if step.op is Operation.MODE:
            return FileModeSet(correlation, step.path, content, result, step.base, temporary)
        mode = CreateMode.REPLACE_EXISTING
        if step.op is Operation.APPEND:
            added = self._appended_content(step.base, result)
            if added is not None:
                mode, content = CreateMode.APPEND_EXISTING, added
        return FileWrite(correlation, step.path, content, mode, result, step.base, temporary)

    def _temporary(self, step: Step, path: str, *, far_end: bool = False) -> str:
        """Return the path of our temporary file for a target.

        It is beside the target, or above the folders that it can't stay in.
        """
        name = temporary_name(step.id, self._attempt, far_end=far_end)
        return temporary_path(path, name, self._changed_kinds, self._removed_folders)

    def _decided_image(self, step: Step) -> FileImage:
        image = step.decided
        assert image is not None and image.sha256 is not None
        if image == step.result:
            return image
        return FileImage(image.sha256, self._context.store.blobs.size_of(image.sha256), image.mode)

    def _appended_content(self, base: FileImage, result: FileImage) -> Content | None:
        """Return the bytes an append adds; None if it changes more."""
        blobs = self._context.store.blobs
        before, after = blobs.get(base.sha256 or ""), blobs.get(result.sha256 or "")
        if not after.startswith(before):
            return None
        added = after[len(before) :]
        blobs.add([added])
        return Content(sha256(added), len(added))
