"""`studio submit`: propose a plan from texts or a changed folder."""

from __future__ import annotations

import argparse
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from studio.doors import json_documents
from studio.doors.cli.commands.plans import submitted_code, wait_for_plan
from studio.doors.cli.console import texts
from studio.doors.cli.console.answer import Answer
from studio.doors.cli.console.standard_input import read_standard_input
from studio.doors.cli.console.terminal import progress
from studio.engine import PlanState
from studio.errors import NotFound, Refused, UsageError
from studio.formats import detect
from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission
from studio.names import show_name
from studio.system.os_errors import reason

if TYPE_CHECKING:
    from studio.engine import Plan
    from studio.workspace import Workspace


def submit(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    """Propose a plan; the answer names the project.

    A diff's paths are relative to it.
    """
    answer, chosen = _submit_plan(workspace, arguments), arguments.chosen
    answer.document |= chosen.document
    answer.lines += f"\n  project: {show_name(str(chosen.path))}"
    return answer


def _submit_plan(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    if arguments.timeout < inf and arguments.wait is None:
        raise UsageError("usage", "--timeout needs --wait.", "See: studio submit --help")
    plan = _propose(workspace, arguments)
    if plan is None:
        return Answer({"plan": None}, "The folder and the project do not differ. Nothing was proposed.")
    if arguments.wait is None or plan.state is PlanState.INVALID:
        conflicts = workspace.proposer.path_conflicts(plan.id)
        text = texts.plan_text(plan, conflicts)
        return Answer(json_documents.plan_json(plan, conflicts), text, submitted_code(plan))
    return wait_for_plan(workspace, plan.id, min(arguments.wait, arguments.timeout))


def _propose(workspace: Workspace, arguments: argparse.Namespace) -> Plan | None:
    """Return the plan of the named texts or folder; None without differences."""
    title, agent = arguments.title, arguments.agent
    if arguments.tree is not None:
        if arguments.files or arguments.format != detect.AUTO or arguments.repair:
            raise UsageError(
                "submit.tree_and_text",
                "--tree excludes FILE, --format and --repair.",
                "Specify either a folder or files.",
            )
        tree = Path(arguments.tree)
        with progress("Comparing the folder with the project", as_json=arguments.json):
            return workspace.proposer.propose_tree(tree, deletes=arguments.delete, title=title, agent=agent)
    if arguments.delete:
        raise UsageError("submit.delete_alone", "--delete needs --tree.", "Add --tree DIR.")
    options = SubmissionOptions(
        arguments.format, title, agent, repairs=arguments.repair, project=workspace.root_path
    )
    submitted_texts = map(_submitted_text, arguments.files or ["-"])
    return workspace.proposer.propose(
        read_submission(submitted_texts, options, limits=workspace.config.limits)
    )


def _submitted_text(name: str) -> SubmittedText:
    if name == "-":
        return SubmittedText(partial(_read_file, name), name, "Standard input")
    return SubmittedText(partial(_read_file, name), name, show_name(name), Path(name).name)


def _read_file(name: str, most: int) -> bytes:
    """Read at most `most` bytes of a file, pipe or standard input.

    A pipe, as the shell may have created it.
    """
    shown = "Standard input" if name == "-" else show_name(name)
    try:
        if name == "-":
            return read_standard_input(most)
        with Path(name).open("rb") as stream:
            return stream.read(most)
    except FileNotFoundError as error:
        raise NotFound("submit.missing", f"{shown} does not exist.", "Check the path.", path=name) from error
    except OSError as error:
        raise Refused(
            "submit.unreadable", f"{shown} can't be read: {reason(error)}.", "Check the file.", path=name
        ) from error
