"""Where the app keeps its own files: two folders of the user, never inside a project (design 7)."""

from __future__ import annotations

import os
from pathlib import Path

_NAME = "exacta-studio"


def config_directory() -> Path:
    """The user's configuration folder (may be missing): STUDIO_CONFIG_DIR, else the system's place."""
    return _overridden("STUDIO_CONFIG_DIR") or _platform_directory("config")


def state_directory() -> Path:
    """The folder that holds every project's store: STUDIO_STATE_DIR, else the system's place for it."""
    return _overridden("STUDIO_STATE_DIR") or _platform_directory("state")


def project_key(root: Path) -> str:
    """The name of a project's folder in the state folder: 32 hex digits of SHA-256 of the resolved root."""
    import hashlib

    return hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:32]


def _overridden(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value).absolute() if value else None


def _platform_directory(kind: str) -> Path:
    import platformdirs

    if kind == "config":
        return platformdirs.user_config_path(_NAME, appauthor=False)
    return platformdirs.user_state_path(_NAME, appauthor=False)
