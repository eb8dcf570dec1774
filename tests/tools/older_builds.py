"""Stores that builds of before made: how to have one made, and the ones that are recorded."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from studio.program.app_folders import project_key

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
STORE = "store.sqlite3"
EXPORT_OF_FIRST_RULE = DATA / "export-version-1.ndjson"
"""An export, with contents, whose rows are all by the first rule."""
ENTRIES_OF_FIRST_RULE = 14


def lay_out_both_rules(project: Path, *, version: int = 12) -> Path:
    """Make the store of an empty project, and its files as it left them; returns the store's file.

    Three plans are applied (the third takes the second back), one waits. Its first rows are those of
    `EXPORT_OF_FIRST_RULE`, the last one says that the second rule holds from there on. Commit 0fe30b5 made
    it; later builds brought it to version 12. `version` is what it says it has.
    """
    (project / "a.txt").write_bytes(b"eins\ntwo\n")
    (project / "log.txt").write_bytes(b"log\n")
    (project / "src").mkdir()
    (project / "src" / "new.txt").write_bytes(b"new\n")
    file = Path(os.environ["STUDIO_STATE_DIR"], project_key(project), STORE)
    file.parent.mkdir(parents=True, mode=0o700)
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript((DATA / "store-both-rules.sql").read_text(encoding="utf-8"))
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("PRAGMA journal_mode = WAL")  # as every build has it
    return file


def check_out(commit: str, tree: Path, *parts: str) -> Path:
    """Write these folders of a commit into a new folder; returns that folder."""
    archive = subprocess.check_output(["git", "-C", str(ROOT), "archive", commit, *parts])
    tree.mkdir()
    subprocess.run(["tar", "-x", "-C", str(tree)], input=archive, check=True)
    return tree


def dump(store: Path, version: int) -> str:
    """Return a store of this version as SQL, without the path and identity of its project."""
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (version,), store
        # Where the project lay is nobody's business, and it lies elsewhere now.
        connection.execute("DELETE FROM meta WHERE key IN ('root', 'identity', 'lasting')")
        return "\n".join([f"PRAGMA user_version = {version};", *connection.iterdump(), ""])


def files_beside(store: Path) -> Iterator[Path]:
    """Return the files in a store's folder that a later program reads, by path."""
    for file in sorted(store.parent.rglob("*")):
        if file.is_file() and not file.name.startswith(STORE) and file.suffix not in (".lock", ".sock"):
            yield file


class Work:
    """What somebody did with the program of then, by its command line, in folders of its own."""

    def __init__(self, folder: Path, tree: Path) -> None:
        self.project, self.state = folder / "project", folder / "state"
        for name in ("project", "home", "config", "state"):
            (folder / name).mkdir()
        (folder / "config" / "config.yaml").write_text("review: {command_line: allow}\n")
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder / "home"),
            "USER": "ada",
            "LOGNAME": "ada",
            "STUDIO_CONFIG_DIR": str(folder / "config"),
            "STUDIO_STATE_DIR": str(self.state),
            "PYTHONPATH": str(tree),
        }

    @property
    def store(self) -> Path:
        """The file of the project's store."""
        (file,) = self.state.rglob(STORE)
        return file

    def fill(self, version: int) -> None:
        """Plans in every state; from the versions on that have them, a session, a call and a snapshot."""
        (self.project / "a.txt").write_bytes(b"one\ntwo\n")
        first = self.submit("First", _edit("one", "eins"), _create("src/new.txt"))
        self.studio("approve", first, "--apply")
        second = self.submit("Second", _create("log.txt"))
        self.studio("approve", second, "--apply")
        self.studio("rollback", second)
        self.submit("Waits", _edit("two", "zwei"), {"op": "delete", "path": "src/new.txt"})
        self.studio("reject", self.submit("No", _create("no.txt")), "--reason", "not now")
        self.studio("approve", self.submit("Approved", _create("yes.txt")))
        self.submit("Refused", _create("../out.txt"), code=1)
        self.studio("withdraw", self.submit("Withdrawn", _create("gone.txt")))
        if version >= 8:
            self.studio("fs", "write", "b.txt", "--agent", "codex", "--session", "s1", stdin="new\n")
        if version >= 11:
            self.studio("snapshot", "create", "before")

    def submit(self, title: str, *steps: dict[str, Any], code: int = 0) -> str:
        text = json.dumps({"title": title, "agent": "codex", "steps": steps})
        return json.loads(self.studio("submit", stdin=text, code=code))["plan"]

    def studio(self, *words: str, stdin: str = "", code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "studio", "--json", *words],
            cwd=self.project,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, (words, done.stdout, done.stderr)
        return done.stdout


def _edit(old: str, new: str) -> dict[str, Any]:
    return {"op": "modify", "path": "a.txt", "edits": [{"old": old, "new": new}]}


def _create(path: str) -> dict[str, Any]:
    return {"op": "create", "path": path, "content": "new\n"}
