"""Files locked because git runs or reads them: hooks, includes, programs.

Git itself is never run, because its configuration may name programs. Its files are parsed to find the hooks
folder, the included files, and the programs that it names. What can't be read locks more: then every file
named like a hook or a git configuration is locked.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

from studio.engine.policy.git_config import GitVariable, is_command, parse_git_config
from studio.engine.root.foreign_file import read_foreign_file
from studio.errors import Refused
from studio.limits import (
    GIT_COMMAND_FOLDERS_UP_TO,
    GIT_CONFIG_BYTES,
    GIT_CONFIGS_BYTES,
    GIT_CONFIGS_UP_TO,
    GIT_PLACES_UP_TO,
    PATH_BYTES,
)
from studio.names import show_name
from studio.program.app_folders import account_home
from studio.system.os_errors import failure
from studio.values import Value

_PATHS: Final = (
    ("core", "excludesfile"),
    ("core", "hookspath"),
    ("include", "path"),
    ("includeif", "path"),
)
_SHELL_WORD: Final = re.compile(r"[^\s\"'`$(){};|&<>=,]+")
_PUT_IN: Final = re.compile(r"\$\([^()]*\)|\$\{[^{}]*\}|\$\w+|`[^`]*`")
_CHANGES_FOLDER: Final = re.compile(r"\bcd\s+[\"']?([^\s\"';|&)]+)")

_HOOKS: Final = tuple(
    (
        "applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit "
        "post-index-change post-merge post-receive post-rewrite post-update pre-applypatch pre-auto-gc "
        "pre-commit pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg proc-receive "
        "push-to-checkout reference-transaction sendemail-validate update"
    ).split()
)
_NAMES_WHERE_UNREAD: Final = (
    *_HOOKS,
    *(f"{hook}.exe" for hook in _HOOKS),  # the names git looks for on Windows
    ".gitconfig",
    "gitconfig",
    "*.gitconfig",
)
"""Names that an unreadable configuration may refer to: hooks and included files."""


class GitLocks(Value):
    """Project paths that git runs or reads.

    `paths` below the root, with slashes, are locked; `names` are at any depth. Each of `programs` is a path
    and the variable whose command names it. `unread` are sentences on what could not be read. `files` are all
    that were tried, present or not. `repositories` are where git would look for data on the root, nearest
    first; `excludes` are the files that core.excludesFile names.
    """

    paths: tuple[str, ...]
    programs: tuple[tuple[str, str], ...]
    unread: tuple[str, ...]
    files: tuple[Path, ...]
    repositories: tuple[Path, ...]
    excludes: tuple[Path, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return _NAMES_WHERE_UNREAD if self.unread else ()


def read_git_locks(root: Path, nested: str = "") -> GitLocks:
    """Find the repositories of the root with their hooks, includes and programs.

    With `nested`, only the repository of that folder beneath the root. Reads the repositories' own
    configuration, the user's and the system's. Never raises and never blocks: anything but a regular file of
    bounded size counts as unread.
    """
    reader = _Reader(root, root / nested)
    for folder in (root / nested,) if nested else (root, *root.parents):
        reader.read_repository(folder)
    reader.read_configurations()
    return reader.found()


class _Reader:
    def __init__(self, root: Path, worktree: Path) -> None:
        self._root = root
        self._worktree = worktree
        self._worktrees: list[Path] = []
        self._locked: list[Path] = []
        self._programs: list[tuple[Path, str]] = []
        self._unread: list[str] = []
        self._files: dict[Path, None] = {}
        self._repositories: list[Path] = []
        self._excludes: list[Path] = []
        self._bytes_left = GIT_CONFIGS_BYTES
        self._pending: list[Path] = []

    def found(self) -> GitLocks:
        if self._is_full:
            self._unread.append(f"Git's configuration refers to more than {GIT_PLACES_UP_TO} files.")
        paths = (path for target in self._locked for path in _names_beneath(self._root, target))
        programs = (
            (path, name) for program, name in self._programs for path in _names_beneath(self._root, program)
        )
        return GitLocks(
            tuple(dict.fromkeys(paths)),
            tuple(dict.fromkeys(programs)),
            tuple(dict.fromkeys(self._unread)),
            tuple(self._files),
            tuple(dict.fromkeys(self._repositories)),
            tuple(dict.fromkeys(self._excludes)),
        )

    def read_repository(self, worktree: Path) -> None:
        """Follow a folder's `.git` to its repository and the shared one."""
        dot_git = worktree / ".git"
        self._files[dot_git] = None
        repository = Path(os.path.realpath(dot_git)) if dot_git.is_symlink() else dot_git
        try:
            kind = repository.stat().st_mode
        except OSError:
            return
        self._locked.append(repository)
        self._repositories.append(repository)
        if not stat.S_ISDIR(kind):
            content = self._text(dot_git).strip()
            if not content.startswith("gitdir:"):
                return
            if not self._can_be_opened(git_folder := content.removeprefix("gitdir:").strip(), dot_git):
                return
            repository = _resolve_path(git_folder, worktree)
        self._worktrees.append(worktree)
        content = self._text(repository / "commondir").rstrip("\r\n")
        is_shared = bool(content) and self._can_be_opened(content, repository / "commondir")
        shared = _resolve_path(content, repository) if is_shared else repository
        self._locked += [repository, shared]
        self._repositories += [repository, shared]
        self._pending += [shared / "config", repository / "config.worktree"]

    def read_configurations(self) -> None:
        """Parse all configuration files of git, with includes under any condition."""
        self._worktrees = self._worktrees or [self._worktree]
        self._pending += _outer_configurations()
        read: set[Path] = set()
        while self._pending:
            file = self._pending.pop(0)
            if file in read:
                continue
            # Endless includes lock more, not less.
            if len(read) == GIT_CONFIGS_UP_TO:
                self._unread.append(f"Git's configuration consists of more than {GIT_CONFIGS_UP_TO} files.")
                return
            read.add(file)
            config = parse_git_config(self._read(file))
            if not config.is_whole:
                self._unread.append(f"{show_name(str(file))} is not a configuration that git can read.")
            for variable in config.variables:
                self._collect_named_files(variable, file)

    @property
    def _is_full(self) -> bool:
        return len(self._locked) + len(self._programs) > GIT_PLACES_UP_TO

    def _can_be_opened(self, path: str, file: Path) -> bool:
        """Return whether a path named by a file is valid.

        Records an invalid one as unread.
        """
        if "\0" not in path and len(path) <= PATH_BYTES:
            return True
        self._unread.append(f"{show_name(str(file))} refers to a path that can't be opened.")
        return False

    def _collect_named_files(self, variable: GitVariable, file: Path) -> None:
        section, key, value = variable.section, variable.key, variable.value
        if self._is_full:
            self._pending.clear()
        elif (section, key) in _PATHS and not self._can_be_opened(value, file):
            return
        elif (section, key) == ("core", "hookspath"):
            self._locked += [_resolve_path(value, worktree) for worktree in self._worktrees]
        elif (section, key) == ("core", "excludesfile") and value:
            self._excludes += [_resolve_path(value, worktree) for worktree in self._worktrees]
        elif section in ("include", "includeif") and key == "path" and value:
            included = _resolve_path(value, file.parent)
            self._locked.append(included)
            self._pending.append(included)
        elif (section, key) == ("core", "fsmonitor"):
            # `git status` runs it without being asked, so it is locked as hooks are.
            named_files = islice(self._files_in_command(value), GIT_PLACES_UP_TO)
            self._locked += [named_file for named_file in named_files if not named_file.is_dir()]
        elif is_command(variable):
            named_files = islice(self._files_in_command(value), GIT_PLACES_UP_TO)
            self._programs += [(named_file, f"{section}.{key}") for named_file in named_files]

    def _files_in_command(self, command: str) -> Iterator[Path]:
        """Yield the files that words of a command may name.

        A word without slash and dot is a program on the PATH.
        """
        command = command.removeprefix("!")
        try:
            words = shlex.split(command)
        except ValueError:
            words = command.split()
        # A shell also runs what is in quotes and brackets, and a path after a substitution: "$(...)/x" is in
        # the worktree.
        words += _SHELL_WORD.findall(command) + _SHELL_WORD.findall(_PUT_IN.sub(".", command))
        folders = [
            _resolve_path(path, worktree) for path in _cd_paths(command) for worktree in self._worktrees
        ]
        for word in dict.fromkeys(words):
            name = word.rpartition("=")[2]
            if ("/" in name or "." in name) and name.strip("./") and len(name) <= PATH_BYTES:
                yield from (_resolve_path(name, folder) for folder in (*self._worktrees, *folders))

    def _text(self, file: Path) -> str:
        return self._read(file).decode("utf-8", "surrogateescape")

    def _read(self, file: Path) -> bytes:
        """Return the bytes of a file, none if it is missing.

        Records read errors.
        """
        self._files[file] = None
        try:
            data = read_foreign_file(file, min(GIT_CONFIG_BYTES, self._bytes_left))
        except (FileNotFoundError, NotADirectoryError):
            return b""
        except OSError as error:
            if not is_null_device(file):
                self._unread.append(failure(error, f"{show_name(str(file))} can't be read").message)
            return b""
        except Refused as error:
            self._unread.append(error.message)
            return b""
        self._bytes_left -= len(data)
        return data


