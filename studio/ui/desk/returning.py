"""What a preview in the middle brings back: a whole snapshot, or what observed changes took away."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from studio.engine.errors import NotFound, StudioError
from studio.engine.names import show_name
from studio.ui.language import translator
from studio.ui.look.words import counted, files, say

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from studio.engine.observed_change import ObservedChange
    from studio.engine.plan import Plan, Step
    from studio.engine.snapshots import RestorePreview, SnapshotRecord
    from studio.engine.workspace import Reviewer, Workspace

_tr = translator("Restore")

Sides = tuple[bytes | None, bytes | None, str | None]
"""What is there now and what would be there after; the project's encoding for the path."""


class Returning(Protocol):
    """Looked at and carried out by the engine, on another thread; the rest is what the window says of it."""

    @property
    def title(self) -> str: ...

    @property
    def busy(self) -> str: ...

    @property
    def after(self) -> str:
        """What the right side of the diff is."""
        ...

    def button(self, count: int) -> str:
        """What the button says that writes so many paths."""
        ...

    def done(self, count: int) -> str:
        """What is said once that is done."""
        ...

    def look(self, workspace: Workspace, progress: Callable[[int, int], None] | None) -> RestorePreview: ...

    def carry_out(self, reviewer: Reviewer, preview: RestorePreview) -> Plan: ...

    def sides(self, workspace: Workspace, preview: RestorePreview, step: Step) -> Sides: ...


@dataclass(frozen=True)
class SnapshotReturn:
    """A whole state of the project."""

    record: SnapshotRecord

    @property
    def title(self) -> str:
        return say(_tr("Restore “{name}”"), name=show_name(self.record.name))

    @property
    def busy(self) -> str:
        return say(_tr("Restoring “{name}”…"), name=show_name(self.record.name))

    @property
    def after(self) -> str:
        return _tr("After restoring")

    def button(self, count: int) -> str:
        return counted(count, _tr("Restore {n} file"), _tr("Restore {n} files")) if count else _tr("Restore")

    def done(self, count: int) -> str:
        return say(_tr("Restored “{name}”: {files}."), name=show_name(self.record.name), files=files(count))

    def look(self, workspace: Workspace, progress: Callable[[int, int], None] | None) -> RestorePreview:
        with self._told_if_deleted():
            return workspace.snapshots.preview(self.record.id, progress=progress)

    def carry_out(self, reviewer: Reviewer, preview: RestorePreview) -> Plan:
        with self._told_if_deleted():
            return reviewer.snapshots.restore(self.record.id, shown=preview.fingerprint)

    @contextmanager
    def _told_if_deleted(self) -> Generator[None]:
        """By its name, not by its id."""
        try:
            yield
        except NotFound as error:
            raise NotFound(
                error.code,
                say(
                    _tr("The snapshot “{name}” is not there any more. Nothing was restored."),
                    name=show_name(self.record.name),
                ),
                _tr("Choose another one."),
            ) from error

    def sides(self, workspace: Workspace, preview: RestorePreview, step: Step) -> Sides:
        try:
            found = workspace.snapshots.sides(preview, step.path)
        except StudioError:
            with self._told_if_deleted():
                workspace.snapshots.find(self.record.id)
            raise
        return found.now, found.after, found.setting


@dataclass(frozen=True)
class ObservedReturn:
    """What observed changes took away; of those that `choices` names only these hunks (from 1)."""

    changes: tuple[ObservedChange, ...]
    choices: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])

    @property
    def title(self) -> str:
        if len(self.changes) == 1:
            named = show_name(self.changes[0].target)
            words = _tr("Revert a part of {file}") if self.choices else _tr("Revert {file}")
            return say(words, file=named)
        return counted(
            len(self.changes), _tr("Revert {n} observed change"), _tr("Revert {n} observed changes")
        )

    @property
    def busy(self) -> str:
        return _tr("Reverting what was observed…")

    @property
    def after(self) -> str:
        return _tr("After reverting")

    def button(self, count: int) -> str:
        return counted(count, _tr("Revert {n} file"), _tr("Revert {n} files")) if count else _tr("Revert")

    def done(self, count: int) -> str:
        return say(_tr("Reverted what was observed: {files}."), files=files(count))

    def look(self, workspace: Workspace, progress: Callable[[int, int], None] | None) -> RestorePreview:
        return workspace.observed.preview(self.changes, self.choices)

    def carry_out(self, reviewer: Reviewer, preview: RestorePreview) -> Plan:
        return reviewer.observed.revert(self.changes, self.choices)

    def sides(self, workspace: Workspace, preview: RestorePreview, step: Step) -> Sides:
        from studio.engine.diff import choose, compute

        change = self._by_path.get(step.path)
        if change is None:
            return None, None, None
        found = workspace.observed.contents(change)
        before, after, setting = found.before, found.after, found.setting
        if change.id in self.choices and before is not None and after is not None:
            back = self.choices[change.id]
            hunks = compute(before, after, setting=setting).hunks
            before = choose(before, after, {hunk.number: hunk.number not in back for hunk in hunks}, setting)
        return after if step.base is not None else None, before if step.result is not None else None, setting

    @cached_property
    def _by_path(self) -> dict[str, ObservedChange]:
        return {path: change for change in self.changes for path in change.paths}
