"""Claude Code, tried: as seen by running 2.1.330."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from studio.doors.agents.script import Call
from studio.doors.connect.clients.claude_code import claude_code
from studio.doors.doctor.tried import TARGET, Place, TriedClient


def _edit(project: Path) -> tuple[Call, ...]:
    given = {"file_path": str(project / TARGET), "old_string": "beta", "new_string": "BETA"}
    return (Call("Edit", given),)


def _set_up_claude_code(place: Place, entries: Sequence[Mapping[str, object]]) -> None:
    folder = place.home / ".claude"
    folder.mkdir()
    settings: dict[str, Any] = {"hooks": {"PreToolUse": entries}}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def _claude_code(_url: str) -> Sequence[str]:
    return ["claude", "-p", "Go on.", "--output-format", "json", "--permission-mode", "bypassPermissions"]


def _of_claude_code(url: str) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
        "IS_SANDBOX": "1",  # to root it grants this mode in a sandbox alone
    }


TRIED_CLAUDE_CODE: Final = TriedClient(
    program="claude",
    wish=_edit,
    entry=lambda hook: claude_code(hook)[0].value,
    set_up=_set_up_claude_code,
    command=_claude_code,
    variables=_of_claude_code,
)
