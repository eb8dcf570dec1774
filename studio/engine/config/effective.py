"""Effective configuration (`Config`): user and project settings, merged, narrowed per agent/format.

Denies are the union, numbers the smallest, allow lists the user's. A project file narrows at once; what it
widens waits until the user has trusted the bytes of that file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence, Set as AbstractSet
from functools import cached_property, reduce
from pathlib import Path, PurePath
from typing import Final, Literal, cast

from msgspec.structs import replace

from studio.engine import config
from studio.engine.config.levels import (
    SCHEMA_VERSION,
    Level,
    Setting,
    blocked_pattern,
    command_words,
    is_absolute,
    read_level,
    smaller,
)
from studio.engine.config.nodes import ConfigRefused, Node
from studio.engine.config.reading import read_project_file, read_user_file
from studio.engine.config.schema import PROJECT_FOLDERS, SCHEMA_KEY, SETTINGS
from studio.engine.config.secrets import check_secrets
from studio.engine.config.trusted import read_trust
from studio.engine.policy import Policy, PolicyLimits, RuleSet
from studio.names import CONFIGURATION_NAME
from studio.program.app_folders import account_config_directory, config_directory, is_state_chosen
from studio.values import Value

ReviewCommandLine = Literal["ask", "allow", "off"]
AgentsShell = Literal["ask", "deny", "client", "sandbox"]

_DEFAULTS: Final[Mapping[str, str | int]] = {
    SCHEMA_KEY: SCHEMA_VERSION,
    **{setting.key: setting.default for setting in SETTINGS if setting.default is not None},
}
_TYPED: Final = ""
"""File name of a value that is in no file yet."""
_ALLOWED_DIRECTORIES: Final = "file_rules.allowed_directories"
_BLOCKED_DIRECTORIES: Final = "file_rules.blocked_directories"
_NARROWING_LISTS: Final = (
    "file_rules.deny",
    "file_rules.secrets",
    _BLOCKED_DIRECTORIES,
    "file_rules.blocked_extensions",
    "file_rules.allowed_extensions",
)
_RULE_KEYS: Final = frozenset({*_NARROWING_LISTS, "file_rules.allow", _ALLOWED_DIRECTORIES, PROJECT_FOLDERS})


class Config(Value, dict=True):
    """Effective configuration of one project.

    `settings` has a value for every key; a list has one setting for each entry.
    """

    settings: tuple[Setting, ...]
    warnings: tuple[str, ...] = ()
    unknown: tuple[Setting, ...] = ()
    without_effect: tuple[str, ...] = ()
    """The warnings about settings that have no effect in their file, a sentence each."""
    project_file: ProjectFile | None = None
    root: Path = Path()
    folder: Path = Path()
    """The configuration folder that the user's own settings come from."""

    def effective(self) -> tuple[Setting, ...]:
        """Return every effective value with its level, file and line."""
        return self.settings

    @cached_property
    def limits(self) -> PolicyLimits:
        return PolicyLimits(
            segment=self._number("limits.segment"),
            depth=self._number("limits.depth"),
            file_bytes=self._number("limits.file_bytes"),
            steps=self._number("limits.steps"),
            hunks=self._number("limits.hunks"),
            own_steps=self._number("limits.own_steps"),
            file_bytes_level=self._setting("limits.file_bytes").level,
        )

    @cached_property
    def retention(self) -> Retention:
        return Retention(
            self._number("retention.plans"), self._number("retention.days"), self._number("retention.bytes")
        )

    @cached_property
    def observe_bytes(self) -> int:
        """Bytes that snapshots and the baseline may take on disk."""
        return self._number("observe.bytes")

    @cached_property
    def observe_ignore(self) -> tuple[str, ...]:
        """Patterns of paths that are not observed, from the user's file alone."""
        return self._text_values("observe.ignore")

    @cached_property
    def review_groups(self) -> Mapping[str, tuple[str, ...]]:
        """The user's names for steps that belong together, with their patterns."""
        pairs = [cast("tuple[str, str]", setting.value) for setting in self._settings_of("review.groups")]
        return {name: tuple(text for other, text in pairs if other == name) for name, _text in pairs}

    @cached_property
    def sandbox_hide(self) -> tuple[str, ...]:
        """Paths hidden from a sandboxed command, from the user's file alone."""
        return self._text_values("sandbox.hide")

    @cached_property
    def sandbox_logins(self) -> tuple[str, ...]:
        """Agents whose logins a sandboxed command may use without asking.

        From the user's own file alone.
        """
        return self._text_values("sandbox.logins")

    @cached_property
    def sandbox_try(self) -> tuple[tuple[str, ...], ...]:
        """The user's commands for trying plans, each as its words."""
        return tuple(map(command_words, self._text_values("sandbox.try")))

    def sandbox_network(self, command: Sequence[str]) -> bool | None:
        """Return whether a program may use the network without asking.

        None where the user's own file has no entry for the program's name.
        """
        answers = dict(
            cast("tuple[str, str]", setting.value) for setting in self._settings_of("sandbox.network")
        )
        answer = answers.get(PurePath(command[0]).name)
        return None if answer is None else answer == "yes"

    @cached_property
    def review_command_line(self) -> ReviewCommandLine:
        """Whether the command line may decide, from the user's file alone."""
        return cast("ReviewCommandLine", self._value("review.command_line"))

    @cached_property
    def agents_shell(self) -> AgentsShell:
        """How to handle an agent's shell commands, from the user's file alone."""
        return cast("AgentsShell", self._value("agents.shell"))

    @cached_property
    def inbox(self) -> Path | None:
        """The folder whose files are imported as proposals, None if unset.

        From the user's own file alone.
        """
        text = cast("str", self._value("agents.inbox"))
        return Path(text) if text else None

    def notifies(self, agent: str) -> bool:
        """Return whether to notify the desktop when this agent starts waiting.

        From the user's own file alone.
        """
        return (agent, "no") not in (setting.value for setting in self._settings_of("notify"))

    @cached_property
    def approval_minutes(self) -> int:
        """Minutes for which an approval is valid; 0: until something changes.

        From the user's own file alone.
        """
        return self._number("review.approval_minutes")

    @cached_property
    def allowed_directories(self) -> tuple[AllowedDirectory, ...]:
        """The configured folders outside of the project that tools may use."""
        folders = [
            (setting, _folder_path(self.root, setting)) for setting in self._settings_of(_ALLOWED_DIRECTORIES)
        ]
        return tuple(
            AllowedDirectory(path, setting.level)
            for setting, path in folders
            if not path.is_relative_to(self.root)
        )

    def config_outside(self, root: Path) -> Config:
        """Return the configuration for an allowed folder outside of the project.

        It has the same lists and limits, relative to that folder, without the allowed folders. `root` is
        resolved, and blocked folders are resolved here.
        """
        settings = (
            replace(setting, value=os.path.realpath(setting.value))
            if setting.key == _BLOCKED_DIRECTORIES
            and isinstance(setting.value, str)
            and is_absolute(setting.value)
            else setting
            for setting in self.settings
            if setting.key != _ALLOWED_DIRECTORIES
        )
        return replace(self, settings=tuple(settings), root=root)

    @cached_property
    def require_confirmation_for_delete(self) -> bool:
        """Whether a tool must ask before it deletes.

        Plans are decided by a person anyway.
        """
        return self._value("tools.require_confirmation_for_delete") is True

    def policy(
        self,
        locked_paths: tuple[str, ...] = (),
        locked_names: tuple[str, ...] = (),
        programs: tuple[tuple[str, str], ...] = (),
        tracked_folders: Callable[[], Collection[str]] = tuple,
    ) -> Policy:
        """Return the rules for proposals; parameters are as in `Policy`."""
        key = (locked_paths, locked_names, programs, tracked_folders)
        cached = self._policies.get(key)
        if cached is None:
            cached = replace(
                self._policy,
                locked_paths=locked_paths,
                locked_names=locked_names,
                programs=programs,
                tracked_folders=tracked_folders,
            )
            self._policies.clear()
            self._policies[key] = cached
        return cached

    def for_source(self, source: str) -> Config:
        """Return the configuration for one source: a format or an agent's name.

        A source can only narrow. Unless configured, "file-action" may change `.md` files alone.
        """
        narrowed_settings = narrow(self.settings, source)
        return self if narrowed_settings == self.settings else replace(self, settings=narrowed_settings)

    def sources_of(self, format_name: str, agent: str) -> tuple[str, ...]:
        """Return the configured sources that apply to a format and agent."""
        return tuple(name for name in source_names(format_name, agent) if name in self.known_sources)

    @cached_property
    def known_sources(self) -> frozenset[str]:
        """Every format and agent with settings of its own, defaults included."""
        return known_sources(self.settings)

    def encoding_for(self, path: str) -> str | None:
        """Return the encoding set for a path: the project's, else the user's."""
        return self._policy.encoding_for(path)

    @cached_property
    def _policies(self) -> dict[tuple[object, ...], Policy]:
        return {((), (), (), tuple): self._policy}

    @cached_property
    def _policy(self) -> Policy:
        levels = dict.fromkeys(setting.level for setting in self.settings if setting.key in _RULE_KEYS)
        encodings = (setting.value for setting in self._settings_of("encodings"))
        return Policy(
            rules=tuple(self._rule_set(level) for level in levels),
            limits=self.limits,
            encodings=tuple(value for value in encodings if isinstance(value, tuple)),
        )

    def _rule_set(self, level: str) -> RuleSet:
        def texts(key: str) -> tuple[str, ...]:
            found = (setting.value for setting in self._settings_of(key) if setting.level == level)
            return tuple(value for value in found if isinstance(value, str))

        blocked = (blocked_pattern(self.root, text) for text in texts(_BLOCKED_DIRECTORIES))
        endings = (f"*{ending}" for ending in texts("file_rules.blocked_extensions"))
        return RuleSet(
            level,
            deny=(*texts("file_rules.deny"), *filter(None, blocked), *endings),
            allow=texts("file_rules.allow"),
            secrets=texts("file_rules.secrets"),
            extensions=texts("file_rules.allowed_extensions"),
            folders=self._allowed_folders(level),
            opened=tuple(
                setting.value[1]
                for setting in self._settings_of(PROJECT_FOLDERS)
                if isinstance(setting.value, tuple) and Path(setting.value[0]) == self.root
            ),
        )

    def _allowed_folders(self, level: str) -> tuple[str, ...]:
        """Return the only folders of the project that a level allows.

        Empty, for no restriction, where the level names the root or no folder of the project.
        """
        allowed = (setting for setting in self._settings_of(_ALLOWED_DIRECTORIES) if setting.level == level)
        folders = [_folder_path(self.root, setting) for setting in allowed]
        if any(self.root.is_relative_to(folder) for folder in folders):
            return ()
        inner_folders = (folder for folder in folders if folder.is_relative_to(self.root))
        return tuple(folder.relative_to(self.root).as_posix() for folder in inner_folders)

    def _settings_of(self, key: str) -> tuple[Setting, ...]:
        return tuple(setting for setting in self.settings if setting.key == key)

    def _text_values(self, key: str) -> tuple[str, ...]:
        return tuple(str(setting.value) for setting in self._settings_of(key))

    def _setting(self, key: str) -> Setting:
        return next(setting for setting in self.settings if setting.key == key)

    def _value(self, key: str) -> object:
        return self._setting(key).value

    def _number(self, key: str) -> int:
        return cast("int", self._value(key))


