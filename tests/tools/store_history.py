"""Stores as the code of each schema in the history made them, for the code of today to bring up to date.

    .venv/bin/python -m tests.tools.store_history

makes `tests/data/stores.zip` anew: it checks each of these commits out, has its own command line fill a store
with plans in every state, and keeps that as SQL, with the project's files and what lies beside the store.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from studio.engine.app_folders import project_key

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
ARCHIVE = DATA / "stores.zip"
STORE = "store.sqlite3"


class Past(NamedTuple):
    """The last commit that made stores of one schema, and the version that these say they have."""

    name: str
    commit: str
    version: int


PASTS = (
    Past("01", "58a0d50d", 1),  # the last of them that runs; version 2 was never committed
    Past("03", "e9db0647", 3),
    Past("04", "1fe2ed7b", 4),
    Past("05-without-rule", "55542809", 5),
    Past("05", "0dd30d7f", 5),
    Past("06", "f26af1b9", 6),
    Past("07", "5d32e6f1", 7),
    Past("08", "2142dc6d", 8),
    Past("09", "959fb67c", 9),
    Past("10", "58df64b7", 10),
    Past("11-without-trials", "34bea951", 11),
    Past("11-without-left-out", "7a3bd32e", 11),
    Past("11", "e47224e3", 11),
)
"""Every schema in the history, oldest first. Where two have one version, what an older one lacks names it."""

TITLES = {
    "First": "completed",
    "Second": "rolled_back",
    "Roll back “Second”": "completed",
    "Waits": "pending",
    "No": "rejected",
    "Approved": "approved",
    "Refused": "invalid",
    "Withdrawn": "cancelled",
}
"""The plans of each store, and the states in which they were left."""


def lay_out(past: Past, project: Path) -> Path:
    """Put the files and the store of then where the code of today looks for them; the store's file."""
    folder = Path(os.environ["STUDIO_STATE_DIR"], project_key(project))
    folder.mkdir(parents=True, mode=0o700)
    with zipfile.ZipFile(ARCHIVE) as archive:
        for name in archive.namelist():
            part, kind, *rest = name.split("/")
            if part == past.name and kind in ("project", "beside"):
                file = (project if kind == "project" else folder).joinpath(*rest)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(archive.read(name))
        script = archive.read(f"{past.name}/store.sql").decode()
    with closing(sqlite3.connect(folder / STORE)) as connection:
        connection.executescript(script)
    return folder / STORE


def make(archive: Path) -> None:
    """Fill a store by the code of each commit, and keep them all; the same order and dates each time."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as kept:
        for past in PASTS:
            with tempfile.TemporaryDirectory(prefix="exacta-past-") as folder:
                for name, content in made_by(past, Path(folder)):
                    kept.writestr(zipfile.ZipInfo(f"{past.name}/{name}"), content, zipfile.ZIP_DEFLATED)
            print(past.name, past.commit)


def made_by(past: Past, folder: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a project, its store as SQL, and what lies beside it, after the code of then worked."""
    work = Work(folder, check_out(past.commit, folder / "tree", "studio"))
    work.fill(past.version)
    for file in sorted(work.project.rglob("*")):
        if file.is_file():
            yield f"project/{file.relative_to(work.project).as_posix()}", file.read_bytes()
    yield "store.sql", dump(work.store, past.version).encode()
    for file in files_beside(work.store):
        yield f"beside/{file.relative_to(work.store.parent).as_posix()}", file.read_bytes()


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


def main(arguments: Sequence[str]) -> None:
    make(Path(arguments[0]) if arguments else ARCHIVE)


if __name__ == "__main__":
    main(sys.argv[1:])
