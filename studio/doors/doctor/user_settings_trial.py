"""Sandboxed hook test of an agent with copied user settings; eligibility checks.

The settings are copies, and there is no network. The home folder has its own path there, so that settings
which name or trust a path still apply. It contains no login file, and the sandbox's loopback reaches only the
scripted model, which runs inside too.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec.structs import asdict

from studio import documents, extras
from studio.documents import WHOLE, Spot, Unreadable
from studio.doors.agents.server_process import AgentFailed
from studio.doors.clients.client import OwnSettings, TrialClient, identity
from studio.doors.clients.known import TRIED_CLIENTS
from studio.doors.connect import Client
from studio.doors.connect.whole_file import content_of
from studio.doors.doctor.trial import Tried, try_in_empty_home
from studio.doors.logins import login_paths
from studio.errors import Refused, StudioError
from studio.extras.masking import masked
from studio.names import show_name
from studio.program.work_folder import WorkFolder
from studio.system.child_process import TRYING, words_of
from studio.system.os_errors import reason

_ORDER: Final = "order.json"
_SPARE_SECONDS: Final = 60.0
"""Seconds beside the client's own time.

They are needed to query Codex about its hook, and to start this program.
"""
_LOGINS: Final = frozenset(
    """
    .credentials.json auth.json google_accounts.json installation_id oauth_creds.json providers.json
    secrets.json
    """.split()
)
"""Files that contain only a login, which a scripted model doesn't need."""


def why_untestable(client: Client, trial_client: TrialClient) -> str:
    """Return why the user's settings can't be tested, "" if they can."""
    if not sys.platform.startswith("linux"):
        return "Blocking the network requires a sandbox, and this system has none."
    if (file := client.entries[0].path) not in (
        Path.home() / path for path in _paths(client, trial_client.own)
    ):
        return f"{show_name(str(file))} is not in its folder in your home."
    return next(_overrides(trial_client.own), "")


def why_no_sandbox() -> str:
    """Return why no sandbox is available, "" where one is."""
    try:
        with WorkFolder("doctor") as folder:
            (folder / "trial").mkdir()
            extras.sandbox.Sandbox(folder / "trial", state=folder / "state").close()
    except OSError as error:
        return f"The sandbox is not available: {reason(error)}."
    except StudioError as error:
        return error.message
    return ""


def own_files(client: Client, trial_client: TrialClient) -> tuple[str, ...]:
    """Return the user's paths to copy, relative to the home folder."""
    return tuple(_paths(client, trial_client.own))


def own_command(trial_client: TrialClient) -> str:
    """Return the command to start, for the user's consent.

    The port of the model is not yet assigned then.
    """
    return shlex.join(trial_client.command("http://127.0.0.1:PORT"))


def try_with_user_settings(
    client: Client,
    trial_client: TrialClient,
    entry: Mapping[str, object] | None,
    folder: Path,
    *,
    seconds: float,
) -> Tried:
    """Test the client with the user's settings, `entry` in place of ours.

    It works as `try_in_empty_home` does. Raises Refused where no result came of it: the client was not
    started, or its run in the sandbox failed.
    """
    order = {"client": client.name, "entry": entry, "seconds": seconds}
    (folder / "trial" / _ORDER).write_text(json.dumps(order), encoding="utf-8")
    home = Path.home()
    contents: dict[str, bytes] = {}
    folders: list[str] = []
    for path in own_files(client, trial_client):
        if (home / path).is_file():
            data = _masked_copy(client, trial_client.own, path, extras.sandbox.read_login(home / path), entry)
            contents |= {} if data is None else {path: data}
        else:
            folders.append(path)
    command = extras.sandbox.Command(
        tuple(words_of(TRYING)),
        seconds=seconds + _SPARE_SECONDS,
        logins=(*contents, *folders, *_program_folders(home)),
        login_contents=contents,
    )
    try:
        with extras.sandbox.Sandbox(folder / "trial", state=folder / "state") as sandbox:
            outcome = sandbox.run(command)
    except OSError as error:
        raise untestable(
            client.title, client.name, f"The sandbox is not available: {reason(error)}."
        ) from error
    except StudioError as error:
        raise untestable(client.title, client.name, error.message) from error
    for line in reversed(lines := outcome.output.decode(errors="replace").splitlines()):
        # A process that outlives the try can print after its result.
        with suppress(ValueError, KeyError, TypeError):
            result = json.loads(line)
            if "failed" in result:
                raise untestable(
                    client.title, client.name, f"It can't be started in the sandbox: {result['failed']}."
                )
            return Tried(result["was_written"] is True, str(result["message"]), result["ended"] is True)
    how = extras.commands.ended_words(outcome.ended_by, outcome.exit, outcome.signal)
    printed = f'; its last line was "{show_name(lines[-1])}"' if lines else ""
    raise untestable(client.title, client.name, f"Its test in the sandbox {how} without a result{printed}.")