def load(
    project_root: Path | None,
    config_dir: Path,
    *,
    environment: Mapping[str, str] | None = None,
) -> Config:
    """Read and merge all levels; without a project the user's alone.

    `environment` has the variables for `${NAME}`, by default the process's own. Raises ConfigRefused naming
    file, line and key.
    """
    variables = os.environ if environment is None else environment
    user = _read_user(config_dir, variables)
    project, project_file = Level("project"), None
    data = read_project_file(project_root) if project_root is not None else None
    if project_root is not None and data is not None:
        sha256 = hashlib.sha256(data).hexdigest()
        project_file = ProjectFile(sha256, sha256 in read_trust(config_dir, project_root))
        project = read_level(
            _tree(data, CONFIGURATION_NAME),
            name="project",
            file=CONFIGURATION_NAME,
            environment=variables if project_file.trusted else None,
            user_only_allowed=False,
        )
        project = replace(project, sha256=sha256)
    root = Path(os.path.normpath(project_root.absolute())) if project_root is not None else Path()
    return _merge(root, config_dir, user, project, project_file)


def from_values(
    project_root: Path, values: Mapping[str, object], *, environment: Mapping[str, str] | None = None
) -> Config:
    """Return the configuration for given user values and no project file.

    The same reader and rules apply. Raises ConfigRefused naming the key.
    """
    variables = os.environ if environment is None else environment
    file = "the given policy"
    level = read_level(
        config.parse_text(json.dumps(values).encode(), file),
        name="user",
        file=file,
        environment=variables,
        user_only_allowed=True,
    )
    root = Path(os.path.normpath(project_root.absolute()))
    return _merge(root, Path(), level, Level("project"), None)


