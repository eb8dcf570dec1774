"""What agents keep their configuration and their login in, by the names that a person gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

LOGINS: Final[Mapping[str, tuple[str, ...]]] = {
    "aider": (".aider.conf.yml",),
    "claude-code": (".claude", ".claude.json"),
    "cline": (".cline",),
    "codex": (".codex",),
    "continue": (".continue",),
    "gemini": (".gemini",),
    "opencode": (".config/opencode", ".local/share/opencode"),
    "qwen": (".qwen",),
}
"""In the home: files and folders, relative to it."""


def login_paths(names: Iterable[str]) -> tuple[str, ...]:
    """The files and folders of these logins."""
    return tuple(path for name in names for path in LOGINS[name])
