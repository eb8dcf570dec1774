"""Git queries by pygit2: ignored paths, HEAD, tree objects, tracked folders, blame.

Only for the process of `worker`: pygit2 blocks on a named pipe.
"""

from __future__ import annotations

import os
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from studio.engine.git_data import changed_files
from studio.engine.git_data.blame import CannotRead, blame_file
from studio.engine.git_data.changed_files import shared_folder
from studio.engine.git_data.ignore_rules import IgnoreRules
from studio.engine.git_data.index_file import UnsupportedIndex, read_unsupported_index
from studio.engine.git_data.value_types import Doing, LineEnds, is_usual
from studio.engine.policy import may_be_opened
from studio.engine.root.foreign_file import open_foreign_file, read_signature
from studio.limits import GIT_FOLDERS_UP_TO
from studio.names import show_name
from studio.system.git_library import loadable
from studio.values import Value

with loadable():
    import pygit2

_may_be_opened: Final = lru_cache(maxsize=4096)(may_be_opened)


class _TreeFiles(Value):
    """Search result of a tree: whether it has files, and which folders.

    The folders are those that are opened, relative to the tree.
    """

    has_files: bool = False
    folders: tuple[str, ...] = ()


_NOTHING: Final = _TreeFiles()
_newest_found: dict[pygit2.Oid, _TreeFiles] = {}
"""Result of the latest search: 7,000 folders take 0.4 s."""


def tracked_folders(tree: pygit2.Tree, within: str) -> list[str]:
    """Return the folders that are opened because HEAD has files in them.

    They are beneath the folder `within` the tree ("": all of it). Raises CannotRead where there are more than
    any project has, and what pygit2 raises.
    """
    if within:
        try:
            found = tree[within]
        except KeyError:
            return []
        if not isinstance(found, pygit2.Tree):
            return []
        tree = found
    found = _newest_found.get(tree.id)
    if found is None:
        found = _search(tree, {})
        _newest_found.clear()
        _newest_found[tree.id] = found
    return list(found.folders)


def _search(tree: pygit2.Tree, cache: dict[pygit2.Oid, _TreeFiles]) -> _TreeFiles:
    # Cached by object: ten trees that each name the next one ten times are a commit of 10^10 paths.
    found = cache.get(tree.id)
    if found is not None:
        return found
    has_files, folders = False, list[str]()
    for entry in tree:
        if not isinstance(entry, pygit2.Tree):
            has_files = has_files or isinstance(entry, pygit2.Blob)  # anything else is a submodule
            continue
        subtree = _search(entry, cache)
        if not subtree.has_files:
            continue
        has_files = True
        name = os.fsdecode(entry.raw_name or b"")
        if _may_be_opened(name):
            folders.append(name)
        folders += (f"{name}/{folder}" for folder in subtree.folders)
        if len(folders) > GIT_FOLDERS_UP_TO:
            raise CannotRead(f"A commit has more than {GIT_FOLDERS_UP_TO} such folders.")
    found = cache[tree.id] = _TreeFiles(has_files, tuple(folders)) if has_files else _NOTHING
    return found


with loadable():
    import pygit2
    from pygit2.config import Config

