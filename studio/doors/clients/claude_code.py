"""Claude Code definition: configuration entries, hook tools, test setup and ACP agent."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from studio.documents import JsonExtra, Spot
from studio.doors.agents.script import Call
from studio.doors.clients.client import (
    HOOKS,
    SERVER,
    TARGET,
    AcpAgent,
    Entry,
    FileSpot,
    Habits,
    KnownClient,
    Override,
    OwnSettings,
    Switch,
    TrialClient,
    TrialEnvironment,
    disables_hooks,
    moves,
    server_entry,
    server_in,
    system_file,
)
from studio.doors.clients.hook_program import CLIENT_SECONDS
from studio.doors.hooks.known_tools import CLAUDE_CODE_TOOLS

SKILL_HOOKS: Final = Spot(("hooks", "PreSkillShellCommand"), None)
_SKILL_HOOKS_SINCE: Final = (2, 1, 332)
"""An older version with this event set opens a dialog at start."""


def claude_code(hook: Path) -> tuple[Entry, ...]:
    """Return our entries for our hook program at `hook`."""
    chosen = os.environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(chosen).absolute() if chosen else Path.home() / ".claude"
    # With args, even empty, it is started directly, without a shell; the model is sent the whole command
    # line.
    handler: dict[str, object] = {"type": "command", "command": str(hook), "args": []}
    asks = {"matcher": "*", "hooks": [{**handler, "timeout": CLIENT_SECONDS, "onFailure": "block"}]}
    # Without alwaysLoad the model does not see the tools until it searches for them.
    server = {"type": "stdio", **server_entry(), "alwaysLoad": True}
    settings = folder / "settings.json"
    return (
        Entry(settings, HOOKS, asks, "Each tool call asks Exacta Studio first."),
        Entry(
            (folder if chosen else Path.home()) / ".claude.json",
            Spot(("mcpServers",), SERVER),
            server,
            "Adds the tools of Exacta Studio.",
        ),
        Entry(
            settings,
            SKILL_HOOKS,
            asks,
            "Shell commands in skills and command files ask it, too.",
            is_wanted=_installed_version() >= _SKILL_HOOKS_SINCE,
        ),
    )


def _installed_version() -> tuple[int, ...]:
    """Return the version in its program's path, () for none.

    Its own installer and Homebrew name a file or folder by it, npm has a package.json. Starting it would take
    half a second each time that a gate is checked.
    """
    program = Path(shutil.which("claude") or "").resolve()
    names = [program.name, program.parent.name]
    for folder in program.parents[:2]:
        with suppress(OSError, ValueError, TypeError, KeyError):
            package = json.loads((folder / "package.json").read_bytes())
            if "/claude-code" in package["name"]:
                names.append(package["version"])
    found = next((name for name in names if re.fullmatch(r"\d+\.\d+\.\d+", name)), "")
    return tuple(map(int, found.split("."))) if found else ()


def _servers(entry: Entry, folder: Path) -> Iterator[FileSpot]:
    yield from server_in(".mcp.json")(entry, folder)
    for each in (folder, *folder.parents):
        yield entry.path, Spot(("projects", str(each), *entry.spot.keys), entry.spot.name)


def _system() -> Iterator[Path]:
    settings = system_file("claude-code/managed-settings.json")
    yield settings
    yield from sorted(settings.with_name("managed-settings.d").glob("*.json"))


def _is_limited(value: object, _command: str) -> bool:
    return value is True or (isinstance(value, list) and "hooks" in value)


DISABLE_ALL_HOOKS: Final = Switch(Spot((), "disableAllHooks"), lambda value, _command: value is not False)
HABITS: Final = Habits(
    _servers,
    (
        DISABLE_ALL_HOOKS,
        *moves("CLAUDE_CONFIG_DIR"),
        *disables_hooks("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"),
    ),
    (".claude/settings.json", ".claude/settings.local.json"),
    system=_system,
    system_switches=(
        Switch(Spot((), "allowManagedHooksOnly"), lambda value, _command: value is True),
        Switch(Spot((), "strictPluginOnlyCustomization"), _is_limited),
    ),
)
"""Of 2.1.332, by the names in its own program."""
UNSEEN: Final = (
    "Versions before 2.1.295 write if our hook program is missing or killed.",
    (
        "Before 2.1.332, shell commands in skills and command files run without asking. Connect again "
        "after an update."
    ),
)
"""2.1.332 was run; for older versions this is from its documentation."""


# Test setup. Its settings have an `env` that overrides its environment; the one of `--settings` overrides the
# user's, and the system's own settings override that. Seen by running 2.1.332.

_CLEARED_VARIABLES: Final = """
    ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_FOUNDRY CLAUDE_CODE_USE_VERTEX ALL_PROXY
    HTTP_PROXY HTTPS_PROXY http_proxy https_proxy
