"""Commands in the test's own process: what they decide and print is the question, and not that they start.

Starting a process for each command was half of all processor time of the tests of doors: 94 ms for `submit`
behind a fork of what is loaded already, 15 ms here (two cores, Linux 6.1, CPython 3.11).
"""

from __future__ import annotations

import ctypes
import io
import os
import sys
import threading
import time
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from tempfile import TemporaryFile
from types import FrameType, MappingProxyType
from typing import IO, Any

from studio.__main__ import main
from studio.doors.cli.console.output import run_with_output
from studio.doors.cli.main import run
from studio.doors.cli.parser import command_of
from studio.program import log_file

_NAMES = ("stdin", "stdout", "stderr")
# Of a context, not of a thread alone: those that an event loop starts for a command have its streams.
_OWN: dict[str, ContextVar[Any]] = {name: ContextVar(name) for name in _NAMES}


def is_for_here(words: Sequence[str]) -> bool:
    """Whether these words choose a command that can be run here; none that would ask at a terminal."""
    command = command_of(words)
    if "--smoke" in words or (command == "mcp" and "--help" not in words):
        return False  # it opens a window, or serves pipes of its own
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return True
    return False


def run_here(
    words: Sequence[str],
    *,
    stdin: bytes,
    folder: Path,
    environment: Mapping[str, str],
    instead: Mapping[str, IO[bytes]] = MappingProxyType({}),
) -> tuple[int, bytes, bytes]:
    """Exit code, standard output and standard error of a command in this folder, save what one of `instead`
    got."""
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as errors:
        given.write(stdin)
        given.seek(0)
        with (
            _inside(folder, environment),
            _streams(given, instead.get("stdout", out), instead.get("stderr", errors)) as ours,
        ):
            before = [getattr(sys, name) for name in _NAMES]
            sys.argv, arguments = ["studio", *words], sys.argv
            share_streams(dict(zip(_NAMES, ours, strict=True)))
            try:
                code = run_with_output(lambda: run(words)) if command_of(words) else main()
            except SystemExit as ended:  # help, which argparse prints itself
                code = int(ended.code or 0)
            finally:
                sys.argv = arguments
                for name, stream in zip(_NAMES, before, strict=True):
                    setattr(sys, name, stream)
        return code, _content(out), _content(errors)


@contextmanager
def _inside(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    before, variables, mask = os.open(".", os.O_PATH), dict(os.environ), os.umask(0o077)
    os.umask(mask)
    os.chdir(folder)
    os.environ.update(environment)
    try:
        yield
    finally:
        log_file.stop_log()
        os.environ.clear()
        os.environ.update(variables)
        os.umask(mask)
        os.fchdir(before)
        os.close(before)


class Started:
    """A command that runs on a thread of its own, with streams of its own; the rest it shares with the test.

    It ends by itself: a test has a way to end what waits, and calls `end_sharing` then.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        stdin: IO[bytes],
        stdout: IO[bytes],
        then: Callable[[], object] = lambda: None,
    ) -> None:
        """Start it; `then` is called at its end."""
        share_streams()
        self._errors = io.BytesIO()
        self._code: int | None = None
        streams = (stdin, stdout, self._errors)
        self._thread = threading.Thread(
            target=self._run, args=(words, streams, then), name=f"studio {words[0]}"
        )
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def end(self, seconds: float) -> tuple[int, str]:
        """Wait for its end, for the exit code and standard error."""
        self.wait(seconds)
        assert self._code is not None, "the command still runs"
        return self._code, _content(self._errors).decode()

    def interrupt(self) -> None:
        """Raise in it what Ctrl-C raises, once its wait ends: no thread can be sent a signal.

        Raised elsewhere, it may drop what a call has just opened, and the warning of it would fail a test. A
        process prints none after Ctrl-C.
        """
        identity = self._thread.ident or 0
        while self.is_running and not _is_waiting(sys._current_frames().get(identity)):
            time.sleep(0.001)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(identity), ctypes.py_object(KeyboardInterrupt)
        )

    def wait(self, seconds: float) -> None:
        """Wait for its end, also where that is one without an exit code."""
        self._thread.join(seconds)

    def _run(
        self,
        words: Sequence[str],
        streams: tuple[IO[bytes], IO[bytes], IO[bytes]],
        then: Callable[[], object],
    ) -> None:
        try:
            with _streams(*streams):
                self._code = run_with_output(lambda: run(words))
        except CancelledError:
            pass  # a test ended what it waits for
        finally:
            then()


def _is_waiting(frame: FrameType | None) -> bool:
    return frame is not None and frame.f_code is threading.Condition.wait.__code__


class _OfCommand:
    """A standard stream: that of the command which runs in this context, or the usual one."""

    def __init__(self, name: str, usual: Any) -> None:
        self._name = name
        self.usual = usual

    def __getattr__(self, name: str) -> Any:
        return getattr(_OWN[self._name].get(self.usual), name)


def share_streams(usual: Mapping[str, Any] | None = None) -> None:
    """Have commands on several threads at once; pytest undoes it where a test's set-up or call ends.

    `usual` are the streams of threads that have none of their own, as those that a command starts.
    """
    for name in _NAMES:
        if usual is not None:
            setattr(sys, name, _OfCommand(name, usual[name]))
        elif not isinstance(getattr(sys, name), _OfCommand):
            setattr(sys, name, _OfCommand(name, getattr(sys, name)))


def end_sharing() -> None:
    """Put back what was there before the first `Started`, once all of them have ended."""
    log_file.stop_log()
    for name in _NAMES:
        if isinstance(shared := getattr(sys, name), _OfCommand):
            setattr(sys, name, shared.usual)


@contextmanager
def _streams(given: IO[bytes], out: IO[bytes], errors: IO[bytes]) -> Iterator[tuple[io.TextIOWrapper, ...]]:
    ours = (
        io.TextIOWrapper(given, encoding="utf-8", errors="surrogateescape"),
        io.TextIOWrapper(out, encoding="utf-8", errors="surrogateescape"),
        io.TextIOWrapper(errors, encoding="utf-8", errors="backslashreplace"),
    )
    tokens = [_OWN[name].set(stream) for name, stream in zip(_NAMES, ours, strict=True)]
    try:
        yield ours
    finally:
        for name, token, stream in zip(_NAMES, tokens, ours, strict=True):
            _OWN[name].reset(token)
            with suppress(ValueError):  # `studio mcp` closes its own
                stream.detach()


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
