"""Commands in the test's own process: what they decide and print is the question, and not that they start.

Starting a process for each command was half of all processor time of the tests of doors: 94 ms for `submit`
behind a fork of what is loaded already, 15 ms here (two cores, Linux 6.1, CPython 3.11).
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from studio.doors.cli.main import run
from studio.doors.cli.output import while_output_lasts
from studio.doors.cli.parser import command_of
from studio.engine.system import log_file

_OF_THEIR_OWN = frozenset({"acp", "agent", "demo", "doctor", "hook", "inbox", "mcp", "run", "try", "watch"})
"""Commands that start others, wait for signals, or change what belongs to a process."""


def is_for_here(words: Sequence[str]) -> bool:
    """Whether these words choose a command that can be run here; none that would ask at a terminal."""
    if command_of(words) in (None, *_OF_THEIR_OWN):
        return False
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return True
    return False


def run_here(
    words: Sequence[str], *, stdin: bytes, folder: Path, environment: Mapping[str, str]
) -> tuple[int, bytes, bytes]:
    """Exit code, standard output and standard error of a command in this folder."""
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as errors:
        given.write(stdin)
        given.seek(0)
        with _inside(folder, environment), _streams(given, out, errors):
            try:
                code = while_output_lasts(lambda: run(words))
            except SystemExit as ended:  # help, which argparse prints itself
                code = int(ended.code or 0)
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


@contextmanager
def _streams(given: IO[bytes], out: IO[bytes], errors: IO[bytes]) -> Iterator[None]:
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(given, encoding="utf-8", errors="surrogateescape")
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8", errors="surrogateescape")
    sys.stderr = io.TextIOWrapper(errors, encoding="utf-8", errors="backslashreplace")
    ours = sys.stdin, sys.stdout, sys.stderr
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        for stream in ours:
            stream.detach()


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
