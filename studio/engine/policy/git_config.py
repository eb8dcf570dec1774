"""Parser of git configuration files, and detection of variables that run commands.

Git itself is never run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from studio.values import Value

_BYTE_ORDER_MARK: Final = "\ufeff"
_BETWEEN: Final = re.compile(r"(?:[ \t\n\r]++|[#;][^\n]*+)*+")
_SECTION: Final = re.compile(r'\[([A-Za-z0-9.-]+)(?:[ \t\r]+"((?:[^"\\\n]|\\[^\n])*+)")?\]')
_NAME: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]*+)[ \t]*+(=|\n|\Z)")
# A comment that ends in a backslash, or two sections on one line, hid core.hooksPath from a simpler parser.
_PIECE: Final = re.compile(
    r'(?P<plain>[^"\\#; \t\n\r]++)|(?P<space>[ \t\r]++)|(?P<quote>")|\\(?P<escape>[\\"ntb\n])'
    r"|(?P<comment>[#;][^\n]*+)"
)
_QUOTED_PIECE: Final = re.compile(
    r'(?P<plain>[^"\\\n]++)|(?P<space>(?!))|(?P<quote>")|\\(?P<escape>[\\"ntb\n])|(?P<comment>(?!))'
)
_ESCAPES: Final = {"n": "\n", "t": "\t", "b": "\b", "\n": ""}


_COMMANDS: Final = {
    "alias": "",
    "core": "alternaterefscommand askpass editor gitproxy pager sshcommand",
    "credential": "helper",
    "diff": "command external textconv",
    "difftool": "cmd path",
    "filter": "clean process smudge",
    "gpg": "defaultkeycommand program",
    "hook": "command",
    "interactive": "difffilter",
    "merge": "driver",
    "mergetool": "cmd path",
    "pager": "",
    "remote": "receivepack uploadpack",
    "sendemail": "cccmd headercmd sendmailcmd tocmd",
    "sequence": "editor",
    "submodule": "update",
    "trailer": "cmd command",
    "uploadpack": "packobjectshook",
}
"""Variables whose value is a command, by section; "" means all."""

_OF_GIT_ITSELF: Final = frozenset(("", "0", "1", "false", "no", "off", "on", "true", "yes"))
"""Values of core.fsmonitor that name no program."""


class GitVariable(Value):
    """One variable: `section` without subsection, and `key`, both in lower case.

    Without "=" `value` is "".
    """

    section: str
    key: str
    value: str


class GitConfigText(Value):
    """The variables of a file, and whether git would read them all.

    Git stops at the first invalid line; the lines after it were parsed all the same, because other programs
    may.
    """

    variables: tuple[GitVariable, ...]
    is_whole: bool


def is_command(variable: GitVariable) -> bool:
    """Return whether the value is a command that git may run."""
    keys = _COMMANDS.get(variable.section)
    return keys is not None and (not keys or variable.key in keys.split())


def leads_to_commands(variable: GitVariable) -> bool:
    """Return whether git runs something because of a variable.

    That is a command, what core.fsmonitor names, a folder of hooks, or another file that may contain one of
    these.
    """
    name = (variable.section, variable.key)
    if name == ("core", "fsmonitor"):
        return variable.value.lower() not in _OF_GIT_ITSELF
    if name in (("core", "hookspath"), ("include", "path"), ("includeif", "path")):
        return bool(variable.value)
    return is_command(variable)


def parse_git_config(data: bytes) -> GitConfigText:
    """Return all variables of a configuration file, in order.

    Never raises.
    """
    reader = _Reader(data.decode("utf-8", "surrogateescape"))
    return GitConfigText(tuple(reader.variables()), reader.is_whole)


class _Reader:
    def __init__(self, text: str) -> None:
        # As git: skip the byte order mark, and read CRLF as a line end.
        self._text = text.removeprefix(_BYTE_ORDER_MARK).replace("\r\n", "\n")
        self._at = 0
        self.is_whole = True

    def variables(self) -> Iterator[GitVariable]:
        section = ""
        while (at := self._skip_between()) < len(self._text):
            if (header := _SECTION.match(self._text, at)) is not None:
                # [section.sub] is the older spelling of [section "sub"], which git still reads.
                section = header[1].partition(".")[0].lower()
                self._at = header.end()
            elif (name := _NAME.match(self._text, at)) is not None:
                self._at = name.end()
                value = self._value() if name[2] == "=" else ""
                # Git's values are C strings: it never sees what follows a NUL.
                if value is not None:
                    yield GitVariable(section, name[1].lower(), value.partition("\0")[0])
            else:
                self._skip_line(at)

    def _skip_between(self) -> int:
        found = _BETWEEN.match(self._text, self._at)
        self._at = found.end() if found is not None else self._at
        return self._at

    def _skip_line(self, at: int) -> None:
        """Skip a line that git can't parse."""
        self.is_whole = False
        end = self._text.find("\n", at)
        self._at = len(self._text) if end < 0 else end + 1

    def _value(self) -> str | None:
        """Return a value without quotes, escapes, comment and surrounding spaces.

        Reads from after "=" to the end of the line. None for what git can't parse; the line is then skipped.
        """
        parts: list[str] = []
        length = 0
        is_quoted = False
        while self._at < len(self._text) and (is_quoted or self._text[self._at] != "\n"):
            piece = (_QUOTED_PIECE if is_quoted else _PIECE).match(self._text, self._at)
            if piece is None:
                self._skip_line(self._at)
                return None
            self._at = piece.end()
            if piece["quote"] is not None:
                is_quoted = not is_quoted
            elif piece["escape"] is not None:
                parts.append(_ESCAPES.get(piece["escape"], piece["escape"]))
            elif piece["comment"] is None and (piece["space"] is None or parts):
                parts.append(piece[0])
            if piece["space"] is None and piece["comment"] is None:
                length = len(parts)
        if is_quoted:
            self.is_whole = False
        return "".join(parts[:length])
