"""What waits in a project for its person, as its store says, without opening the project.

Nothing is made, brought up to date or taken away: a project that is only listed stays as it is.
"""

from __future__ import annotations

import stat
from contextlib import closing
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from studio.engine.app_folders import project_key, state_directory
from studio.engine.call import CallState
from studio.engine.disk.locks import is_locked
from studio.engine.errors import StudioError
from studio.engine.plan import PlanState
from studio.engine.root.project import identity_of, lasting_identity
from studio.engine.session import SessionState
from studio.engine.store import Store
from studio.engine.store.database import FILE_NAME, STORE_DAMAGED
from studio.engine.store.presence import Presence
from studio.engine.store.schema import SCHEMA_VERSION

_TRIES = 3
_DECIDED = (PlanState.APPROVED, PlanState.PAUSED)


class Unknown(Enum):
    """Why it is not known what waits in a project."""

    GONE = "no folder is there"
    REPLACED = "another folder is there than the one the store was made for"
    NO_STORE = "nothing was ever kept of it, or that was forgotten"
    OLDER = "an older version wrote its store: open the project to read it"
    NEWER = "a newer version wrote its store"
    DAMAGED = "its store is damaged"
    UNREADABLE = "the folder or its store can't be read now"
    SILENT = "the disk does not answer"
    """Said by who waited for an answer: nothing here can."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits in one project; every number is 0 where it is `unknown`.

    `undecided` plans wait for decisions, `approved` ones for Apply, `calls` are those whose agent waits.
    `key` is the name of its store, "" where it has none that can be told.
    """

    key: str = ""
    undecided: int = 0
    calls: int = 0
    approved: int = 0
    is_interrupted: bool = False
    unknown: Unknown | None = None


def read_backlog(root: Path) -> Backlog:
    """What waits in the project at a folder. Raises nothing; may take as long as the disk does."""
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
        before = _stamp(folder)
        backlog = _read(key, folder, identities)
        after = _stamp(folder)
        if before == after or (before.has_log and after.has_log):
            return backlog
    return Backlog(key, unknown=Unknown.UNREADABLE)  # the next look may find it at rest


class OpenPlans(NamedTuple):
    """A folder whose store has plans that are neither ended nor applied, and how many."""

    path: Path
    plans: int


def open_plans_around(folder: Path, root: Path) -> tuple[OpenPlans, ...]:
    """Return the folders at and above `folder`, without `root`, whose own stores have open plans.

    An earlier version, or this one before a `.git` came or went, may have chosen one of them as the project.
    Raises nothing.
    """
    stores = state_directory()  # once: every command asks for each folder above it
    try:
        around = [
            above
            for above in (folder, *folder.parents)
            if above != root and (stores / project_key(above)).exists()
        ]
    except (OSError, ValueError):
        return ()
    found = (OpenPlans(above, _count_open(above)) for above in around)
    return tuple(other for other in found if other.plans)


def _count_open(root: Path) -> int:
    """How many plans are undecided or approved; 0 where that can't be read."""
    backlog = read_backlog(root)
    if backlog.unknown is not Unknown.OLDER:
        return backlog.undecided + backlog.approved
    # Nobody may open that store any more, which would bring it up to date. The state is in every version.
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
    """Where there is no log nothing keeps the store from being written under us; this tells afterwards."""

    has_log: bool
    file: tuple[int, ...]


def _stamp(folder: Path) -> _Stamp:
    file = folder / FILE_NAME
    try:
        found = file.stat()
    except OSError:
        return _Stamp(False, ())
    has_log = file.with_name(f"{FILE_NAME}-wal").exists()
    return _Stamp(has_log, (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns))


def _read(key: str, folder: Path, identities: tuple[str, str]) -> Backlog:
    try:
        with closing(Store(folder, read_only=True)) as store:
            return _count(store, key, folder, identities)
    except StudioError as error:
        is_damaged = error.code == STORE_DAMAGED
        return Backlog(key, unknown=Unknown.DAMAGED if is_damaged else Unknown.UNREADABLE)


def _count(store: Store, key: str, folder: Path, identities: tuple[str, str]) -> Backlog:
    version = store.database.version
    if version != SCHEMA_VERSION:
        return Backlog(key, unknown=Unknown.NEWER if version > SCHEMA_VERSION else Unknown.OLDER)
    if store.is_root(*identities) is False:
        return Backlog(key, unknown=Unknown.REPLACED)
    states = Presence(folder).states(sweeps=False)
    waiting = frozenset(held for held, state in states.items() if state is SessionState.WAITING)
    calls = sum(call.state is CallState.WAITING for call in store.calls.all(waiting))
    plans = store.plans.count((PlanState.PENDING, *_DECIDED))
    # Whoever applies just now has the writer lock, and one who has just finished left nothing.
    is_interrupted = (
        store.plans.has_unfinished() and not is_locked(store.lock_file) and store.plans.has_unfinished()
    )
    approved = sum(plans.get(state, 0) for state in _DECIDED)
    return Backlog(key, plans.get(PlanState.PENDING, 0), calls, approved, is_interrupted)
