"""What an agent keeps its configuration and its login in, for commands that are given it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

LOGINS: Final[Mapping[str, Sequence[str]]] = {
    "aider": (".aider.conf.yml",),
    "claude-code": (".claude", ".claude.json"),
    "cline": (".cline",),
    "codex": (".codex",),
    "continue": (".continue",),
    "gemini": (".gemini",),
    "opencode": (".config/opencode", ".local/share/opencode"),
    "qwen": (".qwen",),
}
"""By the agent's name, in the home."""
