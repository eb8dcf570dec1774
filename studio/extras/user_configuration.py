"""The user's configuration file, and single edits shown before writing.

An edit preserves every other character: comments, order, line ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from typing import cast

from msgspec import field
from msgspec.structs import replace

from studio.documents import Key, Spot, Unreadable, change, find, put, remove
from studio.engine.config import Config, ConfigRefused, check_user_text, load
from studio.engine.config.levels import SCHEMA_VERSION
from studio.engine.config.nodes import plain
from studio.engine.config.reading import read_user_file, user_file_of, watched_files
from studio.engine.config.schema import SCHEMA_KEY, SettingKey
from studio.engine.config.yaml_parser import parse_text
from studio.engine.diff import compute, format_unified
from studio.engine.plan import Problem
from studio.engine.root.foreign_file import read_signature
from studio.errors import Conflict, Refused, StudioError
from studio.extras.home_files import HomeFile, read_home_file, replace_home_file
from studio.names import show_name
from studio.values import Value

SettingValue = str | int | bool | Mapping[str, object]
Signature = tuple[object, ...]
"""State of files, which differs after one of them changed."""


class SettingChange(Value):
    """A requested change of a configuration key.

    Without `entry` it is the complete value of `key`, None for the default. With `entry` it is one entry: of
    a list the existing text (`value` None removes it) or "" for a new one; of a mapping its name.
    """

    key: str
    value: SettingValue | None
    entry: str | None = None


class UserConfiguration(Value):
    """The user's file as read.

    `problems` are its faults, with which none of it is effective; `values` are those in the file, by key, as
    written.
    """

    path: Path
    exists: bool = False
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    problems: tuple[Problem, ...] = ()

    def value(self, key: str) -> object:
        """Return the file's value of a dotted key, or None.

        Lists under several names of the key are combined.
        """
        values = (reduce(_get_member, name.split("."), self.values) for name in _key_names(key))
        found = [value for value in values if value is not None]
        if len(found) > 1 and all(isinstance(value, list) for value in found):
            return [entry for value in found for entry in cast("list[object]", value)]
        return found[0] if found else None


def _get_member(value: object, name: str) -> object:
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None


def _key_names(key: str) -> tuple[str, ...]:
    setting = SettingKey.find(key)
    return (key, *setting.aliases) if setting is not None else (key,)


def read_user_configuration(folder: Path) -> UserConfiguration:
    """Read the user's file in a configuration folder, with its problems.

    Never raises.
    """
    path = folder / "config.yaml"
    try:
        path = user_file_of(folder)
        found = read_user_file(folder)
        if found is None:
            return UserConfiguration(path)
        path, data = found
        check_user_text(data, str(path))
        values = cast("Mapping[str, object]", plain(parse_text(data, str(path))))
    except ConfigRefused as error:
        return UserConfiguration(path, exists=True, problems=error.problems)
    except StudioError as error:
        problem = Problem(error.code, error.message, error.hint)
        return UserConfiguration(path, exists=True, problems=(problem,))
    return UserConfiguration(path, exists=True, values=values)


class ReadConfiguration(Value):
    """The user's file, and the effective configuration.

    `effective` is None where it can't be determined; `problems` are those of the project's file alone.
    """

    user: UserConfiguration
    effective: Config | None
    problems: tuple[Problem, ...] = ()


def read_configuration(root: Path | None, folder: Path) -> ReadConfiguration:
    """Read the configuration of a project, or without one for None.

    Never raises.
    """
    user = read_user_configuration(folder)
    if user.problems:
        return ReadConfiguration(user, None)
    try:
        return ReadConfiguration(user, load(root, folder))
    except ConfigRefused as error:
        return ReadConfiguration(user, None, error.problems)


def read_if_changed(
    root: Path | None, folder: Path, before: Signature | None
) -> tuple[Signature, ReadConfiguration | None]:
    """Return the files' signature, and the configuration if it differs."""
    signature = read_signature(watched_files(root, folder))
    return signature, None if signature == before else read_configuration(root, folder)


