"""Logins of agents that a command in the sandbox may be given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

LOGIN_NAMES: Final = (
    "aider", "claude-code", "cline", "codex", "continue", "gemini", "opencode", "qwen",
)  # fmt: skip
"""The agents whose logins there are."""


@dataclass(frozen=True, slots=True)
class Logins:
    """Files and folders of the home, from there on; `contents` are what files of them are to hold instead."""

    paths: tuple[str, ...] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


NO_LOGINS: Final = Logins()
