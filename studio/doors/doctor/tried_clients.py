"""The clients whose gates can be tried."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from studio.doors.agents.script import Call
from studio.doors.connect.clients.cline import cline
from studio.doors.doctor.tried import TARGET, OwnSettings, Place, TriedClient, Value, file_killed
from studio.doors.doctor.tried_claude_code import TRIED_CLAUDE_CODE
from studio.doors.doctor.tried_codex import TRIED_CODEX
from studio.doors.doctor.tried_gemini import TRIED_GEMINI
from studio.doors.doctor.tried_opencode import TRIED_OPENCODE
from studio.doors.doctor.tried_qwen import TRIED_QWEN

# Cline's command line, tried: as seen by running 3.0.65.

_PROVIDER: Final = "openai-compatible"
_READ: Final = (
    *(
        f".cline/{name}"
        for name in "agents data/settings/global-settings.json hooks/* plugins rules skills workflows".split()
    ),
    *(f"Documents/Cline/{name}" for name in "Hooks Plugins Rules Workflows".split()),
)


def _edit(project: Path) -> tuple[Call, ...]:
    return (Call("editor", {"path": str(project / TARGET), "old_text": "beta", "new_text": "BETA"}),)


def _choose_model(place: Place, _entries: Sequence[Value]) -> None:
    """Write its file of providers, which holds the keys and addresses of its models."""
    providers = place.home / ".cline/data/settings/providers.json"
    providers.parent.mkdir(parents=True, exist_ok=True)
    providers.write_text(json.dumps(model_settings(place.url)), encoding="utf-8")


def _set_up_cline(place: Place, entries: Sequence[Value]) -> None:
    _choose_model(place, entries)
    for entry in entries:
        file = place.home / ".cline/hooks/PreToolUse"
        file.parent.mkdir()
        file.write_text(str(entry["content"]), encoding="utf-8")
        file.chmod(0o700)


def model_settings(url: str) -> dict[str, object]:
    """What its own file of providers says of a model at that address."""
    settings = {"provider": _PROVIDER, "apiKey": "scripted", "model": "scripted", "baseUrl": f"{url}/v1"}
    provider = {"settings": settings, "updatedAt": "2026-11-22T00:00:00.000Z", "tokenSource": "manual"}
    return {"version": 1, "lastUsedProvider": _PROVIDER, "modes": {}, "providers": {_PROVIDER: provider}}


def _cline(_url: str) -> Sequence[str]:
    return ["cline", "--json", "-P", "openai", "Go on."]


def _of_cline(_url: str) -> Mapping[str, str]:
    # Else it leaves a server of its own behind, or works in the one that the user has.
    alone = {"CLINE_SESSION_BACKEND_MODE": "local"}
    return {**alone, "CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}


TRIED_CLINE: Final = TriedClient(
    program="cline",
    wish=_edit,
    entry=lambda hook: cline(hook)[0].value,
    set_up=_set_up_cline,
    command=_cline,
    variables=_of_cline,
    killed=file_killed,
    own=OwnSettings(_READ, prepare=_choose_model),
)


TRIED_CLIENTS: Final[Mapping[str, TriedClient]] = {
    "claude-code": TRIED_CLAUDE_CODE,
    "cline": TRIED_CLINE,
    "codex": TRIED_CODEX,
    "gemini": TRIED_GEMINI,
    "opencode": TRIED_OPENCODE,
    "qwen": TRIED_QWEN,
}
"""By the name that `connect` takes."""
