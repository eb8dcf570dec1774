"""Journal export to a new file."""

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
    """Write every row as a line to a file; return the count.

    The file must be outside of every project. `report` gets the count as it grows; an exception from it ends
    the export and removes the file. Raises as `new_files.new_file`.
    """
    count = 0
    with new_file(file, project, contents=with_contents) as stream:
        for count, line in enumerate(journal.export(with_contents=with_contents), start=1):
            report(count)
            stream.write(line.encode("utf-8") + b"\n")
    return count
