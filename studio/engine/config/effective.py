"""The levels merged into what counts (contract 8).

Denies are the union, numbers the smallest, allow lists the user's. A project file narrows at once; what
it widens waits until the user trusted that very file. A command line only narrows.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, cast

from studio.engine.config.levels import Level, Setting, read_level
from studio.engine.config.reading import read_project_file, read_user_file
from studio.engine.config.tree import from_values, parse_text
from studio.engine.config.trusted import read_trust
from studio.engine.limits import (
    FILE_BYTES,
    PATH_DEPTH,
    RETENTION_BYTES,
    RETENTION_DAYS,
    RETENTION_PLANS,
    SEGMENT_BYTES,
    STEPS_UP_TO,
)
from studio.engine.names import CONFIGURATION_NAME
from studio.engine.policy import Policy, PolicyLimits, RuleSet

ReviewCommandLine = Literal["ask", "allow", "off"]

_COMMAND_LINE = "command line"
_DEFAULTS: Final[Mapping[str, str | int]] = {
    "schema_version": 1,
    "review.command_line": "ask",
    "limits.segment": SEGMENT_BYTES,
    "limits.depth": PATH_DEPTH,
    "limits.file_bytes": FILE_BYTES,
    "limits.steps": STEPS_UP_TO,
    "retention.plans": RETENTION_PLANS,
    "retention.days": RETENTION_DAYS,
    "retention.bytes": RETENTION_BYTES,
}
_LIST_KEYS = ("file_rules.deny", "file_rules.allow", "encodings")


@dataclass(frozen=True, slots=True)
class Retention:
    """How long undo is kept: newest plans, days, and a cap in bytes (design 7)."""

    plans: int
    days: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """The project's studio.yaml as read: hash of its bytes, whether the user trusts them, and the
    settings that wait for that trust because they widen what agents may do."""

    sha256: str
    trusted: bool
    waiting: tuple[Setting, ...] = ()


@dataclass(frozen=True)
class Config:
    """What counts for one project. `settings` has a value for every key, lists one for each entry."""

    settings: tuple[Setting, ...]
    warnings: tuple[str, ...] = ()
    unknown: tuple[Setting, ...] = ()
    project_file: ProjectFile | None = None

    def effective(self) -> tuple[Setting, ...]:
        """Every value that counts, with its level, file and line."""
        return self.settings

    @cached_property
    def limits(self) -> PolicyLimits:
        return PolicyLimits(
            segment=self._number("limits.segment"),
            depth=self._number("limits.depth"),
            file_bytes=self._number("limits.file_bytes"),
            steps=self._number("limits.steps"),
        )

    @cached_property
    def retention(self) -> Retention:
        return Retention(
            self._number("retention.plans"), self._number("retention.days"), self._number("retention.bytes")
        )

    @cached_property
    def review_command_line(self) -> ReviewCommandLine:
        """Whether the command line may decide without asking a person; the user's own file alone says."""
        return cast("ReviewCommandLine", self._value("review.command_line"))

    def policy(self, locked_paths: tuple[str, ...] = ()) -> Policy:
        """The rules for proposals; `locked_paths` are those that are locked in this project alone."""
        return replace(self._policy, locked_paths=locked_paths) if locked_paths else self._policy

    def encoding_for(self, path: str) -> str | None:
        """The encoding set for a path: the command line's, else the project's, else the user's (R162)."""
        return self._policy.encoding_for(path)

    @cached_property
    def _policy(self) -> Policy:
        listed = [setting for setting in self.settings if setting.key in _LIST_KEYS]
        levels = dict.fromkeys(setting.level for setting in listed if setting.key != "encodings")
        return Policy(
            rules=tuple(
                RuleSet(
                    level, _texts(listed, level, "file_rules.deny"), _texts(listed, level, "file_rules.allow")
                )
                for level in levels
            ),
            limits=self.limits,
            encodings=tuple(setting.value for setting in listed if isinstance(setting.value, tuple)),
        )

    def _value(self, key: str) -> object:
        return next(setting.value for setting in self.settings if setting.key == key)

    def _number(self, key: str) -> int:
        return cast("int", self._value(key))


