"""Who decides at the command line: a person at the terminal device, or the user's own setting (design 6)."""

from __future__ import annotations

import getpass
import os

from studio.engine.context import Person, PersonSource
from studio.engine.errors import NeedsPerson
from studio.engine.names import show_name
from studio.engine.workspace import Workspace


def require_person(workspace: Workspace, *, what: str, word: str) -> Person:
    """A person for this command: `what` says what will happen, `word` is what must be typed.

    Raises NeedsPerson when nobody types it at the terminal; input from a pipe never counts.
    """
    setting = workspace.config.review_command_line
    if setting == "allow":
        return Person(PersonSource.SETTING, _user_name())
    if setting == "off":
        raise NeedsPerson(
            "needs_person",
            "Deciding and writing at the command line is switched off. Nothing was changed.",
            "Decide in the window.",
        )
    typed = _ask_at_terminal(f"{show_name(what)}\nType {show_name(word)} to go on: ")
    if typed is None:
        raise NeedsPerson(
            "needs_person",
            "This needs a person, and no terminal is there to type at. Nothing was changed.",
            "Decide in the window, or run the command in a terminal.",
        )
    if typed != word:
        raise NeedsPerson(
            "needs_person",
            f"What was typed is not {show_name(word)}. Nothing was changed.",
            "Run the command again.",
        )
    return Person(PersonSource.TERMINAL, _user_name())


def _ask_at_terminal(question: str) -> str | None:
    """One line from the terminal device itself, None without one. Standard input is never asked."""
    device = "CON" if os.name == "nt" else "/dev/tty"
    try:
        handle = os.open(device, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return None
    try:
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


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "you"
