"""What an agent keeps its login and its settings in, for commands that are given it.

Single files, as far as an agent was seen to need them: it writes beside them (sessions, logs, locks), and
what it wrote there before is none of the command's business. Hooks that stand in a file of their own are left
out, and our own entries are taken out of the others: our gate is not to be had in the sandbox, and where it
is missing most agents do nothing. There it guards nothing either: whatever is done becomes a plan.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio.engine.errors import Refused
from studio.engine.logins import Logins

_LOGINS: Final[Mapping[str, Sequence[str]]] = {
    "aider": (".aider.conf.yml",),
    "claude-code": (
        ".claude.json",
        *(
            f".claude/{name}"
            for name in """.credentials.json settings.json CLAUDE.md agents commands output-styles plugins
            rules skills""".split()
        ),
    ),
    "cline": tuple(
        f".cline/data/{name}"
        for name in """globalState.json secrets.json settings/cline_mcp_settings.json
        settings/providers.json""".split()
    ),
    "codex": tuple(
        f".codex/{name}" for name in "auth.json config.toml AGENTS.md prompts rules skills".split()
    ),
    "continue": tuple(f".continue/{name}" for name in "auth.json config.yaml .env rules".split()),
    "gemini": tuple(
        f".gemini/{name}"
        for name in """oauth_creds.json google_accounts.json installation_id settings.json .env GEMINI.md
        trustedFolders.json commands policies""".split()
    ),
    "opencode": (
        *(
            f".config/opencode/{name}"
            for name in "opencode.json opencode.jsonc config.json AGENTS.md agent command".split()
        ),
        ".local/share/opencode/auth.json",
    ),
    "qwen": tuple(
        f".qwen/{name}"
        for name in """oauth_creds.json installation_id settings.json .env QWEN.md trustedFolders.json
        commands""".split()
    ),
}
"""By the agent's name, from the home on."""


def login_paths(agent: str) -> tuple[str, ...]:
    """What there is of the login of that agent, from the home on."""
    home = Path.home()
    return tuple(path for path in _LOGINS[agent] if os.access(home / path, os.R_OK))


def logins_of(agents: Iterable[str]) -> Logins:
    """What a command is given that has the logins of these agents."""
    named = tuple(dict.fromkeys(agents))
    paths = tuple(path for agent in named for path in login_paths(agent))
    contents = {path: data for agent in named for path, data in _without_ours(agent) if path in paths}
    return Logins(paths, contents)


def _without_ours(agent: str) -> Iterator[tuple[str, bytes]]:
    """The agent's files with entries of ours in them, without those."""
    from studio.doors.connect import CLIENTS, client_of, plan_removal  # most commands get no login

    # What can't be read for that is given as it is.
    with suppress(Refused):
        changes = plan_removal(client_of(agent)).changes if agent in CLIENTS else ()
        for change in changes:
            if change.file.path.is_relative_to(Path.home()):
                yield change.file.path.relative_to(Path.home()).as_posix(), change.after or b""
