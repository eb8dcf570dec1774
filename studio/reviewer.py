"""Reviewer API: decisions on plans, snapshots and observed changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio import extras
from studio.engine.reviewer import PlanReviewer

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.engine.project.context import Context, Person
    from studio.extras.observed.decisions import ObservedDecisions
    from studio.extras.snapshots import SnapshotDecisions
    from studio.extras.snapshots.folder import SnapshotFolder
    from studio.extras.user_configuration import ConfigurationEdit


class Reviewer(PlanReviewer):
    """Operations on an open project that only a person may use."""

    def __init__(self, context: Context, person: Person, folder: Callable[[], SnapshotFolder]) -> None:
        super().__init__(context, person)
        self._folder = folder

    @property
    def snapshots(self) -> SnapshotDecisions:
        """Operations that restore or delete snapshots."""
        return extras.snapshots.SnapshotDecisions(self._context, self._folder(), self._person)

    @property
    def observed(self) -> ObservedDecisions:
        """Operations that keep or revert changes by others."""
        return extras.observed.ObservedDecisions(self._context, self._folder(), self._person)

    def write_configuration(self, edit: ConfigurationEdit) -> None:
        """Write a change of the user's configuration as it was shown.

        Raises Conflict where the file has changed, Refused or FileError; then nothing is written.
        """
        extras.user_configuration.write_edit(edit)
        self._context.notify()