def review_of(config_dir: Path) -> ReviewCommandLine:
    """Return the user's `review.command_line` in a configuration folder.

    "off" where the file can't be read.
    """
    try:
        user = _read_user(config_dir, os.environ)
    except ConfigRefused:
        return "off"
    setting = _strictest(user, "review.command_line")
    return cast("ReviewCommandLine", setting.value) if setting is not None else "ask"


def has_own_rules(config_dir: Path) -> bool:
    """Return whether the user's own file has a rule about paths.

    False where the file can't be read: it has no effective rules then.
    """
    try:
        settings = _read_user(config_dir, os.environ).settings
    except ConfigRefused:
        return False
    ends = {key.rpartition(".")[2] for key in _RULE_KEYS}  # the rules of a source have the same names
    return any(setting.key.rpartition(".")[2] in ends for setting in settings)


def check_user_text(data: bytes, file: str) -> None:
    """Validate bytes as the user's configuration.

    Raises ConfigRefused with every problem found.
    """
    tree = _tree(data, file)
    read_level(tree, name="user", file=file, environment=os.environ, user_only_allowed=True)


def read_value(key: str, value: object) -> tuple[Setting, ...]:
    """Return the user settings for a value of a dotted key.

    Raises ConfigRefused.
    """
    nested = value
    for part in reversed(key.split(".")):
        nested = {part: nested}
    tree = config.parse_text(json.dumps(nested).encode(), _TYPED)
    return read_level(tree, name="user", file=_TYPED, environment=os.environ, user_only_allowed=True).settings


