"""Starting and killing of helper processes for diffs, search, git and sandbox.

They are started so that neither the current folder nor the user's variables affect imports. A packaged app
has no Python interpreter: it starts itself with an argument that `studio.__main__` recognizes.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from studio.system import syscalls
from studio.values import Value

_PACKAGES = Path(__file__).parents[2]

Process = subprocess.Popen[bytes]
"""A started process with its pipes."""


class Service(Value):
    """Entry point of a child process: the function `name` of `module`.

    It reads standard input to its end. A packaged app is started with `argument`. `needs_site`: whether it
    imports installed packages.
    """

    module: str
    name: str
    argument: str
    needs_site: bool = True


COMPARING = Service("studio.engine.diff.line_runs", "serve", "--compare-lines")
SEARCHING = Service("studio.engine.filesystem.grep_worker", "main", "--search-files", needs_site=False)
READING_GIT = Service("studio.engine.git_data.worker", "serve", "--read-git-data")
CONFINING = Service("studio.extras.confined.launcher", "serve", "--confine-command", needs_site=False)
TRYING = Service("studio.doors.doctor.user_settings_trial", "serve", "--try-client")
SERVICES = (COMPARING, SEARCHING, READING_GIT, CONFINING, TRYING)


_TAKEN_TO_START = 7
"""Descriptors needed: three pipes and /dev/null.

One pipe reports the child's startup errors.
"""


def check_handles() -> None:
    """Raise OSError where too few descriptors are left for a process.

    subprocess of Python before 3.11.4 leaks those that it had opened by then.
    """
    syscalls.check_handles(_TAKEN_TO_START)


def start(service: Service, *, pipe_bytes: int = -1, handles: Sequence[int] = ()) -> Process:
    """Start a process with pipes for input and output.

    It inherits `handles` under their numbers. Raises OSError.
    """
    check_handles()
    return subprocess.Popen(
        words_of(service),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Nothing reads its stderr: a full pipe would block it.
        stderr=subprocess.DEVNULL,
        pipesize=pipe_bytes,
        pass_fds=handles,
        # Not the current folder, which may be a project's and may disappear.
        cwd=Path(sys.executable).anchor,
    )


def words_of(service: Service) -> list[str]:
    """Return the command line of a service."""
    if getattr(sys, "frozen", False):  # a package is no interpreter
        return [sys.executable, service.argument]
    begin = f"import sys; sys.path.insert(0, sys.argv[1]); from {service.module} import {service.name}"
    options = ["-I"] if service.needs_site else ["-I", "-S"]
    return [sys.executable, *options, "-c", f"{begin}; {service.name}()", str(_PACKAGES)]


def has_ended(process: Process, seconds: float) -> bool:
    """Wait up to `seconds` for a process; return whether it ended."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def end(process: Process, reader: threading.Thread | None = None) -> None:
    """Kill the process and close its pipes.

    Its reader thread, if any, is joined first.
    """
    process.kill()
    process.wait()
    if reader is not None:
        reader.join()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
