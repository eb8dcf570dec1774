"""Gemini CLI, tried: as seen by running 0.61.0."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from studio.doors.agents.script import Call
from studio.doors.connect.clients.client import system_file
from studio.doors.connect.clients.gemini import gemini
from studio.doors.doctor.tried import TARGET, Override, OwnSettings, Place, TriedClient, shell_killed
from studio.engine import documents
from studio.engine.documents import Spot

_ELSEWHERE: Final = """
    GOOGLE_GENAI_USE_GCA GOOGLE_GENAI_USE_VERTEXAI ALL_PROXY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy
""".split()
MODEL: Final = "gemini-2.5-flash"
"""Where none is named it asks a model first which one to take, again and again until it has an answer."""


def _replace(project: Path) -> tuple[Call, ...]:
    given = {"file_path": str(project / TARGET), "old_string": "beta", "new_string": "BETA"}
    return (Call("replace", {**given, "instruction": "Make it louder."}),)


def _set_up_gemini(place: Place, entries: Sequence[Mapping[str, object]]) -> None:
    folder = place.home / ".gemini"
    folder.mkdir()
    settings = {"hooks": {"BeforeTool": entries}}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    _choose_login(place, entries)


def _choose_login(place: Place, _entries: Sequence[Mapping[str, object]]) -> None:
    """Have it log in by a key: its settings say how, and where an address is set it would take a gateway."""
    file, spot = place.home / ".gemini/settings.json", Spot(("security",), "auth")
    data, login = file.read_bytes(), {"selectedType": "gemini-api-key"}
    if documents.find(file.name, data, spot):
        data = documents.change(file.name, data, spot, "auth", login)
    else:
        data, _ = documents.put(file.name, data, spot, login)
    file.write_bytes(data)


def _gemini(_url: str) -> Sequence[str]:
    return ["gemini", "-p", "Go on.", "-m", MODEL, "--approval-mode", "yolo"]


def _of_gemini(url: str) -> Mapping[str, str]:
    # In a folder that nobody trusts it would not start, and would ask no hook. What is set here, its own file
    # of variables does not set: a way to log in, a proxy, a container.
    return {
        **dict.fromkeys(_ELSEWHERE, ""),
        "GEMINI_API_KEY": "scripted",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_CLI_NO_RELAUNCH": "1",
        "GEMINI_SANDBOX": "false",
    }


TRIED_GEMINI: Final = TriedClient(
    program="gemini",
    wish=_replace,
    entry=lambda hook: gemini(hook)[0].value,
    set_up=_set_up_gemini,
    command=_gemini,
    variables=_of_gemini,
    killed=shell_killed,
    own=OwnSettings(
        (".gemini/hooks", ".gemini/extensions", ".gemini/skills", ".gemini/agents"),
        (Override(lambda: [system_file("gemini-cli/settings.json")], (Spot(("security",), "auth"),)),),
        prepare=_choose_login,
    ),
)
