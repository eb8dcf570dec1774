"""Parent-side control of the sandbox launcher: start, time limits, output, end."""

from __future__ import annotations

import marshal
import math
import os
import select
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio.extras.confined.messages import LauncherEvent, SandboxBase, Task
from studio.extras.sandbox.control_group import ControlGroup, memory_group
from studio.extras.sandbox.refusals import container_refusal, has_room, no_answer, refusal, unstarted
from studio.extras.sandbox.values import EndedBy
from studio.limits import (
    SANDBOX_DISK_SPARE_BYTES,
    SANDBOX_END_SECONDS,
    SANDBOX_LOOK_SECONDS,
    SANDBOX_START_SECONDS,
)
from studio.system import child_process
from studio.system.closing import Closing
from studio.values import Value

_PART_BYTES: Final = 64 * 1024
_LINE_BYTES: Final = 4096

OutputCallback = Callable[[bytes], None]
"""Callback that receives the command's output as it arrives."""


class Handles(Value):
    """File descriptors for a command's standard input and output.

    By default it reads nothing and its output is kept; its standard error is kept in any case.
    """

    stdin: int | None = None
    output: int | None = None


class Ends(Value):
    """Conditions that end a command early, besides a full disk.

    Its time limit in seconds, `cancel`, and `is_wanted`: whether another process waits to write to the
    project.
    """

    seconds: float
    cancel: threading.Event | None
    is_wanted: Callable[[], bool]


class Ended(Value):
    """How a command ended, and what could not be enforced.

    `lacking` has the launcher's keywords.
    """

    ended_by: EndedBy
    exit: int | None
    signal: int | None
    lacking: tuple[str, ...]
    seconds: float


