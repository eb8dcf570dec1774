"""Execution of one command, from its arguments to its exit code.

Exit codes: 0 done, 1 refused, 2 usage, 3 stale, 4 not found, 5 timed out, 70 internal error.
"""

from __future__ import annotations

import sqlite3
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from studio.doors import json_documents
from studio.doors.chosen_project import choose_project
from studio.doors.cli.command_table import TABLE
from studio.doors.cli.console import texts
from studio.doors.cli.console.answer import Answer, exit_code
from studio.doors.cli.console.interrupt_signals import was_interrupted
from studio.doors.cli.console.output import (
    INTERRUPTED,
    Interrupted,
    OutputLost,
    flush_output,
    forget_output,
    print_line,
    print_text,
)
from studio.doors.cli.parser import parse
from studio.errors import InternalError, StudioError
from studio.names import show_name
from studio.program.log_file import LOGGER, log_file, start_log
from studio.workspace import Workspace


def run(words: Sequence[str]) -> int:
    """Run one command, print its answer, and return the exit code.

    Raises OutputLost, or BrokenPipeError, where standard output can't be written.
    """
    # Searched before parsing, so that a usage error is printed as JSON, too.
    as_json = "--json" in words[: words.index("--")] if "--" in words else "--json" in words
    try:
        arguments = parse(words)
        start_log()
        answer = _answer(arguments)
        return _print(answer, as_json=as_json)
    except StudioError as error:
        return INTERRUPTED if was_interrupted() else report(error, as_json=as_json)
    except (BrokenPipeError, OutputLost):
        raise
    except Interrupted as interrupted:
        sys.stderr.write(f"studio: {interrupted}\n")
        return INTERRUPTED
    except ImportError:
        raise  # the installation is incomplete: the program's entry point reports it
    except Exception:
        if was_interrupted():
            return INTERRUPTED
        start_log()
        LOGGER.exception("command failed")
        unexpected = InternalError(
            "internal", "Something went wrong inside Exacta Studio.", f"Details are in {log_file()}."
        )
        return report(unexpected, as_json=as_json)


def _answer(arguments: Namespace) -> Answer:
    command = TABLE[arguments.command]
    if not command.in_project:
        return command.load()(arguments)
    chosen = arguments.chosen = choose_project(arguments.project)
    root = chosen.path
    if arguments.project is None and root != Path.cwd().resolve():
        sys.stderr.write(f"studio: the project is {show_name(str(root))}, {chosen.reason}.\n")
    for notice in chosen.notices:
        sys.stderr.write(f"studio: {notice}\n")
    try:
        return _in_workspace(root, arguments)
    except sqlite3.DatabaseError:
        # Damage that only this command's query met: reopening checks the whole store and moves it aside.
        return _in_workspace(root, arguments)


def _in_workspace(root: Path, arguments: Namespace) -> Answer:
    workspace = Workspace.open(root)
    try:
        # `config trust` lists the untrusted settings in its question; notices follow the decision.
        decides_on_trust = arguments.command == "config" and arguments.what == "trust"
        if not decides_on_trust:
            _print_notices(workspace)
        try:
            return TABLE[arguments.command].load()(workspace, arguments)
        finally:
            if decides_on_trust:
                _print_notices(workspace)
            _print_damages(workspace)
    finally:
        workspace.close()


def _print_notices(workspace: Workspace) -> None:
    for notice in workspace.notices:
        sys.stderr.write(f"studio: {notice}\n")


def _print_damages(workspace: Workspace) -> None:
    """Print damaged plans that a list omits.

    A store that the command itself deleted has none.
    """
    if workspace.state_folder.exists():
        for damage in workspace.damages:
            sys.stderr.write(f"studio: {show_name(damage)}\n")


def report(error: StudioError, *, as_json: bool) -> int:
    """Report an error and return the exit code.

    It is printed as JSON on stdout or as a sentence on stderr.
    """
    if as_json:
        print_line(json_documents.document_text(json_documents.error_json(error)), flush=True)
    else:
        sys.stderr.write(texts.error_text(error) + "\n")
    return exit_code(error)


def _print(answer: Answer, *, as_json: bool) -> int:
    if answer.remark:
        sys.stderr.write(answer.remark + "\n")
    try:
        if answer.is_printed:
            flush_output()
        elif as_json:
            print_line(json_documents.document_text(answer.document, indent=2), flush=True)
        elif answer.is_exact or not answer.lines:
            print_text(answer.lines, flush=True)
        else:
            print_line(answer.lines, flush=True)
    except BrokenPipeError:
        forget_output()
    return answer.code
