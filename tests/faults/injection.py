"""Kills and errors at single system calls of a forked child, by strace attached to it while it is stopped."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path

Action = Callable[[], int]
"""What the child does; it calls `stop_here` where its system calls begin to count, and returns its exit
code."""

CRASHED = 99
"""Exit code of a child that died of an exception nobody expected; it is on stderr."""


@dataclass(frozen=True, slots=True)
class Injection:
    """What happens at the `number`th call (from 1) of that name; `onwards`: and at every later one.

    Every thread counts by itself: it happens to the first one that comes so far, and an error to all that do.
    `error` names an errno; without one the child is killed as it enters the call.
    """

    call: str
    number: int
    error: str = ""
    onwards: bool = False

    @property
    def expression(self) -> str:
        what = f"error={self.error}" if self.error else "signal=KILL"
        return f"inject={self.call}:{what}:when={self.number}{'+' if self.onwards else ''}"

    def __str__(self) -> str:
        return f"{self.error or 'KILL'} at {self.call} #{self.number}{'+' if self.onwards else ''}"


def stop_here() -> None:
    """Wait, in the child, until somebody watches."""
    os.kill(os.getpid(), signal.SIGSTOP)


def start_stopped(action: Action) -> int:
    """Fork a child and wait until it has stopped; its process id."""
    child = os.fork()
    if child == 0:
        code = CRASHED
        try:
            code = action()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        raise RuntimeError(f"the child ended before it stopped: {os.waitstatus_to_exitcode(status)}")
    return child


def run(action: Action, *options: str) -> int:
    """Run a forked child under strace; its exit code, negative for the signal that killed it."""
    child = start_stopped(action)
    command = ["strace", "-o", os.devnull, *options, "-p", str(child)]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert tracer.stderr is not None
    first = tracer.stderr.readline()
    if "attached" not in first:
        os.kill(child, signal.SIGKILL)
    os.kill(child, signal.SIGCONT)
    _, status = os.waitpid(child, 0)
    rest = tracer.communicate()[1]
    if "attached" not in first:
        raise RuntimeError(f"strace could not attach: {first}{rest}")
    return os.waitstatus_to_exitcode(status)


def run_plain(action: Action) -> int:
    """Run a forked child; its exit code."""
    child = start_stopped(action)
    os.kill(child, signal.SIGCONT)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def inject(action: Action, injection: Injection) -> int:
    return run(action, "-f", "-e", f"trace={injection.call}", "-e", injection.expression)


def count_calls(action: Action, trace: Path) -> Counter[str]:
    """How often each system call is made by an undisturbed run, which must end with exit code 0."""
    return sum(_calls_by_thread(action, trace), Counter())


def count_calls_of_one_thread(action: Action, trace: Path) -> Counter[str]:
    """As `count_calls`, of each call by the thread that makes it most often: so far an injection counts."""
    return reduce(or_, _calls_by_thread(action, trace))


def _calls_by_thread(action: Action, trace: Path) -> list[Counter[str]]:
    code = run(action, "-f", "-o", str(trace))
    assert code == 0, f"the undisturbed run ended with {code}"
    counts: dict[str, Counter[str]] = {}
    for line in trace.read_text(errors="replace").splitlines():
        found = re.match(r"(\d+) +(\w+)\(", line)
        # The stop before and the end after the action are no points in it.
        if found is not None and found[2] not in ("exit_group", "kill", "getpid"):
            counts.setdefault(found[1], Counter())[found[2]] += 1
    return list(counts.values())
