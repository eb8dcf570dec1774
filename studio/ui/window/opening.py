"""Opening and closing a project; all but the happenings away from the ui thread."""

from __future__ import annotations

import getpass
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.errors import StudioError
from studio.engine.names import show_name
from studio.engine.plan import Plan, PlanState
from studio.ui.desk.happening import Happening, Tone
from studio.ui.language import translator
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.engine.workspace import Reviewer, Workspace

_tr = translator("Opening")


@dataclass(frozen=True, slots=True)
class OpenedProject:
    """A project with its deciding side. `notices` are sentences that a person should read, `recovered` plans
    whose interrupted apply was settled now; `is_demo`: it lies where demo projects are made."""

    workspace: Workspace
    reviewer: Reviewer
    notices: tuple[str, ...]
    recovered: tuple[Plan, ...]
    is_demo: bool = False


def open_project(path: Path) -> OpenedProject:
    """Open a project for the person at the window. Raises NotFound or Refused with the reason."""
    from studio.engine.app_folders import demo_directory
    from studio.engine.plan import PersonSource
    from studio.engine.workspace import Person, Workspace

    workspace = Workspace.open(path)
    try:
        recovered = workspace.recover()
    except StudioError:
        # Somebody else holds the writer lock, or the store can only be read: apply will say so.
        recovered = ()
    reviewer = workspace.reviewer(Person(PersonSource.WINDOW, _user()))
    is_demo = workspace.root_path.is_relative_to(demo_directory().resolve())
    # Asked here: they are read from the store, and the thread that paints has none.
    return OpenedProject(workspace, reviewer, workspace.notices, recovered, is_demo)


def first_happenings(project: OpenedProject, root_reason: str) -> tuple[Happening, ...]:
    """What the person should read right after opening, the gravest last: why this folder, notices of the
    store, settled applies."""
    said = [Happening(root_reason, Tone.NEWS)] if root_reason else []
    said += [Happening(notice, Tone.WARNING) for notice in project.notices]
    for plan in project.recovered:
        whole = plan.state is PlanState.COMPLETED
        sentence = (
            _tr("An interrupted apply of “{title}” was finished.")
            if whole
            else _tr("An interrupted apply of “{title}” was undone.")
        )
        tone = Tone.NEWS if whole else Tone.WARNING
        said.append(Happening(say(sentence, title=show_name(plan.title)), tone))
    return tuple(said)


def close_project(workspace: Workspace) -> None:
    """Close a project on the thread that used it."""
    # A store belongs to the thread that opened it, so this
    # runs on the engine's thread, as the last of its calls.
    workspace.close_thread()
    workspace.close()


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "window"
