"""Claude Code, tried: as seen by running 2.1.332.

Its settings have an `env` that overrides its environment; that of `--settings` overrides the user's, and the
system's own settings override that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from studio.doors.agents.script import Call
from studio.doors.connect.clients.claude_code import HABITS, SKILL_HOOKS, claude_code
from studio.doors.connect.clients.client import HOOKS
from studio.doors.doctor.tried import TARGET, Override, OwnSettings, Place, TriedClient
from studio.engine.documents import Spot

_ELSEWHERE: Final = """
    ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_FOUNDRY CLAUDE_CODE_USE_VERTEX ALL_PROXY
    HTTP_PROXY HTTPS_PROXY http_proxy https_proxy
""".split()
"""What would lead it to another model, or past ours."""
_SKILL: Final = "louder"


def _edit(project: Path) -> tuple[Call, ...]:
    given = {"file_path": str(project / TARGET), "old_string": "beta", "new_string": "BETA"}
    return (Call("Edit", given),)


def _set_up_claude_code(place: Place, entries: Sequence[Mapping[str, object]]) -> None:
    _set_up(place, HOOKS, entries)


def _set_up(place: Place, spot: Spot, entries: Sequence[Mapping[str, object]]) -> None:
    folder = place.home / ".claude"
    folder.mkdir()
    settings: dict[str, Any] = {spot.keys[0]: {spot.keys[1]: entries}}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def _claude_code(url: str) -> Sequence[str]:
    forced = json.dumps({"env": {**_of_claude_code(url), **dict.fromkeys(_ELSEWHERE, "")}})
    words = ["--output-format", "json", "--permission-mode", "bypassPermissions", "--settings", forced]
    return ["claude", "-p", "Go on.", *words]


def _of_claude_code(url: str) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
        "NO_PROXY": "*",
        "IS_SANDBOX": "1",  # to root it grants this mode in a sandbox alone
    }


def _skill(_project: Path) -> tuple[Call, ...]:
    return (Call("Skill", {"skill": _SKILL}),)


def _set_up_skill(place: Place, entries: Sequence[Mapping[str, object]]) -> None:
    _set_up(place, SKILL_HOOKS, entries)
    folder = place.project / ".claude/skills" / _SKILL
    folder.mkdir(parents=True)
    text = f"---\nname: {_SKILL}\ndescription: Makes it louder.\n---\n!`echo BETA >> {TARGET}`\n"
    (folder / "SKILL.md").write_text(text, encoding="utf-8")


_OWN: Final = OwnSettings(
    (".claude/hooks",),
    (Override(HABITS.system, tuple(Spot(("env",), name) for name in (*_of_claude_code(""), *_ELSEWHERE))),),
    {".claude.json": ("customApiKeyResponses", "oauthAccount", "primaryApiKey")},
)
_TRIED_SKILL: Final = TriedClient(
    program="claude",
    wish=_skill,
    entry=lambda hook: claude_code(hook)[-1].value,
    set_up=_set_up_skill,
    command=_claude_code,
    variables=_of_claude_code,
    own=_OWN,
)
TRIED_CLAUDE_CODE: Final = TriedClient(
    program="claude",
    wish=_edit,
    entry=lambda hook: claude_code(hook)[0].value,
    set_up=_set_up_claude_code,
    command=_claude_code,
    variables=_of_claude_code,
    own=_OWN,
    others={SKILL_HOOKS: _TRIED_SKILL},
)
