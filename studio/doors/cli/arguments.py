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
        "files", nargs="*", metavar="FILE", help="files with one plan; - or omitted: standard input"
    )
    parser.add_argument(
        "--format", default="auto", help="input format (default: auto, detected from the text)"
    )
    parser.add_argument(
        "--repair",
        action="store_true",
        help="accept text that fits only after one named repair, and report the repair",
    )
    parser.add_argument("--tree", metavar="DIR", help="propose the changes that make the project match DIR")
    parser.add_argument(
        "--delete", action="store_true", help="with --tree: also delete files that are not in DIR"
    )
    parser.add_argument("--title", default="", type=words, help="title of the plan")
    parser.add_argument(
        "--agent",
        default="",
        type=words,
        help="proposing agent; to revise a plan, withdraw it and submit again with the same name",
    )
    parser.add_argument(
        "--wait",
        nargs="?",
        type=seconds,
        const=inf,
        metavar="SECONDS",
        help="wait for the outcome, at most SECONDS",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=inf,
        metavar="SECONDS",
        help="with --wait: stop waiting after SECONDS (exit code 5)",
    )


def _plans(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--state",
        type=plan_state,
        help="list only plans in this state; dismissed plans are listed only this way",
    )


def _show(parser: ArgumentParser) -> None:
    _plan(parser)
    parser.add_argument("--diff", action="store_true", help="include the diff of every step")
    parser.add_argument(
        "--left-out",
        action="store_true",
        help="list paths that were excluded because they are ignored or denied",
    )
    parser.add_argument(
        "--reply", action="store_true", help="print the report to the agent: decisions, reasons, diffs"
    )
    parser.add_argument(
        "--message",
        action="store_true",
        help="print a commit message for the applied changes",
    )


def _wait(parser: ArgumentParser) -> None:
    _plan(parser)
    parser.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="stop waiting after SECONDS (exit code 5; default: never)",
    )
    parser.add_argument("--until", choices=["decided"], default="decided", help="event to wait for")


def _blame(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="text file of the project")


def _check(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument(
        "--format", default="", type=words, metavar="NAME", help="check for a plan in this format"
    )
    parser.add_argument("--agent", default="", type=words, help="check for a plan by this agent")


def _config(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="?",
        choices=["show", "schema", "trust", "allow"],
        default="show",
        help="effective values, all keys, or (reviewer only) trust studio.yaml or allow a folder",
    )
    parser.add_argument(
        "folder",
        nargs="?",
        type=words,
        metavar="FOLDER",
        help="folder to allow although it is denied by default",
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
        help="approve only these hunks of the step",
    )
    parser.add_argument(
        "--lines",
        dest="hunks",
        action="append",
        type=lines,
        metavar="STEP:HUNK:LINE,LINE",
        help="approve only these changed lines of the hunk, counted from 1",
    )
    parser.add_argument("--note", default="", type=words, help="note to the agent")
    parser.add_argument("--apply", action="store_true", help="apply the plan at once")


def _reject(parser: ArgumentParser) -> None:
    _plan(parser)
    _steps(parser)
    parser.add_argument("--reason", required=True, type=words, help="reason, shown to the agent")
    parser.add_argument(
        "--ask-changes", action="store_true", help="request changes: send the whole plan back to the agent"
    )


def _call(parser: ArgumentParser) -> None:
    parser.add_argument(
        "call",
        type=words,
        metavar="CALL",
        help="tool call id, or at least its first 4 characters",
    )


def _allow(parser: ArgumentParser) -> None:
    _call(parser)
    parser.add_argument("--note", default="", type=words, help="note to the agent")


def _deny(parser: ArgumentParser) -> None:
    _call(parser)
    parser.add_argument("--reason", required=True, type=words, help="reason, shown to the agent")


def _hook(parser: ArgumentParser) -> None:
    parser.add_argument("client", choices=tuple(doors.HOOK_TOOLS), help="client that runs the hook")
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=doors.limits.HOOK_WAIT_SECONDS,
        metavar="SECONDS",
        help=f"tell the agent to ask again after SECONDS (default: {doors.limits.HOOK_WAIT_SECONDS})",
    )
    parser.add_argument(
        "--caller",
        type=number,
        metavar="PROCESS",
        help="process id of the client; waiting stops when it exits (default: the parent process)",
    )


def _doctor(parser: ArgumentParser) -> None:
    names = (*doors.CLIENTS, *doors.agents_by_gate())
    parser.add_argument(
        "agent",
        nargs="?",
        choices=names,
        metavar="NAME",
        help=f"agent whose gate is verified with its own client: {', '.join(names)}",
    )
    for name, means in (
        ("--own-settings", "test in the sandbox with copies of your settings (default at a terminal)"),
        ("--empty-home", "test in an empty home (default without a terminal)"),
        ("--yes", "with --own-settings: do not ask for confirmation"),
    ):
        parser.add_argument(name, action="store_true", help=means)
    parser.add_argument(
        "--bundle",
        metavar="FILE",
        help="write a diagnostic report without file contents to a new file; - for standard output",
    )


