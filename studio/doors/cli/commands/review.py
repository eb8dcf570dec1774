"""`studio review`: review uncommitted changes, commits, or changes since a snapshot."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from studio.doors import json_documents
from studio.doors.cli.commands.plans import submitted_code
from studio.doors.cli.console import texts
from studio.doors.cli.console.answer import Answer
from studio.doors.cli.console.terminal import progress

if TYPE_CHECKING:
    from studio.engine import Plan
    from studio.workspace import Workspace


def review(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    """Make a review, or a plan from its marks; change no file."""
    with progress("Comparing", as_json=arguments.json):
        plan = _make_plan(workspace, arguments)
    if plan is None:
        return Answer({"plan": None}, "No differences to review.")
    return Answer(json_documents.plan_json(plan), texts.plan_text(plan), submitted_code(plan))


def _make_plan(workspace: Workspace, arguments: argparse.Namespace) -> Plan | None:
    reviews = workspace.reviews
    if arguments.take_back is not None:
        return reviews.take_back(arguments.take_back)
    if arguments.propose is not None:
        return reviews.propose(arguments.propose)
    if arguments.snapshot is not None:
        return reviews.snapshot(arguments.snapshot)
    if arguments.commits is not None:
        return reviews.commits(arguments.commits)
    return reviews.work_tree()
