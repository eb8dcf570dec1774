"""Repositories made by git itself, and what it says of them."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from studio.engine.git_data import GitData

_NAMED = (
    "-c",
    "user.name=Somebody",
    "-c",
    "user.email=somebody@localhost",
    "-c",
    "protocol.file.allow=always",
)


def git(folder: Path, *words: str, given: str = "", may_fail: bool = False) -> str:
    """What git prints when it is run in a folder."""
    done = subprocess.run(
        ["git", "-C", str(folder), *_NAMED, *words],
        input=os.fsencode(given),
        capture_output=True,
        check=not may_fail,
        env={**os.environ, "GIT_EDITOR": "true"},
    )
    return os.fsdecode(done.stdout)


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def commit(folder: Path, files: dict[str, str], message: str = "change") -> str:
    """Commit these files, whatever is ignored; returns the commit in hex."""
    write(folder, files)
    git(folder, "add", "-f", "--", *files)
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD").strip()


def init(folder: Path) -> Path:
    """An empty repository on the branch main."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    return folder


def state_of(folder: Path) -> dict[str, object]:
    """Bytes and times of all that lies in a folder, but when it was read."""
    state: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        state[str(path)] = (status.st_mode, status.st_ino, status.st_mtime_ns, status.st_ctime_ns, content)
    return state


def ignored_folders(root: Path, git_data: GitData) -> frozenset[str]:
    """The topmost folders that git ignores."""
    ignored, pending = set[str](), [""]
    while pending:
        found = [path for folder in pending for path in _folders_in(root, folder)]
        said = git_data.ignored([(path, True) for path in found])
        assert said is not None
        ignored |= said
        pending = [path for path in found if path not in said]
    return frozenset(ignored)


def _folders_in(root: Path, folder: str) -> list[str]:
    found = (path for path in (root / folder).iterdir() if path.is_dir() and path.name != ".git")
    return [path.relative_to(root).as_posix() for path in found]
