"""Gemini CLI, tried: as seen by running 0.61.0."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from studio.doors.agents.script import Call
from studio.doors.connect.clients.gemini import gemini
from studio.doors.doctor.tried import TARGET, Place, TriedClient, shell_killed

MODEL: Final = "gemini-2.5-flash"
"""Where none is named it asks a model first which one to take, again and again until it has an answer."""


def _replace(project: Path) -> tuple[Call, ...]:
    given = {"file_path": str(project / TARGET), "old_string": "beta", "new_string": "BETA"}
    return (Call("replace", {**given, "instruction": "Make it louder."}),)


def _set_up_gemini(place: Place, entries: Sequence[Mapping[str, object]]) -> None:
    folder = place.home / ".gemini"
    folder.mkdir()
    # Where an address is set it takes a gateway for its way to log in, unless it is told.
    login = {"auth": {"selectedType": "gemini-api-key"}}
    settings: dict[str, Any] = {"security": login, "hooks": {"BeforeTool": entries}}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def _gemini(_url: str) -> Sequence[str]:
    return ["gemini", "-p", "Go on.", "-m", MODEL, "--approval-mode", "yolo"]


def _of_gemini(url: str) -> Mapping[str, str]:
    # In a folder that nobody trusts it would not start, and would ask no hook.
    return {
        "GEMINI_API_KEY": "scripted",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_CLI_NO_RELAUNCH": "1",
    }


TRIED_GEMINI: Final = TriedClient(
    program="gemini",
    wish=_replace,
    entry=lambda hook: gemini(hook)[0].value,
    set_up=_set_up_gemini,
    command=_gemini,
    variables=_of_gemini,
    killed=shell_killed,
)
