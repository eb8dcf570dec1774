"""The clients that ask a hook before every tool: how each is set up with one, and started, in a lab."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.agents import claude_code, codex
from tests.agents.lab import Lab

Command = tuple[Sequence[str], Mapping[str, str]]
"""The words that start a client, and the variables it needs."""


def hooked(
    client: str,
    lab: Lab,
    program: Path,
    *,
    mode: str = "acceptEdits",
    trusted: bool = True,
    **entry: Any,
) -> Command:
    """This client with this program as its hook; `entry` goes to its `hook_settings` or `hooks`.

    `mode` is Claude Code's own, and Codex is started whether or not the hook is `trusted`.
    """
    if client == "claude-code":
        settings = claude_code.hook_settings(str(program), **entry)
        command, variables = claude_code.claude_command(lab, settings, mode)
        # To root it grants the mode that asks nobody in a sandbox alone.
        return command, {**variables, "IS_SANDBOX": "1"}
    codex.set_up(lab, hooks=codex.hooks(f"exec {shlex.quote(str(program))}", **entry))
    if trusted:
        codex.trust_hooks(lab)
    return codex.codex_command(lab)
