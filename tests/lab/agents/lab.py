"""Where a client is run: an empty home, a network of its own, and a scripted model in it."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from studio.doors.agents.model_server import ModelServer, Record
from studio.doors.agents.script import Script
from tests.lab.agents.network import Network

CLIENT_SECONDS = 60.0
"""How long a client may take to end; the slowest trial of those here takes 2 s."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a client: its exit code (None when it was killed out of time), what it printed, and
    what the model was told until then."""

    exit_code: int | None
    output: str
    errors: str
    record: Record
    seconds: float


class Lab:
    """The lab in which one client works on `project`, from `with` on.

    Its home is `home`, or else a fresh folder that goes at the end. `environment` is added to the few
    variables that a client is given; none of this process's own reaches it.
    """

    def __init__(
        self,
        project: Path,
        script: Script,
        *,
        home: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.project = project
        self._script = script
        self._home = home
        self._added = environment or {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.home = self._home or Path(
                stack.enter_context(tempfile.TemporaryDirectory(prefix="agent-", ignore_cleanup_errors=True))
            )
            self.environment = {**fresh_environment(self.home), **self._added}
            self.network = stack.enter_context(Network())
            self._model = stack.enter_context(ModelServer(self._script, self.network.listen()))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    @property
    def url(self) -> str:
        """Where the model is reached."""
        return self._model.url

    @property
    def record(self) -> Record:
        """What the model was told until now."""
        return self._model.record

    def start(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> Started:
        """Start a client in the project, in this network and a session of its own."""
        return Started(self, command, environment or {})

    def run(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        timeout: float = CLIENT_SECONDS,
    ) -> Ran:
        """Run a client to its end, or to that of the time (seconds)."""
        with self.start(command, environment) as started:
            return started.wait(timeout)


class Started:
    """A client that runs. At the end of the block every process of its group is killed."""

    def __init__(self, lab: Lab, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._lab = lab
        self._began = time.monotonic()
        self.process = subprocess.Popen(
            [*lab.network.prefix, *command],
            cwd=lab.project,
            env={**lab.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )

    def wait(self, timeout: float = CLIENT_SECONDS) -> Ran:
        """Wait for its end; what has not ended after `timeout` seconds is killed with its whole group."""
        code: int | None
        try:
            output, errors = self.process.communicate(timeout=timeout)
            code = self.process.returncode
        except subprocess.TimeoutExpired:
            self.kill()
            output, errors = self.process.communicate()
            code = None
        return Ran(code, output, errors, self._lab.record, time.monotonic() - self._began)

    def kill(self) -> None:
        """Kill it and what it started in its group, as a user would who has had enough."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self.process.communicate()


def fresh_environment(home: Path) -> dict[str, str]:
    """All that a client sees of a machine: its home and folders below it, which are made here."""
    folders = {
        "XDG_CACHE_HOME": home / ".cache",
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_DATA_HOME": home / ".local/share",
        "XDG_STATE_HOME": home / ".local/state",
        "XDG_RUNTIME_DIR": home / ".run",
        "TMPDIR": home / ".tmp",
    }
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    plain = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "dumb"}
    return plain | {name: str(folder) for name, folder in folders.items()}
