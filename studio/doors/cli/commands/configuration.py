"""`studio config`: show settings or their schema, trust files, allow folders."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from studio.doors.cli.console.answer import Answer
from studio.doors.cli.console.person import About, require_person
from studio.doors.limits import ASKED_SETTINGS_UP_TO, PRINTED_FILES_UP_TO
from studio.engine import (
    BUILT_IN,
    PROJECT_FOLDERS,
    SETTINGS,
    SettingKind,
    file_paths,
)
from studio.errors import NotFound, Refused, UsageError
from studio.extras.rule_trial import try_rule
from studio.extras.user_configuration import SettingChange, plan_edit
from studio.names import project_path, show_name
from studio.program.app_folders import config_directory

if TYPE_CHECKING:
    from studio.doors.chosen_project import ChosenProject
    from studio.engine import (
        BuiltInRule,
        ProjectFile,
        Setting,
        SettingKey,
    )
    from studio.extras.rule_trial import TouchedFile
    from studio.workspace import Workspace


def config(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    if (arguments.what == "allow") is not bool(arguments.folder):
        raise UsageError("usage", "allow needs a FOLDER; other words take none.", "See: studio config --help")
    if arguments.what == "schema":
        return _schema()
    if arguments.what == "allow":
        return allow_folder(workspace, arguments.folder)
    return _trust(workspace) if arguments.what == "trust" else _show(workspace, arguments.chosen)


def _schema() -> Answer:
    """List every key; the same whatever is configured."""
    others = (f"{alias}: alias of {each.key}." for each in SETTINGS for alias in each.aliases)
    return Answer(_schema_json(), "\n".join((*map(_key_text, SETTINGS), *others)))


def _schema_json() -> dict[str, Any]:
    """Return the schema as JSON for `config schema`, aliases last."""
    keys = [_key_json(setting) for setting in SETTINGS]
    keys += [
        {**_key_json(each), "key": alias, "same_as": each.key} for each in SETTINGS for alias in each.aliases
    ]
    return {"schema_version": 1, "keys": keys}


def _key_json(setting: SettingKey) -> dict[str, Any]:
    fields: dict[str, Any] = {"key": setting.key, "title": setting.title, "means": setting.means}
    fields |= {"kind": setting.kind.value, "level": "user" if setting.is_users else "project or user"}
    if setting.default is not None:
        fields["default"] = setting.default
    if setting.kind is SettingKind.NUMBER:
        fields |= {"smallest": setting.smallest, "largest": setting.largest}
    if setting.choices:
        fields["choices"] = list(setting.choices)
    if setting.example:
        fields["example"] = setting.example
    return fields


def _key_text(setting: SettingKey) -> str:
    return f"{setting.key}: {setting.means} ({setting.range})"


def _show(workspace: Workspace, chosen: ChosenProject) -> Answer:
    found = workspace.config
    settings = sorted(found.effective(), key=lambda setting: setting.key)
    root = f"project = {show_name(str(workspace.root_path))}  ({chosen.reason})"
    document = {
        "project": chosen.document["project"],
        "settings": [
            *map(_setting_json, settings),
            *(
                {**_setting_json(setting), "key": alias, "same_as": each.key}
                for each in SETTINGS
                for alias in each.aliases
                for setting in settings
                if setting.key == each.key
            ),
        ],
        "built_in": [_built_in_json(rule) for rule in BUILT_IN],
        "project_file": _file_json(found.project_file),
        "warnings": list(found.warnings),
    }
    lines = [root, *map(_line, settings), *map(_built_in_line, BUILT_IN), *map(show_name, found.warnings)]
    return Answer(document, "\n".join(lines))


def _trust(workspace: Workspace) -> Answer:
    file = workspace.config.project_file
    if file is None:
        raise NotFound(
            "config.no_file",
            f"{workspace.root_path} has no studio.yaml.",
            "There is nothing to trust; your own configuration is effective.",
        )
    if file.trusted:
        return Answer(_trusted_json(file), "studio.yaml is already trusted.")
    widens = [About("allows", _value(setting)) for setting in file.waiting[:ASKED_SETTINGS_UP_TO]]
    if len(file.waiting) > ASKED_SETTINGS_UP_TO:
        widens.append(
            About("allows", f"and {len(file.waiting) - ASKED_SETTINGS_UP_TO} more: studio config show")
        )
    about = (
        About("project", str(workspace.root_path)),
        *(widens or [About("allows", "nothing beyond the effective values")]),
    )
    what = f"Trust studio.yaml ({file.sha256[:8]})?"
    person = require_person(workspace, what=what, word=workspace.name, about=about)
    workspace.reviewer(person).trust_configuration(file.sha256)
    return Answer(_trusted_json(file), "studio.yaml is trusted until it changes.")


def _trusted_json(file: ProjectFile) -> dict[str, Any]:
    return {"trusted": file.sha256}


def _setting_json(setting: Setting) -> dict[str, Any]:
    fields = {"key": setting.key, "value": setting.value, "level": setting.level}
    return {**fields, "file": setting.file, "line": setting.line}


def _built_in_json(rule: BuiltInRule) -> dict[str, Any]:
    fields = {"pattern": rule.pattern, "reason": rule.reason, "locked": rule.is_locked}
    return {**fields, "opened_by_git": rule.is_opened_by_git}


def _built_in_line(rule: BuiltInRule) -> str:
    where = ", except where git's HEAD has files in the folder" if rule.is_opened_by_git else ""
    return f"{'locked' if rule.is_locked else 'denied'} = {rule.pattern}  (built in: {rule.reason}{where})"


def _file_json(file: ProjectFile | None) -> dict[str, Any] | None:
    if file is None:
        return None
    waiting = [_setting_json(setting) for setting in file.waiting]
    return {"sha256": file.sha256, "trusted": file.trusted, "waiting": waiting}


def _line(setting: Setting) -> str:
    place = f", {show_name(setting.file)} line {setting.line}" if setting.file and setting.line else ""
    return f"{_value(setting)}  ({setting.level}{place})"


def _value(setting: Setting) -> str:
    value = setting.value
    text = ": ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f"{show_name(setting.key)} = {show_name(text)}"


_INSIDE = "file"
"""A folder is allowed where a file named so in it is."""


def allow_folder(workspace: Workspace, text: str) -> Answer:
    """Allow a folder of this project in the user's own configuration.

    Raises ConfigRefused for what no person can allow, Refused where a rule denies it nevertheless,
    NeedsPerson where no one types its path at the terminal.
    """
    folder = project_path(text.rstrip("/"), (workspace.root_path,))
    base, entry = workspace.rule_base(), {"project": str(workspace.root_path), "path": folder}
    added = base.read_entry(PROJECT_FOLDERS, folder)
    inside = f"{folder}/{_INSIDE}"
    if base.policy().check(inside).allowed:
        return Answer({"allowed": folder, "opened": 0}, f"{show_name(folder)} is already allowed.")
    verdict = base.policy(added).check(inside)
    if not verdict.allowed:
        raise Refused("policy.denied", verdict.reason, verdict.hint, path=folder)
    found = try_rule(file_paths, base, PROJECT_FOLDERS, folder, again=True)
    edit = plan_edit(config_directory().resolve(), SettingChange(PROJECT_FOLDERS, entry, ""))
    opens = [each for each in found.files if each.is_allowed and not each.was_allowed]
    about = (
        About("project", str(workspace.root_path)),
        *(About("opens", each.path) for each in opens[:PRINTED_FILES_UP_TO]),
        *_rest(opens, found.opened),
        About("written to", edit.file.display_name),
    )
    what = f"Allow agents to propose changes in {show_name(folder)}?"
    person = require_person(workspace, what=what, word=folder, about=about, is_always_asked=True)
    workspace.reviewer(person).write_configuration(edit)
    document = {"allowed": folder, "opened": found.opened, "file": str(edit.file.path)}
    return Answer(document, f"{show_name(folder)} is allowed in this project. Propose the plan again.")


def _rest(opens: list[TouchedFile], total: int) -> tuple[About, ...]:
    """Return a line on the files not listed, if any.

    It also reports a folder without files, where the rule applies to future ones.
    """
    if not total:
        return (About("opens", "no file yet"),)
    more = total - min(len(opens), PRINTED_FILES_UP_TO)
    return (About("opens", f"and {more} more files"),) if more else ()
