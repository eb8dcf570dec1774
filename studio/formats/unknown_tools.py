"""Classification of unknown tools' calls as file edit, shell command or neither.

These are tools that the table of edit tools lacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from studio.formats.json_text import JsonError, JsonObject, JsonValue, parse_json

_SHELLS: Final = frozenset(
    """bash bashcode bashcodeexecution bashtool cmd containerexec exec execcommand executebash executecommand
    executeshell executeshellcommand launchprocess localshell localshellcall powershell runbash
    runbashcommand runcommand runcommands runinterminal runshell runshellcommand runterminalcmd
    runterminalcommand runterminalcommandv2 sh shell shellcommand shellexec terminal unifiedexec writestdin
    zsh""".split()
)
"""Names of shell tools, in lower case without separators."""

_NAMED_COMMANDS: Final = frozenset({"runslashcommand", "skill", "slashcommand"})
"""Tools whose `command` names a prompt file.

They belong to Claude Code and Roo Code.
"""

_COMMAND_KEYS: Final = ("command", "cmd", "commands", "commandline", "shellcommand", "script", "code")
_WRITES: Final = frozenset(
    """append apply copy create delete edit generate insert modify move overwrite patch remove rename replace
    save undo update write""".split()
)
_READS: Final = frozenset("fetch find get glob grep list open read search show view".split())
_PATH_NAMES: Final = frozenset({"destination", "document", "source", "target", "uri"})
_PATH_ENDS: Final = ("file", "files", "filename", "fileuri")
_TEXT_NAMES: Final = frozenset(
    """blocks body changes diffs edits filetext hunks insertions newsource newstr newstring operations
    replace replacement replacements""".split()
)
_TEXT_ENDS: Final = ("code", "codeedit", "content", "contents", "diff", "patch", "text")
_OLD_NAMES: Final = frozenset("find old oldcode oldcontent oldstr oldstring oldtext search".split())
_NEW_NAMES: Final = frozenset(
    "new newcode newcontent newstr newstring newtext replace replacement replacewith".split()
)
_PATCH_BEGINS: Final = re.compile(r"\s*(?:\*\*\* Begin Patch|diff --git |--- \S.*\n\+\+\+ |<{5,9} SEARCH)")
_TOOL_KEYS: Final = frozenset({"recipientname", "tool", "toolname"})
_OTHER_KEYS: Final = _OLD_NAMES | _NEW_NAMES | _TOOL_KEYS | frozenset(_COMMAND_KEYS)
_BEGINS_OBJECT: Final = re.compile(r"\s*\{")
_KEY_IN_TEXT: Final = re.compile(r'"(\w{1,80})"\s*:\s*(?:"([^"\\]*)")?')
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


class Effect(Enum):
    """What a call of an unknown tool may do."""

    EDIT = "edit"
    COMMAND = "command"
    NONE = "none"


class UnknownCall(NamedTuple):
    """What a tool call seems to do.

    `detail` is the path that an edit names, or the command line of a command.
    """

    effect: Effect
    detail: str = ""


def classify_call(tool: str, tool_input: JsonValue | None) -> UnknownCall:
    """Classify a tool call by its tool's name and input keys."""
    value = _parse_input(tool_input)
    name = _normalize(tool.rpartition("__")[2])
    if name in _SHELLS:
        outer = [value.value] if value is not None and isinstance(value.value, JsonObject) else []
        return UnknownCall(Effect.COMMAND, _command(outer) or _input_text(tool_input))
    if value is not None and isinstance(value.value, JsonObject):
        members = value.value.members
        if not _may_matter(tool, tuple(members)) and all(map(_is_simple, members.values())):
            return UnknownCall(Effect.NONE)
    values = _values(value)
    objects = [each for each in values if isinstance(each, JsonObject)]
    inner = list(_inner_tools(objects))
    path, is_edit = _edit_in(objects)
    if (
        is_edit
        or _has_patch([*values, _input_text(tool_input)])
        or (path and any(map(_name_writes, [tool, *inner])))
    ):
        return UnknownCall(Effect.EDIT, path)
    command = _command(objects)
    if not _SHELLS.isdisjoint(map(_normalize, inner)) or (command and name not in _NAMED_COMMANDS):
        return UnknownCall(Effect.COMMAND, command)
    return UnknownCall(Effect.NONE)


