"""Child process for searches, so that an endless match can be killed.

It is started by `grep_workers`, reads jobs from standard input and answers each on standard output. A job is
one line of JSON, followed by the contents that belong to it; an answer is one line. Files are opened beneath
the root's own handle, never through a link.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import stat
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypedDict

from studio.engine.filesystem.grep_pattern import read_expression
from studio.engine.filesystem.grep_text import (
    Line,
    NotText,
    blocks_of_bytes,
    blocks_of_file,
    matching_lines,
)
from studio.engine.root.opening import FILE_FLAGS, WAY_FLAGS, open_beneath
from studio.errors import Refused
from studio.system import syscalls

_FOLDERS_OPEN_UP_TO = 32
_PULSE_SECONDS = 0.1
_ROOT_FLAGS = os.O_RDONLY | syscalls.O_DIRECTORY | syscalls.O_CLOEXEC


class Job(TypedDict):
    """Files to search.

    With `root`, `paths` are beneath it; else `sizes` are the byte counts of the contents after the line.
    `identity` is the root's device and inode; `limit` is for all files together; after `seconds` the process
    ends itself, in case its parent no longer can.
    """

    expression: str
    root: str
    identity: str
    paths: list[str]
    sizes: list[int]
    limit: int
    seconds: int


class Answer(TypedDict):
    """Matching lines by the file's number in the job.

    `errors` are errno values by file; `unnamed` are files with matches whose names are not UTF-8. With
    `root_errno` the root no longer exists, and nothing was searched.
    """

    found: list[tuple[int, list[Line]]]
    errors: list[tuple[int, int]]
    unnamed: list[int]
    root_errno: int


def main() -> None:
    """Answer jobs until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process decides when a search ends
    stream, answers = sys.stdin.buffer, sys.stdout.buffer
    while line := stream.readline():
        job: Job = json.loads(line)
        contents = [stream.read(size) for size in job["sizes"]]
        beat = _Pulse(job["seconds"]).beat
        answer = search_contents(job, contents, beat) if not job["root"] else _search_root(job, beat)
        _schedule_exit(0)
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


class _Pulse:
    """Sender of keep-alive lines, with an alarm that ends a stuck process."""

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds
        self._last = time.monotonic()
        _schedule_exit(seconds)

    def beat(self) -> None:
        now = time.monotonic()
        if now - self._last >= _PULSE_SECONDS:
            self._last = now
            _schedule_exit(self._seconds)
            sys.stdout.buffer.write(b"\n")
            sys.stdout.buffer.flush()


def _schedule_exit(seconds: int) -> None:
    """Schedule SIGALRM to end this process; 0 cancels it."""
    alarm = getattr(signal, "alarm", None)
    if alarm is not None:
        alarm(seconds)


def no_pulse() -> None:
    """Do nothing: for a search in the calling process."""


def _report_progress(blocks: Iterator[bytes], beat: Callable[[], None]) -> Iterator[bytes]:
    for block in blocks:
        beat()
        yield block


def search_contents(job: Job, contents: Sequence[bytes], beat: Callable[[], None] = no_pulse) -> Answer:
    """Search the contents of a job, calling `beat` regularly."""
    expression = read_expression(job["expression"])
    answer = _empty_answer()
    left = job["limit"]
    for number, content in enumerate(contents):
        with suppress(NotText):
            blocks = _report_progress(blocks_of_bytes(content), beat)
            left -= _add_matches(answer, job, number, matching_lines(expression, blocks, left))
        if not left:
            break
    return answer


def search_files(root: int, job: Job, beat: Callable[[], None] = no_pulse) -> Answer:
    """Search files beneath the root's handle, calling `beat` regularly.

    A file that was deleted, or is no regular file, has no matches.
    """
    expression = read_expression(job["expression"])
    answer = _empty_answer()
    left = job["limit"]
    with FolderHandles(root) as folders:
        for number, path in enumerate(job["paths"]):
            try:
                with folders.file(path) as (handle, size):
                    lines = matching_lines(
                        expression, _report_progress(blocks_of_file(handle, size), beat), left
                    )
            except (FileNotFoundError, NotADirectoryError, Refused, NotText):
                continue
            except OSError as error:
                if error.errno != errno.ENXIO:  # it is a socket now
                    answer["errors"].append((number, error.errno or 0))
                continue
            left -= _add_matches(answer, job, number, lines)
            if not left:
                break
    return answer


def _search_root(job: Job, beat: Callable[[], None]) -> Answer:
    try:
        root = _open_root(job["root"], job["identity"])
    except OSError as error:
        return Answer(found=[], errors=[], unnamed=[], root_errno=error.errno or errno.EIO)
    try:
        return search_files(root, job, beat)
    finally:
        os.close(root)


def _open_root(path: str, identity: str) -> int:
    handle = os.open(Path(path), _ROOT_FLAGS)
    status = os.fstat(handle)
    # The job has only its path, where another folder may be now.
    if f"{status.st_dev}:{status.st_ino}" != identity:
        os.close(handle)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return handle


def _empty_answer() -> Answer:
    return Answer(found=[], errors=[], unnamed=[], root_errno=0)


def _add_matches(answer: Answer, job: Job, number: int, lines: list[Line]) -> int:
    """Add a file's matches to the answer; return how many."""
    if not lines:
        return 0
    try:
        job["paths"][number].encode()
    except UnicodeEncodeError:
        answer["unnamed"].append(number)
        return 0
    answer["found"].append((number, lines))
    return len(lines)


class FolderHandles:
    """Cache of open folder handles, so that neighbours need one lookup each."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._open: dict[str, int] = {}

    def __enter__(self) -> FolderHandles:
        return self

    def __exit__(self, *_: object) -> None:
        for handle in self._open.values():
            with suppress(OSError):
                os.close(handle)

    @contextmanager
    def file(self, path: str) -> Generator[tuple[int, int]]:
        """Open a regular file; yield its handle and size in bytes.

        Raises NotText for anything else, or OSError.
        """
        folder, _, name = path.rpartition("/")
        handle = open_beneath(self._folder(folder) if folder else self._root, name, FILE_FLAGS)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise NotText
            yield handle, status.st_size
        finally:
            os.close(handle)

    def _folder(self, path: str) -> int:
        handle = self._open.get(path)
        if handle is None:
            if len(self._open) == _FOLDERS_OPEN_UP_TO:
                os.close(self._open.pop(next(iter(self._open))))
            handle = self._open[path] = open_beneath(self._root, path, WAY_FLAGS)
        return handle
