"""Checks of the installation, its folders and the project."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from studio.engine.app_folders import config_directory, state_directory
from studio.engine.errors import StudioError
from studio.engine.notify_paths import address
from studio.engine.workspace import Workspace, reason


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check; `hint` says how to fix a failure."""

    name: str
    ok: bool
    message: str
    hint: str = ""


_PARTS = {
    "PySide6": "the window",
    "pygments": "colours of code",
    "unidiff": "the second reading of each diff",
    "pygit2": "what git knows of the project, and the diffs",
    "watchdog": "changes from outside",
    "qasync": "the window",
    "mcp": "studio mcp",
    "acp": "studio acp",
}
"""Required and optional modules, and what needs each."""
_EXTRAS = {"mcp": "mcp", "acp": "agent-client-protocol"}
"""Optional parts, and the packages that provide them."""


def checks_of(root: Path | None) -> Iterator[Check]:
    """Yield the checks of the program's parts, folders and project."""
    version = ".".join(map(str, sys.version_info[:3]))
    yield Check("python", sys.version_info >= (3, 11), f"Python {version}.", "Use Python 3.11 or newer.")
    for name, what in _PARTS.items():
        is_there = importlib.util.find_spec(name) is not None
        message = f"{name} is there." if is_there else f"{name} is missing: {what} needs it."
        yield Check(
            name,
            is_there or name in _EXTRAS,
            message,
            "" if is_there else f"pip install {_EXTRAS.get(name, name)}",
        )
    for name, folder in (("state folder", state_directory()), ("configuration folder", config_directory())):
        yield _folder(name, folder)
    if root is not None:
        yield _run_check("project", lambda: _project(root))
    yield from _sandbox_checks()


def notify_socket() -> str:
    """Return the path of the window's notify socket."""
    return str(address())


def _folder(name: str, folder: Path) -> Check:
    existing = next((each for each in (folder, *folder.parents) if each.exists()), folder)
    if os.access(existing, os.W_OK | os.X_OK):
        return Check(name, True, f"{folder} can be written.")
    return Check(name, False, f"{folder} can't be written.", "Give it back to yourself: chown, chmod.")


def _project(root: Path) -> Check:
    workspace = Workspace.open(root)
    try:
        notices = [*workspace.notices]
        if notices:
            return Check("project", False, notices[0], "See the README.")
        plans = len(workspace.proposer.plans())
        return Check("project", True, f"{root} opens, with {plans} {'plan' if plans == 1 else 'plans'}.")
    finally:
        workspace.close()


def _sandbox_checks() -> Iterator[Check]:
    """Check how commands can be sandboxed here; the program works without."""
    if sys.platform.startswith("linux"):
        from studio.engine.sandbox import ways  # imported late, and for Linux only

        for proof in ways():
            yield Check(f"sandbox: {proof.way.value}", True, proof.message, proof.hint)


def _run_check(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except StudioError as error:
        return Check(name, False, error.message, error.hint)
    except OSError as error:
        return Check(name, False, f"It can't be opened: {reason(error)}.", "Look at the folder.")
