"""An open project, with separate APIs for agents and the reviewer."""

from __future__ import annotations

import threading
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from studio import extras
from studio.engine import apply, propose
from studio.engine.config import (
    AgentsShell,
    Config,
    ReviewCommandLine,
    effective_review,
    user_config_folders,
    watched_files,
)
from studio.engine.disk.run_lock import RunLock
from studio.engine.disk.temporary_names import is_temporary
from studio.engine.patterns import PatternList
from studio.engine.plan import PersonSource, Plan
from studio.engine.project.context import Context, Person, Side
from studio.engine.root import TreeEntry, Unseen
from studio.engine.root.foreign_file import read_signature
from studio.engine.session import Session
from studio.engine.store.database import archived_sentence
from studio.errors import Refused
from studio.late_names import late_names
from studio.names import show_name
from studio.program.app_folders import config_directory
from studio.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from studio.engine.apply.recovery import InterruptedFile
    from studio.engine.filesystem import BackedFilesystem
    from studio.engine.propose.session_files import SessionFiles
    from studio.engine.proposer import Proposer
    from studio.extras.commands import SessionSandbox, Trials
    from studio.extras.journal_view import JournalView
    from studio.extras.observed import OnChange, Watcher, WatchState
    from studio.extras.observed.observed import Observed
    from studio.extras.reader import Reader
    from studio.extras.reviews import Reviews
    from studio.extras.rule_trial import RuleBase
    from studio.extras.sandbox import CopySize, OverriddenFile, Sandbox
    from studio.extras.snapshots import Snapshots
    from studio.extras.snapshots.folder import SnapshotFolder
    from studio.extras.tools import FileSystemTool
    from studio.reviewer import Reviewer


__all__ = ["InterruptedFile", "Person", "PersonSource", "Reviewer", "Workspace"]

__getattr__ = late_names(
    __name__, {"studio.engine.apply.recovery": "InterruptedFile", "studio.reviewer": "Reviewer"}
)
"""Most commands do without them."""