def _read_user(config_dir: Path, environment: Mapping[str, str]) -> Level:
    found = read_user_file(config_dir)
    if found is None:
        return Level("user")
    file, data = found
    level = read_level(
        _tree(data, str(file)), name="user", file=str(file), environment=environment, user_only_allowed=True
    )
    return replace(level, sha256=hashlib.sha256(data).hexdigest())


def _tree(data: bytes, file: str) -> Node:
    """Parse a configuration file that must hold no secrets.

    Secrets are searched even where the file can't be parsed. Raises ConfigRefused.
    """
    try:
        root = config.parse_text(data, file)
    except ConfigRefused:
        check_secrets(data, Node(None, None), file)
        raise
    check_secrets(data, root, file)
    return root


def _merge(root: Path, folder: Path, user: Level, project: Level, project_file: ProjectFile | None) -> Config:
    is_trusted = project_file is not None and project_file.trusted
    settings: list[Setting] = []
    waiting: list[Setting] = []
    for key, default in _DEFAULTS.items():
        value = _strictest(user, key) or Setting(key, default, "default")
        if key.startswith("limits."):
            value = _merge_project_limit(value, _strictest(project, key), waiting, is_trusted=is_trusted)
        elif isinstance(default, bool):
            value = _merge_project_switch(value, _strictest(project, key), waiting, is_trusted=is_trusted)
        settings.append(value)
    for level in (user, project):
        for key in _NARROWING_LISTS:
            settings.extend(level.all_of(key))
    destination = settings if is_trusted else waiting
    settings.extend(user.all_of(_ALLOWED_DIRECTORIES))
    for setting in project.all_of(_ALLOWED_DIRECTORIES):
        # A variable that was not expanded may lead anywhere.
        is_narrowing = "${" not in str(setting.value) and _folder_path(root, setting).is_relative_to(root)
        (settings if is_narrowing else destination).append(setting)
    for row in SETTINGS:
        if row.is_users and row.default is None:
            settings.extend(user.all_of(row.key))
    settings.extend(user.all_of("file_rules.allow"))
    destination.extend(project.all_of("file_rules.allow"))
    for key in ("encodings", "sources."):
        for level in (project, user):
            settings.extend(setting for setting in level.settings if setting.key.startswith(key))
    if project_file is not None:
        project_file = replace(project_file, waiting=tuple(waiting))
    return Config(
        settings=tuple(settings),
        warnings=(*user.warnings, *project.warnings, *_waiting_warning(waiting)),
        without_effect=(*user.warnings, *project.warnings),
        unknown=(*user.unknown, *project.unknown),
        project_file=project_file,
        root=root,
        folder=folder,
    )