""".split()
"""Variables that would select another model, or bypass ours."""
_SKILL: Final = "louder"


def _edit(project: Path) -> tuple[Call, ...]:
    arguments = {"file_path": str(project / TARGET), "old_string": "beta", "new_string": "BETA"}
    return (Call("Edit", arguments),)


def _set_up_claude_code(place: TrialEnvironment, entries: Sequence[Mapping[str, object]]) -> None:
    _set_up(place, HOOKS, entries)


def _set_up(place: TrialEnvironment, spot: Spot, entries: Sequence[Mapping[str, object]]) -> None:
    folder = place.home / ".claude"
    folder.mkdir()
    settings: dict[str, Any] = {spot.keys[0]: {spot.keys[1]: entries}}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def _claude_code(url: str) -> Sequence[str]:
    settings = json.dumps({"env": {**_of_claude_code(url), **dict.fromkeys(_CLEARED_VARIABLES, "")}})
    words = ["--output-format", "json", "--permission-mode", "bypassPermissions", "--settings", settings]
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
        "IS_SANDBOX": "1",  # as root it allows this mode only in a sandbox
    }


def _skill(_project: Path) -> tuple[Call, ...]:
    return (Call("Skill", {"skill": _SKILL}),)


def _set_up_skill(place: TrialEnvironment, entries: Sequence[Mapping[str, object]]) -> None:
    _set_up(place, SKILL_HOOKS, entries)
    folder = place.project / ".claude/skills" / _SKILL
    folder.mkdir(parents=True)
    text = f"---\nname: {_SKILL}\ndescription: Makes it louder.\n---\n!`echo BETA >> {TARGET}`\n"
    (folder / "SKILL.md").write_text(text, encoding="utf-8")


_OWN: Final = OwnSettings(
    (".claude/hooks",),
    (
        Override(
            HABITS.system, tuple(Spot(("env",), name) for name in (*_of_claude_code(""), *_CLEARED_VARIABLES))
        ),
    ),
    {".claude.json": ("customApiKeyResponses", "oauthAccount", "primaryApiKey")},
)
_TRIED_SKILL: Final = TrialClient(
    program="claude",
    scripted_calls=_skill,
    entry=lambda hook: claude_code(hook)[-1].value,
    set_up=_set_up_skill,
    command=_claude_code,
    variables=_of_claude_code,
    own=_OWN,
)
TRIED_CLAUDE_CODE: Final = TrialClient(
    program="claude",
    scripted_calls=_edit,
    entry=lambda hook: claude_code(hook)[0].value,
    set_up=_set_up_claude_code,
    command=_claude_code,
    variables=_of_claude_code,
    own=_OWN,
    others={SKILL_HOOKS: _TRIED_SKILL},
)


ACP: Final = AcpAgent(
    "Claude Code",
    "claude-code-acp",
    "default",
    writes_through_client=False,
    instead="studio connect claude-code",
    shell=CLAUDE_CODE_TOOLS.shells["Bash"],
    reported_name="@agentclientprotocol/claude-agent-acp",
    command=("claude-agent-acp",),
)


CLAUDE_CODE: Final = KnownClient(
    name="claude-code",
    title="Claude Code",
    program="claude",
    entries=claude_code,
    habits=HABITS,
    unseen=UNSEEN,
    json_extra=JsonExtra.MARK,  # seen: 2.1.332 silently drops any other settings as a whole
    tried=TRIED_CLAUDE_CODE,
    tools=CLAUDE_CODE_TOOLS,
    acp=ACP,
    settings_variable="CLAUDE_CONFIG_DIR",
)