class Workspace(Side):
    """One open project.

    Any thread may use it; each has its own connection to the store.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._lock = threading.Lock()
        self._watcher: Watcher | None = None
        self._listened_at: frozenset[str] = frozenset()
        self._observed: Observed | None = None
        self._is_closed = False

    @cached_property
    def proposer(self) -> Proposer:
        """Operations on an open project that any caller may use."""
        from studio.engine.proposer import Proposer

        return Proposer(self._context)

    @classmethod
    def open(cls, root: Path | str) -> Workspace:
        """Open a project folder.

        Raises NotFound or Refused with the reason.
        """
        return cls(Context(Path(root)))

    @property
    def root_path(self) -> Path:
        return self._context.root.path

    @property
    def name(self) -> str:
        return self.root_path.name

    @property
    def key(self) -> str:
        """Name of the project's folder in the state folder."""
        return self._context.key

    @property
    def state_folder(self) -> Path:
        """Folder with the project's store and writer lock, never in the project."""
        return self._context.folder

    @property
    def notices(self) -> tuple[str, ...]:
        """Messages for the reviewer.

        Such as an archived store, or a replaced project folder.
        """
        sentences = list(map(archived_sentence, self._context.archived_stores))
        if self._context.store.database.is_newer:
            sentences.append("This project's store was written by a newer Exacta Studio; it is only read.")
        if not self._context.is_same_root:
            sentences.append(
                f"{self.root_path} is not the folder this project's history belongs to. Nothing can be"
                " written until you confirm that it is the same project."
            )
        if self._context.git_locks().unread:
            sentences.append(
                f"{' '.join(self._context.git_locks().unread)} So it is not known what git runs here: "
                "every file that is called like one of git's hooks or configurations is locked."
            )
        return tuple(map(show_name, (*sentences, *self._context.config().warnings, *self.damages)))

    @property
    def damages(self) -> tuple[str, ...]:
        """A sentence for each damaged plan that this thread's lists skipped."""
        return self._context.store.plans.damages

    @property
    def config(self) -> Config:
        """The effective configuration, reloaded where its files changed.

        Raises ConfigRefused.
        """
        return self._context.config()

    def configuration_signature(self) -> tuple[object, ...]:
        """Return a value that differs after a configuration file changed.

        No file is opened.
        """
        return read_signature(watched_files(self.root_path, config_directory().resolve()))

    def rule_base(self) -> RuleBase:
        """Return the rules and locks with which a new rule is tried.

        Raises ConfigRefused.
        """
        policy = self._context.policy()
        locks = policy.locked_paths, policy.locked_names, policy.programs
        return extras.rule_trial.RuleBase(
            self.root_path, self.config.settings, *locks, self._context.tracked_folders()
        )

    @property
    def command_line_review(self) -> ReviewCommandLine:
        """Effective setting for deciding on the command line.

        The user's own setting, if its folder is one in which a person decided before; else `allow` is treated
        as `ask`. An `off` in such a folder always applies.
        """
        config = self._context.config()
        decided = self._context.store.plans.deciding_folders()
        return effective_review(config.folder, config.review_command_line, decided)

    @property
    def agents_shell(self) -> AgentsShell:
        """Effective setting for commands that an agent wants to run.

        The user's own setting; a value that leaves it to the client is treated as `ask` where the folder is
        not known as the user's.
        """
        config = self._context.config()
        setting = config.agents_shell
        if setting not in ("client", "sandbox"):
            return setting
        return setting if self._is_users_own(config) else "ask"

    @property
    def sandbox_logins(self) -> tuple[str, ...]:
        """Agents whose logins sandboxed commands get by the user's setting.

        Empty where the setting's folder is not known as the user's.
        """
        config = self._context.config()
        return config.sandbox_logins if self._is_users_own(config) else ()

    def _is_users_own(self, config: Config) -> bool:
        return config.folder in user_config_folders(
            config.folder, self._context.store.plans.deciding_folders()
        )

    def overlay(
        self, session: Session, *, format_name: str = "plan", base: BackedFilesystem | None = None
    ) -> SessionFiles:
        """Return the project as a session sees it, with its pending changes.

        It is computed anew each time, or is what a session's sandbox has (`base`), and the rules for that
        agent and format apply. Changes are discarded
        unless `Proposer.propose_changes` is called. Raises Refused where the store lost what the session
        proposed.
        """
        return propose.SessionFiles(self._context, session, format_name, base)

    def tool(
        self, overlay: SessionFiles, session: Session, sandbox: SessionSandbox | None = None
    ) -> FileSystemTool:
        """Return the file system tool for a session's or its sandbox's files.

        Its changes become part of the session's plan. Close the overlay when the session ends, which records
        what was read.
        """
        config = self._context.config_for(overlay.format_name, session.agent)
        proposals = _Proposals(self.proposer, overlay, session, sandbox)
        tools = extras.tools
        policy = tools.FileSystemSecurityPolicy.of(config)
        others = tools.other_folders(config, policy, overlay.log)
        return tools.FileSystemTool(
            tools.ToolContext(overlay, policy, proposals, config.encoding_for, others)
        )

    @cached_property
    def _open_snapshot_folder(self) -> SnapshotFolder:
        return extras.snapshots.SnapshotFolder(self._context)

    @cached_property
    def snapshots(self) -> Snapshots:
        """Snapshots of the project, for any process."""
        return extras.snapshots.Snapshots(self._context, self._open_snapshot_folder)

    @cached_property
    def reviews(self) -> Reviews:
        """Reviews of uncommitted changes and of commits, for any process."""
        return extras.reviews.Reviews(self._context, lambda: self._open_snapshot_folder)

    @property
    def observed(self) -> Observed:
        """Changes that others made in the project, for any process."""
        with self._lock:
            if self._observed is None:
                self._observed = extras.observed.Observed(
                    self._context, self._open_snapshot_folder, self._context.git_data()
                )
            return self._observed

    @cached_property
    def journal(self) -> JournalView:
        """Entries of the journal, newest first, for any process."""
        return extras.journal_view.JournalView(self._context)

    @cached_property
    def reader(self) -> Reader:
        """Read-only API: files, and the origin of their lines."""
        return extras.reader.Reader(self._context, self._context.git_data)

    def reviewer(self, person: Person) -> Reviewer:
        """Return the reviewer API, for an identified person."""
        from studio.reviewer import Reviewer

        return Reviewer(self._context, person, lambda: self._open_snapshot_folder)

    @property
    def needs_recovery(self) -> bool:
        """Whether an apply was interrupted or the root folder was replaced."""
        return not self._context.is_same_root or self._context.store.plans.has_unfinished()

    @property
    def is_there(self) -> bool:
        """Whether the path still names the folder that was opened."""
        return self._context.root.is_path_unchanged()

    @property
    def is_same_folder(self) -> bool:
        """Whether the root folder is the one that the history belongs to."""
        return self._context.is_same_root

    def interrupted_files(self) -> tuple[InterruptedFile, ...]:
        """Return the paths of interrupted applies.

        Empty where nothing needs recovery.
        """
        return apply.recovery.interrupted_files(self._context)

    @Side._notifies
    def recover(self) -> tuple[Plan, ...]:
        """Recover interrupted applies.

        No person is needed, since no decision is changed.
        """
        return apply.recovery.recover(self._context)

    def list_folder(self, path: str) -> tuple[TreeEntry, ...]:
        """List a folder without our temporary files.

        Empty for a missing one, or anything else than a folder.
        """
        try:
            found = self._context.root.list_folder(path)
        except (FileNotFoundError, NotADirectoryError):  # deleted since its parent was listed
            return ()
        return tuple(entry for entry in found if not is_temporary(entry.name))

    def count_files(self) -> int:
        """Return the number of entries other than folders, without hidden ones.

        Hidden entries have a name that begins with a dot, or are beneath such a folder.
        """
        return sum(
            1
            for entry in self._context.root.walk()
            if not isinstance(entry, Unseen) and not entry.is_folder and "/." not in f"/{entry.path}"
        )

    def data_version(self) -> int:
        """Return a number that changes when another process writes the store.

        Compare values from the same thread only.
        """
        return self._context.store.database.data_version()

    def sandbox(
        self,
        announce: Callable[[CopySize], None] | None = None,
        overrides: Iterable[OverriddenFile] = (),
        *,
        has_files: bool = False,
        container: str = "",
    ) -> Sandbox:
        """Create a sandbox over the project.

        See `Sandbox` for `announce`, `overrides`, `has_files`, `container` and what is raised.
        """
        return extras.sandbox.Sandbox(
            self.root_path,
            hide=self.config.sandbox_hide,
            overrides=overrides,
            announce=announce,
            identity=self._context.root.identity,
            state=self._context.folder,
            has_files=has_files,
            container=container,
        )

    def session_sandbox(self, session: Session) -> SessionSandbox:
        """Return the sandbox of a session's commands and file tool."""
        create = partial(self.sandbox, has_files=True)
        return extras.commands.SessionSandbox(self._context, session, create)

    @property
    def is_command_running(self) -> bool:
        """Whether a sandboxed command runs.

        A write to the project would end it.
        """
        try:
            return RunLock(self.state_folder).is_running()
        except Refused:  # without a lock no command can run
            return False

    @cached_property
    def trials(self) -> Trials:
        """Trials of commands on the results of plans."""
        return extras.commands.Trials(self._context)

    def listen(self, callback: OnChange) -> None:
        """Report changes in the project's tree to a callback.

        It is called on a thread of the workspace with relative paths, each including all beneath it, or with
        none where anything may have changed, including `watch_state`. Ignored folders are not reported. A
        previous callback is replaced. This takes long for a large tree, and can be called on any thread; a
        change before it returns may or may not be reported.
        """
        with self._lock:
            if self._is_closed:
                return
            git = self._context.git_data()
            unwatched = extras.observed.Unwatched(
                lambda: extras.observed.IgnoredPaths(PatternList(self.config.observe_ignore), git)
            )
            watcher, before = extras.observed.Watcher(self.root_path, callback, unwatched), self._watcher
            self._watcher = watcher
            watcher.watch_always(self._listened_at)
        if before is not None:
            before.stop()
        watcher.start()

    def listen_at(self, paths: frozenset[str]) -> None:
        """Replace the set of watched files in ignored folders."""
        with self._lock:
            self._listened_at, watcher = paths, self._watcher
        if watcher is not None:
            watcher.watch_always(paths)

    @property
    def watch_state(self) -> WatchState:
        """State of the file watching for the current listener."""
        watcher = self._watcher
        return extras.observed.WatchState() if watcher is None else watcher.state

    def scan_all(self) -> None:
        """Report to the listener that anything may have changed.

        As after an apply, or when a person comes back.
        """
        watcher = self._watcher
        if watcher is not None:
            watcher.scan_all()

    def stop_listening(self) -> None:
        """Stop watching; the callback is not called after this returns."""
        with self._lock:
            watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.stop()

    def close_thread(self) -> None:
        """Close the calling thread's connection."""
        self._context.close_thread()

    def close(self) -> None:
        """Close the project and stop watching.

        Other threads close their own connection first.
        """
        with self._lock:
            self._is_closed = True
        self.stop_listening()
        if self._observed is not None:
            self._observed.close()
        self._context.close()


class _Proposals(Value):
    """Proposals of a tool's changes, as part of the session's plan."""

    proposer: Proposer
    overlay: SessionFiles
    session: Session
    sandbox: SessionSandbox | None

    def renew(self) -> None:
        """Reset the session's files; see `tools.Proposals`."""
        self.overlay.renew()

    def propose(self) -> Plan | None:
        """Propose all changes; see `tools.Proposals`."""
        if self.sandbox is not None:
            return self.sandbox.write(self.overlay)
        return self.proposer.propose_changes(self.overlay, self.session, whole=True)
