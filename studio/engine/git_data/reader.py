"""Client for the child process that reads the user's git data.

This process opens only git's configuration files, and carefully (`git_locks`): pygit2 blocks without limit on
a named pipe.
"""

from __future__ import annotations

import json
import os
import queue
import stat
import threading
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeVar

from studio.engine.git_data.value_types import (
    ChangedFile,
    CommitChanges,
    CommittedLines,
    GitBlame,
    Head,
    HeldObject,
    ObjectContents,
    Question,
    What,
    WorkTreeChanges,
)
from studio.engine.policy.git_locks import GitLocks, is_null_device, read_git_locks
from studio.engine.root import unreadable
from studio.engine.root.foreign_file import read_signature
from studio.limits import GIT_DATA_SECONDS, REVIEW_SECONDS
from studio.system import child_process
from studio.system.closing import Closing

RETRY_SECONDS: Final = 60.0
"""Time before a question that timed out is retried, unless git's configuration or HEAD changes."""

_Path = TypeVar("_Path", str, bytes)

# Any of these that is not a regular file is reported at once; all others are subject to the time limit.
_READ_ALWAYS: Final = ("HEAD", "index", "info/exclude", "logs/HEAD", "objects/info/alternates", "packed-refs")
_PATIENT: Final = ("work_tree_changes", "commit_changes", "contents")
"""Questions that a person waits for, which have REVIEW_SECONDS at least."""

_GROWING: Final = ("blame", "tracked_folders", *_PATIENT)
"""Questions whose time grows with the history, the project or the size of a commit."""

_TOO_SLOW: Final = "Reading it took longer than {:g} seconds."
_ENDED: Final = "The reader process ended unexpectedly."


class _Unanswered(Exception):
    """No answer is possible; the message is a sentence that explains it."""