def _merge_project_limit(
    value: Setting, project_setting: Setting | None, waiting: list[Setting], *, is_trusted: bool
) -> Setting:
    """Return a number with the project's value merged in.

    Smaller takes effect at once; larger only where trusted, and never over the user's own.
    """
    if project_setting is None or smaller(value, project_setting) is project_setting:
        return project_setting or value
    if project_setting.value == value.value or value.level == "user":
        return value
    if is_trusted:
        return project_setting
    waiting.append(project_setting)
    return value


def _merge_project_switch(
    value: Setting, project_setting: Setting | None, waiting: list[Setting], *, is_trusted: bool
) -> Setting:
    """Return a switch with the project's value merged in.

    On takes effect at once; off only where trusted, and never against the user's own setting.
    """
    if project_setting is None or project_setting.value == value.value:
        return value
    if project_setting.value:
        return project_setting
    if value.level == "user":
        return value
    if is_trusted:
        return project_setting
    waiting.append(project_setting)
    return value


def _strictest(level: Level, key: str) -> Setting | None:
    """Return the strictest setting of a key within a level.

    Of a key and its alias that is the smaller number, or the switch that is on.
    """
    found = level.all_of(key)
    enabled = next((setting for setting in found if setting.value is True), None)
    return enabled or (reduce(smaller, found) if found else None)


def _folder_path(root: Path, setting: Setting) -> Path:
    """Return an allowed folder's path; a relative one is in the project."""
    return Path(os.path.normpath(root / str(setting.value)))


def _waiting_warning(waiting: list[Setting]) -> tuple[str, ...]:
    if not waiting:
        return ()
    keys = ", ".join(dict.fromkeys(setting.key for setting in waiting))
    return (f"{CONFIGURATION_NAME} widens {keys}, without effect until you trust the file.",)


class Retention(Value):
    """Limits of kept undo: newest plans, days, and a cap in bytes."""

    plans: int
    days: int
    bytes: int


class ProjectFile(Value):
    """The project's studio.yaml as read: hash, trust, and waiting settings.

    `waiting` are the settings that widen what agents may do, and take effect once the user trusts the bytes.
    """

    sha256: str
    trusted: bool
    waiting: tuple[Setting, ...] = ()


class AllowedDirectory(Value):
    """A folder outside of the project that tools may read.

    `path` is absolute, without "..", as written: links on the way are followed when it is opened.
    """

    path: Path
    level: str


# Which configuration folder may let the command line decide.
#
# A folder that an agent brings makes no one a person.


