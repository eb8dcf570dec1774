"""Checks of the installation, and the diagnostic report with them."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from studio import extras
from studio.doors.doctor.proof_record import gate_statuses
from studio.errors import StudioError
from studio.extras import diagnostics
from studio.extras.agents import Gate, GateStatus
from studio.extras.diagnostics import Section
from studio.journal.file_image import time_text
from studio.names import show_name
from studio.program.app_folders import config_directory, state_directory
from studio.program.notify_paths import address
from studio.system.os_errors import reason
from studio.values import Value
from studio.workspace import Workspace


def bundle_text(root: Path | None) -> str:
    """Return the report; `root` None means no project.

    Parts that can't be read are noted as such.
    """
    roots = [root] if root is not None else []
    return diagnostics.text_of(
        [
            diagnostics.versions(),
            diagnostics.section("Checks", lambda: _lines("Checks", map(check_line, checks_of(root)))),
            diagnostics.section("Gates", lambda: _lines("Gates", map(gate_line, gate_statuses(roots)))),
            _of_project("Settings", root, lambda found: diagnostics.settings(found.config)),
            _of_project("Journal", root, lambda found: diagnostics.journal(found.journal)),
            diagnostics.log(),
        ]
    )


def check_line(check: Check) -> str:
    """Format a check as one line."""
    sign, hint = ("ok ", "") if check.ok else ("NOT", f" {check.hint}")
    return f"{sign}  {show_name(check.message)}{hint}"


def gate_line(gate: GateStatus) -> str:
    """Format an agent's gate status as one line."""
    sign = "ok " if gate.is_safe else "NOT"
    version = f" ({show_name(gate.version)})" if gate.version else ""
    if gate.gate is Gate.NONE:
        state = f"{gate.agent}{version} is not protected"
    else:
        proved = "verified" if gate.proved else "not verified"
        state = f"The gate of {gate.agent}{version} is {gate.gate.value}, {proved}"
    where = "with your own settings" if gate.is_own else "in an empty home"
    last_test = f" Tested {time_text(gate.when)} {where}." if gate.when is not None else ""
    return f"{sign}  {state}. {gate.why}{last_test}"


def _lines(title: str, lines: Iterable[str]) -> Section:
    return Section(title, tuple(lines))


def _of_project(title: str, root: Path | None, make: Callable[[Workspace], Section]) -> Section:
    if root is None:
        return Section(title, ("No project is open.",))

    def read() -> Section:
        workspace = Workspace.open(root)
        try:
            return make(workspace)
        finally:
            workspace.close()

    return diagnostics.section(title, read)


# Checks of the installation, its folders and the project.


class Check(Value):
    """The result of one check; `hint` says how to fix a failure."""

    name: str
    ok: bool
    message: str
    hint: str = ""


_PARTS = {
    "PySide6": "the window",
    "pygments": "syntax highlighting",
    "unidiff": "the second parse of each diff",
    "pygit2": "git status and diffs",
    "watchdog": "outside changes",
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
        message = (
            f"{name} is installed." if is_there else f"{name} is not installed: it is required for {what}."
        )
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
        return Check(name, True, f"{folder} is writable.")
    return Check(name, False, f"{folder} is not writable.", "Fix its owner or mode with chown or chmod.")


def _project(root: Path) -> Check:
    workspace = Workspace.open(root)
    try:
        notices = [*workspace.notices]
        if notices:
            return Check("project", False, notices[0], "See the README.")
        plans = len(workspace.proposer.plans())
        return Check("project", True, f"{root} opens with {plans} {('plan' if plans == 1 else 'plans')}.")
    finally:
        workspace.close()


def _sandbox_checks() -> Iterator[Check]:
    """Check how commands can be sandboxed here; the program works without."""
    if sys.platform.startswith("linux"):
        for proof in extras.sandbox.check_layer_methods():
            yield Check(f"sandbox: {proof.way.value}", True, proof.message, proof.hint)


def _run_check(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except StudioError as error:
        return Check(name, False, error.message, error.hint)
    except OSError as error:
        return Check(name, False, f"The project can't be opened: {reason(error)}.", "Check the folder.")