_TREE: Final = 0o040000
_TAIL_BYTES: Final = 64 * 1024
_STATES: Final[tuple[tuple[str, Doing], ...]] = (
    # A rebase that stopped at a conflict also leaves CHERRY_PICK_HEAD.
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


class UserRepository:
    """The repository around the project's folder.

    It is opened anew for each question, so that no answer is stale.
    """

    def __init__(self, repository: pygit2.Repository, root: Path) -> None:
        self._repository = repository
        self._root = root
        relative = os.path.relpath(os.path.realpath(root), os.path.realpath(repository.workdir))
        self._prefix = "" if relative == os.curdir else relative.replace(os.sep, "/") + "/"
        self._cached_rules: _Rules | None = None

    @property
    def _rules(self) -> _Rules:
        self._cached_rules = self._cached_rules or _Rules(self._repository)
        return self._cached_rules

    def ignored(self, paths: Sequence[tuple[str, bool]]) -> list[str]:
        """Return which of the paths, given with is-folder flags, git ignores.

        A folder with a generated-content name is included also where its own rules ignore all its content.
        """
        if self._is_project_ignored():
            return []
        return [path for path, is_folder in paths if self._is_ignored(path, is_folder)]

    def _is_ignored(self, path: str, is_folder: bool) -> bool:
        path, rules = self._prefix + path, self._rules
        if rules.ignores(path, is_folder):
            return True
        # Not any folder: else a rules file would hide what is added beside it among the sources.
        is_tools = is_folder and (is_usual(path) or path.rpartition("/")[2].startswith("."))
        return is_tools and rules.ignores_all_in(path)

    def _is_project_ignored(self) -> bool:
        """Return whether an enclosing repository ignores the whole project.

        Such a repository (a home folder kept in git, for example) says nothing about the project's own files.
        """
        return bool(self._prefix) and self._rules.ignores(self._prefix.rstrip("/"), True)

    def head(self) -> dict[str, str | None]:
        """Return the fields of `Head`. Raises what pygit2 raises, or NotAFile."""
        repository = self._repository
        head = repository.lookup_reference("HEAD")
        target = head.raw_target
        branch = os.fsdecode(target).removeprefix("refs/heads/") if isinstance(target, bytes) else None
        stash = repository.references.get("refs/stash")
        folder = Path(repository.path)
        return {
            "branch": branch,
            "commit": None if repository.head_is_unborn else str(head.resolve().target),
            "action": _last_action(folder / "logs" / "HEAD"),
            "in_progress": next(
                (operation for name, operation in _STATES if os.path.lexists(folder / name)), None
            ),
            "stash": None if stash is None else str(stash.resolve().target),
        }

    def blame(self, path: str) -> dict[str, object] | None:
        """Return `blame_file` for a path beneath the project's root."""
        return blame_file(self._repository, shared_folder(self._repository), self._prefix + path, path)

    def tracked_folders(self) -> list[str]:
        """Return the project folders that the policy opens for HEAD's files."""
        if self._repository.head_is_unborn:
            return []
        tree = self._repository.head.peel(pygit2.Tree)
        return tracked_folders(tree, self._prefix.rstrip("/"))

    def objects_at(self, commit: str, paths: Sequence[str]) -> list[tuple[int, int, str]]:
        """Return path number, git mode and object id (hex) of existing paths."""
        found = self._repository.get(commit)
        if found is None:
            raise CannotRead(f"There is no commit {show_name(commit)}.")
        entries: list[tuple[int, int, str]] = []
        pending = [(found.peel(pygit2.Tree), _path_tree(self._prefix, paths))]
        while pending:
            tree, node = pending.pop()
            for entry in tree:
                child = node.below.get(entry.raw_name or b"")
                if child is None:
                    continue
                entries += [(number, int(entry.filemode), str(entry.id)) for number in child.numbers]
                if child.below and isinstance(entry, pygit2.Tree):
                    pending.append((entry, child))
        return entries

    def work_tree_changes(self) -> dict[str, object]:
        """Return the fields of `WorkTreeChanges`. Raises what pygit2 raises."""
        head = self.head()
        found = map(os.fsdecode, changed_files.paths_to_compare(self._repository))
        tracked = (path.removeprefix(self._prefix) for path in found if path.startswith(self._prefix))
        untracked = () if self._is_project_ignored() else self._yield_untracked()
        # HEAD may have an untracked file, too: `git rm --cached`.
        paths = list(dict.fromkeys((*tracked, *untracked)))
        held = self.objects_at(head["commit"], paths) if head["commit"] else []
        old = {number: (mode, name) for number, mode, name in held if mode != _TREE}
        return {
            "head": head,
            "files": [
                (path, *old.get(number, (0, "")), 0, "", converter)
                for number, (path, converter) in enumerate(zip(paths, self._converters(paths), strict=True))
            ],
            "has_modes": changed_files.has_modes(self._repository),
        }

    def commit_changes(self, revisions: str) -> dict[str, object]:
        """Return the fields of `CommitChanges`.

        Raises CannotRead for what names no commits, and what pygit2 raises.
        """
        names, commits, changes = changed_files.between(self._repository, revisions)
        found = [
            (path.removeprefix(self._prefix), sides)
            for path, sides in changes
            if path.startswith(self._prefix)
        ]
        converters = self._converters([path for path, _ in found])
        files = [
            (path, *sides, converter) for (path, sides), converter in zip(found, converters, strict=True)
        ]
        return {"names": names, "commits": commits, "files": files}

    def contents(self, paths: Sequence[str], objects: Sequence[str]) -> list[tuple[str, str, LineEnds, str]]:
        """Return `changed_files.contents` for objects at these project paths."""
        full = [self._prefix + path if path else "" for path in paths]
        return changed_files.contents(self._repository, list(zip(full, objects, strict=True)))

    def _converters(self, paths: Sequence[str]) -> list[str]:
        return changed_files.converters(self._repository, [self._prefix + path for path in paths])

    def _yield_untracked(self) -> Iterator[str]:
        """Yield the project's untracked files that git does not ignore.

        Those of a repository within it belong to that one.
        """
        pending = [""]
        while pending:
            folder = pending.pop()
            prefix = f"{folder}/" if folder else ""
            try:
                with os.scandir(self._root / folder) as entries:
                    found = list(entries)
            except OSError:  # unreadable, or removed meanwhile
                continue
            if folder and any(entry.name == ".git" for entry in found):
                continue
            for entry in found:
                path = prefix + entry.name
                if entry.name == ".git":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if not self._is_ignored(path, True):
                        pending.append(path)
                elif (
                    (entry.is_symlink() or entry.is_file())
                    and not self._rules.is_tracked(self._prefix + path)
                    and not self._is_ignored(path, False)
                ):
                    yield path


class _PathNode(Struct):
    """A node of the tree of requested paths: path numbers, and children."""

    numbers: list[int] = field(default_factory=list[int])
    below: dict[bytes, _PathNode] = field(default_factory=dict[bytes, "_PathNode"])


def _path_tree(prefix: str, paths: Sequence[str]) -> _PathNode:
    top = _PathNode()
    for number, path in enumerate(paths):
        node = top
        for name in os.fsencode(prefix + path).split(b"/"):
            node = node.below.setdefault(name, _PathNode())
        node.numbers.append(number)
    return top


def find_repository(root: Path) -> UserRepository | None:
    """Return the repository whose work tree contains the folder.

    Raises what pygit2 raises.
    """
    if pygit2.discover_repository(str(root)) is None:
        return None
    # Opened by the git folder, libgit2 1.9 takes the parent of that for the work tree where `.git` is a file
    # (`git init --separate-git-dir`) or a link.
    repository = pygit2.Repository(str(root), pygit2.enums.RepositoryOpenFlag(0))
    is_within = not repository.is_bare and Path(os.path.realpath(root)).is_relative_to(
        os.path.realpath(repository.workdir)
    )
    return UserRepository(repository, root) if is_within else None


class _Rules:
    """Ignore rules of a repository, for paths beneath its top.

    Nothing tracked is ignored.
    """

    def __init__(self, repository: pygit2.Repository) -> None:
        self._repository = repository
        config = repository.config
        # With this setting libgit2 sorts the index case-insensitively.
        self._folds = "core.ignorecase" in config and config.get_bool("core.ignorecase")
        general = (_excludes_file(config), shared_folder(repository) / "info" / "exclude")
        self._rules = IgnoreRules(Path(repository.workdir), general, ignore_case=self._folds)
        self._tracked: _Tracked | UnsupportedIndex | None = None

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Return whether a path is ignored; folders with tracked files aren't."""
        return self._rules.matches(path, is_folder=is_folder) and not self._is_tracked(path, is_folder)

    def ignores_all_in(self, folder: str) -> bool:
        """Return whether a folder has no tracked files and ignores all content."""
        return self._rules.ignores_all_within(folder) and not self._is_tracked(folder, True)

    def is_tracked(self, path: str) -> bool:
        """Return whether the index has the file."""
        return self._is_tracked(path, False)

    def _is_tracked(self, path: str, is_folder: bool) -> bool:
        self._tracked = self._tracked or _tracked_paths(self._repository, self._folds)
        return self._tracked.holds(path, is_folder)


def _excludes_file(config: Config) -> Path:
    """Return the user's global ignore file."""
    if "core.excludesfile" in config:
        return Path(config["core.excludesfile"] or os.devnull).expanduser()
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "git" / "ignore"


class _Tracked:
    """The paths of an index, searched in place.

    Listing 50,000 paths would take longer than all else.
    """

    def __init__(self, repository: pygit2.Repository, folds: bool) -> None:
        self._index = repository.index
        self._key: Callable[[bytes], bytes] = bytes.lower if folds else bytes

    def holds(self, path: str, is_folder: bool) -> bool:
        """Return whether the path is tracked, or above a tracked one."""
        if path in self._index:  # also a submodule
            return True
        return is_folder and self._first_from(path + "/").startswith(self._sort_key(path + "/"))

    def _first_from(self, path: str) -> bytes:
        number = bisect_left(range(len(self._index)), self._sort_key(path), key=self._key_at)
        return self._key_at(number) if number < len(self._index) else b""

    def _key_at(self, number: int) -> bytes:
        return self._sort_key(os.fspath(self._index[number].path))

    def _sort_key(self, path: str) -> bytes:
        return self._key(os.fsencode(path))


_cached_index: dict[str, tuple[object, _Tracked | UnsupportedIndex]] = {}


def _tracked_paths(repository: pygit2.Repository, folds: bool) -> _Tracked | UnsupportedIndex:
    """Return the index, cached until its file changes.

    Reading that of 50,000 files takes 30 ms.
    """
    file = Path(repository.path) / "index"
    signature = (read_signature((file,)), folds)
    cached = _cached_index.get(repository.path)
    if cached is None or cached[0] != signature:
        cached = (signature, _read_tracked(repository, folds))
        _cached_index.clear()
        _cached_index[repository.path] = cached
    return cached[1]


def _read_tracked(repository: pygit2.Repository, folds: bool) -> _Tracked | UnsupportedIndex:
    try:
        return _Tracked(repository, folds)
    except pygit2.GitError:
        found = read_unsupported_index(repository, bytes.lower if folds else bytes)
        if found is None:
            raise
        return found


def _last_action(log: Path) -> str:
    """Return the message of a reflog's last line.

    Empty for a checkout that stayed at its commit, as of a new branch: it changed no file. Raises NotAFile,
    OSError.
    """
    try:
        with open_foreign_file(log, sys.maxsize) as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - _TAIL_BYTES))
            tail = stream.read(_TAIL_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    names, _, action = tail.rstrip(b"\n").rpartition(b"\n")[2].partition(b"\t")
    before, _, after = names.partition(b" ")
    has_moved = not after.startswith(before + b" ")
    return action.decode("utf-8", "replace") if has_moved or not action.startswith(b"checkout") else ""
