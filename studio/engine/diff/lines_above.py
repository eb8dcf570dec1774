"""Lines that diff tools write above a file, repeating its name."""

from __future__ import annotations

import re
from enum import Enum, auto

from studio.engine.diff.cursor import Cursor
from studio.engine.diff.headers import DEV_NULL, USUAL_MARKS
from studio.engine.diff.name_problems import shown_name

# Subversion 1.14.2, jsdiff 8.0.2, quilt 0.66 and CVS 1.12.13 write an Index line above 67 signs, Fossil 2.21
# above 66; jsdiff omits it where the two names differ. CVS adds the path of its stored file, and its command.
_ABOVE = re.compile(
    rb"(?:(?P<index>Index: (?P<name>[^\n]+)\n)?={66,67}\n)?"
    rb"(?P<stored>RCS file: [^\n]*\n(?:retrieving revision [0-9.]+\n){0,2}(?=diff -))?"
    rb"(?P<command>diff -(?!-)[^\n]*\n)?"
)


class Above(Enum):
    """Result of `skip_lines_above`: the kind of lines that were skipped.

    `NAME_IN_PROJECT` is written by tools that put no folder before their names.
    """

    NOTHING = auto()
    NAME = auto()
    NAME_IN_PROJECT = auto()


_NAMES = re.compile(rb"--- ([^\t\n]*)[^\n]*\n\+\+\+ ([^\t\n]*)")
_GIT_NAMES = re.compile(rb"diff --git ([^\n]*)\n")
# Mercurial 6.3.2 without --git.
_MERCURIAL = re.compile(rb"diff (?:-r [0-9a-f]{6,40} ){1,2}")


def skip_lines_above(cursor: Cursor) -> Above:
    """Skip such lines above a file; report those that name another file.

    The cursor is unmoved where there are none or no file follows.
    """
    found = _ABOVE.match(cursor.data, cursor.position)
    if found is None or found.end() == found.start():
        return Above.NOTHING
    at = found.end()
    names, git = _NAMES.match(cursor.data, at), _GIT_NAMES.match(cursor.data, at)
    if names is None and (git is None or found["command"]):
        return Above.NOTHING
    index, command = found["name"], (found["command"] or b"").removesuffix(b"\n")
    if index is not None and not (_is_named(index, names) if names else _is_git_name(index, git)):
        cursor.report(
            "diff.index_line",
            f"The Index line names {shown_name(index)}, and the lines below it another file.",
            "Make the diff with svn diff --git --patch-compatible or quilt diff -p ab.",
        )
    elif names is not None and command and not _agrees(command, names, is_stored=bool(found["stored"])):
        cursor.report(
            "diff.names",
            "The diff command line above names other files than the --- and +++ lines.",
            "Leave the command line out, or let it end with the same names.",
        )
    cursor.jump(at, cursor.data.count(b"\n", found.start(), at))
    is_of_project = found["stored"] or found[0].endswith(b"\n" + 66 * b"=" + b"\n")
    return Above.NAME_IN_PROJECT if is_of_project else Above.NAME


def _is_named(name: bytes, names: re.Match[bytes]) -> bool:
    """Return whether both sides have this name, with or without prefixes.

    quilt 0.66 -p ab writes the name with b/. Two names that differ give True: they are refused elsewhere.
    """
    old, new = _without_prefixes(names)
    if old != new and DEV_NULL not in (old, new):
        return True
    prefix = USUAL_MARKS[1] if (old, new) != names.groups() else b""
    return all(each in (name, DEV_NULL) or prefix + each == name for each in (old, new))


def _without_prefixes(names: re.Match[bytes]) -> tuple[bytes, bytes]:
    """Return the names without a/ and b/."""
    return names[1].removeprefix(USUAL_MARKS[0]), names[2].removeprefix(USUAL_MARKS[1])


def _is_git_name(name: bytes, git: re.Match[bytes] | None) -> bool:
    return git is not None and git[1].endswith((b" " + name, b"/" + name))


def _agrees(command: bytes, names: re.Match[bytes], *, is_stored: bool) -> bool:
    """Return whether a diff command ends with the file's names."""
    if command.endswith(b" " + names[1] + b" " + names[2]):
        return True
    of_mercurial = _MERCURIAL.match(command)
    if of_mercurial is not None:
        return _is_named(command[of_mercurial.end() :], names)
    return is_stored and any(
        command.endswith(b" " + each) for each in _without_prefixes(names) if each != DEV_NULL
    )
