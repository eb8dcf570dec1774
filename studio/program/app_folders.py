"""Paths of the app's folders: configuration, project state, demo, account home."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import pwd

_NAME = "exacta-studio"


def config_directory() -> Path:
    """Return the user's configuration folder, which may be missing.

    STUDIO_CONFIG_DIR, else the system's standard folder.
    """
    return _read_override("STUDIO_CONFIG_DIR") or _find_platform_directory("config")


def state_directory() -> Path:
    """Return the folder of all project stores.

    STUDIO_STATE_DIR, else the system's standard folder.
    """
    return _read_override("STUDIO_STATE_DIR") or _find_platform_directory("state")


def account_config_directory() -> Path | None:
    """Return the configuration folder below the account's home.

    The home is that of the system's user database, so no environment variable chooses it. None where the
    database has no such user.
    """
    return _find_account_directory("config")


def demo_directory() -> Path:
    """Return the folder for demo projects, which may be missing."""
    chosen = _read_override("STUDIO_STATE_DIR")
    if chosen is not None:
        return chosen / "demo"
    return _find_platform_directory("data") / "demo"


def own_directories() -> tuple[Path, ...]:
    """Return every folder of ours, resolved.

    Those in use, and the account's own, which no environment variable hides.
    """
    found = (
        config_directory(),
        state_directory(),
        _find_account_directory("config"),
        _find_account_directory("state"),
    )
    return tuple(dict.fromkeys(folder.resolve() for folder in found if folder is not None))


def account_home() -> Path:
    """Return the account's home from the user database, else from HOME."""
    if sys.platform != "win32":
        with suppress(KeyError):
            return Path(pwd.getpwuid(os.getuid()).pw_dir).resolve()
    return Path.home().resolve()


def is_state_chosen() -> bool:
    """Return whether the environment chose the state folder.

    The configuration folder in use then counts as the user's own.
    """
    return state_directory().resolve() != _find_account_directory("state")


def project_key(root: Path) -> str:
    """Return a project's folder name in the state folder.

    32 hex digits of the SHA-256 of the resolved root.
    """
    # Not at the top: it loads OpenSSL, which would delay the first paint.
    import hashlib

    return hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:32]


def _read_override(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value).absolute() if value else None


def _find_account_directory(kind: str) -> Path | None:
    if sys.platform == "win32":  # the system returns it without the environment
        return _find_platform_directory(kind).resolve()
    try:
        home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return None
    if sys.platform == "darwin":
        return (home / "Library" / "Application Support" / _NAME).resolve()
    return (home / {"config": ".config", "state": ".local/state"}[kind] / _NAME).resolve()


def _find_platform_directory(kind: str) -> Path:
    # Not at the top: it takes 14 ms, and nothing before the first paint needs it.
    import platformdirs

    folders = platformdirs.PlatformDirs(_NAME, appauthor=False)
    if kind == "data":
        return folders.user_data_path
    return folders.user_config_path if kind == "config" else folders.user_state_path
