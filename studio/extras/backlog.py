"""Numbers of open plans and waiting tool calls, without opening the project.

Nothing is created, updated or removed: a project that is only listed stays as it is.
"""

from __future__ import annotations

import stat
from contextlib import closing
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from studio.engine.plan import PlanState
from studio.engine.root.project_root import identity_of, lasting_identity
from studio.engine.session import CallState, SessionState
from studio.engine.store import Store
from studio.engine.store.database import FILE_NAME, STORE_DAMAGED
from studio.engine.store.presence import Presence
from studio.engine.store.schema import SCHEMA_VERSION
from studio.errors import StudioError
from studio.program.app_folders import project_key, state_directory
from studio.program.locks import is_locked
from studio.values import Value

_TRIES = 3
_DECIDED = (PlanState.APPROVED, PlanState.PAUSED)


class Unknown(Enum):
    """Why a project's pending work is unknown."""

    GONE = "no folder is there"
    REPLACED = "another folder is there than the one the store was made for"
    NO_STORE = "nothing was ever kept of it, or that was forgotten"
    OLDER = "an older version wrote its store: open the project to read it"
    NEWER = "a newer version wrote its store"
    DAMAGED = "its store is damaged"
    UNREADABLE = "the folder or its store can't be read now"
    SILENT = "the disk does not answer"
    """Set by a caller that waits for an answer: this module can't detect it."""


class Backlog(Value):
    """Pending work of one project; the numbers are 0 if `unknown`.

    `undecided` plans wait for decisions, `approved` ones for Apply; `calls` are tool calls whose agent waits.
    `key` is the name of the store, "" where unknown.
    """

    key: str = ""
    undecided: int = 0
    calls: int = 0
    approved: int = 0
    is_interrupted: bool = False
    unknown: Unknown | None = None


def read_backlog(root: Path) -> Backlog:
    """Return the pending work of the project at a folder.

    Raises nothing; may block as long as the disk does.
    """
    try:
        status = root.stat()
        if not stat.S_ISDIR(status.st_mode):
            return Backlog(unknown=Unknown.GONE)
        key = project_key(root)
        folder = state_directory() / key
        if not (folder / FILE_NAME).is_file():
            return Backlog(key, unknown=Unknown.NO_STORE)
        identities = identity_of(status), lasting_identity(root, status)
    except (FileNotFoundError, NotADirectoryError):
        return Backlog(unknown=Unknown.GONE)
    except (OSError, ValueError):
        return Backlog(unknown=Unknown.UNREADABLE)
    for _ in range(_TRIES):
        before = _read_stamp(folder)
        backlog = _read_backlog(key, folder, identities)
        after = _read_stamp(folder)
        if before == after or (before.has_log and after.has_log):
            return backlog
    return Backlog(key, unknown=Unknown.UNREADABLE)  # the next call may find it unchanged


class OpenPlans(NamedTuple):
    """A folder whose store has undecided or approved plans, and their number."""

    path: Path
    plans: int


def find_open_plans_near(folder: Path, root: Path) -> tuple[OpenPlans, ...]:
    """Return folders with open plans at and above `folder`, except `root`.

    An earlier version, or this one before a `.git` was added or removed, may have chosen one of them as the
    project. Raises nothing.
    """
    stores = state_directory()  # once: every command asks for each folder above it
    try:
        folders = [
            above
            for above in (folder, *folder.parents)
            if above != root and (stores / project_key(above)).exists()
        ]
    except (OSError, ValueError):
        return ()
    found = (OpenPlans(above, _count_open(above)) for above in folders)
    return tuple(other for other in found if other.plans)


def _count_open(root: Path) -> int:
    """Return the number of undecided or approved plans, 0 if unreadable."""
    backlog = read_backlog(root)
    if backlog.unknown is not Unknown.OLDER:
        return backlog.undecided + backlog.approved
    # Opening the project would upgrade its store, but it may
    # never be opened again. Every version has the state.
    query = "SELECT COUNT(*) FROM plans WHERE state IN ('pending', 'approved', 'paused')"
    try:
        with (
            closing(Store(state_directory() / backlog.key, read_only=True)) as store,
            store.database.read() as connection,
        ):
            return connection.execute(query).fetchone()[0]
    except StudioError:
        return 0


class _Stamp(NamedTuple):
    """State of a store file, to detect a write during a read.

    Without a log nothing prevents one.
    """

    has_log: bool
    file: tuple[int, ...]


def _read_stamp(folder: Path) -> _Stamp:
    file = folder / FILE_NAME
    try:
        found = file.stat()
    except OSError:
        return _Stamp(False, ())
    has_log = file.with_name(f"{FILE_NAME}-wal").exists()
    return _Stamp(has_log, (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns))


def _read_backlog(key: str, folder: Path, identities: tuple[str, str]) -> Backlog:
    try:
        with closing(Store(folder, read_only=True)) as store:
            return _count_backlog(store, key, folder, identities)
    except StudioError as error:
        is_damaged = error.code == STORE_DAMAGED
        return Backlog(key, unknown=Unknown.DAMAGED if is_damaged else Unknown.UNREADABLE)


def _count_backlog(store: Store, key: str, folder: Path, identities: tuple[str, str]) -> Backlog:
    version = store.database.version
    if version != SCHEMA_VERSION:
        return Backlog(key, unknown=Unknown.NEWER if version > SCHEMA_VERSION else Unknown.OLDER)
    if store.is_root(*identities) is False:
        return Backlog(key, unknown=Unknown.REPLACED)
    states = Presence(folder).states(sweeps=False)
    waiting = frozenset(session for session, state in states.items() if state is SessionState.WAITING)
    calls = sum(call.state is CallState.WAITING for call in store.calls.all(waiting))
    plans = store.plans.count((PlanState.PENDING, *_DECIDED))
    # A running apply holds the writer lock, and one that has just finished left nothing.
    is_interrupted = (
        store.plans.has_unfinished() and not is_locked(store.lock_file) and store.plans.has_unfinished()
    )
    approved = sum(plans.get(state, 0) for state in _DECIDED)
    return Backlog(key, plans.get(PlanState.PENDING, 0), calls, approved, is_interrupted)
