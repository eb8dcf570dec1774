"""Where the app keeps its own files: two folders of the user, never inside a project (design 7)."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

_NAME = "exacta-studio"


def config_directory() -> Path:
    """The user's configuration folder (may be missing): STUDIO_CONFIG_DIR, else the system's place."""
    return _overridden("STUDIO_CONFIG_DIR") or _platform_directory("config")


def state_directory() -> Path:
    """The folder that holds every project's store: STUDIO_STATE_DIR, else the system's place for it."""
    return _overridden("STUDIO_STATE_DIR") or _platform_directory("state")


def account_config_directory() -> Path | None:
    """The configuration folder below the account's home, as the system's user database names it: no variable
    of the environment chooses it. None where the database knows no such user."""
    return _account_directory("config")


def demo_directory() -> Path:
    """The folder in which demo projects are made (may be missing)."""
    chosen = _overridden("STUDIO_STATE_DIR")
    if chosen is not None:
        return chosen / "demo"
    import platformdirs

    return platformdirs.user_data_path(_NAME, appauthor=False) / "demo"


def own_directories() -> tuple[Path, ...]:
    """Every folder of ours, resolved: those in use, and the account's own, which no variable hides."""
    found = (config_directory(), state_directory(), _account_directory("config"), _account_directory("state"))
    return tuple(dict.fromkeys(folder.resolve() for folder in found if folder is not None))


def account_home() -> Path:
    """The account's home as the system's user database names it; HOME's where that knows no such user."""
    if sys.platform != "win32":
        import pwd

        with suppress(KeyError):
            return Path(pwd.getpwuid(os.getuid()).pw_dir).resolve()
    return Path.home().resolve()


def is_state_chosen() -> bool:
    """Whether the environment chose where the stores are: then it stands for the whole place (contract 8)."""
    return state_directory().resolve() != _account_directory("state")


def project_key(root: Path) -> str:
    """The name of a project's folder in the state folder: 32 hex digits of SHA-256 of the resolved root."""
    # Not at the top: it loads OpenSSL, for which the first paint need not wait.
    import hashlib

    return hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:32]


def _overridden(variable: str) -> Path | None:
    value = os.environ.get(variable)
    return Path(value).absolute() if value else None


def _account_directory(kind: str) -> Path | None:
    if sys.platform == "win32":  # the system names it without the environment
        return _platform_directory(kind).resolve()
    import pwd

    try:
        home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return None
    if sys.platform == "darwin":
        return (home / "Library" / "Application Support" / _NAME).resolve()
    return (home / {"config": ".config", "state": ".local/state"}[kind] / _NAME).resolve()


def _platform_directory(kind: str) -> Path:
    import platformdirs

    if kind == "config":
        return platformdirs.user_config_path(_NAME, appauthor=False)
    return platformdirs.user_state_path(_NAME, appauthor=False)
