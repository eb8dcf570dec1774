"""Argument definitions of every command, and parsers of argument values."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final

from studio import doors, engine, extras
from studio.limits import SANDBOX_SECONDS

if TYPE_CHECKING:
    from studio.engine import HunkChoice, PlanState


def _submit(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="texts of one plan; - or none: standard input"
    )
    parser.add_argument(
        "--format", default="auto", help="how the texts are written (default: auto, by their structure)"
    )
    parser.add_argument(
        "--repair", action="store_true", help="take what fits with one named repair alone, and say which"
    )
    parser.add_argument("--tree", metavar="DIR", help="propose what makes the project like this folder")
    parser.add_argument("--delete", action="store_true", help="with --tree: delete what DIR lacks, too")
    parser.add_argument("--title", default="", type=words, help="what the plan is called in the queue")
    parser.add_argument(
        "--agent",
        default="",
        type=words,
        help="who proposes it; to revise a plan, withdraw it and submit again as the same agent",
    )
    parser.add_argument(
        "--wait",
        nargs="?",
        type=seconds,
        const=inf,
        metavar="SECONDS",
        help="wait for the outcome, at most that long",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=inf,
        metavar="SECONDS",
        help="with --wait: give up after that long (exit 5)",
    )


def _plans(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--state",
        type=plan_state,
        help="only plans in this state; dismissed ones are listed by it alone",
    )


def _show(parser: ArgumentParser) -> None:
    _plan(parser)
    parser.add_argument("--diff", action="store_true", help="with the exact change of every step")
    parser.add_argument(
        "--left-out",
        action="store_true",
        help="what is ignored or denied, and so no part of it",
    )
    parser.add_argument(
        "--reply", action="store_true", help="what the agent is told: decisions, reasons, diffs"
    )
    parser.add_argument(
        "--message",
        action="store_true",
        help="a message for a commit of what it changed; the commit is yours",
    )


def _wait(parser: ArgumentParser) -> None:
    _plan(parser)
    parser.add_argument("--timeout", type=seconds, metavar="SECONDS", help="give up after that long (exit 5)")
    parser.add_argument("--until", choices=["decided"], default="decided", help="what to wait for")


def _blame(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a text of the project")


def _check(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--format", default="", type=words, metavar="NAME", help="for a plan in this format")
    parser.add_argument("--agent", default="", type=words, help="for a plan by this agent")


def _config(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="?",
        choices=["show", "schema", "trust", "allow"],
        default="show",
        help="what counts; every key there is; trust and allow: need a person",
    )
    parser.add_argument(
        "folder",
        nargs="?",
        type=words,
        metavar="FOLDER",
        help="to allow, though it is denied by default",
    )


def _approve(parser: ArgumentParser) -> None:
    _plan(parser)
    _steps(parser)
    parser.add_argument(
        "--hunks",
        action="append",
        type=hunks,
        default=[],
        metavar="STEP:HUNK,HUNK",
        help="of this step only these hunks",
    )
    parser.add_argument(
        "--lines",
        dest="hunks",
        action="append",
        type=lines,
        metavar="STEP:HUNK:LINE,LINE",
        help="of this hunk only these changed lines, counted from 1",
    )
    parser.add_argument("--note", default="", type=words, help="a word to the agent")
    parser.add_argument("--apply", action="store_true", help="write it right away")


def _reject(parser: ArgumentParser) -> None:
    _plan(parser)
    _steps(parser)
    parser.add_argument("--reason", required=True, type=words, help="why; the agent reads it")
    parser.add_argument(
        "--ask-changes", action="store_true", help="send the whole plan back: the agent is to propose it anew"
    )


def _call(parser: ArgumentParser) -> None:
    parser.add_argument(
        "call",
        type=words,
        metavar="CALL",
        help="the call's id, or at least 4 characters of it",
    )


def _allow(parser: ArgumentParser) -> None:
    _call(parser)
    parser.add_argument("--note", default="", type=words, help="a word to the agent")


def _deny(parser: ArgumentParser) -> None:
    _call(parser)
    parser.add_argument("--reason", required=True, type=words, help="why; the agent reads it")


def _hook(parser: ArgumentParser) -> None:
    parser.add_argument("client", choices=tuple(doors.HOOK_TOOLS), help="whose hook it is")
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=doors.limits.HOOK_WAIT_SECONDS,
        metavar="SECONDS",
        help=f"tell the agent to ask again after that long (default: {doors.limits.HOOK_WAIT_SECONDS})",
    )
    parser.add_argument(
        "--caller",
        type=number,
        metavar="PROCESS",
        help="the client's process, without which nobody waits (default: the one that started this)",
    )


def _doctor(parser: ArgumentParser) -> None:
    names = (*doors.CLIENTS, *doors.agents_by_gate())
    parser.add_argument(
        "agent",
        nargs="?",
        choices=names,
        metavar="NAME",
        help=f"prove its gate: its own client tries to write. {', '.join(names)}",
    )
    for name, means in (
        ("--own-settings", "try it in the sandbox, with copies of your settings, as at a terminal"),
        ("--empty-home", "try it in an empty home, as without a terminal"),
        ("--yes", "with --own-settings: don't ask before"),
    ):
        parser.add_argument(name, action="store_true", help=means)
    parser.add_argument(
        "--bundle",
        metavar="FILE",
        help="put what helps to find a fault into a new text file, without contents of files; - prints it",
    )


def _apply(parser: ArgumentParser) -> None:
    _plan(parser)
    parser.add_argument(
        "--approved",
        action="store_true",
        help="write what is approved, though other steps are undecided; these stay open",
    )


def _rollback(parser: ArgumentParser) -> None:
    _plan(parser)
    _steps(parser)
    parser.add_argument(
        "--part", type=number, metavar="N", help="only what this apply of the plan wrote, counted from 1"
    )
    parser.add_argument(
        "--on-drift",
        choices=["keep", "restore", "save-beside", "merge"],
        help="files that changed since: leave them, put the old bytes back, save those beside, or merge",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would happen")


def _history(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--discard", metavar="PLAN", help="free that plan's undo for good, instead; needs a person"
    )


def _journal(parser: ArgumentParser) -> None:
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--follow", action="store_true", help="print entries as they are written")
    modes.add_argument("--export", metavar="FILE", help="write it as lines of JSON; - for standard output")
    modes.add_argument(
        "--verify",
        nargs="?",
        type=Path,
        const=True,
        metavar="FILE",
        help="say whether an entry was changed (exit 1), here or in an export",
    )
    modes.add_argument(
        "--replay", metavar="DIR", type=Path, help="run it again in an empty folder or a copy of the project"
    )
    parser.add_argument(
        "--from", dest="export_file", metavar="FILE", type=Path, help="replay this export of a journal"
    )
    parser.add_argument("--with-contents", action="store_true", help="export the files' bytes too")
    parser.add_argument("--plan", default="", type=words, help="list entries of this plan")
    parser.add_argument(
        "--path", default="", type=words, help="list entries of this path and what is beneath"
    )
    parser.add_argument(
        "--id",
        default="",
        type=words,
        metavar="ID",
        help="list entries of this request or step",
    )
    parser.add_argument(
        "--before",
        type=number,
        metavar="POSITION",
        help="list entries before this position: the next page",
    )
    parser.add_argument("--limit", type=number, metavar="N", help="list at most so many: 1 to 200")


def _demo(parser: ArgumentParser) -> None:
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--dir", type=Path, metavar="DIR", help="copy it to this new or empty folder")
    place.add_argument(
        "--remove-old", action="store_true", help="remove the copies that were made before; needs a person"
    )


def _agent(parser: ArgumentParser) -> None:
    parser.add_argument(
        "agent",
        choices=["aider", "claude-code", "cline", "codex", "continue", "gemini", "opencode", "qwen"],
        metavar="NAME",
        help="codex, opencode, aider or continue; behind -- stand its settings, and the prompt",
    )
    parser.set_defaults(words=[])


def _network(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--network",
        action=BooleanOptionalAction,
        default=None,
        help="let it reach the network from the sandbox (default: as sandbox: network says, else not)",
    )


def _login(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--login",
        action="append",
        default=[],
        choices=extras.agents.LOGIN_NAMES,
        metavar="NAME",
        help="give it a copy of an agent's login and settings; needs a person",
    )


def _in_sandbox(parser: ArgumentParser) -> None:
    _network(parser)
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=SANDBOX_SECONDS,
        metavar="SECONDS",
        help=f"end the command after that long (default: {SANDBOX_SECONDS:g})",
    )
    parser.set_defaults(words=[])


def _try(parser: ArgumentParser) -> None:
    _plan(parser)
    _steps(parser)
    parser.add_argument("--propose", action="store_true", help="propose what the command writes")
    parser.add_argument("--agent", default="", type=words, help="who runs it")
    _in_sandbox(parser)


def _run(parser: ArgumentParser) -> None:
    _in_sandbox(parser)
    _login(parser)


def _acp(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--resume",
        default="",
        metavar="SESSION",
        help="go on where this session of `studio sessions` was left",
    )
    parser.add_argument("--sandbox", action="store_true", help="have the agent work in the sandbox")
    _network(parser)
    _login(parser)
    parser.add_argument(
        "--login-files",
        action="store_true",
        help="with --login: a program gives these files itself, as the first line of standard input",
    )
    parser.set_defaults(words=[])


def _connect(parser: ArgumentParser) -> None:
    parser.add_argument(
        "agent",
        choices=[*doors.CLIENTS, "mcp"],
        metavar="NAME",
        help=f"{', '.join(doors.CLIENTS)}; or mcp: print the entry for any other client, and write nothing",
    )
    parser.add_argument("--remove", action="store_true", help="take out exactly what was put there")
    parser.add_argument("--dry-run", action="store_true", help="only show what would be changed")


def _mcp(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--agent",
        default="",
        type=words,
        help="who proposes, in place of what the client calls itself",
    )


def _inbox(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--once", action="store_true", help="take what lies there now, answer what was decided, and end"
    )


def _completion(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="the shell that reads the script")


def _snapshot_create(parser: ArgumentParser) -> None:
    parser.add_argument("tag", nargs="?", default="", type=words, metavar="TAG", help="what it is called")


def _snapshot_list(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="with the automatic one, the baseline")


def _snapshot_diff(parser: ArgumentParser) -> None:
    _snapshot(parser)
    parser.add_argument(
        "other",
        nargs="?",
        type=words,
        metavar="OTHER",
        help="another one, in place of the project as it is",
    )


def _snapshot_restore(parser: ArgumentParser) -> None:
    _snapshot(parser)
    parser.add_argument("--dry-run", action="store_true", help="only say what would happen")


def _snapshot_delete(parser: ArgumentParser) -> None:
    parser.add_argument(
        "snapshots",
        nargs="+",
        type=words,
        metavar="SNAPSHOT",
        help="tags, or 4 characters of ids",
    )


def _snapshot(parser: ArgumentParser) -> None:
    parser.add_argument(
        "snapshot",
        type=words,
        metavar="SNAPSHOT",
        help="its tag, or at least 4 characters of its id",
    )


def _observed_list(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="with those that were kept or reverted")
    parser.add_argument("--files", action="store_true", help="every file of a large group, too")


def _observed_show(parser: ArgumentParser) -> None:
    parser.add_argument("change", type=words, metavar="CHANGE", help="its id, or at least 4 characters of it")


def _observed_keep(parser: ArgumentParser) -> None:
    parser.add_argument(
        "changes",
        nargs="*",
        type=words,
        metavar="CHANGE",
        help="ids, or at least 4 characters of them",
    )
    parser.add_argument("--all", action="store_true", help="all that are open now")
    parser.add_argument("--group", action="store_true", help="with what stands in one group with them")


def _observed_revert(parser: ArgumentParser) -> None:
    _observed_keep(parser)
    parser.add_argument("--hunks", type=numbers, metavar="HUNK,HUNK", help="of the one change only these")
    parser.add_argument("--dry-run", action="store_true", help="only say what would happen")


def _review(parser: ArgumentParser) -> None:
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "commits",
        nargs="?",
        type=words,
        metavar="COMMITS",
        help="A..B: what B changed since it left A; one name: beside HEAD (default: uncommitted changes)",
    )
    ways.add_argument("--snapshot", type=words, metavar="SNAPSHOT", help="what changed since this snapshot")
    ways.add_argument(
        "--take-back", type=words, metavar="PLAN", help="propose to revert what is rejected in this review"
    )
    ways.add_argument(
        "--propose", type=words, metavar="PLAN", help="propose what is approved in this review of commits"
    )


def _watch(parser: ArgumentParser) -> None:
    parser.add_argument("--once", action="store_true", help="look once, say what is open, and end")


def _plan(parser: ArgumentParser) -> None:
    parser.add_argument(
        "plan",
        type=words,
        metavar="PLAN",
        help="the plan's id, or at least 4 characters of it",
    )


def _steps(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--step",
        action="append",
        type=number,
        dest="steps",
        metavar="N",
        help="only this step; may be repeated",
    )


DESCRIBED: Final[Mapping[str, Callable[[ArgumentParser], None]]] = {
    "submit": _submit,
    "plans": _plans,
    "show": _show,
    "wait": _wait,
    "withdraw": _plan,
    "approve": _approve,
    "reject": _reject,
    "dismiss": _plan,
    "allow": _allow,
    "deny": _deny,
    "apply": _apply,
    "rollback": _rollback,
    "history": _history,
    "journal": _journal,
    "blame": _blame,
    "check": _check,
    "config": _config,
    "doctor": _doctor,
    "hook": _hook,
    "demo": _demo,
    "agent": _agent,
    "acp": _acp,
    "review": _review,
    "run": _run,
    "try": _try,
    "connect": _connect,
    "mcp": _mcp,
    "inbox": _inbox,
    "watch": _watch,
    "completion": _completion,
}
"""The commands with more arguments than --project and --json.