class ConfigurationEdit(Value):
    """A change of the user's file to the bytes `after`.

    `file.data` is None where there was none.
    """

    file: HomeFile
    after: bytes

    @property
    def diff(self) -> str:
        """The change as a unified diff, "" where no byte changes."""
        name = self.file.path.name
        old = name if self.file.data is not None else None
        computed = compute(self.file.data or b"", self.after)
        return format_unified(computed, old, name).decode("utf-8", "replace")


def plan_edit(folder: Path, request: SettingChange) -> ConfigurationEdit:
    """Return the edit of the user's file that fulfils a request.

    Raises ConfigRefused for an invalid value or file; Refused where it can't be changed without changing
    more; a FileError where it can't be read.
    """
    file = read_home_file(user_file_of(folder))
    before = file.data
    if before is not None:
        check_user_text(before, str(file.path))
    name = file.path.name
    try:
        after = _apply_request(name, before, request)
    except Unreadable as error:
        raise Refused(
            "config.not_editable",
            f"{request.key} can't be changed in {file.display_name} without changing more: {error}.",
            "Change it there with a text editor; what you save counts at once.",
        ) from error
    check_user_text(after, str(file.path))
    return ConfigurationEdit(file, after)


def write_edit(edit: ConfigurationEdit) -> None:
    """Write an edit durably as it was shown, keeping mode and owner.

    Raises Conflict where the file is no longer as it was read, Refused or FileError; then nothing was
    changed.
    """
    if edit.file.data is None and user_file_of(edit.file.path.parent) != edit.file.path:
        raise Conflict(
            "file.changed",
            f"There is another configuration beside {edit.file.display_name} by now.",
            "Look at what counts, and change it again.",
        )
    replace_home_file(edit.file, edit.after, is_own=True)


def _apply_request(name: str, data: bytes | None, request: SettingChange) -> bytes:
    """Return the bytes with a request applied.

    The key's name in the file is used; a new value is added under the key itself.
    """
    spots = [_find_spot(replace(request, key=each)) for each in _key_names(request.key)]
    for spot in spots:
        key = _find_key(find(name, data, spot), spot, request)
        if key is not None and request.value is None:
            return remove(name, data or b"", spot, key, None)
        if key is not None:
            return change(name, data or b"", spot, key, request.value)
    if request.entry and spots[0].name is None:
        raise Unreadable(f"it has no entry {show_name(request.entry)}")
    if request.value is None:
        return data or b""
    initial = data if data is not None and data.strip() else _initial_text(name)
    return put(name, initial, spots[0], request.value)[0]


def _find_key(there: Mapping[Key, object], spot: Spot, request: SettingChange) -> Key | None:
    """Return the key of the value to change, None to add one."""
    if spot.name is not None:
        return spot.name if spot.name in there else None
    return next(
        (key for key, value in there.items() if request.entry and entry_text(value) == request.entry), None
    )


def _find_spot(request: SettingChange) -> Spot:
    """Return where the value is; entries of a list have no name."""
    row = SettingKey.find(request.key)
    if request.entry is None:
        section, _, name = request.key.rpartition(".")
        return Spot(tuple(section.split(".")) if section else (), name)
    is_list = row is not None and row.kind.is_list
    return Spot(tuple(request.key.split(".")), None if is_list else request.entry)


def entry_text(value: object) -> str:
    """Return the display text of a list entry.

    For a folder this is its path, after its project if it names one.
    """
    if isinstance(value, Mapping):
        named = cast("Mapping[str, object]", value)
        return ": ".join(str(named[key]) for key in ("project", "path") if key in named)
    return str(value)


def _initial_text(name: str) -> bytes:
    is_json = name.endswith(".json")
    text = f'{{"{SCHEMA_KEY}": {SCHEMA_VERSION}}}\n' if is_json else f"{SCHEMA_KEY}: {SCHEMA_VERSION}\n"
    return text.encode()
