"""Context of an open project: root, per-thread store, configuration, policy, file cache."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import contextmanager
from functools import reduce, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from studio.engine import config as configuration, git_data
from studio.engine.config import Config
from studio.engine.disk import image_at
from studio.engine.plan import PersonSource, Plan
from studio.engine.policy import PathVerdict, Policy
from studio.engine.policy.git_locks import GitLocks, read_git_locks
from studio.engine.root import EntryKind, Guard, ProjectRoot
from studio.engine.root.foreign_file import read_signature
from studio.engine.root.hash_cache import YOUNG_NS
from studio.engine.store import Store, root_replaced
from studio.engine.store.presence import Presence
from studio.errors import NotFound
from studio.journal.file_image import FileImage
from studio.program.app_folders import config_directory, project_key, state_directory
from studio.program.notify_socket import notify
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine.git_data import GitData


class FileImageCache:
    """Cache of file images beneath one root, checked against each file's status.

    They show which steps are stale, and nothing else: an apply hashes every file again.
    """

    def __init__(self, root: ProjectRoot) -> None:
        self._root = root
        self._cached: dict[str, tuple[tuple[int, ...], FileImage]] = {}

    def image(self, path: str) -> FileImage | None:
        """Return the image of a path; raises as `disk.image_at`."""
        state = self._root.state(path)
        if state is None or state.kind is not EntryKind.FILE:
            self._cached.pop(path, None)
            return image_at(self._root, path)
        cached = self._cached.get(path)
        if cached is not None and cached[0] == state.signature:
            return cached[1]
        checked_at = time.time_ns()
        image = image_at(self._root, path)
        if image is not None and checked_at - max(state.modified_ns, state.changed_ns) > YOUNG_NS:
            after = self._root.state(path)
            if after is not None and after.signature == state.signature:
                self._cached[path] = (state.signature, image)
        return image

    def keep_only(self, paths: Iterable[str]) -> None:
        """Drop all other paths from the cache."""
        kept_paths = set(paths)
        for path in list(self._cached):  # another thread may change it meanwhile
            if path not in kept_paths:
                self._cached.pop(path, None)


class Person(Value):
    """The person who decides, with how they were identified.

    Constructed only where a person was seen: a click or key in the window, an id typed at a terminal, or the
    user's own setting that the command line may decide.
    """

    source: PersonSource
    name: str


class Context:
    """One open project; thread-safe, with a store connection for each thread."""

    def __init__(self, path: Path) -> None:
        """Open root, store and configuration.

        Raises StudioError.
        """
        self._local = threading.local()
        self._stores: list[Store] = []
        self._lock = threading.Lock()
        self._config: tuple[object, Config] | None = None
        self._watched: tuple[str, tuple[Path, ...]] = ("", ())
        self._source_configs: tuple[Config | None, dict[tuple[str, ...], Config]] = (None, {})
        self._git_locks: tuple[object, GitLocks] | None = None
        self._git_data: GitData | None = None
        self._tracked_folders: frozenset[str] | None = None
        self.root = ProjectRoot(path)
        try:
            self.known_files = FileImageCache(self.root)
            self.key = project_key(self.root.path)
            self.folder = state_directory() / self.key
            self.presence = Presence(self.folder)
            self.config()
            self.is_same_root = self.store.check_root(
                self.root.path, self.root.identity, self.root.lasting_identity
            )
        except BaseException:
            self.close_thread()
            self.root.close()
            raise

    @property
    def store(self) -> Store:
        """The calling thread's store, opened at its first use."""
        store = getattr(self._local, "store", None)
        if store is None:
            store = Store(self.folder)
            self._local.store = store
            with self._lock:
                self._stores.append(store)
        return store

    @contextmanager
    def notifying(self) -> Generator[None]:
        """Notify other processes at the block's end if this thread committed.

        Also where the block failed. Not before, because the intermediate commits of an apply or a rollback
        concern no one else.
        """
        before = self._commits()
        try:
            yield
        finally:
            if self._commits() != before:
                self.notify()

    def notify(self) -> None:
        """Notify every other process that this project's store has changed."""
        notify(f"changed {self.key}")

    def _commits(self) -> int:
        store = getattr(self._local, "store", None)
        return 0 if store is None else store.database.commits

    @property
    def archived_stores(self) -> tuple[Path, ...]:
        """Return the stores archived at opening, as damaged or too old."""
        with self._lock:
            return tuple(store.database.archived for store in self._stores if store.database.archived)

    def config(self) -> Config:
        """Return the effective configuration, re-read when one of its files has changed."""
        # Resolved once, so that what is read and what a decision records are one folder. It is asked for each
        # step: 60 us, and 90 where the files are named anew.
        resolved = os.path.realpath(config_directory())
        folder, files = self._watched
        if folder != resolved:
            files = configuration.watched_files(self.root.path, Path(resolved))
            self._watched = (resolved, files)
        signature = (resolved, read_signature(files))
        if self._config is None or self._config[0] != signature:
            self._config = (signature, configuration.load(self.root.path, Path(resolved)))
        return self._config[1]

    def config_for(self, format_name: str, agent: str) -> Config:
        """Return the configuration for one format and agent, narrowed by their `sources`."""
        config = self.config()
        sources = config.sources_of(format_name, agent)
        if self._source_configs[0] is not config:
            self._source_configs = (config, {})
        configs = self._source_configs[1]
        if sources not in configs:
            configs[sources] = reduce(Config.for_source, sources, config)
        return configs[sources]

    def policy(self, format_name: str = "", agent: str = "") -> Policy:
        """Return the rules for a format's and an agent's proposals.

        What git and we ourselves use beneath this root is locked; git's HEAD, which opens a few folders, is
        read again on demand.
        """
        git = self.git_locks()
        self._tracked_folders = None
        nested_locks = tuple(
            folder.relative_to(self.root.path).as_posix()
            for folder in (config_directory().resolve(), state_directory().resolve())
            if folder.is_relative_to(self.root.path) and folder != self.root.path
        )
        config, locked_paths = self.config_for(format_name, agent), (*git.paths, *nested_locks)
        return config.policy(locked_paths, git.names, git.programs, self.tracked_folders)

    def tracked_folders(self) -> frozenset[str]:
        """Return the folders opened because git's HEAD has files there.

        Empty where git data can't be read.
        """
        found = self._tracked_folders
        if found is None:
            found = self._tracked_folders = self.git_data().tracked_folders() or frozenset()
        return found

    def git_data(self) -> GitData:
        """Return git's data on the project; the first question starts a process."""
        with self._lock:
            if self._git_data is None:
                self._git_data = git_data.GitData(self.root.path)
            return self._git_data

    def policy_of(self, plan: Plan) -> Policy:
        """Return the rules for a plan; `sources` narrow only agents' proposals."""
        return self.policy(plan.format, plan.agent) if plan.is_proposal else self.policy()

    def guard(self, planned: Iterable[str] = (), becoming: Collection[str] = ()) -> Guard:
        """Return the guard that recognises locked files by inode, for one plan.

        The plan would write the `planned` paths and makes folders of what is at the `becoming` ones.
        """
        return Guard(self.root, self.policy().locked_paths, planned, self._nested_rules, becoming)

    def _nested_rules(self, folder: str) -> Callable[[str], PathVerdict]:
        """Return the check of a nested repository's own locks: hooks and includes."""
        locks = read_git_locks(self.root.path, folder)
        return Policy(locked_paths=locks.paths, locked_names=locks.names).check

    def git_locks(self) -> GitLocks:
        """Return what git uses beneath this root, re-read when its files change."""
        cached = self._git_locks
        if cached is None or cached[0] != read_signature(cached[1].files):
            locks = read_git_locks(self.root.path)
            self._git_locks = cached = (read_signature(locks.files), locks)
        return cached[1]

    def check_root(self) -> None:
        """Check that the root is still the opened folder.

        Raises NotFound where it is gone, Conflict where the store belongs to another folder.
        """
        if not self.root.is_path_unchanged():
            raise NotFound(
                "root.gone",
                f"{self.root.path} is no longer the folder that was opened.",
                "Open the project again.",
            )
        if not self.is_same_root:
            raise root_replaced(self.root.path)

    def close_thread(self) -> None:
        """Close the calling thread's store, as its last action."""
        store = getattr(self._local, "store", None)
        if store is not None:
            with self._lock:
                self._stores.remove(store)
            self._local.store = None
            store.close()

    def close(self) -> None:
        if self._git_data is not None:
            self._git_data.close()
        self.presence.close()
        self.close_thread()
        self.root.close()


# Base of the objects that act on an open project.

_P = ParamSpec("_P")
_R = TypeVar("_R")
_S = TypeVar("_S", bound="Side")


class Side:
    """Base class of an open project's access objects."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @staticmethod
    def _notifies(method: Callable[Concatenate[_S, _P], _R]) -> Callable[Concatenate[_S, _P], _R]:
        """Decorate a method that writes to the store.

        Other processes are notified when it ends.
        """

        @wraps(method)
        def notifying(self: _S, *args: _P.args, **kwargs: _P.kwargs) -> _R:
            with self._context.notifying():
                return method(self, *args, **kwargs)

        return notifying
