"""Opening and closing a project outside the UI thread; initial status messages.

Only the status messages are created on it.
"""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING

from studio import engine
from studio.engine import Plan, PlanState
from studio.errors import StudioError
from studio.names import show_name
from studio.program.app_folders import demo_directory
from studio.ui.language import translator
from studio.ui.look.words import say
from studio.ui.review.state import StatusMessage, Tone
from studio.values import Value
from studio.workspace import Workspace

if TYPE_CHECKING:
    from studio.workspace import Reviewer

_tr = translator("Opening")


class OpenedProject(Value):
    """Opened project with its reviewer.

    `notices` are sentences for the user; `recovered` are plans whose interrupted apply was settled now;
    `is_demo`: it is in the folder of demo projects.
    """

    workspace: Workspace
    reviewer: Reviewer
    notices: tuple[str, ...]
    recovered: tuple[Plan, ...]
    is_demo: bool = False


def open_project(path: Path) -> OpenedProject:
    """Open a project for the reviewer; raises NotFound or Refused."""
    workspace = Workspace.open(path)
    try:
        recovered = workspace.recover()
    except StudioError:
        # Another process holds the writer lock, or the store is read-only: apply will report it.
        recovered = ()
    reviewer = workspace.reviewer(engine.Person(engine.PersonSource.WINDOW, _user()))
    is_demo = workspace.root_path.is_relative_to(demo_directory().resolve())
    # Read here: they are in the store, and the UI thread has no connection.
    return OpenedProject(workspace, reviewer, workspace.notices, recovered, is_demo)


def first_messages(project: OpenedProject, root_reason: str) -> tuple[StatusMessage, ...]:
    """Return the messages to show after opening, most severe last.

    They are why this folder was chosen, notices of the store, and recovered applies.
    """
    messages = [StatusMessage(root_reason, Tone.NEWS)] if root_reason else []
    messages += [StatusMessage(notice, Tone.WARNING) for notice in project.notices]
    for plan in project.recovered:
        whole = plan.state is PlanState.COMPLETED
        sentence = (
            _tr("An interrupted apply of “{title}” was finished.")
            if whole
            else _tr("An interrupted apply of “{title}” was undone.")
        )
        tone = Tone.NEWS if whole else Tone.WARNING
        messages.append(StatusMessage(say(sentence, title=show_name(plan.title)), tone))
    return tuple(messages)


def close_project(workspace: Workspace) -> None:
    """Close a project on the thread that used it."""
    # A store belongs to the thread that opened it, so this is the last call on the engine's thread.
    workspace.close_thread()
    workspace.close()


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "window"
