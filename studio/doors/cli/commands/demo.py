"""`studio demo`: create a demo project, and remove earlier copies.

Its plans go through the same code as those of `submit`.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from studio.doors.cli.console.answer import Answer
from studio.doors.cli.console.interrupts import defer_interrupts
from studio.doors.cli.console.output import Interrupted
from studio.doors.cli.console.person import About, require_person
from studio.doors.demo import (
    after_submission,
    default_demo_folder,
    demo_copies,
    demo_submissions,
    make_demo,
    remove_demo,
    size_of,
    store_folder,
)
from studio.engine import check_place
from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission
from studio.workspace import Workspace

_WORD = "demo"


def prepare_demo(folder: Path | None) -> Path:
    """Create the demo in `folder` or a fresh folder; return it.

    `folder` must be new or empty. Ctrl-C waits until the copy is complete. Raises Refused when the folder is
    not empty or can't be written.
    """
    place = check_place(folder) if folder is not None else default_demo_folder()
    with defer_interrupts():
        project = make_demo(place)
        workspace = Workspace.open(project)
        try:
            for submission in demo_submissions():
                text = SubmittedText(submission.text, file_name=submission.file_name)
                options = SubmissionOptions(submission.format, submission.title, submission.agent)
                workspace.proposer.propose(read_submission([text], options))
            after_submission(project)
            workspace.proposer.refresh()
        finally:
            workspace.close()
    return project


def older_copies_notice() -> str:
    """Return a sentence about existing demo projects, "" without any."""
    copies = demo_copies()
    if not copies:
        return ""
    size = _megabytes(sum(_bytes_of(copy) for copy in copies))
    count = _count(len(copies))
    return f"{count} of the demo project from earlier runs, {size}. Remove with: studio demo --remove-old"


def remove_old(_arguments: Namespace) -> Answer:
    """Remove every copy of the demo project with its store.

    A person must type "demo". Raises NeedsPerson, or Refused where a copy has an unfinished apply or can't be
    deleted.
    """
    copies = demo_copies()
    removed: list[dict[str, object]] = []
    workspaces = [Workspace.open(copy) for copy in copies]
    try:
        # A folder that replaced the copy is someone's own.
        ours = [workspace for workspace in workspaces if workspace.is_same_folder]
        if not ours:
            return Answer({"removed": []}, "No copies of the demo project to remove.")
        sizes = [_bytes_of(workspace.root_path) for workspace in ours]
        about = [
            About(_megabytes(size), str(workspace.root_path))
            for workspace, size in zip(ours, sizes, strict=True)
        ]
        what = f"Remove {_count(len(ours))} of the demo project with everything in them?"
        person = require_person(ours[0], what=what, word=_WORD, about=about)
        with defer_interrupts() as control:
            for workspace, size in zip(ours, sizes, strict=True):
                if control.pause.is_set():
                    raise Interrupted(
                        f"Interrupted: {_count(len(removed))} removed, the others are unchanged."
                    )
                project = workspace.root_path
                workspace.reviewer(person).delete_store()
                workspace.close()
                remove_demo(project)
                removed.append({"project": str(project), "bytes": size})
    finally:
        for workspace in workspaces:
            workspace.close()
    return Answer({"removed": removed}, f"{_count(len(removed))} of the demo project removed.")


def _bytes_of(copy: Path) -> int:
    return size_of(copy) + size_of(store_folder(copy))


def _count(copies: int) -> str:
    return "1 copy" if copies == 1 else f"{copies} copies"


def _megabytes(size: int) -> str:
    return f"{max(1, round(size / 1_000_000))} MB"
