"""Running a sandboxed command in a container, which ends with its requester."""

from __future__ import annotations

import os
import select

from studio.extras.confined.opening import silence
from studio.extras.confined.reports import Step, report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from studio.extras.confined.messages import SandboxBase, Task

_PID_FILE = b"/pid"
"""File in the folder of the run that exists once the container was made."""

_ATTEMPTS, _ATTEMPT_MS = 20, 250
_FAILED = 127


def run(request_pipe: int, base: SandboxBase, task: Task) -> None:
    """Run the task's container until it ends or `request_pipe` is closed.

    Reports how the command ended, or that the container was not made.
    """
    with Step("container"):
        child = _start(task, base["handles"])
        ended = os.pidfd_open(child)
        alive, alive_writer = os.pipe()
    # Only the command may hold these: a reader of its output sees its end by that.
    for handle in base["handles"]:
        os.close(handle)
    watcher = os.fork()
    if watcher == 0:
        os.close(alive_writer)
        _watch(child, ended, alive, base["container"])
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(request_pipe, 0)  # its hang-up is reported in any case
    is_unwanted = ended not in dict(waiting.poll())
    if is_unwanted:
        _remove(child, ended, base["container"])
    os.write(alive_writer, b"x")
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):  # it was killed, and the container would go on without it
        _call(base["container"])
    elif not is_unwanted:
        try:
            os.lstat(base["run"] + _PID_FILE)
        except OSError:
            report("refused", "container", 0)
        else:
            report("exit", os.WEXITSTATUS(status))
    os.waitpid(watcher, 0)


def _start(task: Task, handles: list[int]) -> int:
    child = os.fork()
    if child != 0:
        return child
    try:
        stdin = task["given"] if task["given"] >= 0 else os.open("/dev/null", os.O_RDONLY)
        for number, handle in enumerate((stdin, task["output"], task["errors"])):
            os.dup2(handle, number)
        for handle in handles:
            os.set_inheritable(handle, False)
        os.execve(task["argv"][0], task["argv"], task["variables"])
    finally:
        os._exit(_FAILED)


def _watch(child: int, ended: int, alive: int, words: list[bytes]) -> None:
    """Remove the container once the launcher is killed.

    Its first process is no child of ours, so the kernel does not end it.
    """
    silence()
    if not os.read(alive, 1):
        _remove(child, ended, words)
    os._exit(0)


def _remove(child: int, ended: int, words: list[bytes]) -> None:
    """Remove the container until podman ends.

    At first there may be none yet.
    """
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    for _ in range(_ATTEMPTS):
        _call(words)
        if waiting.poll(_ATTEMPT_MS):
            return
    os.kill(child, 9)


def _call(words: list[bytes]) -> None:
    child = os.fork()
    if child == 0:
        try:
            silence()
            os.execve(words[0], words, os.environ)
        finally:
            os._exit(_FAILED)
    os.waitpid(child, 0)
