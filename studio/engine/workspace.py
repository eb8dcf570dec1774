"""An open project as one object: a proposer side for doors, a reviewer side for persons (design 2)."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.app_folders import config_directory
from studio.engine.apply import recovery
from studio.engine.branch.posix import placements_of
from studio.engine.config import (
    AgentsShell,
    Config,
    ReviewCommandLine,
    believed_review,
    known_folders,
    watched_files,
)
from studio.engine.disk import DiskState, disk_state_of
from studio.engine.disk.run_lock import RunLock
from studio.engine.disk.temporary_names import is_temporary
from studio.engine.errors import Refused
from studio.engine.history.journal_view import JournalView
from studio.engine.names import show_name
from studio.engine.observed import WatchMode, WatchState
from studio.engine.plan import FileImage, Plan
from studio.engine.project.context import Context, Person, PersonSource
from studio.engine.project.file_list import file_paths
from studio.engine.project.side import Side
from studio.engine.propose.session_files import SessionFiles
from studio.engine.proposer import DECIDED_STATES, Proposer, StepContents
from studio.engine.reviewer import Reviewer
from studio.engine.root import TreeEntry, Unseen, check_root, find_root, project_above
from studio.engine.root.foreign_file import read_foreign_file, signature_of
from studio.engine.root.git_discovery import main_checkout
from studio.engine.session import Session
from studio.engine.store.database import archived_sentence
from studio.engine.system.child_process import TRYING, words_of
from studio.engine.system.log_file import LOGGER, log_file, start_log
from studio.engine.system.os_errors import failure, reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from studio.engine.commands import Trials
    from studio.engine.observed import OnChange, Watcher
    from studio.engine.observed.observed import Observed
    from studio.engine.reader import Reader
    from studio.engine.rule_trial import RuleBase
    from studio.engine.sandbox import CopySize, LaidFile, Sandbox
    from studio.engine.snapshots import Snapshots
    from studio.engine.snapshots.folder import SnapshotFolder
    from studio.engine.tools import FileSystemTool


@dataclass(frozen=True, slots=True)
class InterruptedFile:
    """One path of an unfinished apply: what it held before, what the plan puts there, what is there now.

    `place` None: the disk does not let it be looked at.
    """

    plan_id: str
    title: str
    path: str
    before: FileImage | None
    after: FileImage | None
    place: DiskState | None


def interrupted_files(context: Context) -> tuple[InterruptedFile, ...]:
    """Every path of every apply that did not come to its end, in the order it was to be written."""
    found: list[InterruptedFile] = []
    for plan in context.store.plans.unfinished():
        requests = [request for _, request in context.store.journal.unanswered(plan.id)]
        for placement in placements_of(requests):
            if placement.if_empty or placement.made_here:
                continue
            try:
                place = disk_state_of(context.root, placement)
            except (OSError, Refused):
                place = None
            found.append(
                InterruptedFile(plan.id, plan.title, placement.path, placement.before, placement.after, place)
            )
    return tuple(found)


__all__ = [
    "DECIDED_STATES",
    "LOGGER",
    "TRYING",
    "InterruptedFile",
    "Person",
    "PersonSource",
    "Proposer",
    "Reviewer",
    "SessionFiles",
    "StepContents",
    "WatchMode",
    "WatchState",
    "Workspace",
    "check_root",
    "failure",
    "file_paths",
    "find_root",
    "log_file",
    "main_checkout",
    "project_above",
    "read_foreign_file",
    "reason",
    "start_log",
    "words_of",
]


class Workspace(Side):
    """One open project. Any thread may use it; each has its own connection to the store."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.proposer = Proposer(context)
        self.journal = JournalView(context)
        self._lock = threading.Lock()
        self._watcher: Watcher | None = None
        self._listened_at: frozenset[str] = frozenset()
        self._observed: Observed | None = None
        self._is_closed = False

    @classmethod
    def open(cls, root: Path | str) -> Workspace:
        """Open a project folder. Raises NotFound or Refused with the reason (contract 1)."""
        return cls(Context(Path(root)))

    @property
    def root_path(self) -> Path:
        return self._context.root.path

    @property
    def name(self) -> str:
        return self.root_path.name

    @property
    def key(self) -> str:
        """The name of the project's folder among the stores."""
        return self._context.key

    @property
    def state_folder(self) -> Path:
        """Where the project's store and its writer lock are; never in the project."""
        return self._context.folder

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences a person should read: a store that was archived, a project folder that was replaced."""
        sentences = list(map(archived_sentence, self._context.archived_stores))
        if self._context.store.database.is_newer:
            sentences.append("This project's store was written by a newer Exacta Studio; it is only read.")
        if not self._context.is_same_root:
            sentences.append(
                f"{self.root_path} is not the folder this project's history belongs to. "
                "Nothing can be written until you say that it is the same project: studio recover"
            )
        if self._context.git_locks().unread:
            sentences.append(
                f"{' '.join(self._context.git_locks().unread)} So it is not known what git runs here: "
                "every file that is called like one of git's hooks or configurations is locked."
            )
        return tuple(map(show_name, (*sentences, *self._context.config().warnings, *self.damages)))

    @property
    def damages(self) -> tuple[str, ...]:
        """A sentence for each damaged plan that was met so far, by this thread, and left out of a list."""
        return self._context.store.plans.damages

    @property
    def config(self) -> Config:
        """The effective configuration, read anew where its files changed. Raises ConfigRefused."""
        return self._context.config()

    def configuration_signature(self) -> tuple[object, ...]:
        """What tells that a file of the configuration changed, came or went; none of them is opened."""
        return signature_of(watched_files(self.root_path, config_directory().resolve()))

    def rule_base(self) -> RuleBase:
        """What a rule is tried against: what counts now, and is locked here. Raises ConfigRefused."""
        from studio.engine.rule_trial import RuleBase

        policy = self._context.policy()
        locks = policy.locked_paths, policy.locked_names, policy.programs
        return RuleBase(self.root_path, self.config.settings, *locks, self._context.tracked_folders())

    @property
    def command_line_review(self) -> ReviewCommandLine:
        """How the command line may decide here: as the user's own setting says, where it comes from a folder
        in which a person decided before; else `allow` counts as `ask` (contract 8).

        An `off` of such a folder holds wherever the setting comes from.
        """
        config = self._context.config()
        decided = self._context.store.plans.deciding_folders()
        return believed_review(config.folder, config.review_command_line, decided)

    @property
    def agents_shell(self) -> AgentsShell:
        """What becomes of a command that an agent would run here, as the user's own setting says; what leaves
        it to the client counts as `ask` where it comes from a folder that is not known as the user's."""
        config = self._context.config()
        said = config.agents_shell
        if said not in ("client", "sandbox"):
            return said
        return said if self._is_users_own(config) else "ask"

    @property
    def sandbox_logins(self) -> tuple[str, ...]:
        """The agents whose logins a command in the sandbox is given unasked, as the user's own setting says;
        none where it comes from a folder that is not known as the user's."""
        config = self._context.config()
        return config.sandbox_logins if self._is_users_own(config) else ()

    def _is_users_own(self, config: Config) -> bool:
        return config.folder in known_folders(config.folder, self._context.store.plans.deciding_folders())

    def overlay(self, session: Session, *, format_name: str = "plan") -> SessionFiles:
        """The project as a session sees it, its own pending changes included, made anew each time (design 7).

        The rules for that agent and format hold in it. Nothing that is done in it is kept before
        `Proposer.propose_changes`. Raises Refused where the store lost what the session proposed.
        """
        return SessionFiles(self._context, session, format_name)

    def tool(self, overlay: SessionFiles, session: Session) -> FileSystemTool:
        """The file system tool over a session's files: what it changes becomes part of the session's plan.

        Close the overlay when the session ends; then what was read is noted.
        """
        # Every start of the program would take 40 ms more with the operations' descriptions.
        from studio.engine.tools import FileSystemSecurityPolicy, FileSystemTool, ToolContext, other_folders

        config = self._context.config_for(overlay.format_name, session.agent)
        proposals = _Proposals(self.proposer, overlay, session)
        policy = FileSystemSecurityPolicy.of(config)
        others = other_folders(config, policy, overlay.log)
        return FileSystemTool(ToolContext(overlay, policy, proposals, config.encoding_for, others))

    # Whole states are loaded by who asks for them: every other command would take 25 ms more.

    @cached_property
    def _snapshot_folder(self) -> SnapshotFolder:
        from studio.engine.snapshots.folder import SnapshotFolder

        return SnapshotFolder(self._context)

    @cached_property
    def snapshots(self) -> Snapshots:
        """The project's whole states, as any process may make and compare them."""
        from studio.engine.snapshots import Snapshots

        return Snapshots(self._context, self._snapshot_folder)

    @property
    def observed(self) -> Observed:
        """What others wrote into the project, as any process may look at it."""
        from studio.engine.observed.observed import Observed

        with self._lock:
            if self._observed is None:
                self._observed = Observed(self._context, self._snapshot_folder, self._context.git_data())
            return self._observed

    @cached_property
    def reader(self) -> Reader:
        """The reading side: files, and who wrote their lines."""
        from studio.engine.reader import Reader

        return Reader(self._context, self._context.git_data)

    def reviewer(self, person: Person) -> Reviewer:
        """The deciding side, for a person who has shown themselves."""
        return Reviewer(self._context, person, lambda: self._snapshot_folder)

    @property
    def needs_recovery(self) -> bool:
        """Whether an apply was interrupted, or the folder at this path is another one than before."""
        return not self._context.is_same_root or self._context.store.plans.has_unfinished()

    @property
    def is_there(self) -> bool:
        """Whether the path still names the folder that was opened."""
        return self._context.root.is_still_there()

    @property
    def is_same_folder(self) -> bool:
        """Whether the folder at this path is the one that the history belongs to."""
        return self._context.is_same_root

    def interrupted_files(self) -> tuple[InterruptedFile, ...]:
        """What an interrupted apply left behind, path by path; empty where nothing needs recovery."""
        return interrupted_files(self._context)

    @Side._rings
    def recover(self) -> tuple[Plan, ...]:
        """Finish or undo interrupted applies; needs no person: it changes nothing that was decided."""
        return recovery.recover(self._context)

    def list_folder(self, path: str) -> tuple[TreeEntry, ...]:
        """List one folder of the project without our own temporary files; nothing of what is no folder."""
        try:
            found = self._context.root.list_folder(path)
        except (FileNotFoundError, NotADirectoryError):  # deleted since it was listed above
            return ()
        return tuple(entry for entry in found if not is_temporary(entry.name))

    def count_files(self) -> int:
        """Regular entries beneath the root, not counting what lies in dot-folders."""
        return sum(
            1
            for entry in self._context.root.walk()
            if not isinstance(entry, Unseen) and not entry.is_folder and "/." not in f"/{entry.path}"
        )

    def data_version(self) -> int:
        """Changes when another process has written the store; compare values of one thread only."""
        return self._context.store.database.data_version()

    def sandbox(
        self, announce: Callable[[CopySize], None] | None = None, laid: Iterable[LaidFile] = ()
    ) -> Sandbox:
        """A layer over the project for commands; nothing of it reaches the project. See `Sandbox`, which
        `announce` and `laid` are for. Raises as that does."""
        from studio.engine.sandbox import Sandbox  # few commands run any

        return Sandbox(
            self.root_path,
            hide=self.config.sandbox_hide,
            laid=laid,
            announce=announce,
            identity=self._context.root.identity,
            state=self._context.folder,
        )

    @property
    def is_command_running(self) -> bool:
        """Whether a command works on a layer of the project: to write to the project ends it."""
        try:
            return RunLock(self.state_folder).is_running()
        except Refused:  # where no lock can be had nothing can be run either
            return False

    @cached_property
    def trials(self) -> Trials:
        """The project as plans would leave it, and what commands said of that."""
        from studio.engine.commands import Trials

        return Trials(self._context)

    def listen(self, callback: OnChange) -> None:
        """Call back, on a thread of the workspace's own, when something has changed in the project's tree.

        Told are relative paths as hints where to look, each with all beneath it, and none where anything may
        have changed, `watch_state` included: look at that then. Nothing is told of ignored folders. Whoever
        listened before is told no more.
        Takes long for a large tree, any thread may wait; what changed before it returned may be told or not.
        """
        from studio.engine.observed import Watcher  # a command listens to nothing
        from studio.engine.observed.ignored import IgnoredPaths
        from studio.engine.observed.left_out import Unwatched
        from studio.engine.patterns import PatternList

        with self._lock:
            if self._is_closed:
                return
            git = self._context.git_data()
            unwatched = Unwatched(lambda: IgnoredPaths(PatternList(self.config.observe_ignore), git))
            watcher, before = Watcher(self.root_path, callback, unwatched), self._watcher
            self._watcher = watcher
            watcher.hold(self._listened_at)
        if before is not None:
            before.stop()
        watcher.start()

    def listen_at(self, paths: frozenset[str]) -> None:
        """Be told of these files, too, where they lie in ignored folders; of those named before no more."""
        with self._lock:
            self._listened_at, watcher = paths, self._watcher
        if watcher is not None:
            watcher.hold(paths)

    @property
    def watch_state(self) -> WatchState:
        """How well the project's tree is watched for who listens."""
        watcher = self._watcher
        return WatchState() if watcher is None else watcher.state

    def look_at_everything(self) -> None:
        """Tell who listens that anything may have changed: as after an apply, or when a person comes back."""
        watcher = self._watcher
        if watcher is not None:
            watcher.look_at_everything()

    def stop_listening(self) -> None:
        """Call nobody back from now on; no call comes after this returns."""
        with self._lock:
            watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.stop()

    def close_thread(self) -> None:
        """Close the calling thread's connection."""
        self._context.close_thread()

    def close(self) -> None:
        """Close the project, and watch it no more; other threads close their own connection first."""
        with self._lock:
            self._is_closed = True
        self.stop_listening()
        if self._observed is not None:
            self._observed.close()
        self._context.close()


@dataclass(frozen=True, slots=True)
class _Proposals:
    """What a tool changes in a session's files, as part of the session's plan."""

    proposer: Proposer
    overlay: SessionFiles
    session: Session

    def renew(self) -> None:
        """See `tools.Proposals`."""
        self.overlay.renew()

    def propose(self) -> Plan | None:
        """See `tools.Proposals`."""
        return self.proposer.propose_changes(self.overlay, self.session, whole=True)
