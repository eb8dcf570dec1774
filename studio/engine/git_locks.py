"""What git runs or reads outside `.git`: locked for proposals though it lies in the project (contract 8).

Git itself is never run: its configuration may name programs. The files are read as far as it takes to
find `core.hooksPath` and the files that the configuration includes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_CONFIGURATION_BYTES: Final = 1024 * 1024
"""Largest git configuration read; git's own files are far smaller."""

_FILES_UP_TO: Final = 50
"""Most configuration files followed through includes."""

_HOOKS = (
    "applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit "
    "post-index-change post-merge post-receive post-rewrite post-update pre-applypatch pre-auto-gc "
    "pre-commit pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg proc-receive "
    "push-to-checkout reference-transaction sendemail-validate update"
).split()
_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]\s*')
_VARIABLE = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


@dataclass(frozen=True, slots=True)
class GitLocks:
    """Paths below the root, with slashes, that are git's; and every file that says so, there or not."""

    paths: tuple[str, ...]
    files: tuple[Path, ...]


def read_git_locks(root: Path) -> GitLocks:
    """Find the repository that `.git` leads to, the folder of hooks, and included configuration files.

    Reads the repository's own configuration, the user's and the system's. Never raises: what can't be
    read names nothing.
    """
    worktree = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    dot_git = worktree / ".git"
    repository = _repository(dot_git)
    shared = _shared(repository)
    locked = [repository, shared]
    seen: list[Path] = [dot_git]
    pending = list(_configuration_files(repository, shared))
    while pending and len(seen) < _FILES_UP_TO:
        file = pending.pop(0)
        if file in seen:
            continue
        seen.append(file)
        for section, key, value in _variables(file):
            if (section, key) == ("core", "hookspath"):
                locked.append(_placed(value, worktree))
            elif section in ("include", "includeif") and key == "path":
                included = _placed(value, file.parent)
                locked.append(included)
                pending.append(included)
    found = (path for target in locked for path in _beneath(root, target))
    return GitLocks(tuple(dict.fromkeys(found)), tuple(seen))


def _repository(dot_git: Path) -> Path:
    """Where `.git` leads: a file names the folder (worktrees, submodules), a link points to it."""
    if dot_git.is_symlink():
        return dot_git.resolve()
    if dot_git.is_file():
        text = _text(dot_git).strip()
        if text.startswith("gitdir:"):
            return _placed(text.removeprefix("gitdir:").strip(), dot_git.parent)
    return dot_git


def _shared(repository: Path) -> Path:
    """The repository that a worktree shares with others; else the repository itself."""
    named = _text(repository / "commondir").strip()
    return _placed(named, repository) if named else repository


def _configuration_files(repository: Path, shared: Path) -> Iterator[Path]:
    yield shared / "config"
    yield repository / "config.worktree"
    given = os.environ.get("GIT_CONFIG_GLOBAL")
    if given is not None:
        yield Path(given)
    else:
        home = Path.home()
        yield home / ".gitconfig"
        yield Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git" / "config"
    if not os.environ.get("GIT_CONFIG_NOSYSTEM"):
        yield Path("/etc/gitconfig")


def _variables(file: Path) -> Iterator[tuple[str, str, str]]:
    """Section, key (both lower case, subsections left out) and value of every variable in the file."""
    section = ""
    for line in re.sub(r"\\\r?\n", "", _text(file)).splitlines():
        rest = line.strip()
        header = _SECTION.match(rest)
        if header is not None:
            section, rest = header[1].partition(".")[0].lower(), rest[header.end() :]
        variable = _VARIABLE.match(rest)
        if variable is not None:
            yield section, variable[1].lower(), _unquoted(variable[2] or "")


def _unquoted(text: str) -> str:
    """A value without quotes, escapes and a comment at its end."""
    value, quoted, escaped, kept = "", False, False, 0
    for character in text:
        if escaped:
            value, escaped = value + _ESCAPES.get(character, character), False
        elif character == "\\":
            escaped = True
            continue
        elif character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            break
        else:
            value += character
        if quoted or not character.isspace():
            kept = len(value)
    return value[:kept]


def _placed(value: str, folder: Path) -> Path:
    path = Path(value)
    with suppress(RuntimeError):
        path = path.expanduser()
    return folder / path


def _beneath(root: Path, target: Path) -> Iterator[str]:
    """The target's names below the root: as written, and where links lead."""
    spellings = [Path(os.path.normpath(target))]
    with suppress(OSError, RuntimeError, ValueError):
        spellings.append(target.resolve())
    for path in spellings:
        if path == root:
            yield from _HOOKS
        elif path.is_relative_to(root):
            yield path.relative_to(root).as_posix()


def _text(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return stream.read(_CONFIGURATION_BYTES).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return ""
