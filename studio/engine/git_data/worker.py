"""The process that reads the user's git data, so that what hangs can be ended with it.

It is started by `reader`, reads one question after the other from its standard input and answers each on
its standard output, both as one line of JSON. It writes nothing, and runs nothing that a project configures.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from studio.engine.errors import StudioError
from studio.engine.git_data.answers import Question
from studio.engine.git_data.blame import CannotRead
from studio.engine.git_data.repository import UserRepository, find_repository
from studio.engine.names import show_name
from studio.engine.system.git_library import loadable

with loadable():
    import pygit2

READY: Final = b"\n"
"""The first line, once a question can be answered."""


def serve() -> None:
    """Answer questions until the other side is gone."""
    if hasattr(os, "setsid"):
        os.setsid()  # what is read may be a link to the user's terminal
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks decides when it ends
    _choose_configurations()
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    answers.write(READY)
    answers.flush()
    while line := questions.readline():
        question: Question = json.loads(line)
        _end_after(question["seconds"])
        answer = json.dumps(_answer(question)).encode()
        _end_after(0)
        answers.write(answer + b"\n")
        answers.flush()


def _choose_configurations() -> None:
    """libgit2 knows nothing of the variables by which git is told to leave out a configuration."""
    levels = pygit2.enums.ConfigLevel
    if "GIT_CONFIG_GLOBAL" in os.environ:
        pygit2.settings.search_path[levels.GLOBAL] = ""
    if os.environ.get("GIT_CONFIG_NOSYSTEM") or "GIT_CONFIG_SYSTEM" in os.environ:
        pygit2.settings.search_path[levels.SYSTEM] = ""


def _end_after(seconds: float) -> None:
    """The signal's default is the end of the process, also while libgit2 waits; 0 calls it off."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _answer(question: Question) -> dict[str, object]:
    """`said`, or `why` there is no answer."""
    try:
        repository = find_repository(Path(question["root"]))
        return {"said": None if repository is None else _QUESTIONS[question["what"]](repository, question)}
    except CannotRead as error:
        return {"why": str(error)}
    except StudioError as error:
        return {"why": error.message}
    except (pygit2.GitError, KeyError, ValueError, OSError, RuntimeError) as error:
        return {"why": f"{show_name(str(error))}."}


_QUESTIONS: Final[Mapping[str, Callable[[UserRepository, Question], object]]] = {
    "ignored": lambda repository, asked: repository.ignored(
        list(zip(asked["paths"], asked["folders"], strict=True))
    ),
    "head": lambda repository, _asked: repository.head(),
    "blame": lambda repository, asked: repository.blame(asked["paths"][0]),
    "tracked_folders": lambda repository, _asked: repository.tracked_folders(),
    "objects_at": lambda repository, asked: repository.objects_at(asked["commit"], asked["paths"]),
}
