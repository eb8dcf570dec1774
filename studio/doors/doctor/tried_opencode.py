"""opencode, tried: as seen by running 1.18.33."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from studio.doors.agents.script import Call
from studio.doors.connect.clients.opencode import PLUGIN, opencode
from studio.doors.doctor.plugin_beacon import QUIET, is_plugin_loaded
from studio.doors.doctor.tried import TARGET, Place, TriedClient, Value

_MODEL: Final = "m"
_PACKAGE: Final = "@opencode-ai/plugin"


def _edit(project: Path) -> tuple[Call, ...]:
    given = {"filePath": str(project / TARGET), "oldString": "beta", "newString": "BETA"}
    return (Call("edit", given),)


def _set_up_opencode(place: Place, entries: Sequence[Value]) -> None:
    folder = Path(place.environment["XDG_CONFIG_HOME"], "opencode")
    folder.mkdir(parents=True)
    (folder / "opencode.json").write_text(json.dumps(model_settings(place.url)), encoding="utf-8")
    for entry in entries:
        put_plugin(folder, str(entry["content"]))


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
    return ["opencode", "run", "Go on."]


def _of_opencode(_url: str) -> Mapping[str, str]:
    return QUIET


TRIED_OPENCODE: Final = TriedClient(
    program="opencode",
    wish=_edit,
    entry=lambda hook: opencode(hook)[0].value,
    set_up=_set_up_opencode,
    command=_opencode,
    variables=_of_opencode,
    is_loaded=is_plugin_loaded,
)
