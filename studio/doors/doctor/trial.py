"""Test run of an agent in isolated folders against a scripted model.

Our entry is in the client's home, which is an empty one, or as `own_trial` prepares it. The model is on
loopback and asks to write; no account is used.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from studio.doors.agents.model_server import ModelServer
from studio.doors.agents.script import Script
from studio.doors.clients.client import BEFORE, TARGET, TrialClient, TrialEnvironment
from studio.doors.limits import TRIAL_SECONDS
from studio.values import Value


class Tried(Value):
    """The result of one test run.

    `was_written`: the file changed. `message` shows that the client meant to write: what the model was sent,
    or what the client asked. `ended`: it exited by itself.
    """

    was_written: bool
    message: str
    ended: bool


def try_in_empty_home(
    client: TrialClient,
    entry: Mapping[str, object] | None,
    folder: Path,
    *,
    seconds: float = TRIAL_SECONDS,
    home: Path | None = None,
) -> Tried:
    """Run the client against the scripted model with this hook entry.

    `entry` None: without a hook. `folder` must be empty and ours; the client is killed after `seconds`. A
    given `home` already has its settings and the entry. Raises OSError where the client can't be started,
    AppServerFailed where it did not accept the entry.
    """
    with trial_environment(client, folder, home) as (place, model):
        set_up = client.set_up if home is None else client.own.prepare
        set_up(place, [entry] if entry is not None else [])
        ended = _run(client, place, seconds)
        results = [result.text for request in model.record.work[-1:] for result in request.results]
    return Tried(was_written(place), "\n".join(results), ended)


@contextmanager
def trial_environment(
    client: TrialClient, folder: Path, home: Path | None = None
) -> Generator[tuple[TrialEnvironment, ModelServer]]:
    """Set up home, project and scripted model, and yield them.

    They are in an empty folder of ours; a given `home` is used as it is. The model asks to write until the
    end of the block.
    """
    home, project = home or folder / "home", folder / "project"
    for each in (home, project):
        each.mkdir(exist_ok=True)
    (project / TARGET).write_text(BEFORE, encoding="utf-8")
    script: Script = (client.scripted_calls(project),)
    with ModelServer(script) as model:
        yield TrialEnvironment(home, project, _environment(home), model.url), model


def was_written(place: TrialEnvironment) -> bool:
    """Return whether the target file changed."""
    return (place.project / TARGET).read_text(encoding="utf-8") != BEFORE


def version_of(client: TrialClient) -> str:
    """Return the client's version output, "" if not installed or empty."""
    program = shutil.which(client.program)
    if program is None:
        return ""
    try:
        result = subprocess.run(
            [program, "--version"], capture_output=True, timeout=TRIAL_SECONDS, check=False, text=True
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (result.stdout.strip().splitlines() or [""])[0][:80]


def _run(client: TrialClient, place: TrialEnvironment, seconds: float) -> bool:
    """Run the client; return whether it exited by itself."""
    process = subprocess.Popen(
        client.command(place.url),
        cwd=place.project,
        env={**place.environment, **client.variables(place.url)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    finally:
        with suppress(OSError):
            os.killpg(process.pid, 9)
        process.wait()
    return True


def _environment(home: Path) -> dict[str, str]:
    """Return an environment with its own home and our PATH.

    It has no key, address or setting of the user's.
    """
    inherited = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {
        **inherited,
        "HOME": str(home),
        "TMPDIR": str(home),
        "TERM": "dumb",
        "XDG_CONFIG_HOME": str(home / ".config"),
    }
