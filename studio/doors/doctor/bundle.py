"""Diagnostic report for `studio doctor --bundle` and the window."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from studio.doors.doctor.checks import Check, checks_of
from studio.doors.doctor.proof_record import gate_statuses
from studio.engine import diagnostics
from studio.engine.diagnostics import Section
from studio.engine.gate import Gate, GateStatus
from studio.engine.names import show_name
from studio.engine.plan import time_text
from studio.engine.workspace import Workspace


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
        proved = "proved" if gate.proved else "not proved"
        state = f"The gate of {gate.agent}{version} is {gate.gate.value}, {proved}"
    where = "with your own settings" if gate.is_own else "in an empty home"
    last_test = f" Tried {time_text(gate.when)} {where}." if gate.when is not None else ""
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
