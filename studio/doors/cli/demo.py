"""`studio demo`: a fresh copy of the demo project whose plans went through the same code as `submit`."""

from __future__ import annotations

from pathlib import Path

from studio.doors.cli.commands import propose
from studio.doors.demo import after_submission, default_demo_folder, demo_submissions, make_demo
from studio.engine.new_files import check_place
from studio.engine.workspace import Workspace
from studio.formats import detect


def prepare_demo(folder: Path | None) -> Path:
    """Make the demo in `folder` (new or empty), else in a fresh folder of its own; returns the project.

    Raises Refused when the folder is taken or can't be written.
    """
    project = make_demo(check_place(folder) if folder is not None else default_demo_folder())
    workspace = Workspace.open(project)
    try:
        for submission in demo_submissions():
            draft = detect.read(submission.text, submission.format, file_name=submission.file_name)
            propose(workspace, draft, title=submission.title, agent=submission.agent)
        after_submission(project)
        workspace.proposer.refresh()
    finally:
        workspace.close()
    return project
