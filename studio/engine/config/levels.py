"""Validation of one configuration file's keys and values, with `${NAME}` expansion."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final, NoReturn

from studio.engine.config.nodes import ConfigRefused, Node, format_location, plain
from studio.engine.config.schema import (
    ALIASES,
    BY_KEY,
    SCHEMA_KEY,
    SETTINGS,
    SOURCE_NAME,
    SettingKey,
    SettingKind,
)
from studio.engine.patterns import PatternRefused, folder_text, parse_pattern
from studio.engine.plan import Problem
from studio.engine.policy import why_never_allowed
from studio.limits import PATTERN_CHARACTERS, PATTERNS_UP_TO
from studio.names import nearest_word, show_name
from studio.text.encodings import NAME_ONE, name_of
from studio.values import Value

SCHEMA_VERSION: Final = 1

SettingValue = str | int | tuple[str, str]

_EXTENSION = re.compile(r"\.?[^\s/\\*?\[\]!#:.][^\s/\\*?\[\]!#:]*")
_GROUP = re.compile(r"[^\s:*?\[\]/]{1,40}")
_NAMES: Final = (*BY_KEY, *ALIASES, SCHEMA_KEY)
_SECTIONS: Final = frozenset(key[: dot.start()] for key in _NAMES for dot in re.finditer(r"\.", key))
_USERS: Final = frozenset(setting.key.partition(".")[0] for setting in SETTINGS if setting.is_users)
_VARIABLE = re.compile(r"\$(\$(?=\{)|\{([A-Za-z_][A-Za-z0-9_]*)\}|(?=\{))")


class Setting(Value):
    """One value with its dotted key, level, file and 1-based line.

    A list has one setting for each entry. An entry of `encodings` is the pair (pattern, encoding), one of the
    folders allowed in one project the pair (project, folder), one of `notify` the pair (agent, "yes" or
    "no"). An unknown key has its value as JSON.
    """

    key: str
    value: SettingValue
    level: str
    file: str | None = None
    line: int | None = None


class Level(Value):
    """Settings of one file whose bytes hash to `sha256`.

    `unknown` has the keys that the schema does not know.
    """

    name: str
    settings: tuple[Setting, ...] = ()
    unknown: tuple[Setting, ...] = ()
    warnings: tuple[str, ...] = ()
    sha256: str = ""

    def all_of(self, key: str) -> tuple[Setting, ...]:
        return tuple(setting for setting in self.settings if setting.key == key)


def read_level(
    root: Node, *, name: str, file: str, environment: Mapping[str, str] | None, user_only_allowed: bool
) -> Level:
    """Check one level and expand `${NAME}` in its values from `environment`.

    With `environment` None a value to expand is refused: an untrusted file must not carry the user's
    variables into rules and messages. Raises ConfigRefused with all problems found.
    """
    reader = _LevelReader(name, file, environment, user_only_allowed=user_only_allowed)
    reader.read(root)
    if reader.refusals:
        first = reader.refusals[0]
        problems = tuple(problem for refusal in reader.refusals for problem in refusal.problems)
        raise ConfigRefused(
            first.code,
            first.message,
            first.hint,
            file=first.file,
            line=first.line,
            key=first.key,
            problems=problems,
        )
    return Level(name, tuple(reader.settings), tuple(reader.unknown), tuple(reader.warnings))


class _LevelReader:
    def __init__(
        self, name: str, file: str, environment: Mapping[str, str] | None, *, user_only_allowed: bool
    ) -> None:
        self._name = name
        self._file = file
        self._environment = environment
        self._user_only_allowed = user_only_allowed
        self.settings: list[Setting] = []
        self.unknown: list[Setting] = []
        self.warnings: list[str] = []
        self.refusals: list[ConfigRefused] = []
        self._of_kind: Mapping[SettingKind, Callable[[str, Node], None]] = {
            SettingKind.NUMBER: self._number, SettingKind.SWITCH: self._switch,
            SettingKind.CHOICE: self._choice, SettingKind.FOLDER: self._folder,
            SettingKind.PATTERNS: self._pattern, SettingKind.EXTENSIONS: self._extension,
            SettingKind.BLOCKED_FOLDERS: self._blocked_directory,
            SettingKind.ALLOWED_FOLDERS: self._allowed_directory,
            SettingKind.PROJECT_FOLDERS: self._project_folder, SettingKind.PLACES: self._hidden_place,
            SettingKind.AGENTS: self._login, SettingKind.COMMANDS: self._command,
            SettingKind.GROUPS: self._group, SettingKind.ENCODINGS: self._encodings,
            SettingKind.ANSWERS: self._answers,
        }  # fmt: skip

    def read(self, root: Node) -> None:
        for key, node in _entries(root):
            if key == SCHEMA_KEY:
                self._read_or_record(self._schema_version, key, node)
            elif key in _USERS and not self._user_only_allowed:
                self._warn(key, node, "it has an effect only in the user configuration")
            else:
                self._member("", key, node)

    def _member(self, section: str, name: str, node: Node) -> None:
        """Read one key of a section, "" for the file itself."""
        key = f"{section}.{name}" if section else name
        setting = SettingKey.find(key)
        if section == "sources":
            self._read_or_record(lambda _key, item: self._source(name, item), key, node)
        elif "." in name:
            self._warn_unknown_key(key, node)
        elif setting is not None and setting.kind.is_list:
            self._read_each(self._of_kind[setting.kind], key, node)
        elif setting is not None:
            self._read_or_record(self._of_kind[setting.kind], key, node)
        elif key in _SECTIONS:
            self._read_or_record(self._section, key, node)
        else:
            self._warn_unknown_key(key, node)

    def _section(self, section: str, node: Node) -> None:
        for name, value in self._mapping(section, node):
            self._member(section, name, value)

    def _source(self, source: str, node: Node) -> None:
        if not SettingKey.is_source(source):
            self._refuse(
                "config.value",
                "sources",
                node,
                f'"{show_name(source)}" is not a source name',
                "Use lowercase letters, digits and hyphens.",
            )
        self._section(f"sources.{source}", node)

    def _switch(self, key: str, node: Node) -> None:
        if not isinstance(node.value, bool):
            self._refuse("config.type", key, node, "true or false is expected", "Use true or false.")
        self._add_setting(key, node.value, node)

    def _items(self, key: str, node: Node) -> tuple[Node, ...]:
        if node.value is None:
            return ()
        if not isinstance(node.value, tuple):
            self._refuse("config.type", key, node, "a list is expected", 'Write ["entry", ...].')
        if len(node.value) > PATTERNS_UP_TO:
            self._refuse(
                "config.value", key, node, f"there are more than {PATTERNS_UP_TO} entries", "Use fewer."
            )
        return node.value

    def _extension(self, key: str, node: Node) -> None:
        text = self._text(key, node)
        if not _EXTENSION.fullmatch(text):
            self._refuse(
                "config.value",
                key,
                node,
                f'"{show_name(text)}" is not a file extension',
                'Write it like ".md".',
            )
        self._add_setting(key, f".{text.removeprefix('.')}", node)

    def _blocked_directory(self, key: str, node: Node) -> None:
        text = self._text(key, node)
        if not is_absolute(text):
            text = f"{text.rstrip('/')}/"
            self._check_pattern(key, node, text)
            if text.startswith("!"):
                self._refuse(
                    "config.value", key, node, "a blocked folder can't be unblocked", "Remove the !."
                )
        self._add_setting(key, text, node)

    def _allowed_directory(self, key: str, node: Node) -> None:
        """Read a path, or an older file's mapping of `path` and `write`."""
        entries = dict(_entries(node)) if isinstance(node.value, Mapping) else {"path": node}
        for name in entries.keys() - {"path", "write"}:
            self._warn_unknown_key(f"{key}.{name}", entries[name], f"{key}.path", f"{key}.write")
        path, write = entries.get("path"), entries.get("write")
        if path is None or not isinstance(path.value, str):
            self._refuse("config.type", key, node, "a path is expected", 'Write it in quotes: "...".')
        if write is not None and not isinstance(write.value, bool):
            self._refuse("config.type", key, write, "true or false is expected", "Write write: true.")
        # The text of an untrusted file is not expanded: it only waits to be trusted.
        text = path.value if self._environment is None else self._text(key, path)
        if not text or "\0" in text or text.startswith("~"):
            self._refuse(
                "config.value",
                key,
                path,
                f'"{show_name(text)}" is not a folder path',
                "Use an absolute path, a path relative to the project, or ${HOME}/...",
            )
        if write is not None and write.value is True:
            self._warn(key, node, "write: true has no effect: external folders are read-only")
        self._add_setting(key, text, path)

    def _project_folder(self, key: str, node: Node) -> None:
        """Read a mapping of `project`, an absolute path, and `path` beneath it."""
        entries = dict(_entries(node))
        if entries.keys() != {"project", "path"}:
            hint = "Use {project: /projects/shop, path: vendor/bin}."
            self._refuse("config.type", key, node, "a project and a path are expected", hint)
        project, path = self._text(key, entries["project"]), self._text(key, entries["path"]).rstrip("/")
        problem = "" if is_absolute(project) else f'"{show_name(project)}" is not an absolute path'
        if problem := problem or why_never_allowed(path):
            self._refuse("config.value", key, node, problem, "Name another folder of the project.")
        self._check_pattern(key, node, folder_text(path))
        self._add_setting(key, (project, path), node)

    def _schema_version(self, key: str, node: Node) -> None:
        if node.value != SCHEMA_VERSION or isinstance(node.value, bool):
            self._refuse(
                "config.schema_version",
                key,
                node,
                f"this version of Exacta Studio supports schema version {SCHEMA_VERSION}",
                "Update Exacta Studio, or write schema_version: 1.",
            )
        self._add_setting(key, SCHEMA_VERSION, node)

    def _choice(self, key: str, node: Node) -> None:
        value, choices = self._text(key, node), BY_KEY[key].choices
        if value not in choices:
            self._refuse(
                "config.value",
                key,
                node,
                f'"{show_name(value)}" is not one of {", ".join(choices)}',
                "Use one of them.",
            )
        self._add_setting(key, value, node)

    def _number(self, key: str, node: Node) -> None:
        setting = SettingKey.find(key)
        assert setting is not None
        smallest, largest, value = setting.smallest, setting.largest, node.value
        if isinstance(value, str) and "$" in value:
            expanded_text = self._expand_variables(key, node, value)
            value = (
                int(expanded_text) if re.fullmatch("[0-9]{1,18}", expanded_text, re.ASCII) else expanded_text
            )
        if not isinstance(value, int) or isinstance(value, bool):
            self._refuse("config.type", key, node, "a whole number is expected", "Write digits only.")
        if not smallest <= value <= largest:
            self._refuse(
                "config.value",
                key,
                node,
                f"{value} is not between {smallest} and {largest}",
                "Choose a number in that range.",
            )
        self._add_setting(key, value, node)

    def _folder(self, key: str, node: Node) -> None:
        text = self._text(key, node)
        if text and (not is_absolute(text) or "\0" in text):
            self._refuse(
                "config.value",
                key,
                node,
                f'"{show_name(text)}" is not an absolute path',
                "Use ${HOME}/inbox, or another absolute path.",
            )
        self._add_setting(key, text, node)

    def _hidden_place(self, key: str, node: Node) -> None:
        """Read a path: absolute, below the home (~) or in the project."""
        text = self._text(key, node)
        if not text or "\0" in text:
            self._refuse("config.value", key, node, "this is not a path", "Use ~/private, or another path.")
        self._add_setting(key, text, node)

    def _login(self, key: str, node: Node) -> None:
        text = self._text(key, node)
        if not SettingKey.is_source(text):
            problem = f'"{show_name(text)}" is not an agent name'
            self._refuse("config.value", key, node, problem, "Write its short name, such as codex.")
        self._add_setting(key, text, node)

    def _command(self, key: str, node: Node) -> None:
        text = self._text(key, node)
        if not command_words(text):
            self._refuse(
                "config.value", key, node, f'"{show_name(text)}" is not a command', "Write it as in a shell."
            )
        self._add_setting(key, text, node)

    def _pattern(self, key: str, node: Node) -> None:
        text = self._text(key, node)
        self._check_pattern(key, node, text)
        self._add_setting(key, text, node)

    def _group(self, key: str, node: Node) -> None:
        """Read "NAME: PATTERN ...", one setting for each pattern."""
        name, _, patterns = self._text(key, node).partition(":")
        if not _GROUP.fullmatch(name) or not patterns.split():
            self._refuse(
                "config.value", key, node, "this is not a group", 'Write it like "catalogues: *.po".'
            )
        for pattern in patterns.split():
            self._check_pattern(key, node, pattern)
            self._add_setting(key, (name, pattern), node)

    def _encodings(self, key: str, node: Node) -> None:
        for pattern, item in self._mapping(key, node):
            self._read_or_record(
                lambda key, item, pattern=pattern: self._encoding(key, pattern, item), key, item
            )

    def _answers(self, key: str, node: Node) -> None:
        """Read a mapping of names to true or false."""
        for name, item in self._mapping(key, node):
            self._read_or_record(lambda key, item, name=name: self._answer(key, name, item), key, item)

    def _answer(self, key: str, name: str, node: Node) -> None:
        if not isinstance(node.value, bool):
            self._refuse("config.type", key, node, "true or false is expected", "Use true or false.")
        self._add_setting(key, (name, "yes" if node.value else "no"), node)

    def _encoding(self, key: str, pattern: str, node: Node) -> None:
        self._check_pattern(key, node, pattern)
        encoding = name_of(self._text(key, node))
        if encoding is None:
            self._refuse(
                "config.value",
                key,
                node,
                f'"{show_name(self._text(key, node))}" is not a known encoding',
                NAME_ONE,
            )
        self._add_setting(key, (pattern, encoding), node)

    def _check_pattern(self, key: str, node: Node, text: str) -> None:
        try:
            parse_pattern(text)
        except PatternRefused as error:
            self._refuse("config.pattern", key, node, error.message.rstrip("."), error.hint)

    def _text(self, key: str, node: Node) -> str:
        if not isinstance(node.value, str):
            self._refuse("config.type", key, node, "text is expected", 'Write it in quotes: "...".')
        return self._expand_variables(key, node, node.value)

    def _expand_variables(self, key: str, node: Node, text: str) -> str:
        """Expand `${NAME}` to the variable and `$${` to a plain `${`.

        Inserted text is not expanded again.
        """

        def put_in(found: re.Match[str]) -> str:
            if found[1] == "$":
                return "$"
            name = found[2]
            if name is None:
                self._refuse(
                    "config.expansion",
                    key,
                    node,
                    '"${" is not followed by a variable name',
                    "Write ${NAME}, or $${ for the text ${.",
                )
            if self._environment is None:
                self._refuse(
                    "config.untrusted_expansion",
                    key,
                    node,
                    f"${{{name}}} is not expanded, because this file is not trusted",
                    "Write the value itself.",
                )
            value = self._environment.get(name)
            if value is None:
                self._refuse(
                    "config.unset",
                    key,
                    node,
                    f"the environment variable {name} is not set",
                    "Set it, or write the value itself.",
                )
            if len(value) > PATTERN_CHARACTERS:
                self._refuse(
                    "config.value", key, node, f"the environment variable {name} is too long", "Shorten it."
                )
            return value

        return _VARIABLE.sub(put_in, text)

    def _mapping(self, key: str, node: Node) -> Iterator[tuple[str, Node]]:
        if node.value is not None and not isinstance(node.value, Mapping):
            self._refuse("config.type", key, node, "a mapping is expected", 'Write "name: value" below it.')
        return _entries(node)

    def _add_setting(self, key: str, value: SettingValue, node: Node) -> None:
        self.settings.append(Setting(ALIASES.get(key, key), value, self._name, self._file, node.line))

    def _warn_unknown_key(self, key: str, node: Node, *more: str) -> None:
        parent, _, name = key.rpartition(".")
        within = parent if not parent.startswith("sources.") else f"sources.{SOURCE_NAME}"
        section = next((known.rpartition(".")[0] for known in _NAMES if known.endswith(f".{name}")), "")
        guess = f" Write it below {section}."
        if not section or within != parent:
            known = (each.replace(within, parent, 1) for each in (*_NAMES, *_SECTIONS, *more))
            siblings = [each for each in known if each.rpartition(".")[0] == parent]
            nearest = nearest_word(key, siblings)
            guess = f" Did you mean {nearest}?" if nearest else ""
        value = json.dumps(plain(node))
        self.unknown.append(Setting(show_name(key), value, self._name, self._file, node.line))
        self._warn(key, node, f"the key is unknown and has no effect.{guess}")

    def _warn(self, key: str, node: Node, problem: str) -> None:
        sentence = f"{format_location(self._file, node.line, show_name(key))}: {problem}"
        self.warnings.append(sentence if sentence.endswith("?") else f"{sentence.rstrip('.')}.")

    def _read_or_record(self, read: Callable[[str, Node], None], key: str, node: Node) -> None:
        """Read a value; on a problem, record it and go on.

        So one run reports all problems of a file.
        """
        try:
            read(key, node)
        except ConfigRefused as error:
            self.refusals.append(error)

    def _read_each(self, read: Callable[[str, Node], None], key: str, node: Node) -> None:
        """Read each item of a list, recording every problem."""

        def read_all(key: str, node: Node) -> None:
            items = self._items(key, node)
            if not items and key.startswith("sources.") and key.endswith("_extensions"):
                self._add_setting(key, "", node)  # replaces the default extensions of a source
            for item in items:
                self._read_or_record(read, key, item)

        self._read_or_record(read_all, key, node)

    def _refuse(self, code: str, key: str, node: Node, clause: str, hint: str) -> NoReturn:
        message = f"{format_location(self._file, node.line, show_name(key))}: {clause}."
        problem = Problem(code, message, hint, line=node.line)
        raise ConfigRefused(
            code, message, hint, file=self._file, line=node.line, key=key, problems=(problem,)
        )


def _entries(node: Node) -> Iterator[tuple[str, Node]]:
    return iter(node.value.items() if isinstance(node.value, Mapping) else ())


def smaller(value: Setting, other: Setting | None) -> Setting:
    """Return the smaller of two numbers.

    Returns `value` where there is no other, or either is no number.
    """
    if other is None or not isinstance(other.value, int) or not isinstance(value.value, int):
        return value
    return other if other.value < value.value else value


def command_words(line: str) -> tuple[str, ...]:
    """Return the words of a command line, none if it is invalid."""
    try:
        return tuple(shlex.split(line))
    except ValueError:
        return ()


def is_absolute(text: str) -> bool:
    """Return whether a text is an absolute path on POSIX or Windows."""
    return PurePosixPath(text).is_absolute() or PureWindowsPath(text).is_absolute()


def blocked_pattern(root: Path, text: str) -> str | None:
    """Return the pattern for a blocked folder, None outside of the project."""
    if not is_absolute(text):
        return text
    folder = Path(os.path.normpath(text))
    if root.is_relative_to(folder):
        return "*"
    if not folder.is_relative_to(root):
        return None
    return "/" + re.sub(r"([*?\[\]\\ ])", r"\\\1", folder.relative_to(root).as_posix()) + "/"