class Launch(Closing):
    """A launcher process that has prepared the sandbox for one command.

    `files` is a handle of its overlay, -1 where none was requested; what is opened by it stays usable when
    the launcher has ended. However it is closed, all processes in the sandbox end.
    """

    def __init__(self, ground: SandboxBase, handles: Handles) -> None:
        """Start the launcher and wait until the sandbox is ready.

        Raises WayRefused where this layer can't be created, SandboxRefused, or OSError.
        """
        self.handles = handles
        self.files = -1
        self._run = Path(os.fsdecode(ground["run"]))
        self._incomplete = b""
        # Inherited descriptors must exist before the process is started.
        self._output, self._written = os.pipe()
        handed_over = (self._written, handles.stdin, handles.output)
        passed = list({handle for handle in handed_over if handle is not None})
        try:
            self._process = child_process.start(child_process.CONFINING, handles=passed)
        except OSError:
            os.close(self._output)
            raise
        finally:
            os.close(self._written)
        self._is_open = True
        self._group: ControlGroup | None = None
        try:
            if not ground["container"]:  # it has groups of its own
                self._join_group()
            self._send_task({**ground, "handles": passed})
            # Nothing is prepared for a container.
            place = () if ground["container"] else self._wait_until_ready()
            if place:
                self.files = os.open(
                    "/proc/{}/fd/{}".format(*place), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
                )
        except BaseException:
            self.close()
            raise

    def run(
        self, task: Task, collected: BoundedOutput, on_output: OutputCallback | None, ends: Ends
    ) -> Ended:
        """Run the command until it ends or has to be ended.

        Raises SandboxRefused where it did not start.
        """
        input_handle, output = self.handles.stdin, self.handles.output
        task["given"] = -1 if input_handle is None else input_handle
        task["output"] = self._written if output is None else output
        task["errors"] = self._written
        start = time.monotonic()
        self._send_task(task)
        messages, ended_by = self._collect_output(collected, on_output, ends)
        seconds = time.monotonic() - start
        self.close()
        exits, signals = messages.get(LauncherEvent.EXIT), messages.get(LauncherEvent.SIGNAL)
        if exits or signals:
            ended_by = EndedBy.ITSELF
        elif LauncherEvent.REFUSED in messages:
            step, number, *words = messages[LauncherEvent.REFUSED]
            if step == "container":
                raise container_refusal(collected.value)
            raise refusal(step, int(number), "".join(words))
        elif LauncherEvent.UNSTARTED in messages:
            raise unstarted(os.fsdecode(task["argv"][0]), int(messages[LauncherEvent.UNSTARTED][0]))
        elif ended_by is None:
            ended_by = EndedBy.KILLED
        return Ended(
            ended_by,
            int(exits[0]) if exits else None,
            int(signals[0]) if signals else None,
            tuple(messages.get(LauncherEvent.LACKS, ())),
            seconds,
        )

    @property
    def limits_memory(self) -> bool:
        """Whether the memory of all processes together is limited."""
        return self._group is not None

    def close(self) -> None:
        """End what still runs, and wait for it."""
        if not self._is_open:
            return
        self._is_open = False
        if self.files >= 0:
            os.close(self.files)
        self._close_input()
        if not child_process.has_ended(self._process, SANDBOX_END_SECONDS):
            child_process.end(self._process)
        if self._group is not None:
            self._group.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        os.close(self._output)

    def _join_group(self) -> None:
        """Put the launcher into a cgroup before it gets its task.

        So whatever it starts is in the group, too.
        """
        self._group = memory_group()
        if self._group is None:
            return
        try:
            self._group.add_process(self._process.pid)
        except OSError:  # the command runs without it, and its outcome says so
            self._group.close()
            self._group = None

    def _collect_output(
        self, collected: BoundedOutput, on_output: OutputCallback | None, ends: Ends
    ) -> tuple[dict[LauncherEvent, list[str]], EndedBy | None]:
        """Collect output and messages until all writers have closed their ends.

        Returns the messages, and what ended the command if we did.
        """
        messages: dict[LauncherEvent, list[str]] = {}
        ended_by: EndedBy | None = None
        deadline = next_check = time.monotonic()
        deadline += ends.seconds
        waiting = select.poll()
        answers = self._answers
        open_handles = {self._output, answers}
        for handle in open_handles:
            waiting.register(handle, select.POLLIN)
        over_at = math.inf
        while open_handles and time.monotonic() < over_at:
            for handle, _ in waiting.poll(SANDBOX_LOOK_SECONDS * 1000):
                data = os.read(handle, _PART_BYTES)
                if not data:
                    waiting.unregister(handle)
                    open_handles.remove(handle)
                    # Another child of ours, started meanwhile, may hold the output pipe open forever.
                    if handle == answers:
                        over_at = time.monotonic() + SANDBOX_END_SECONDS
                elif handle == answers:
                    _add_messages(messages, self._split_messages(data))
                else:
                    collected.add(data)
                    if on_output is not None:
                        on_output(data)
            now = time.monotonic()
            if ended_by is None and now >= next_check:
                next_check = now + SANDBOX_LOOK_SECONDS
                ended_by = self._find_end_reason(ends, is_late=now >= deadline)
                if ended_by is not None:
                    self._close_input()
        return messages, ended_by

    def _find_end_reason(self, ends: Ends, *, is_late: bool) -> EndedBy | None:
        """Return why the command has to end now, if it has to."""
        if ends.cancel is not None and ends.cancel.is_set():
            return EndedBy.CANCEL
        if is_late:
            return EndedBy.TIME
        if ends.is_wanted():
            return EndedBy.APPLY
        return None if has_room(self._run, SANDBOX_DISK_SPARE_BYTES) else EndedBy.DISK

    def _wait_until_ready(self) -> list[str]:
        """Return the process and the number of the overlay's handle, if requested."""
        deadline = time.monotonic() + SANDBOX_START_SECONDS
        waiting = select.poll()
        waiting.register(self._answers, select.POLLIN)
        messages: dict[LauncherEvent, list[str]] = {}
        while LauncherEvent.READY not in messages:
            left = deadline - time.monotonic()
            if left <= 0 or not waiting.poll(left * 1000):
                raise no_answer()
            data = os.read(self._answers, _LINE_BYTES)
            if not data:
                raise no_answer()
            _add_messages(messages, self._split_messages(data))
            if LauncherEvent.REFUSED in messages:
                step, number = messages[LauncherEvent.REFUSED]
                raise refusal(step, int(number))
        return messages[LauncherEvent.READY]

    def _send_task(self, task: SandboxBase | Task) -> None:
        payload = marshal.dumps(dict(task))
        stream = self._process.stdin
        assert stream is not None
        try:
            stream.write(len(payload).to_bytes(8, "little") + payload)
            stream.flush()
        except BrokenPipeError:
            raise no_answer() from None

    def _close_input(self) -> None:
        """Close the launcher's input: it then ends the sandbox and itself."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    @property
    def _answers(self) -> int:
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def _split_messages(self, data: bytes) -> Iterator[list[str]]:
        *lines, self._incomplete = (self._incomplete + data).split(b"\n")
        return (line.decode().split("\t") for line in lines)


def _add_messages(messages: dict[LauncherEvent, list[str]], lines: Iterator[list[str]]) -> None:
    for word, *more in lines:
        messages.setdefault(LauncherEvent(word), []).extend(more)


# Bounded buffer for a command's output.


class BoundedOutput:
    """Buffer that keeps the first and last bytes of a stream.

    Together they are at most `most` bytes.
    """

    def __init__(self, most: int) -> None:
        self._first_bytes = most - most // 2
        self._last_bytes = most // 2
        self._first = bytearray()
        self._last = bytearray()
        self._dropped = 0

    @property
    def cut_at(self) -> int:
        """Offset in `value` after which bytes are missing, if any are."""
        return len(self._first)

    @property
    def left_out_bytes(self) -> int:
        return self._dropped

    @property
    def value(self) -> bytes:
        return bytes(self._first + self._last)

    def add(self, data: bytes) -> None:
        room = self._first_bytes - len(self._first)
        self._first += data[:room]
        self._last += data[room:] if room < len(data) else b""
        over = len(self._last) - self._last_bytes
        if over > 0:
            del self._last[:over]
            self._dropped += over
