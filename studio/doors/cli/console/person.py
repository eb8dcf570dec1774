"""Confirmation at the terminal by a person, or permission by a setting."""

from __future__ import annotations

import getpass
import os
import sys
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from typing import Protocol

from studio.engine import Person, PersonSource
from studio.errors import NeedsPerson
from studio.names import show_name
from studio.values import Value

if sys.platform != "win32":
    import termios

from studio.engine import ReviewCommandLine

_NARROWEST, _WIDEST = 40, 200
_USUAL_WIDTH = 80


class About(Value):
    """One line of a question: our label, and an untrusted text.

    `is_whole`: text that is too long for the terminal is wrapped with every blank; else it is cut in the
    middle.
    """

    label: str
    text: str
    is_whole: bool = False


class ReviewSubject(Protocol):
    """The subject of a command: an open project, or none."""

    @property
    def command_line_review(self) -> ReviewCommandLine: ...


class NoProject(Value):
    """The review setting for what belongs to no project."""

    command_line_review: ReviewCommandLine


def require_person(
    asking: ReviewSubject, *, what: str, word: str, about: Iterable[About] = (), is_always_asked: bool = False
) -> Person:
    """Return the person who confirms this command.

    `what` says what will happen, each line of `about` to what, and `word` is what must be typed.
    `is_always_asked`: also where the user's setting lets the command line decide unasked. Raises NeedsPerson
    when no one types it at the terminal; input from a pipe never counts, nor what was typed before the
    question.
    """
    setting = asking.command_line_review
    if setting == "allow" and not is_always_asked:
        return Person(PersonSource.CONFIGURATION, _user_name())
    if setting == "off":
        raise NeedsPerson(
            "needs_person",
            "Decisions on the command line are turned off. Nothing was changed.",
            "Decide in the window.",
        )
    typed = _ask_at_terminal(what, word, tuple(about))
    if typed is None:
        raise NeedsPerson(
            "needs_person",
            "This needs the reviewer's confirmation at a terminal. Nothing was changed.",
            "Decide in the window, or run the command in a terminal.",
        )
    # What can't be typed, such as a name that is not UTF-8, is typed in its displayed form.
    if typed not in (word.strip(), show_name(word).strip()):
        raise NeedsPerson(
            "needs_person",
            f"The input is not {show_name(word)}. Nothing was changed.",
            "Run the command again.",
        )
    return Person(PersonSource.TERMINAL, _user_name())


def _ask_at_terminal(what: str, word: str, about: tuple[About, ...]) -> str | None:
    """Read a line from the terminal device itself, None without one.

    Standard input is never read.
    """
    # An agent that runs the command controls its standard input, and could answer there.
    device = "CON" if os.name == "nt" else "/dev/tty"
    try:
        handle = os.open(device, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return None
    try:
        question = _question(what, word, about, _width(handle))
        _forget_typed(handle)
        os.write(handle, question.encode("utf-8", "backslashreplace"))
        answer = b""
        while not answer.endswith(b"\n"):
            part = os.read(handle, 1024)
            if not part:
                return None
            answer += part
    except OSError:
        return None
    finally:
        os.close(handle)
    return answer.decode("utf-8", "replace").strip()


def _question(what: str, word: str, about: tuple[About, ...], width: int) -> str:
    """Return the question in lines that fit the terminal.

    A wrapped line could imitate the next one (a title that ends with blanks and our own words).
    """
    column = max((len(line.label) for line in about), default=0)
    prefixes = (f"  {line.label:<{column}}  " for line in about)
    lines: list[str] = []
    for lead, line in zip(prefixes, about, strict=True):
        room = width - len(lead) - 1
        if line.is_whole:
            first, *rest = _wrapped(show_name(line.text), room)
            lines += [lead + first, *(" " * len(lead) + more for more in rest)]
        else:
            lines.append(lead + _cut(" ".join(show_name(line.text).split()), room))
    return "\n".join([show_name(what), *lines, f"Type {show_name(word)} to confirm: "])


def _cut(text: str, width: int) -> str:
    """Return the text, cut in the middle if too wide.

    `width` is in columns.
    """
    if _columns(text) <= width:
        return text
    half = max((width - 1) // 2, 1)
    start, end = text, text
    while _columns(start) > half:
        start = start[:-1]
    while _columns(end) > half:
        end = end[1:]
    return f"{start}…{end}"


def _wrapped(text: str, width: int) -> list[str]:
    """Wrap the text into lines of at most `width` columns."""
    lines = [""]
    width_used = 0
    for character in text:
        columns = _columns(character)
        if width_used + columns > width:
            lines.append("")
            width_used = 0
        lines[-1] += character
        width_used += columns
    return lines


def _columns(text: str) -> int:
    """Return the most columns that a text takes on any terminal.

    Some draw ambiguous characters and the letters of flags wide.
    """
    return sum(2 if _may_be_wide(character) else 1 for character in text)


def _may_be_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WFA" or "\U0001f1e6" <= character <= "\U0001f1ff"


def _width(handle: int) -> int:
    try:
        columns = os.get_terminal_size(handle).columns
    except OSError:
        columns = _USUAL_WIDTH
    return min(max(columns or _USUAL_WIDTH, _NARROWEST), _WIDEST)


def _forget_typed(handle: int) -> None:
    """Drop what was typed before the question, which it can't answer."""
    if sys.platform == "win32":
        return
    with suppress(termios.error):
        termios.tcflush(handle, termios.TCIFLUSH)


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "you"
