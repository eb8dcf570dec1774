"""`studio mcp`: run the MCP server for one agent on standard streams."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from studio import doors
from studio.doors.cli.console.answer import Answer
from studio.errors import Refused
from studio.program.log_file import start_log

if TYPE_CHECKING:
    from studio.doors.chosen_project import ChosenProject
    from studio.workspace import Workspace

_PACKAGES = frozenset({"mcp", "mcp_types", "anyio"})


def mcp(arguments: argparse.Namespace) -> Answer:
    """Serve a client; only the protocol uses standard output.

    Raises Refused where the SDK is not installed, and where a standard stream is closed.
    """
    try:
        from studio.doors.mcp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise Refused(
            "mcp.not_installed",
            "The package mcp is not installed.",
            "Install it: pip install 'exacta-studio[mcp]'",
        ) from error
    if sys.stdin is None or sys.stdout is None:
        raise Refused(
            "mcp.no_streams",
            "Standard input or output is closed.",
            "Let the agent start this command; set it up with: studio connect",
        )
    serve(lambda: _opened(arguments.project), agent=arguments.agent)
    return Answer({}, "", is_printed=True)


def _opened(project: Path | None) -> tuple[Workspace, ChosenProject]:
    from studio.workspace import Workspace

    start_log()
    chosen = doors.choose_project(project)
    workspace = Workspace.open(chosen.path)
    for notice in (*chosen.notices, *workspace.notices):
        sys.stderr.write(f"studio: {notice}\n")
    return workspace, chosen