def _cd_paths(command: str) -> Iterator[str]:
    """Yield the folders that a command changes into."""
    yield from (
        path
        for path in _CHANGES_FOLDER.findall(command)[:GIT_COMMAND_FOLDERS_UP_TO]
        if len(path) <= PATH_BYTES
    )


def _outer_configurations() -> Iterator[Path]:
    """Yield the configuration files of this process, the account and the system.

    The account's own are included so that an agent's variables can't hide what the user's git will run.
    """
    yield account_home() / ".gitconfig"
    yield account_home() / ".config" / "git" / "config"
    global_file = os.environ.get("GIT_CONFIG_GLOBAL")
    if global_file is None:
        with suppress(RuntimeError):  # no home folder
            home = Path.home()
            yield home / ".gitconfig"
            yield Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git" / "config"
    elif global_file:
        yield Path(global_file)
    if not os.environ.get("GIT_CONFIG_NOSYSTEM"):
        yield Path(os.environ.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig")


def is_null_device(file: Path) -> bool:
    """Return whether it is /dev/null, git's way to name no configuration."""
    with suppress(OSError):
        return file.samefile(os.devnull)
    return False


def _resolve_path(value: str, folder: Path) -> Path:
    path = Path(value.removeprefix(":(optional)"))
    with suppress(RuntimeError):
        path = path.expanduser()
    return folder / path


def _names_beneath(root: Path, target: Path) -> Iterator[str]:
    """Yield the target's names below the root, unresolved and resolved."""
    targets = [Path(os.path.normpath(target))]
    with suppress(OSError, RuntimeError, ValueError):
        targets.append(target.resolve())
    for path in targets:
        if path == root:
            yield from _HOOKS
        elif path.is_relative_to(root):
            yield path.relative_to(root).as_posix()
