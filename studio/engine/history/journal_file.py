"""Puts what a journal holds into a new file, for the command line and the window (contract 7)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from studio.engine.history.journal_view import JournalView
from studio.engine.new_files import new_file


def write_journal(
    journal: JournalView,
    file: Path,
    project: Path,
    *,
    report: Callable[[int], object],
    with_contents: bool = False,
) -> int:
    """Write every row, a line each, into a file outside of every project; how many there are.

    `report` gets their number as it grows; what it raises ends the export, and nothing is left of it.
    Raises as `new_files.new_file`.
    """
    count = 0
    with new_file(file, project, contents=with_contents) as stream:
        for count, line in enumerate(journal.export(with_contents=with_contents), start=1):
            report(count)
            stream.write(line.encode("utf-8") + b"\n")
    return count
