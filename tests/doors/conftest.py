"""The real program, without a terminal or at one: in this process, or as one of its own."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from studio.engine.plan import PersonSource
from studio.workspace import Person, Reviewer, Workspace
from tests.tools.forked import ForkServer, command_of
from tests.tools.in_process import Started, end_sharing, is_for_here, run_here

TIMEOUT_SECONDS = 20
# The child's session is new; this makes the slave end of the pseudo-terminal its /dev/tty. The program
# inherits the handle, so that reading the master end fails only once the program has ended.
AT_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(int(sys.argv[1]), termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", "studio", *sys.argv[2:]])
"""
# Variables that an interpreter reads before the program does.
_OF_START = frozenset({"LANG", "LC_ALL", "LC_CTYPE", "PYTHONIOENCODING", "PYTHONUTF8", "PATH"})


@dataclass(frozen=True, slots=True)
class Said:
    """What a command printed and the exit code; `terminal` is what appeared on its terminal."""

    code: int
    out: bytes
    err: str
    terminal: str = ""

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON document that is all of stdout."""
        document = json.loads(self.out)
        assert isinstance(document, dict)
        return document

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def error(self) -> dict[str, Any]:
        """The error of a failed command: code, sentence and hint are never empty."""
        error = self.json["error"]
        assert error["severity"] in ("fatal", "error") and error["retryable"] in (True, False), error
        assert error["registry"].rpartition("-")[2].isdecimal(), error
        assert error["code"] and error["message"].endswith((".", "?")) and error["hint"], error
        return error


class Begun:
    """A command that runs on a thread and ends by itself: `end` waits for its answer."""

    def __init__(self, words: Sequence[str], typed: bytes) -> None:
        """Start it, with this on its standard input."""
        self._out = io.BytesIO()
        self._started = Started(words, stdin=io.BytesIO(typed), stdout=self._out)

    @property
    def is_running(self) -> bool:
        return self._started.is_running

    def end(self) -> Said:
        code, errors = self._started.end(TIMEOUT_SECONDS)
        end_sharing()
        return Said(code, self._out.getvalue(), errors)


class Streaming:
    """A command that prints line after line on a thread, until it is ended."""

    def __init__(self, words: Sequence[str]) -> None:
        """Start it."""
        reads, writes = os.pipe()
        self._lines, stdout = os.fdopen(reads, "rb", buffering=0), os.fdopen(writes, "wb")
        self._started = Started(words, stdin=io.BytesIO(), stdout=stdout, then=stdout.close)

    @property
    def is_running(self) -> bool:
        return self._started.is_running

    def line(self) -> bytes:
        """The next line, b"" after the last one."""
        assert select.select([self._lines], [], [], TIMEOUT_SECONDS)[0], "no line came"
        return self._lines.readline()

    def hang_up(self) -> None:
        """Read no more."""
        self._lines.close()

    def end(self) -> tuple[int, str]:
        """End it as Ctrl-C does, where it does not end by itself; the exit code and standard error."""
        self._started.interrupt()
        return self.ended()

    def ended(self) -> tuple[int, str]:
        """Wait for its end."""
        code, errors = self._started.end(TIMEOUT_SECONDS)
        end_sharing()
        self._lines.close()
        return code, errors


class CommandLine:
    """Starts `studio` on one project; no command has a terminal unless it is given one.

    With `here` a command that needs no process of its own is run in this one.
    """

    def __init__(self, project: Path, forks: ForkServer | None = None, *, here: bool = False) -> None:
        self.project = project
        self._forks = forks
        self._here = here

    def __call__(
        self,
        *words: str | Path,
        stdin: bytes = b"",
        json: bool = True,
        environment: Mapping[str, str] | None = None,
        prefix: tuple[str, ...] = (),
        cwd: Path | None = None,
    ) -> Said:
        """Run one command to its end. `prefix` is a command that runs it, such as unshare."""
        written = [*(["--json"] if json else []), *map(str, words)]
        # What a prefix or a variable changes may be about the interpreter and its start.
        is_usual = not prefix and _OF_START.isdisjoint(environment or ())
        if self._here and is_usual and is_for_here(written):
            folder, added = cwd or self.project, environment or {}
            code, out, errors = run_here(written, stdin=stdin, folder=folder, environment=added)
            return Said(code, out, errors.decode())
        command, handles = command_of(self._forks if is_usual else None, *written)
        done = subprocess.run(
            [*prefix, *command],
            cwd=cwd or self.project,
            env={**os.environ, **(environment or {})},
            input=stdin,
            capture_output=True,
            check=False,
            start_new_session=True,
            pass_fds=handles,
            timeout=TIMEOUT_SECONDS,
        )
        return Said(done.returncode, done.stdout, done.stderr.decode())

    def begin(self, *words: str | Path, json: bool = True, typed: bytes = b"") -> Begun:
        """Begin one command that waits, on a thread."""
        return Begun([*(["--json"] if json else []), "--project", str(self.project), *map(str, words)], typed)

    def stream(self, *words: str | Path) -> Streaming:
        """Begin one command that goes on and on, on a thread."""
        return Streaming(["--project", str(self.project), *map(str, words)])

    def start(self, *words: str | Path, prefix: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
        """Start one command with --json and let it run, behind a `prefix` of another program."""
        return subprocess.Popen(
            [*prefix, sys.executable, "-m", "studio", "--json", *map(str, words)],
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def at_terminal(
        self,
        *words: str,
        typed: str | None,
        stdin: bytes = b"",
        before: str = "",
        meanwhile: Callable[[], object] | None = None,
    ) -> Said:
        """Run one command whose terminal is a pseudo-terminal where `typed` is typed once it asks.

        `typed` None hangs up instead. `before` is typed before it asks; `meanwhile` happens between the
        question and the answer.
        """
        if self._here and is_for_here(words):
            return self._here_at_terminal(words, typed, stdin, before, meanwhile)
        master, slave = pty.openpty()
        os.write(master, before.encode())
        try:
            command = [sys.executable, "-c", AT_TERMINAL, str(slave), "--json", *words]
            handles: tuple[int, ...] = (slave,)
            if self._forks is not None:
                command = self._forks.client_command("--json", *words, terminal=slave)
                handles = (slave, self._forks.handle)
            running = subprocess.Popen(
                command,
                cwd=self.project,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=handles,
                start_new_session=True,
            )
            os.close(slave)
            shown = _shown_until_asked(master)
            if meanwhile is not None:
                meanwhile()
            if typed is None:
                os.close(master)
                master = -1
            elif "to confirm" in shown:
                os.write(master, typed.encode())
            out, err = running.communicate(stdin, timeout=TIMEOUT_SECONDS)
        finally:
            if master >= 0:
                os.close(master)
        return Said(running.returncode, out, err.decode(), shown)

    def _here_at_terminal(
        self,
        words: Sequence[str],
        typed: str | None,
        stdin: bytes,
        before: str,
        meanwhile: Callable[[], object] | None,
    ) -> Said:
        """The same in this process, where another thread types."""
        master, slave = pty.openpty()
        os.write(master, before.encode())
        shown: list[str] = []
        failed: list[BaseException] = []
        opened = os.open

        def open_terminal(path: Any, flags: int, *rest: Any, **named: Any) -> int:
            return os.dup(slave) if path == "/dev/tty" else opened(path, flags, *rest, **named)

        def answer() -> None:
            try:
                shown.append(_shown_until_asked(master))
                if meanwhile is not None:
                    meanwhile()
            except BaseException as error:
                failed.append(error)
            if typed is not None and shown and "to confirm" in shown[0]:
                os.write(master, typed.encode())
            else:
                os.close(master)

        typist = threading.Thread(target=answer)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "open", open_terminal)
            typist.start()
            try:
                code, out, errors = run_here(
                    ["--json", *words], stdin=stdin, folder=self.project, environment={}
                )
            finally:
                os.close(slave)
                typist.join()
        if typed is not None and "to confirm" in shown[0]:
            os.close(master)
        if failed:
            raise failed[0]
        return Said(code, out, errors.decode(), shown[0])

    def printed_at_terminal(
        self,
        *words: str | Path,
        of: str = "stdout",
        seen: Callable[[bytes], object] = lambda _: None,
    ) -> bytes:
        """Run one command in this process; what comes to the terminal that one of its streams is. `seen` gets
        all that came so far, as it comes."""
        master, slave = pty.openpty()
        shown = bytearray()

        def read() -> None:
            with suppress(OSError):  # how Linux says that the other side is closed
                while part := os.read(master, 4096):
                    shown.extend(part)
                    seen(bytes(shown))

        reader = threading.Thread(target=read)
        reader.start()
        try:
            with os.fdopen(slave, "wb") as terminal:
                said = list(map(str, words))
                code, _, errors = run_here(
                    said, stdin=b"", folder=self.project, environment={}, instead={of: terminal}
                )
        finally:
            reader.join()
            os.close(master)
        assert code == 0, errors
        return bytes(shown)

    def submit(self, *steps: dict[str, Any], title: str = "A plan") -> dict[str, Any]:
        """Propose a plan of these steps and return it as printed."""
        return self("submit", stdin=plan_text(*steps, title=title)).json


def _shown_until_asked(master: int) -> str:
    shown = b""
    while b"to confirm: " not in shown and select.select([master], [], [], TIMEOUT_SECONDS)[0]:
        try:
            part = os.read(master, 4096)
        except OSError:  # the program ended without asking
            break
        if not part:
            break
        shown += part
    return shown.decode()


def plan_text(*steps: dict[str, Any], title: str = "A plan", agent: str = "tester") -> bytes:
    return json.dumps({"title": title, "agent": agent, "steps": list(steps)}).encode()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "studio.yaml").write_text("schema_version: 1\n")
    return folder


@pytest.fixture
def workspace(project: Path) -> Iterator[Workspace]:
    """What a window would have open beside the commands."""
    opened = Workspace.open(project)
    yield opened
    opened.close()


@pytest.fixture
def reviewer(workspace: Workspace) -> Reviewer:
    """A person before that window."""
    return workspace.reviewer(Person(PersonSource.WINDOW, "tester"))


@pytest.fixture
def studio(project: Path, forks: ForkServer | None) -> CommandLine:
    """In this process, where a test does not start or prefix a command."""
    return CommandLine(project, forks, here=True)


@pytest.fixture
def allow_review() -> None:
    """The user's own setting that the command line may decide."""
    set_review("allow")


@pytest.fixture
def review() -> Callable[[str], None]:
    return set_review


def set_review(value: str) -> None:
    set_configuration(f"review: {{command_line: {value}}}")


def set_configuration(text: str) -> None:
    """The user's own configuration, whole."""
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text(f"{text}\n")
