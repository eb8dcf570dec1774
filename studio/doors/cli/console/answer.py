"""Command result as JSON and text; exit codes and commands for errors."""

from __future__ import annotations

import shlex
from typing import Any

from studio import engine
from studio.errors import ErrorKind, StudioError

DONE, REFUSED, STALE, NOT_FOUND, TIMED_OUT = 0, 1, 3, 4, 5

_OF_ERRORS = {
    ErrorKind.REFUSED: REFUSED,
    ErrorKind.NEEDS_PERSON: REFUSED,
    ErrorKind.USAGE: 2,
    ErrorKind.CONFLICT: STALE,
    ErrorKind.NOT_FOUND: NOT_FOUND,
    ErrorKind.TIMED_OUT: TIMED_OUT,
    ErrorKind.INTERNAL: 70,
}

COMMANDS = {
    "studio apply PLAN --approved": "plan.stale plan.undecided",
    "studio calls": "call.not_found",
    "studio doctor": "sandbox.no_answer sandbox.no_way sandbox.step",
    "studio forget": "store.damaged",
    "studio history": "discard.not_applied plan.discarded rollback.nothing",
    "studio observed keep": "snapshot.baseline",
    "studio observed list": (
        "observed.changed observed.damaged observed.disk observed.no_baseline observed.none"
        " observed.not_found"
    ),
    "studio observed show CHANGE": "observed.hunks",
    "studio plans": "inbox.not_ours plan.not_found plan.state",
    "studio recover": (
        "apply.not_put_back apply.not_removed apply.unrecorded discard.unfinished dismiss.unfinished"
        " forget.unfinished recovery.blocked root.replaced"
    ),
    "studio review": "review.ended review.nothing_left review.other_plan",
    "studio review --snapshot NAME": "review.git_unread",
    "studio review --take-back PLAN, or --propose PLAN": "review.applied",
    "studio run -- COMMAND": "calls.commands try.state",
    "studio show PLAN": "step.not_found",
    "studio snapshot create": "review.no_base",
    "studio snapshot list": "snapshot.missing",
    "studio submit --tree DIR --delete": "diff.named_only diff.only_in",
    "studio try PLAN --step N -- COMMAND": "try.stale",
    "studio --project DIR …": "root.git_file tool.elsewhere",
}
"""Commands that do what hints say, with the codes of their errors."""
_COMMAND_OF = {code: command for command, codes in COMMANDS.items() for code in codes.split()}


def hint_with_command(code: str, hint: str) -> str:
    """Return an error's hint, followed by the command that does it."""
    command = _COMMAND_OF.get(code, "")
    before_folder = engine.default_hint("").removesuffix(".")
    if hint.startswith(before_folder):
        command = f"studio config allow {shlex.quote(hint.removeprefix(before_folder).removesuffix('.'))}"
    return f"{hint} Run: {command}" if command and "studio " not in hint else hint


def exit_code(error: StudioError) -> int:
    """Return the exit code of a command that ends with this error."""
    return _OF_ERRORS[error.kind]


class Answer:
    """A command's result as JSON and text, with its exit code.

    `remark` goes to stderr: why the code is not 0 although there is an answer. `is_exact`: the lines are a
    file's text, and no line end is added. `is_printed` says that the answer is on stdout already.
    """

    def __init__(
        self,
        document: dict[str, Any],
        lines: str,
        code: int = DONE,
        remark: str = "",
        *,
        is_exact: bool = False,
        is_printed: bool = False,
    ) -> None:
        self.document = document
        self.lines = lines
        self.code = code
        self.remark = remark
        self.is_exact = is_exact
        self.is_printed = is_printed
