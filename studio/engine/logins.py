"""Agent logins that a sandboxed command may be given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

LOGIN_NAMES: Final = (
    "aider", "claude-code", "cline", "codex", "continue", "gemini", "opencode", "qwen",
)  # fmt: skip
"""The agents with known logins."""


@dataclass(frozen=True, slots=True)
class Logins:
    """Login files and folders relative to the home folder.

    `contents` replace the contents of files.
    """

    paths: tuple[str, ...] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


NO_LOGINS: Final = Logins()
