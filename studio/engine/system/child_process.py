"""A process of our own beside this one, for work that holds the interpreter or may never end.

It is started so that neither the current folder nor the user's variables choose what is imported. A packaged
app is no Python interpreter: it starts itself, with an argument that `studio.__main__` knows.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from studio.engine.own_program import is_packaged
from studio.engine.system import syscalls

_PACKAGES = Path(__file__).parents[3]

Process = subprocess.Popen[bytes]
"""A started process with its pipes."""


@dataclass(frozen=True, slots=True)
class Service:
    """What such a process does: the function `name` of `module`, which reads standard input to its end.

    `argument` is what a packaged app is started with to become it. `needs_site`: whether it imports what is
    installed beside the standard library.
    """

    module: str
    name: str
    argument: str
    needs_site: bool = True


COMPARING = Service("studio.engine.diff.line_runs", "serve", "--compare-lines")
SEARCHING = Service("studio.engine.filesystem.grep_worker", "main", "--search-files", needs_site=False)
READING_GIT = Service("studio.engine.git_data.worker", "serve", "--read-git-data")
CONFINING = Service("studio.engine.confined.launcher", "serve", "--confine-command", needs_site=False)
TRYING = Service("studio.doors.doctor.own_trial", "serve", "--try-client")
SERVICES = (COMPARING, SEARCHING, READING_GIT, CONFINING, TRYING)


_TAKEN_TO_START = 7
"""Three pipes, one of them for the child's first words to us, and the null device."""


def check_handles() -> None:
    """Raises OSError where no process could be started for want of handles: subprocess of Python before
    3.11.4 leaves those open that it had until then."""
    syscalls.check_handles(_TAKEN_TO_START)


def start(service: Service, *, pipe_bytes: int = -1, handles: Sequence[int] = ()) -> Process:
    """Start the process, with pipes for its input and output, and these handles of ours under their numbers.

    Raises OSError.
    """
    check_handles()
    return subprocess.Popen(
        words_of(service),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # What the child complains of would fill a pipe that nobody reads, and hold it up.
        stderr=subprocess.DEVNULL,
        pipesize=pipe_bytes,
        pass_fds=handles,
        # Not the current folder: it may be a project's, and may go away.
        cwd=Path(sys.executable).anchor,
    )


def words_of(service: Service) -> list[str]:
    """The words that start it."""
    if is_packaged():
        return [sys.executable, service.argument]
    begin = f"import sys; sys.path.insert(0, sys.argv[1]); from {service.module} import {service.name}"
    options = ["-I"] if service.needs_site else ["-I", "-S"]
    return [sys.executable, *options, "-c", f"{begin}; {service.name}()", str(_PACKAGES)]


def has_ended(process: Process, seconds: float) -> bool:
    """Wait for its end, so many seconds; whether it came."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def end(process: Process, reader: threading.Thread | None = None) -> None:
    """End the process, whatever it is doing, and close its pipes once the thread is done that reads them."""
    process.kill()
    process.wait()
    if reader is not None:
        reader.join()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
