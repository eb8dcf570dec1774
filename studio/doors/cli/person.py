"""Who decides at the command line: a person at the terminal device, or the user's own setting (design 6)."""

from __future__ import annotations

import getpass
import os
import sys
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from studio.engine.config import ReviewCommandLine
from studio.engine.errors import NeedsPerson
from studio.engine.names import show_name
from studio.engine.plan import PersonSource
from studio.engine.workspace import Person

_NARROWEST, _WIDEST = 40, 200
_USUAL_WIDTH = 80


@dataclass(frozen=True, slots=True)
class About:
    """One line of a question: our word for it, and what somebody else may have written. `is_whole`: it is
    wrapped where it is too long for the terminal, with every blank; else it is cut in the middle."""

    label: str
    text: str
    is_whole: bool = False


class Asking(Protocol):
    """What a command is about: an open project, or what belongs to none."""

    @property
    def command_line_review(self) -> ReviewCommandLine: ...


@dataclass(frozen=True, slots=True)
class NoProject:
    """Whom to ask about what belongs to no project."""

    command_line_review: ReviewCommandLine


def require_person(
    asking: Asking, *, what: str, word: str, about: Iterable[About] = (), is_always_asked: bool = False
) -> Person:
    """A person for this command: `what` says in our own words what will happen, each line of `about` to what,
    and `word` is what must be typed. `is_always_asked`: also where the user's setting
    lets the command line decide unasked.

    Raises NeedsPerson when nobody types it at the terminal; input from a pipe never counts, nor what was
    typed before the question.
    """
    setting = asking.command_line_review
    if setting == "allow" and not is_always_asked:
        return Person(PersonSource.CONFIGURATION, _user_name())
    if setting == "off":
        raise NeedsPerson(
            "needs_person",
            "Deciding and writing at the command line is switched off. Nothing was changed.",
            "Decide in the window.",
        )
    typed = _ask_at_terminal(what, word, tuple(about))
    if typed is None:
        raise NeedsPerson(
            "needs_person",
            "This needs a person, and no terminal is there to type at. Nothing was changed.",
            "Decide in the window, or run the command in a terminal.",
        )
    # What can't be typed, such as a name that is no UTF-8, is typed as it is shown.
    if typed not in (word.strip(), show_name(word).strip()):
        raise NeedsPerson(
            "needs_person",
            f"What was typed is not {show_name(word)}. Nothing was changed.",
            "Run the command again.",
        )
    return Person(PersonSource.TERMINAL, _user_name())


def _ask_at_terminal(what: str, word: str, about: tuple[About, ...]) -> str | None:
    """One line from the terminal device itself, None without one. Standard input is never asked."""
    # An agent that runs the command has its standard input, and could answer there.
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
    """The question in lines none of which is wider than the terminal: what a line holds can't look like the
    next one (a title that ends with blanks and our own words)."""
    column = max((len(line.label) for line in about), default=0)
    listed = (f"  {line.label:<{column}}  " for line in about)
    lines: list[str] = []
    for lead, line in zip(listed, about, strict=True):
        room = width - len(lead) - 1
        if line.is_whole:
            first, *rest = _wrapped(show_name(line.text), room)
            lines += [lead + first, *(" " * len(lead) + more for more in rest)]
        else:
            lines.append(lead + _cut(" ".join(show_name(line.text).split()), room))
    return "\n".join([show_name(what), *lines, f"Type {show_name(word)} to go on: "])


def _cut(text: str, width: int) -> str:
    """The text if it fits into so many columns, else its beginning and end around an ellipsis."""
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
    """The text in lines of at most so many columns."""
    lines = [""]
    taken = 0
    for character in text:
        columns = _columns(character)
        if taken + columns > width:
            lines.append("")
            taken = 0
        lines[-1] += character
        taken += columns
    return lines


def _columns(text: str) -> int:
    """At most so many columns on any terminal: some draw the ambiguous and the letters of flags wide."""
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
    """Drop what was typed before there was a question: it answers another one, or none."""
    if sys.platform == "win32":
        return
    import termios

    with suppress(termios.error):
        termios.tcflush(handle, termios.TCIFLUSH)


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "you"