def _apply(parser: ArgumentParser) -> None:
    _plan(parser)
    parser.add_argument(
        "--approved",
        action="store_true",
        help="apply the approved steps; undecided steps stay open",
    )


def _rollback(parser: ArgumentParser) -> None:
    _plan(parser)
    _steps(parser)
    parser.add_argument("--part", type=number, metavar="N", help="roll back only part N, counted from 1")
    parser.add_argument(
        "--on-drift",
        choices=["keep", "restore", "save-beside", "merge"],
        help="for files changed since: keep them, restore the old content, save it beside, or merge",
    )
    parser.add_argument("--dry-run", action="store_true", help="only show what would happen")


def _history(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--discard", metavar="PLAN", help="permanently discard the undo data of this plan; reviewer only"
    )


def _journal(parser: ArgumentParser) -> None:
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--follow", action="store_true", help="print new entries as they are written")
    modes.add_argument(
        "--export", metavar="FILE", help="write the journal as JSON lines; - for standard output"
    )
    modes.add_argument(
        "--verify",
        nargs="?",
        type=Path,
        const=True,
        metavar="FILE",
        help="check that no entry was altered (otherwise exit code 1), here or in an export",
    )
    modes.add_argument(
        "--replay",
        metavar="DIR",
        type=Path,
        help="replay the journal in an empty folder or a copy of the project",
    )
    parser.add_argument(
        "--from", dest="export_file", metavar="FILE", type=Path, help="with --replay: replay this export"
    )
    parser.add_argument("--with-contents", action="store_true", help="with --export: include file contents")
    parser.add_argument("--plan", default="", type=words, help="list entries of this plan")
    parser.add_argument("--path", default="", type=words, help="list entries of this path and below it")
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
        help="list entries before this position (the next page)",
    )
    parser.add_argument("--limit", type=number, metavar="N", help="list at most N entries, 1 to 200")


def _demo(parser: ArgumentParser) -> None:
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--dir", type=Path, metavar="DIR", help="copy the project to this new or empty folder")
    place.add_argument(
        "--remove-old", action="store_true", help="remove copies from earlier runs; reviewer only"
    )


def _agent(parser: ArgumentParser) -> None:
    parser.add_argument(
        "agent",
        choices=["aider", "claude-code", "cline", "codex", "continue", "gemini", "opencode", "qwen"],
        metavar="NAME",
        help="codex, opencode, aider or continue; its options and the prompt follow --",
    )
    parser.set_defaults(words=[])


def _network(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--network",
        action=BooleanOptionalAction,
        default=None,
        help="allow network access from the sandbox (default: setting sandbox: network, otherwise no)",
    )


def _container(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--container",
        default="",
        metavar="IMAGE",
        help="use a container of podman: an image of this machine, or a root folder (/…, ./…, ~/…)",
    )


def _login(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--login",
        action="append",
        default=[],
        choices=extras.agents.LOGIN_NAMES,
        metavar="NAME",
        help="pass a copy of an agent's login and settings; reviewer only",
    )


def _in_sandbox(parser: ArgumentParser) -> None:
    _container(parser)
    _network(parser)
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=SANDBOX_SECONDS,
        metavar="SECONDS",
        help=f"stop the command after SECONDS (default: {SANDBOX_SECONDS:g})",
    )
    parser.set_defaults(words=[])


def _try(parser: ArgumentParser) -> None:
    _plan(parser)
    _steps(parser)
    parser.add_argument("--propose", action="store_true", help="propose the changes of the command")
    parser.add_argument("--agent", default="", type=words, help="name of the agent that runs the command")
    _in_sandbox(parser)


def _run(parser: ArgumentParser) -> None:
    _in_sandbox(parser)
    _login(parser)


def _acp(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--resume",
        default="",
        metavar="SESSION",
        help="resume this session of `studio sessions`",
    )
    parser.add_argument("--sandbox", action="store_true", help="run the agent in the sandbox")
    _container(parser)
    _network(parser)
    _login(parser)
    parser.add_argument(
        "--login-files",
        action="store_true",
        help="with --login: read the login files from the first line of standard input",
    )
    parser.set_defaults(words=[])


def _connect(parser: ArgumentParser) -> None:
    parser.add_argument(
        "agent",
        choices=[*doors.CLIENTS, "mcp"],
        metavar="NAME",
        help=f"{', '.join(doors.CLIENTS)}; or mcp: print the entry for any other client and write nothing",
    )
    parser.add_argument("--remove", action="store_true", help="remove exactly what was added")
    parser.add_argument("--dry-run", action="store_true", help="only show what would change")


def _mcp(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--agent",
        default="",
        type=words,
        help="name of the proposing agent (default: the name that the client reports)",
    )


def _inbox(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--once", action="store_true", help="process the files and decisions that are there now, and exit"
    )


def _completion(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="shell to complete in")


def _snapshot_create(parser: ArgumentParser) -> None:
    parser.add_argument("tag", nargs="?", default="", type=words, metavar="TAG", help="name of the snapshot")


def _snapshot_list(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="include the automatic baseline")