Operations of `fs` describe themselves.
"""

WAYS: Final[Mapping[str, Mapping[str, tuple[str, Callable[[ArgumentParser], None]]]]] = {
    "snapshot": {
        "create": ("Keep the project's whole state, ignored files too.", _snapshot_create),
        "list": ("List the snapshots, oldest first, and what they take.", _snapshot_list),
        "diff": ("Say how the project differs from a snapshot.", _snapshot_diff),
        "restore": ("Bring a snapshot back, by a plan. Needs a person.", _snapshot_restore),
        "delete": ("Delete snapshots for good. Needs a person.", _snapshot_delete),
    },
    "observed": {
        "list": ("Look, and list what others changed, oldest first.", _observed_list),
        "show": ("Show one change, with its diff.", _observed_show),
        "keep": ("Keep changes: they are told no more. Needs a person.", _observed_keep),
        "revert": ("Take changes back, by a plan. Needs a person.", _observed_revert),
    },
}
"""Commands with subcommands: the summary and arguments of each."""


def number(text: str) -> int:
    """Parse a whole number from 1 on."""
    found = int(text)
    if found < 1:
        raise ArgumentTypeError("counting starts at 1")
    return found


def words(text: str) -> str:
    """Replace bytes that are not UTF-8, which no store accepts.

    Used for arguments other than paths.
    """
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def seconds(text: str) -> float:
    """Parse a time in seconds that is not negative."""
    found = float(text)
    if not 0 <= found < float("inf"):
        raise ArgumentTypeError("seconds can't be negative")
    return found


def plan_state(text: str) -> PlanState:
    """Parse the name of a plan state."""
    try:
        return engine.PlanState(text)
    except ValueError:
        names = ", ".join(state.value for state in engine.PlanState)
        raise ArgumentTypeError(f"there is no state {text}; the states are {names}") from None


def hunks(text: str) -> tuple[int, dict[int, HunkChoice]]:
    """Parse `2:1,3`: hunks 1 and 3 of step 2.

    The other hunks are added once the step is loaded.
    """
    step, separator, listed = text.partition(":")
    if not separator or not listed:
        raise ArgumentTypeError("give a step and its hunks, as in 2:1,3")
    return number(step), dict.fromkeys(numbers(listed), True)


def lines(text: str) -> tuple[int, dict[int, HunkChoice]]:
    """Parse `2:1:1,3`: changed lines 1 and 3 of step 2's first hunk."""
    parts = text.split(":")
    if len(parts) != 3 or not parts[2]:
        raise ArgumentTypeError("give a step, a hunk and its lines, as in 2:1:1,3")
    return number(parts[0]), {number(parts[1]): frozenset(numbers(parts[2]))}


def numbers(text: str) -> tuple[int, ...]:
    """Parse numbers separated by commas."""
    return tuple(number(part) for part in text.split(","))
