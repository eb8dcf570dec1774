"""The delete of a folder as single steps, so that a person sees each file that would go."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from studio.engine.draft import DraftStep
from studio.engine.errors import StudioError
from studio.engine.names import parse_name
from studio.engine.plan import Operation, Problem
from studio.engine.propose.checked_files import Files
from studio.engine.root import EntryKind, TreeEntry, Unseen


def expanded_delete(files: Files, draft: DraftStep, leaving: Set[str]) -> Iterator[DraftStep]:
    """The step, or for the delete of a folder one for each file and folder in it, the folder last.

    `leaving` are paths that the plan moves away or deletes by itself. Where something in it can't be looked
    at, the step comes back with that problem.
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
                "A folder goes only when all that is in it is known; change its permissions.",
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