def user_config_folders(folder: Path, decided: AbstractSet[Path]) -> AbstractSet[Path]:
    """Return the configuration folders that count as the user's own.

    They are those with which a person `decided` before. Until then they are the account's own, and `folder`,
    which is in use, where the state folder was chosen with it.
    """
    # Else `STUDIO_CONFIG_DIR=FOLDER studio approve` would make
    # an agent a person, whatever the user's own file sets.
    if decided:
        return decided
    by_account = account_config_directory()
    chosen = {folder} if is_state_chosen() else set[Path]()
    return chosen if by_account is None else {by_account, *chosen}


def effective_review(
    folder: Path, review: ReviewCommandLine, decided: AbstractSet[Path]
) -> ReviewCommandLine:
    """Return how the command line may decide, given the setting in `folder`.

    `allow` is reduced to `ask` unless that folder is the user's own; an `off` of one of the user's folders
    holds wherever the setting comes from.
    """
    own_folders = user_config_folders(folder, decided)
    # An agent may have opened the window with its own folder, before a person decided there.
    consulted = own_folders if folder not in own_folders else decided
    if "off" in {review, *map(review_of, consulted)}:
        return "off"
    return review if folder in own_folders else "ask"


def user_review() -> ReviewCommandLine:
    """Return how the command line may decide outside of any project.

    There is no store then that records who decided, so `allow` is effective only in the account's own folder,
    which no environment variable chooses.
    """
    folder, by_account = config_directory().resolve(), account_config_directory()
    review = review_of(folder)
    if by_account is None:
        return "off" if review == "off" else "ask"
    return effective_review(folder, review, frozenset({by_account}))


def user_inbox() -> Path | None:
    """Return the user's inbox folder, None without one or a readable file."""
    try:
        return load(None, config_directory()).inbox
    except ConfigRefused:
        return None


# Stricter rules for the plans of one format or agent: `sources`.
#
# An agent chooses its own name, so rules by agent are a convenience; rules by format are enforced.

DEFAULT_EXTENSIONS: Final[Mapping[str, tuple[str, ...]]] = {"file-action": (".md",)}
"""The extensions a source may touch unless the user's configuration names others."""

_FORMATS_BETWEEN: Final = "+"
"""Separates the formats of a plan that was made of several texts."""


def source_names(format_name: str, agent: str) -> tuple[str, ...]:
    """Return the names under which `sources` may configure a plan.

    They are its formats, and its agent's name in small letters, digits, hyphens and underscores.
    """
    by_agent = re.sub("[^a-z0-9_-]+", "-", agent.casefold()).strip("-")
    return tuple(dict.fromkeys(filter(None, (*format_name.split(_FORMATS_BETWEEN), by_agent))))


def known_sources(settings: Sequence[Setting]) -> frozenset[str]:
    """Return every source with settings of its own, defaults included."""
    names = (setting.key.split(".")[1] for setting in settings if setting.key.startswith("sources."))
    return frozenset((*DEFAULT_EXTENSIONS, *names))


def narrow(settings: tuple[Setting, ...], source: str) -> tuple[Setting, ...]:
    """Return the settings for one source, never wider than without it."""
    start = f"sources.{source}."
    source_settings = [setting for setting in settings if setting.key.startswith(start)]
    extensions = f"{start}allowed_extensions"
    if not any(setting.key == extensions and setting.level == "user" for setting in source_settings):
        source_settings += [
            Setting(extensions, ending, "default") for ending in DEFAULT_EXTENSIONS.get(source, ())
        ]
    found = list(settings)
    for setting in source_settings:
        name = setting.key.removeprefix(start)
        # Two lists of one level are joined, which would widen:
        # each source and each file has a level of its own.
        level = f"source {source}" + (", project" if setting.level == "project" else "")
        if isinstance(setting.value, str):
            found += [replace(setting, key=f"file_rules.{name}", level=level)] if setting.value else []
        else:
            lower = replace(setting, key=f"limits.{name}", level=level)
            found = [smaller(current, lower) if current.key == lower.key else current for current in found]
    return tuple(found)
