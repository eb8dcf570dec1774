"""opencode, tried: as seen by running 1.18.33."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from studio.doors.agents.script import Call
from studio.doors.connect import Client
from studio.doors.connect.clients.client import system_file
from studio.doors.connect.clients.opencode import PLUGIN, opencode
from studio.doors.connect.opencode_plugin import loaded_name
from studio.doors.doctor.tried import TARGET, Override, OwnSettings, Place, TriedClient, Value
from studio.engine.agent_limits import TRIAL_SECONDS
from studio.engine.documents import Spot
from studio.engine.home_files import drop_kept, read_kept
from studio.engine.work_folder import WorkFolder

# Whether opencode loads our plugin as its user has it: one that is passed over is no gate.

QUIET: Final = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
}
"""What keeps it from calling anybody but its model."""
_SECONDS: Final = 2 * TRIAL_SECONDS
"""It may have to look for a package of its own before, for more than a minute without a network."""


def is_plugin_loaded(client: Client) -> bool:
    """Have opencode say how it is set up, in an empty folder, and see whether our plugin was loaded for that.

    Raises OSError where it can't be started, or FileError.
    """
    beacon = loaded_name(client.hook_name)
    drop_kept(beacon)
    with WorkFolder("doctor") as folder, suppress(subprocess.TimeoutExpired):
        subprocess.run(
            [client.program, "debug", "config"],
            cwd=folder,
            env={**os.environ, **QUIET},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    return read_kept(beacon) is not None


_MODEL: Final = "m"
_PACKAGE: Final = "@opencode-ai/plugin"
_MANAGED: Final = Override(
    lambda: [system_file(f"opencode/{name}") for name in ("opencode.json", "opencode.jsonc")],
    (Spot((), "enabled_providers"), Spot((), "disabled_providers")),
)
_READ: Final = (
    ".opencode/*",
    *(
        f".config/opencode/{name}"
        for name in """agents bun.lock commands mode modes node_modules package.json package-lock.json
        plugin/* plugins/* skill skills tool tools""".split()
    ),
)


def _edit(project: Path) -> tuple[Call, ...]:
    given = {"filePath": str(project / TARGET), "oldString": "beta", "newString": "BETA"}
    return (Call("edit", given),)


def _set_up_opencode(place: Place, entries: Sequence[Value]) -> None:
    folder = _folder(place)
    folder.mkdir(parents=True)
    for entry in entries:
        put_plugin(folder, str(entry["content"]))


def _add_package(place: Place, _entries: Sequence[Value]) -> None:
    if not (_folder(place) / "node_modules").exists():
        say_package_is_there(_folder(place))


def _folder(place: Place) -> Path:
    return Path(place.environment["XDG_CONFIG_HOME"], "opencode")


def model_settings(url: str) -> dict[str, Any]:
    """What stands in `opencode.json` for a model at that address."""
    model = {"name": _MODEL, "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/anthropic",
        "name": "scripted",
        "options": {"baseURL": f"{url}/v1", "apiKey": "scripted"},
        "models": {_MODEL: model},
    }
    named = f"scripted/{_MODEL}"
    return {"model": named, "small_model": named, "provider": {"scripted": provider}}


def put_plugin(folder: Path, content: str) -> None:
    """Put our plugin into a fresh folder of settings."""
    plugin = folder / PLUGIN
    plugin.parent.mkdir()
    plugin.write_text(content, encoding="utf-8")
    say_package_is_there(folder)


def say_package_is_there(folder: Path) -> None:
    """Its own package for plugins, which ours does not need: without a network it would look for that for
    more than a minute."""
    (folder / "node_modules").mkdir()
    said = {"packages": {"": {"dependencies": {_PACKAGE: "*"}}}}
    (folder / "package-lock.json").write_text(json.dumps(said), encoding="utf-8")


def _opencode(_url: str) -> Sequence[str]:
    return ["opencode", "run", "--model", f"scripted/{_MODEL}", "--auto", "Go on."]


def _of_opencode(url: str) -> Mapping[str, str]:
    # It overrides each file of its user, and yields to those of the system alone.
    allowed = {"enabled_providers": ["scripted"], "disabled_providers": []}
    return {**QUIET, "OPENCODE_CONFIG_CONTENT": json.dumps({**model_settings(url), **allowed})}


TRIED_OPENCODE: Final = TriedClient(
    program="opencode",
    wish=_edit,
    entry=lambda hook: opencode(hook)[0].value,
    set_up=_set_up_opencode,
    command=_opencode,
    variables=_of_opencode,
    is_loaded=is_plugin_loaded,
    own=OwnSettings(_READ, (_MANAGED,), prepare=_add_package),
)
