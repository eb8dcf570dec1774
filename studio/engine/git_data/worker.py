"""Child process that reads git data, so that it can be killed.

It is started by `reader`, reads questions from standard input and answers each on standard output, both as
one line of JSON. It writes nothing, and runs nothing that a project configures.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from studio.engine.git_data.blame import CannotRead
from studio.engine.git_data.repository import UserRepository, find_repository
from studio.engine.git_data.value_types import Question
from studio.errors import StudioError
from studio.names import show_name
from studio.system.git_library import loadable

with loadable():
    import pygit2

READY: Final = b"\n"
"""The first line of output, once questions can be answered."""


def serve() -> None:
    """Answer questions until the pipe is closed."""
    if hasattr(os, "setsid"):
        os.setsid()  # a file that is read may be a link to the user's terminal
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process decides when it ends
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
    """Apply git's variables that exclude configuration files.

    libgit2 does not support them.
    """
    levels = pygit2.enums.ConfigLevel
    if "GIT_CONFIG_GLOBAL" in os.environ:
        pygit2.settings.search_path[levels.GLOBAL] = ""
    if os.environ.get("GIT_CONFIG_NOSYSTEM") or "GIT_CONFIG_SYSTEM" in os.environ:
        pygit2.settings.search_path[levels.SYSTEM] = ""


def _end_after(seconds: float) -> None:
    """Schedule SIGALRM, whose default ends the process even while libgit2 blocks.

    0 cancels it.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _answer(question: Question) -> dict[str, object]:
    """Return `said` with the answer, or `why` there is none."""
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
    "work_tree_changes": lambda repository, _asked: repository.work_tree_changes(),
    "commit_changes": lambda repository, asked: repository.commit_changes(asked["commit"]),
    "contents": lambda repository, asked: repository.contents(asked["paths"], asked["objects"]),
}
