"""Coding agents' login and settings files, collected and serialized for the sandbox.

They are single files, as far as an agent was seen to need them: agents write sessions, logs and locks beside
them, and older ones are none of the command's business. Hook files are excluded, and our own entries are
removed from the others: our gate is not reachable in the sandbox, and most agents do nothing where it is
missing. It guards nothing there either, since every change becomes a plan.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio import doors, extras
from studio.errors import Refused
from studio.extras.agents import Logins

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
"""Paths relative to the home folder, by agent name."""


def login_paths(agent: str) -> tuple[str, ...]:
    """Return an agent's readable login paths, relative to the home folder."""
    home = Path.home()
    return tuple(path for path in _LOGINS[agent] if os.access(home / path, os.R_OK))


def logins_of(agents: Iterable[str]) -> Logins:
    """Return the login files of these agents, without our own entries."""
    named = tuple(dict.fromkeys(agents))
    paths = tuple(path for agent in named for path in login_paths(agent))
    contents = {path: data for agent in named for path, data in _without_ours(agent) if path in paths}
    return Logins(paths, contents)


def logins_line(agents: Iterable[str]) -> bytes:
    """Serialize the logins with all file contents as one JSON line.

    It is read by one of our processes that itself opens none of the files; a person allowed them in another
    process. Raises SandboxRefused for a file that is too large, or OSError.
    """
    logins = logins_of(agents)
    files = {path: logins.contents.get(path) for path in logins.paths}
    home = Path.home()
    read = extras.sandbox.read_login
    encoded = {
        path: None if (home / path).is_dir() else b64encode(read(home / path) if data is None else data)
        for path, data in files.items()
    }
    texts = {path: data if data is None else data.decode("ascii") for path, data in encoded.items()}
    return json.dumps({"logins": texts}).encode() + b"\n"


def read_logins(agents: Iterable[str], line: bytes) -> Logins:
    """Parse such a line.

    Raises Refused where it is malformed, or names a file without its content: a process that has not read a
    login is given none of it.
    """
    paths = {path for agent in agents for path in _LOGINS[agent]}
    contents: dict[str, bytes] = {}
    folders: list[str] = []
    with suppress(ValueError, TypeError, AttributeError, RecursionError):
        for path, data in json.loads(line)["logins"].items():
            if data is not None:
                contents[path] = b64decode(data, validate=True)
            elif (Path.home() / path).is_dir():
                folders.append(path)
            else:
                break
        else:
            if paths.issuperset((*contents, *folders)):
                return Logins((*contents, *folders), contents)
    raise Refused(
        "acp.login_files",
        "The first line of standard input has no files for these logins.",
        "Omit --login-files.",
    )


def _without_ours(agent: str) -> Iterator[tuple[str, bytes]]:
    """Yield the agent's files that contain entries of ours, with those removed."""
    # A file that can't be parsed is passed unchanged.
    with suppress(Refused):
        changes = (
            doors.connect.plan_removal(doors.connect.client_of(agent)).changes
            if agent in doors.connect.CLIENTS
            else ()
        )
        for change in changes:
            if change.file.path.is_relative_to(Path.home()):
                yield change.file.path.relative_to(Path.home()).as_posix(), change.after or b""
