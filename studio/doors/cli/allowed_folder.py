"""`studio config allow FOLDER`: what allowing a folder would open, then a person's yes at the terminal."""

from __future__ import annotations

from studio.doors.cli.answer import Answer
from studio.doors.cli.person import About, require_person
from studio.engine.app_folders import config_directory
from studio.engine.config import read_value
from studio.engine.config.schema import PROJECT_FOLDERS
from studio.engine.errors import Refused
from studio.engine.limits import PRINTED_FILES_UP_TO
from studio.engine.names import show_name
from studio.engine.project_paths import project_path
from studio.engine.rule_trial import TouchedFile, try_rule
from studio.engine.user_configuration import Wish, plan_edit
from studio.engine.workspace import Workspace, file_paths

_INSIDE = "file"
"""A folder is allowed where a file of this name in it would be."""


def allow_folder(workspace: Workspace, text: str) -> Answer:
    """Allow a folder of this project in the user's own configuration.

    Raises ConfigRefused for what no person can allow, Refused where a rule denies it all the same,
    NeedsPerson where nobody types its path at the terminal.
    """
    folder = project_path(text.rstrip("/"), (workspace.root_path,))
    base, entry = workspace.rule_base(), {"project": str(workspace.root_path), "path": folder}
    added = read_value(PROJECT_FOLDERS, [entry])
    inside = f"{folder}/{_INSIDE}"
    if base.policy().check(inside).allowed:
        return Answer({"allowed": folder, "opened": 0}, f"{show_name(folder)} is allowed already.")
    verdict = base.policy(added).check(inside)
    if not verdict.allowed:
        raise Refused("policy.denied", verdict.reason, verdict.hint, path=folder)
    found = try_rule(file_paths, base, PROJECT_FOLDERS, folder, again=True)
    edit = plan_edit(config_directory().resolve(), Wish(PROJECT_FOLDERS, entry, ""))
    opens = [each for each in found.files if each.is_allowed and not each.was_allowed]
    about = (
        About("project", str(workspace.root_path)),
        *(About("opens", each.path) for each in opens[:PRINTED_FILES_UP_TO]),
        *_rest(opens, found.opened),
        About("written to", edit.file.shown),
    )
    what = f"Let agents propose changes in {show_name(folder)}?"
    person = require_person(workspace, what=what, word=folder, about=about, is_always_asked=True)
    workspace.reviewer(person).write_configuration(edit)
    document = {"allowed": folder, "opened": found.opened, "file": str(edit.file.path)}
    return Answer(document, f"{show_name(folder)} is allowed in this project. Propose the plan again.")


def _rest(opens: list[TouchedFile], total: int) -> tuple[About, ...]:
    """What the lines above leave out; a folder without files opens those to come."""
    if not total:
        return (About("opens", "no file yet"),)
    more = total - min(len(opens), PRINTED_FILES_UP_TO)
    return (About("opens", f"and {more} more files"),) if more else ()
