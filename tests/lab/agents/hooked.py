"""The clients that ask a hook before every tool: how each is set up with one, and started, in a lab."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.lab.agents import claude_code, cline, codex, gemini, opencode, qwen
from tests.lab.agents.lab import Lab

Command = tuple[Sequence[str], Mapping[str, str]]
"""The words that start a client, and the variables it needs."""


def hooked(client: str, lab: Lab, program: Path, **options: Any) -> Command:
    """This client with this program as its hook; `options` are its own.

    Where one starts its hook by a shell, it is `is_guarded` by the words that `connect` writes around it.
    """
    return _HOOKED[client](lab, program, **options)


def _claude(
    lab: Lab, program: Path, *, mode: str = "acceptEdits", is_guarded: bool = False, **entry: Any
) -> Command:
    del is_guarded  # It says itself what a failure is.
    settings = claude_code.hook_settings(str(program), **entry)
    command, variables = claude_code.claude_command(lab, settings, mode)
    # To root it grants the mode that asks nobody in a sandbox alone.
    return command, {**variables, "IS_SANDBOX": "1"}


def _codex(
    lab: Lab, program: Path, *, trusted: bool = True, is_guarded: bool = False, **entry: Any
) -> Command:
    del is_guarded  # The shell is the user's own, whichever that is.
    codex.set_up(lab, hooks=codex.hooks(f"exec {shlex.quote(str(program))}", **entry))
    if trusted:
        codex.trust_hooks(lab)
    return codex.codex_command(lab)


_HOOKED: Final[Mapping[str, Callable[..., Command]]] = {
    "claude-code": _claude,
    "cline": cline.hooked,
    "codex": _codex,
    "gemini": gemini.hooked,
    "opencode": opencode.hooked,
    "qwen": qwen.hooked,
}