def serve() -> None:
    """Run the client as the order file says and print the result.

    Runs inside the sandbox.
    """
    order = json.loads(Path(_ORDER).read_bytes())
    (folder := Path("work").absolute()).mkdir()
    try:
        found = try_in_empty_home(
            TRIED_CLIENTS[order["client"]],
            order["entry"],
            folder,
            seconds=order["seconds"],
            home=Path.home(),
        )
        result = asdict(found)
    except AgentFailed as error:
        result = {"failed": str(error)}
    except OSError as error:
        result = {"failed": reason(error, "its program")}
    sys.stdout.write(f"\n{json.dumps(result)}\n")


def untestable(title: str, name: str, why: str) -> Refused:
    """Return the error for a client that can't be tested."""
    return Refused(
        "doctor.untestable",
        f"{title} could not be tested with your own settings. {why}",
        f"Test it in an empty home with: studio doctor {name} --empty-home",
    )


def _program_folders(home: Path) -> list[str]:
    """Return the folders beneath the home folder from which this program runs."""
    folders = {Path(each) for each in (sys.prefix, sys.base_prefix, __file__.partition("/studio/doors/")[0])}
    return [each.relative_to(home).as_posix() for each in folders if home in each.parents]


def _paths(client: Client, settings: OwnSettings) -> Iterable[str]:
    home = Path.home()
    beside = (
        path.relative_to(home).as_posix() for each in settings.beside for path in sorted(home.glob(each))
    )
    found = (*login_paths(client.name), *beside)
    return dict.fromkeys(path for path in found if Path(path).name not in _LOGINS)


def _overrides(settings: OwnSettings) -> Iterator[str]:
    """Yield reasons why the model's address can't be forced."""
    for override in settings.overrides:
        for file in override.files():
            shown = show_name(str(file))
            try:
                data = file.read_bytes()
                names = [spot.name for spot in override.spots if documents.find(file.name, data, spot)]
            except FileNotFoundError:
                continue
            except (OSError, Unreadable):
                yield f"{shown} can't be read, and may select another model."
                continue
            if names:
                yield f"{shown} sets {names[0]}, which selects another model."
            elif not override.spots:
                yield f"{shown} overrides arguments and variables, and may select another model."


def _masked_copy(
    client: Client, settings: OwnSettings, path: str, data: bytes, entry: Mapping[str, object] | None
) -> bytes | None:
    """Return a file's copy without keys; None for no file.

    `entry` is in place of ours. Raises Refused.
    """
    name = Path(path).name
    try:
        data = masked(name, data)
        for account in settings.accounts.get(path, ()):
            if documents.find(name, data, Spot((), account)):
                data = documents.remove(name, data, Spot((), account), account, None)
    except Unreadable as error:
        raise untestable(
            client.title, client.name, f"{show_name(f'~/{path}')} can't be read: {error}."
        ) from error
    return _with_entry(client, data, entry) if Path.home() / path == client.entries[0].path else data


def _with_entry(client: Client, data: bytes, entry: Mapping[str, object] | None) -> bytes | None:
    """Return the settings file with `entry` in place of ours. Raises Refused."""
    ours = client.entries[0]
    name, spot = ours.path.name, ours.spot
    if spot == WHOLE:
        return None if entry is None else content_of(entry)
    try:
        found: Sequence[documents.Key] = [
            key
            for key, value in documents.find(name, data, spot).items()
            if identity(value) == identity(ours.value)
        ]
        if not found:
            raise untestable(client.title, client.name, f"Our entry is not in {show_name(str(ours.path))}.")
        if entry is None:
            return documents.remove(name, data, spot, found[0], None)
        return documents.change(name, data, spot, found[0], dict(entry))
    except Unreadable as error:
        raise untestable(
            client.title, client.name, f"{show_name(str(ours.path))} can't be read: {error}."
        ) from error