class GitData(Closing):
    """Git's view of a project, read anew for each question.

    Threads may use it in turn. Where the project is in no repository with a work tree, nothing is ignored or
    tracked, and there is no HEAD. Where git data can't be read each answer is None, and `why` has the reason.
    """

    def __init__(self, root: Path, *, seconds: float = GIT_DATA_SECONDS) -> None:
        """Prepare without opening or starting anything.

        `seconds` is the time limit of one question.
        """
        self._root = root
        self._seconds = seconds
        self._why = ""
        self._asking = threading.Lock()
        self._worker: _Worker | None = None
        self._locks: tuple[object, GitLocks] | None = None
        self._given_up: dict[What | None, tuple[object, float]] = {}
        """Timed-out questions: those in `_GROWING` under their own key, all others under None."""

    @property
    def why(self) -> str:
        """The reason why the last question has no answer, or ""."""
        return self._why

    def close(self) -> None:
        """End the process; another question starts a new one."""
        with self._asking:
            self._end_worker()

    def ignored(self, paths: Sequence[tuple[str, bool]]) -> frozenset[str] | None:
        """Return which of these paths, given with is-folder flags, git ignores.

        These are what `git add` of everything would exclude. Tracked files are not ignored, nor folders that
        contain any; in a project that an enclosing repository ignores as a whole nothing is. A path need not
        exist.
        """
        if not paths:
            return frozenset()
        path_list, folders = [path for path, _ in paths], [is_folder for _, is_folder in paths]
        answer = self._ask("ignored", paths=path_list, folders=folders)
        return None if answer is None else frozenset(answer["said"] or ())

    def head(self) -> Head | None:
        """Return the state of HEAD; None without repository, with an empty `why`."""
        answer = self._ask("head")
        return None if answer is None or answer["said"] is None else Head(**answer["said"])

    def blobs_at(self, commit: str, paths: Sequence[_Path]) -> Mapping[_Path, HeldObject] | None:
        """Return a commit's entries at these project-relative paths.

        `commit` is in hex. A path the commit lacks is missing.
        """
        if not paths:
            return {}
        answer = self._ask("objects_at", commit=commit, paths=[os.fsdecode(path) for path in paths])
        if answer is None:
            return None
        return {paths[number]: HeldObject(mode, name) for number, mode, name in answer["said"] or ()}

    def tracked_folders(self) -> frozenset[str] | None:
        """Return the folders denied by name in which HEAD has files.

        They may be at any depth beneath the project (`policy.may_be_opened`); a submodule's folders are not
        among them.
        """
        answer = self._ask("tracked_folders")
        return None if answer is None else frozenset(answer["said"] or ())

    def blame(self, path: str) -> GitBlame | None:
        """Return the commit of each line of a file in HEAD.

        None as well, with an empty `why`, where HEAD has no such file.
        """
        answer = self._ask("blame", paths=[path])
        data = None if answer is None else answer["said"]
        if data is None:
            return None
        lines = (
            CommittedLines(first, count, commit, author, _moment(seconds), is_boundary)
            for first, count, commit, author, seconds, is_boundary in data["lines"]
        )
        return GitBlame(b64decode(data["content"]), tuple(lines))

    def work_tree_changes(self) -> WorkTreeChanges | None:
        """Return what may differ from HEAD.

        None as well without repository, with an empty `why`. Git decides by times and sizes, and what a file
        holds is not read: one may be unchanged. Files that git ignores, and those in repositories of their
        own, are not listed.
        """
        answer = self._ask("work_tree_changes")
        data = None if answer is None else answer["said"]
        if data is None:
            return None
        files = tuple(map(_changed_file, data["files"]))
        return WorkTreeChanges(Head(**data["head"]), files, data["has_modes"])

    def commit_changes(self, revisions: str) -> CommitChanges | None:
        """Return what the commits `A..B` change, as `git diff A...B`.

        One revision alone is compared with HEAD in the same way, also one that HEAD has.
        """
        answer = self._ask("commit_changes", commit=revisions)
        data = None if answer is None else answer["said"]
        if data is None:
            return None
        files = tuple(map(_changed_file, data["files"]))
        return CommitChanges(tuple(data["names"]), tuple(data["commits"]), files)

    def contents(self, objects: Sequence[tuple[str, str]]) -> list[ObjectContents | str] | None:
        """Return the contents of objects at these paths.

        A sentence where there are none: the object is missing or too large.
        """
        found: list[ObjectContents | str] = []
        while len(found) < len(objects):
            asked = objects[len(found) :]
            answer = self._ask(
                "contents", paths=[path for path, _ in asked], objects=[name for _, name in asked]
            )
            if answer is None or answer["said"] is None:
                return None
            found += [
                str(why) if why else ObjectContents(b64decode(data), b64decode(written or data), line_ends)
                for data, written, line_ends, why in answer["said"]
            ]
        return found

    def _ask(
        self,
        what: What,
        *,
        paths: Sequence[str] = (),
        folders: Sequence[bool] = (),
        commit: str = "",
        objects: Sequence[str] = (),
    ) -> dict[str, Any] | None:
        """Return the process's answer, or None with the reason in `why`.

        Its `said` is None where there is no repository.
        """
        with self._asking:
            self._why = ""
            try:
                return self._answer(
                    {
                        "what": what,
                        "root": str(self._root),
                        "paths": list(paths),
                        "folders": list(folders),
                        "commit": commit,
                        "objects": list(objects),
                        "seconds": 2 * self._limit_of(what) + 1,
                    }
                )
            except _Unanswered as error:
                self._why = f"Git data can't be read. {error}"
                return None

    def _answer(self, question: Question) -> dict[str, Any]:
        locks = self._read_locks()
        if not locks.repositories:
            return {"said": None}
        if locks.unread:
            raise _Unanswered(locks.unread[0])
        for file in _files_of(locks):
            _check_regular(file)
        self._check_not_given_up(question["what"], locks)
        answer: dict[str, Any] = json.loads(self._exchange(question, locks))
        if "why" in answer:
            raise _Unanswered(answer["why"])
        return answer

    def _read_locks(self) -> GitLocks:
        cached = self._locks
        if cached is None or cached[0] != read_signature(cached[1].files):
            locks = read_git_locks(self._root)
            self._locks = cached = (read_signature(locks.files), locks)
        return cached[1]

    def _check_not_given_up(self, what: What, locks: GitLocks) -> None:
        slow_ones: tuple[What | None, ...] = (None, what)
        for slow in slow_ones:
            if slow not in self._given_up:
                continue
            signature, until = self._given_up[slow]
            if monotonic() < until and signature == _signature(locks):
                raise _Unanswered(_TOO_SLOW.format(self._limit_of(what)))
            del self._given_up[slow]

    def _limit_of(self, what: What) -> float:
        return max(self._seconds, REVIEW_SECONDS) if what in _PATIENT else self._seconds

    def _exchange(self, question: Question, locks: GitLocks) -> bytes:
        worker = self._running_worker()
        answer = worker.ask(json.dumps(question).encode() + b"\n", self._limit_of(question["what"]))
        if answer:
            return answer
        self._end_worker()
        if answer is None:
            slow = question["what"] if question["what"] in _GROWING else None
            self._given_up[slow] = (_signature(locks), monotonic() + RETRY_SECONDS)
        limit = self._limit_of(question["what"])
        raise _Unanswered(_ENDED if answer is not None else _TOO_SLOW.format(limit))

    def _running_worker(self) -> _Worker:
        if self._worker is not None and self._worker.is_alive():
            return self._worker
        self._end_worker()
        try:
            self._worker = _Worker()
        except OSError as error:
            raise _Unanswered(f"The process that reads it can't be started: {error.strerror}.") from error
        # Not within the time limit of a question: a slow machine may still have fast git data.
        if not self._worker.ask(b"", GIT_DATA_SECONDS):
            self._end_worker()
            raise _Unanswered("The reader process does not start.")
        return self._worker

    def _end_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()


