"""A try of a client as its user has it set up: in the sandbox, with copies of its settings and no network.

The home is at its own path there, so that what the settings name and trust by a path holds. No file of a
login is in it, and the loopback of the sandbox leads to the scripted model alone, which runs in there, too.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

from studio.doors.agents.server_process import AgentFailed
from studio.doors.connect import Client
from studio.doors.connect.clients import identity
from studio.doors.doctor.trial import Tried, try_client
from studio.doors.doctor.tried import OwnSettings, TriedClient
from studio.doors.doctor.tried_clients import TRIED_CLIENTS
from studio.doors.logins import login_paths
from studio.engine import documents
from studio.engine.documents import Unreadable
from studio.engine.errors import Refused, StudioError
from studio.engine.names import show_name
from studio.engine.workspace import TRYING, reason, words_of

_ORDER: Final = "order.json"
_SPARE_SECONDS: Final = 60.0
"""What a try takes beside the client's own time: to ask Codex about its hook, and to start us."""
_LOGINS: Final = frozenset({".credentials.json", "auth.json"})


def why_untestable(client: Client, tried: TriedClient) -> str:
    """Return as a sentence why it can't be tried with its user's settings, "" where it can."""
    if tried.own is None:
        return f"{client.title} is tried in an empty home alone."
    if not sys.platform.startswith("linux"):
        return "Its network can be cut by the sandbox alone, which this system does not have."
    if (file := client.entries[0].path) not in (Path.home() / path for path in _paths(client, tried.own)):
        return f"{show_name(str(file))} is not in its folder of your home."
    return tried.own.obstacle()


def own_files(client: Client, tried: TriedClient) -> tuple[str, ...]:
    """The files and folders of its user that it is given, from the home on."""
    assert tried.own is not None, "it was asked why not"
    home = Path.home()
    return tuple(path for path in _paths(client, tried.own) if (home / path).exists())


def own_command(tried: TriedClient) -> str:
    """The command that is started, as a person is asked: its model's port is not known yet."""
    return shlex.join(tried.command("http://127.0.0.1:PORT"))


def try_own(
    client: Client, tried: TriedClient, entry: Mapping[str, object] | None, folder: Path, *, seconds: float
) -> Tried:
    """As `try_client`, with the user's settings, in which `entry` has the place of ours.

    Raises Refused where it could not be tried: nothing of it was started then, or it did not come to a try.
    """
    from studio.engine.sandbox import Command, Sandbox, read_login  # Linux alone

    assert tried.own is not None, "it was asked why not"
    order = {"client": client.name, "entry": entry, "seconds": seconds}
    (folder / "trial" / _ORDER).write_text(json.dumps(order), encoding="utf-8")
    home, files = Path.home(), own_files(client, tried)
    held = {path: read_login(home / path) for path in files if (home / path).is_file()}
    contents = {path: tried.own.cleaned(path, data) for path, data in held.items()}
    hooked = client.entries[0].path.relative_to(home).as_posix()
    contents[hooked] = _with_entry(client, contents[hooked], entry)
    command = Command(
        tuple(words_of(TRYING)),
        seconds=seconds + _SPARE_SECONDS,
        logins=(*files, *_own_program(home)),
        login_contents=contents,
    )
    try:
        with Sandbox(folder / "trial", state=folder / "state") as sandbox:
            outcome = sandbox.run(command)
    except OSError as error:
        raise untestable(client.title, client.name, f"The sandbox can't be had: {reason(error)}.") from error
    except StudioError as error:
        raise untestable(client.title, client.name, error.message) from error
    with suppress(ValueError, KeyError, TypeError, IndexError):
        said = json.loads(outcome.output.splitlines()[-1])
        if "failed" in said:
            raise untestable(
                client.title, client.name, f"In the sandbox it can't be started: {said['failed']}."
            )
        return Tried(said["was_written"] is True, str(said["told"]), said["ended"] is True)
    raise untestable(
        client.title, client.name, f"Its try in the sandbox ended without a word ({outcome.ended_by.value})."
    )


def serve() -> None:
    """Try the client once, in the sandbox, as the order in this folder says; print what it came to."""
    order = json.loads(Path(_ORDER).read_bytes())
    (folder := Path("work").absolute()).mkdir()
    try:
        found = try_client(
            TRIED_CLIENTS[order["client"]],
            order["entry"],
            folder,
            seconds=order["seconds"],
            home=Path.home(),
        )
        said = asdict(found)
    except AgentFailed as error:
        said = {"failed": str(error)}
    except OSError as error:
        said = {"failed": reason(error, "its program")}
    sys.stdout.write(f"\n{json.dumps(said)}\n")


def untestable(title: str, name: str, why: str) -> Refused:
    """The refusal that says why a client was not tried with its user's settings."""
    return Refused(
        "doctor.untestable",
        f"{title} could not be tested with your own settings. {why}",
        f"Try it in an empty home: studio doctor {name}",
    )


def _own_program(home: Path) -> list[str]:
    """The folders of the home that we ourselves are started from."""
    folders = {Path(each) for each in (sys.prefix, sys.base_prefix, __file__.partition("/studio/doors/")[0])}
    return [each.relative_to(home).as_posix() for each in folders if home in each.parents]


def _paths(client: Client, own: OwnSettings) -> Iterable[str]:
    found = (*login_paths(client.name), *own.beside)
    return dict.fromkeys(path for path in found if Path(path).name not in _LOGINS)


def _with_entry(client: Client, data: bytes, entry: Mapping[str, object] | None) -> bytes:
    """The file of its settings with this entry in the place of ours. Raises Refused."""
    ours = client.entries[0]
    name, spot = ours.path.name, ours.spot
    try:
        found: Sequence[documents.Key] = [
            key
            for key, value in documents.find(name, data, spot).items()
            if identity(value) == identity(ours.value)
        ]
        if not found:
            raise untestable(client.title, client.name, f"Our entry is not in {show_name(str(ours.path))}.")
        if entry is None:
            return documents.take(name, data, spot, found[0], None)
        return documents.change(name, data, spot, found[0], dict(entry))
    except Unreadable as error:
        raise untestable(
            client.title, client.name, f"{show_name(str(ours.path))} can't be read: {error}."
        ) from error