def load(
    project_root: Path,
    config_dir: Path,
    *,
    command_line: Mapping[str, object] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Config:
    """Read and merge all levels. `environment` is where `${NAME}` looks, by default the process's own.

    `command_line` has the same nested keys as the files. Raises ConfigRefused naming file, line and key.
    """
    variables = os.environ if environment is None else environment
    user = Level("user")
    found = read_user_file(config_dir)
    if found is not None:
        file, data = found
        root = parse_text(data, str(file))
        user = read_level(root, name="user", file=str(file), environment=variables, user_only_allowed=True)
    project, project_file = Level("project"), None
    data = read_project_file(project_root)
    if data is not None:
        sha256 = hashlib.sha256(data).hexdigest()
        project_file = ProjectFile(sha256, sha256 in read_trust(config_dir, project_root))
        project = read_level(
            parse_text(data, CONFIGURATION_NAME),
            name="project",
            file=CONFIGURATION_NAME,
            environment=variables if project_file.trusted else None,
            user_only_allowed=False,
        )
    above = read_level(
        from_values(command_line or {}, _COMMAND_LINE),
        name=_COMMAND_LINE,
        file=_COMMAND_LINE,
        environment=None,
        user_only_allowed=False,
    )
    return _merge(user, project, above, project_file)


def _merge(user: Level, project: Level, above: Level, project_file: ProjectFile | None) -> Config:
    trusted = project_file is not None and project_file.trusted
    settings: list[Setting] = []
    waiting: list[Setting] = []
    for key, default in _DEFAULTS.items():
        value = _last(user, key) or Setting(key, default, "default")
        if key.startswith("limits."):
            value = _with_project_limit(value, _last(project, key), waiting, trusted=trusted)
            value = _smaller(value, _last(above, key))
        settings.append(value)
    for level in (above, user, project):
        settings.extend(level.all_of("file_rules.deny"))
    settings.extend(user.all_of("file_rules.allow"))
    (settings if trusted else waiting).extend(project.all_of("file_rules.allow"))
    for level in (above, project, user):
        settings.extend(level.all_of("encodings"))
    if project_file is not None:
        project_file = replace(project_file, waiting=tuple(waiting))
    levels = (user, project, above)
    return Config(
        settings=tuple(settings),
        warnings=(*_warnings(levels), *_waiting_warning(waiting)),
        unknown=tuple(setting for level in levels for setting in level.unknown),
        project_file=project_file,
    )


def _with_project_limit(
    value: Setting, wanted: Setting | None, waiting: list[Setting], *, trusted: bool
) -> Setting:
    """A project's number: smaller at once; larger only where trusted, and never over the user's own."""
    if wanted is None or _smaller(value, wanted) is wanted:
        return wanted or value
    if wanted.value == value.value or value.level == "user":
        return value
    if trusted:
        return wanted
    waiting.append(wanted)
    return value


def _smaller(value: Setting, other: Setting | None) -> Setting:
    if other is None or not isinstance(other.value, int) or not isinstance(value.value, int):
        return value
    return other if other.value < value.value else value


def _last(level: Level, key: str) -> Setting | None:
    return next(reversed(level.all_of(key)), None)


def _texts(settings: Iterable[Setting], level: str, key: str) -> tuple[str, ...]:
    return tuple(
        setting.value
        for setting in settings
        if setting.level == level and setting.key == key and isinstance(setting.value, str)
    )


def _warnings(levels: Iterable[Level]) -> Iterable[str]:
    return (warning for level in levels for warning in level.warnings)


def _waiting_warning(waiting: list[Setting]) -> tuple[str, ...]:
    if not waiting:
        return ()
    keys = ", ".join(dict.fromkeys(setting.key for setting in waiting))
    return (f"{CONFIGURATION_NAME} widens {keys}; that counts once you trust the file: studio config trust.",)