class _Worker:
    """Child process, with one thread at a time to exchange a line.

    A pipe can't be read with a timeout.
    """

    def __init__(self) -> None:
        self._process = child_process.start(child_process.READING_GIT)
        self._thread: threading.Thread | None = None

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, question: bytes, seconds: float) -> bytes | None:
        """Return the next output line, empty at end, None after timeout."""
        answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._thread = threading.Thread(
            target=self._exchange, args=(question, answers), name="git data", daemon=True
        )
        self._thread.start()
        try:
            return answers.get(timeout=seconds)
        except queue.Empty:
            return None

    def _exchange(self, question: bytes, answers: queue.SimpleQueue[bytes]) -> None:
        requests, replies = self._process.stdin, self._process.stdout
        assert requests is not None
        assert replies is not None
        line = b""
        with suppress(OSError):  # if it ended, that is an answer, too
            requests.write(question)
            requests.flush()
            line = replies.readline()
        answers.put(line)

    def end(self) -> None:
        child_process.end(self._process, self._thread)


def _changed_file(fields: tuple[str, int, str, int, str, str]) -> ChangedFile:
    path, old_mode, old, new_mode, new, converter = fields
    return ChangedFile(
        path,
        HeldObject(old_mode, old) if old_mode else None,
        HeldObject(new_mode, new) if new_mode else None,
        converter,
    )


def _moment(seconds: int) -> datetime | None:
    """Return a commit's time; None where no datetime can represent it.

    A commit's author can write any number.
    """
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _files_of(locks: GitLocks) -> Iterator[Path]:
    """Yield what is read for any question, besides the configuration."""
    for folder in locks.repositories:
        for name in _READ_ALWAYS:
            yield folder / name
    yield from locks.excludes
    with suppress(RuntimeError):  # there is no home folder
        home = Path.home()
        yield home / ".gitconfig"
        for name in ("config", "ignore"):
            yield Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git" / name


def _check_regular(file: Path) -> None:
    with suppress(OSError):  # missing or unreadable: then for libgit2, too
        if not stat.S_ISREG((status := file.stat()).st_mode) and not is_null_device(file):
            raise _Unanswered(unreadable(status, 0, str(file)).message)


def _signature(locks: GitLocks) -> object:
    """Return a value that changes when git's configuration or HEAD does."""
    return read_signature((*locks.files, *(folder / "HEAD" for folder in locks.repositories)))
