"""What a journey left in the journals, run again elsewhere: every path written must be as it is on disk."""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from studio.engine.branch.replay import Replayed, replay
from studio.engine.disk import ContentReader
from studio.engine.disk.temporary_names import is_temporary
from studio.engine.root import ProjectRoot
from studio.engine.store import Store
from studio.engine.store.export_file import ExportFile
from studio.engine.store.exporting import export_lines
from studio.journal.entries import REPLY_TYPES, Entry, FileFault, WritingRequest
from studio.journal.journal import Positioned
from studio.program.app_folders import state_directory

Held = tuple[str, bytes, int] | None
"""What a path holds: its kind, its bytes and its permission bits; None: nothing."""


class Replays:
    """The stores of one test, each replayed into an empty folder and into a copy of the starting tree."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._starts: dict[Path, Path] = {}
        self._from_outside: dict[Path, set[str]] = {}
        self._rounds = 0
        self._are_contents_lost = False

    def begin(self, project: Path) -> None:
        """Keep a copy of a project as it is now, before anything is proposed."""
        self._starts[project] = self._folder / f"start-{len(self._starts)}"
        shutil.copytree(project, self._starts[project])

    def wrote_from_outside(self, project: Path, path: str) -> None:
        """The test itself wrote that path: if the journal did before, it need not hold that any more."""
        if any(_wrote(file.parent, path) for file in state_directory().glob("*/store.sqlite3")):
            self._from_outside.setdefault(project, set()).add(path)

    def lose_contents(self) -> None:
        """The test has undo discarded: what is left of the journals can be verified, and not be run again."""
        self._are_contents_lost = True

    def entries(self) -> int:
        """How many entries all journals have."""
        return sum(_entries(file) for file in state_directory().glob("*/store.sqlite3"))

    def check(self) -> int:
        """Replay every store's journal; how many requests were run again. Fails where a byte differs."""
        return sum(self._check(file.parent) for file in sorted(state_directory().glob("*/store.sqlite3")))

    def _check(self, folder: Path) -> int:
        store = Store(folder)
        try:
            project = _project_of(store)
            lines = "".join(f"{line}\n" for line in export_lines(store.journal, store.blobs))
            export = ExportFile(io.BytesIO(lines.encode()), "the export")
            assert export.check().entries == len(store.journal.rows())
            entries = list(export.entries())
            if self._are_contents_lost:
                return 0
            by_itself = export.content
            return max(
                self._replayed(content, project, entries, into)
                for content in (store.blobs.get, by_itself)
                for into in self._targets(project)
            )
        finally:
            store.close()

    def _targets(self, project: Path) -> list[Path]:
        self._rounds += 1
        targets = [self._folder / f"empty-{self._rounds}"]
        targets[0].mkdir()
        if project in self._starts:
            targets.append(self._folder / f"copy-{self._rounds}")
            shutil.copytree(self._starts[project], targets[1])
        return targets

    def _replayed(
        self, content: ContentReader, project: Path, entries: Sequence[Positioned[Entry]], into: Path
    ) -> int:
        with ProjectRoot(into) as root:
            done = replay(entries, root, content)
        assert done.requests == _carried_out(item.entry for item in entries)
        assert [path for path in into.rglob("*") if is_temporary(path.name)] == []
        self._compare(project, into, done)
        return done.requests

    def _compare(self, project: Path, into: Path, done: Replayed) -> None:
        outside = self._from_outside.get(project, set())
        for path in done.paths:
            if path not in outside and not _holds_other_work(project / path, project, done.paths):
                assert held(into / path) == held(project / path), f"{path} differs from its replay"


def held(file: Path) -> Held:
    if file.is_dir():
        return ("folder", b"", 0)
    return ("file", file.read_bytes(), file.stat().st_mode & 0o777) if file.exists() else None


def _holds_other_work(folder: Path, project: Path, written: Iterable[str]) -> bool:
    """A folder that the journal would have removed stays for what others put into it."""
    ours = {project / path for path in written}
    return folder.is_dir() and any(inside not in ours for inside in folder.rglob("*"))


def _carried_out(entries: Iterable[Entry]) -> int:
    """The writing requests that were answered with what they did."""
    asked: set[str] = set()
    done = 0
    for entry in entries:
        if isinstance(entry, WritingRequest):
            asked.add(entry.correlation_id)
        elif isinstance(entry, REPLY_TYPES) and not isinstance(entry, FileFault):
            done += entry.correlation_id in asked
    return done


def _entries(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM journal").fetchone()
        return int(count)


def _wrote(folder: Path, path: str) -> bool:
    store = Store(folder)
    try:
        return any(
            path in (getattr(row.entry, "path", ""), getattr(row.entry, "to", ""))
            for row in store.journal.rows()
        )
    finally:
        store.close()


def _project_of(store: Store) -> Path:
    with store.database.read() as connection:
        (stored,) = connection.execute("SELECT value FROM meta WHERE key = 'root'").fetchone()
        return Path(os.fsdecode(stored))
