"""The reading side of a project's journal, for doors and the window: nothing here can append (contract 7)."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from studio.engine.branch.entries import WritingRequest
from studio.engine.branch.replay import Replayed, replay
from studio.engine.context import Context, Person
from studio.engine.errors import NeedsPerson, Refused
from studio.engine.names import show_name
from studio.engine.new_files import check_place
from studio.engine.plan import Decision
from studio.engine.root import ProjectRoot
from studio.engine.store.exporting import export_lines
from studio.engine.store.journal import JournalRow


class JournalView:
    """What was asked and answered, in order; positions start at 1."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def newest(self, before: int | None = None, *, limit: int = 200) -> tuple[JournalRow, ...]:
        """Rows with a position less than `before` (None: all), the latest first."""
        return self._context.store.journal.newest(before, limit=limit)

    def decisions(self, rows: Sequence[JournalRow]) -> Mapping[str, Decision]:
        """The decisions that the requests among these rows carry out, by step id."""
        steps = [row.step_id for row in rows if isinstance(row.entry, WritingRequest)]
        return self._context.store.plans.decisions_on(steps) if steps else {}

    def follow(self, after: int, cancel: threading.Event | None = None) -> Iterator[JournalRow]:
        """Rows with a position greater than `after` as they come, until `cancel` is set."""
        journal = self._context.store.journal
        for item in journal.tail(after, cancel=cancel):
            yield from journal.newest(item.position + 1, limit=1)

    def export(self, *, with_contents: bool = False) -> Iterator[str]:
        """Every row as a line of JSON; contents only if asked for by name (promise 9)."""
        return export_lines(self._context.store.journal, with_contents=with_contents)

    def first_damage(self) -> int | None:
        """The position of the first entry that was changed, left out or moved; None if none was."""
        return self._context.store.journal.first_damage()

    def replay_needs_person(self, folder: Path) -> bool:
        """Whether only a person may replay into a folder, because something lies in it (contract 9).

        Raises Refused for one that touches the project; for an empty one also where it lies in another.
        """
        with ProjectRoot(folder) as root:
            return self._check_folder(root)

    def replay(self, folder: Path, person: Person | None = None) -> Replayed:
        """Run the recorded writes again beneath an existing folder outside the project.

        Raises Refused as `replay_needs_person`, NeedsPerson, ReplayStopped with the entry that could not be
        run or answered differently.
        """
        store = self._context.store
        with ProjectRoot(folder) as root:
            if self._check_folder(root) and person is None:
                raise NeedsPerson(
                    "needs_person",
                    f"{show_name(str(folder))} is not empty; what is in it would be written over.",
                    "Name an empty folder, or run the command in a terminal.",
                )
            return replay(store.journal.tail(timeout=0), root, store.blobs.get)

    def _check_folder(self, root: ProjectRoot) -> bool:
        project = self._context.root.path
        if root.path.is_relative_to(project) or project.is_relative_to(root.path):
            raise Refused(
                "journal.replay_here",
                f"{show_name(str(root.path))} is the project, or lies in it or around it.",
                "Replay into an empty folder, or into a copy of the project.",
            )
        if root.list_folder(""):
            return True
        check_place(root.path)
        return False