@lru_cache(maxsize=1024)
def _may_matter(tool: str, keys: tuple[str, ...]) -> bool:
    """Return whether simple values under these keys may have an effect.

    An effect is more than naming what to read. Cached, as a log has few tools, each of them thousands of
    times.
    """
    for name in map(_normalize, keys):
        if _is_path_key(name):
            if _name_writes(tool):
                return True
        elif _is_text_key(name) or name in _OTHER_KEYS:
            return True
    return False


def _is_simple(value: JsonValue) -> bool:
    content = value.value
    if isinstance(content, str):
        return not (_BEGINS_OBJECT.match(content) or _PATCH_BEGINS.match(content))
    return not isinstance(content, (tuple, JsonObject))


def _parse_input(tool_input: JsonValue | None) -> JsonValue | None:
    """Return the input as an object, parsed if it is text.

    For truncated text the object has its keys and simple strings.
    """
    if tool_input is None or not isinstance(tool_input.value, str):
        return tool_input
    try:
        return parse_json(tool_input.value)
    except JsonError:
        found = _KEY_IN_TEXT.findall(tool_input.value)
        keys = {key: JsonValue(text or "?", tool_input.position) for key, text in found}
        return JsonValue(JsonObject(keys, {}, ()), tool_input.position)


def _inner_tools(objects: Iterable[JsonObject]) -> Iterator[str]:
    """Yield the tools that a wrapper tool calls, such as MCP's."""
    for item in objects:
        for key, one in item.members.items():
            if _normalize(key) in _TOOL_KEYS and isinstance(one.value, str):
                yield one.value.rpartition(".")[2]


def _edit_in(objects: Iterable[JsonObject]) -> tuple[str, bool]:
    """Return an input's first path, and whether it has edit keys."""
    path, has_text, is_edit = "", False, False
    for item in objects:
        names = {_normalize(key): one for key, one in item.members.items() if _is_no_switch(one)}
        for name, one in names.items():
            if not _is_path_key(name):
                has_text = has_text or _is_text_key(name)
            elif not path:
                path = next(iter(_texts(one)), "")
        is_edit = is_edit or not (_OLD_NAMES.isdisjoint(names) or _NEW_NAMES.isdisjoint(names))
    return path, is_edit or bool(path and has_text)


def _values(value: JsonValue | None) -> list[object]:
    """Return all nested values, itself first, in order.

    An object may be written as text.
    """
    found: list[object] = []
    unread = [value] if value is not None else []
    while unread:
        content = unread.pop().value
        found.append(content)
        if isinstance(content, str):
            if _BEGINS_OBJECT.match(content):
                with suppress(JsonError):
                    unread.append(parse_json(content))
        elif isinstance(content, JsonObject):
            unread.extend(reversed(list(content.members.values())))
        elif isinstance(content, tuple):
            unread.extend(reversed(content))
    return found


@lru_cache(maxsize=1024)
def _is_path_key(name: str) -> bool:
    return name in _PATH_NAMES or name.endswith(_PATH_ENDS) or ("path" in name and name != "xpath")


def _is_text_key(name: str) -> bool:
    return name in _TEXT_NAMES or name.endswith(_TEXT_ENDS)


def _is_no_switch(value: JsonValue) -> bool:
    """Return whether it is text or a container.

    A search's `content: true` is no file text.
    """
    return isinstance(value.value, (str, tuple, JsonObject))


def _has_patch(values: Iterable[object]) -> bool:
    return any(isinstance(item, str) and _PATCH_BEGINS.match(item) for item in values)


@lru_cache(maxsize=1024)
def _name_writes(tool: str) -> bool:
    words = [word.lower() for word in _WORD.findall(tool.rpartition("__")[2])]
    return bool(words) and words[0] not in _READS and not _WRITES.isdisjoint(words)


def _command(objects: Iterable[JsonObject]) -> str:
    """Return the shell command in an input, or ""."""
    for item in objects:
        members = {_normalize(key): one for key, one in item.members.items()}
        value = next((members[key] for key in _COMMAND_KEYS if key in members), None)
        if words := " ".join(_texts(value)):
            return words
    return ""


def _input_text(tool_input: JsonValue | None) -> str:
    return tool_input.value if tool_input is not None and isinstance(tool_input.value, str) else ""


def _texts(value: JsonValue | None) -> list[str]:
    return [item for item in _values(value) if isinstance(item, str)]


@lru_cache(maxsize=1024)
def _normalize(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