def _snapshot_diff(parser: ArgumentParser) -> None:
    _snapshot(parser)
    parser.add_argument(
        "other",
        nargs="?",
        type=words,
        metavar="OTHER",
        help="snapshot to compare with (default: the current project)",
    )


def _snapshot_restore(parser: ArgumentParser) -> None:
    _snapshot(parser)
    parser.add_argument("--dry-run", action="store_true", help="only show what would happen")


def _snapshot_delete(parser: ArgumentParser) -> None:
    parser.add_argument(
        "snapshots",
        nargs="+",
        type=words,
        metavar="SNAPSHOT",
        help="tags, or at least the first 4 characters of ids",
    )


def _snapshot(parser: ArgumentParser) -> None:
    parser.add_argument(
        "snapshot",
        type=words,
        metavar="SNAPSHOT",
        help="tag, or at least the first 4 characters of the id",
    )


def _observed_list(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="include changes that were kept or reverted")
    parser.add_argument("--files", action="store_true", help="list every file of large groups")


def _observed_show(parser: ArgumentParser) -> None:
    parser.add_argument(
        "change", type=words, metavar="CHANGE", help="change id, or at least its first 4 characters"
    )


def _observed_keep(parser: ArgumentParser) -> None:
    parser.add_argument(
        "changes",
        nargs="*",
        type=words,
        metavar="CHANGE",
        help="change ids, or at least their first 4 characters",
    )
    parser.add_argument("--all", action="store_true", help="all open changes")
    parser.add_argument("--group", action="store_true", help="include the other changes of the same group")


def _observed_revert(parser: ArgumentParser) -> None:
    _observed_keep(parser)
    parser.add_argument(
        "--hunks", type=numbers, metavar="HUNK,HUNK", help="revert only these hunks of the change"
    )
    parser.add_argument("--dry-run", action="store_true", help="only show what would happen")


def _review(parser: ArgumentParser) -> None:
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "commits",
        nargs="?",
        type=words,
        metavar="COMMITS",
        help=(
            "A..B: changes on B since it diverged from A; one revision: compare with HEAD (default: "
            "uncommitted changes)"
        ),
    )
    ways.add_argument("--snapshot", type=words, metavar="SNAPSHOT", help="changes since this snapshot")
    ways.add_argument(
        "--take-back", type=words, metavar="PLAN", help="propose to revert what this review rejected"
    )
    ways.add_argument(
        "--propose", type=words, metavar="PLAN", help="propose what this review of commits approved"
    )


def _watch(parser: ArgumentParser) -> None:
    parser.add_argument("--once", action="store_true", help="scan once, list open changes, and exit")


def _plan(parser: ArgumentParser) -> None:
    parser.add_argument(
        "plan",
        type=words,
        metavar="PLAN",
        help="plan id, or at least its first 4 characters",
    )


def _steps(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--step",
        action="append",
        type=number,
        dest="steps",
        metavar="N",
        help="only this step; repeatable",
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
        "create": ("Save the project's whole state, ignored files included.", _snapshot_create),
        "list": ("List snapshots and their sizes, oldest first.", _snapshot_list),
        "diff": ("Show how the project differs from a snapshot.", _snapshot_diff),
        "restore": ("Restore a snapshot, as a plan. Reviewer only.", _snapshot_restore),
        "delete": ("Delete snapshots for good. Reviewer only.", _snapshot_delete),
    },
    "observed": {
        "list": ("Scan the project and list outside changes, oldest first.", _observed_list),
        "show": ("Show one change, with its diff.", _observed_show),
        "keep": ("Accept changes and stop listing them. Reviewer only.", _observed_keep),
        "revert": ("Revert changes, as a plan. Reviewer only.", _observed_revert),
    },
}
"""Commands with subcommands: the summary and arguments of each."""


def number(text: str) -> int:
    """Parse a whole number from 1 on."""
    found = int(text)
    if found < 1:
        raise ArgumentTypeError("expected a number of at least 1")
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
        raise ArgumentTypeError(f"unknown state {text}; use one of: {names}") from None


def hunks(text: str) -> tuple[int, dict[int, HunkChoice]]:
    """Parse `2:1,3`: hunks 1 and 3 of step 2.

    The other hunks are added once the step is loaded.
    """
    step, separator, listed = text.partition(":")
    if not separator or not listed:
        raise ArgumentTypeError("expected a step and its hunks, as in 2:1,3")
    return number(step), dict.fromkeys(numbers(listed), True)


def lines(text: str) -> tuple[int, dict[int, HunkChoice]]:
    """Parse `2:1:1,3`: changed lines 1 and 3 of step 2's first hunk."""
    parts = text.split(":")
    if len(parts) != 3 or not parts[2]:
        raise ArgumentTypeError("expected a step, a hunk and its lines, as in 2:1:1,3")
    return number(parts[0]), {number(parts[1]): frozenset(numbers(parts[2]))}


def numbers(text: str) -> tuple[int, ...]:
    """Parse numbers separated by commas."""
    return tuple(number(part) for part in text.split(","))
