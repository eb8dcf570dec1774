"""The arguments of every command (contract 9)."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from studio.doors.cli.output import print_line
from studio.engine.errors import UsageError

if TYPE_CHECKING:
    # The window reads its arguments here too, and is painted before it knows what a plan is.
    from studio.engine.plan import HunkChoice, PlanState

COMMANDS = (
    "submit plans show wait withdraw approve reject dismiss apply rollback history recover journal check"
    " sessions config forget demo fs"
).split()
"""Words that choose a command; anything else in the first place opens the window."""

_EPILOG = "Without a command: studio [PATH...] opens the window on a project, or hands it a diff."


# From spawn to end argparse costs a command 28 ms, click 48 and typer 171.
class _Parser(argparse.ArgumentParser):
    """Usage errors are typed like all others, so that --json prints them as JSON; help that can't be written
    is no success."""

    def print_help(self, file: object = None) -> None:
        assert file is None, "help goes to standard output"
        print_line(self.format_help().rstrip("\n"), flush=True)

    def error(self, message: str) -> NoReturn:
        raise UsageError("usage", f"{message[:1].upper()}{message[1:]}.", f"See: {self.prog} --help")


def build_parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of every command; those of `fs` are described only where `words` ask for them."""
    parser = _Parser(prog="studio", description="Review what agents want to change.", epilog=_EPILOG)
    _common(parser, default=None)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)

    def add(name: str, help_text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=help_text, description=help_text)
        _common(command, default=argparse.SUPPRESS)
        return command

    _add_proposing(add)
    _add_deciding(add)
    _add_looking_back(add)
    _add_files(add, described="fs" in words)
    return parser


Adder = Callable[[str, str], argparse.ArgumentParser]


def _add_files(add: Adder, *, described: bool) -> None:
    files = add("fs", "Read, list, search and change files; what would change them becomes a plan.")
    if not described:
        return
    from studio.doors.cli.fs import add_operations

    words = files.add_subparsers(dest="word", required=True, metavar="OPERATION", parser_class=_Parser)

    def add_word(name: str, help_text: str) -> argparse.ArgumentParser:
        operation = words.add_parser(name, help=help_text, description=help_text)
        _common(operation, default=argparse.SUPPRESS)
        return operation

    add_operations(add_word)


def _common(parser: argparse.ArgumentParser, default: str | None) -> None:
    """--project and --json stand before or after the command."""
    parser.add_argument("--project", metavar="DIR", type=Path, default=default, help="the project folder")
    parser.add_argument(
        "--json",
        action="store_true",
        default=default or False,
        help="print one JSON document and nothing else",
    )


def _add_proposing(add: Adder) -> None:
    submit = add("submit", "Propose a plan; nothing is written before a person approved it.")
    submit.add_argument(
        "files", nargs="*", metavar="FILE", help="texts of one plan; - or none: standard input"
    )
    submit.add_argument(
        "--format", default="auto", help="how the texts are written (default: auto, by their structure)"
    )
    submit.add_argument(
        "--repair", action="store_true", help="take what fits with one named repair alone, and say which"
    )
    submit.add_argument("--tree", metavar="DIR", help="propose what makes the project like this folder")
    submit.add_argument("--delete", action="store_true", help="with --tree: delete what DIR lacks, too")
    submit.add_argument("--title", default="", type=_words, help="what the plan is called in the queue")
    submit.add_argument("--agent", default="", type=_words, help="who proposes it")
    submit.add_argument("--wait", type=_seconds, metavar="SECONDS", help="wait that long for the outcome")

    plans = add("plans", "List the plans of this project, oldest first.")
    plans.add_argument(
        "--state", type=_plan_state, help="only plans in this state; dismissed ones are listed by it alone"
    )

    show = add("show", "Show one plan.")
    _plan(show)
    show.add_argument("--diff", action="store_true", help="with the exact change of every step")
    show.add_argument(
        "--reply", action="store_true", help="what the agent is told: decisions, reasons, diffs"
    )
    show.add_argument(
        "--message",
        action="store_true",
        help="a message for a commit of what it changed; the commit is yours",
    )

    wait = add("wait", "Wait until a plan is decided and, if approved, applied.")
    _plan(wait)
    wait.add_argument("--timeout", type=_seconds, metavar="SECONDS", help="give up after that long (exit 5)")
    wait.add_argument("--until", choices=["decided"], default="decided", help="what to wait for")

    _plan(add("withdraw", "Take your own plan out of the queue."))

    add("sessions", "List who works here: every agent's session, whether it is there, and its plans.")

    check = add("check", "Say what the rules allow for these paths.")
    check.add_argument("paths", nargs="+", metavar="PATH")
    check.add_argument("--format", default="", type=_words, metavar="NAME", help="for a plan in this format")
    check.add_argument("--agent", default="", type=_words, help="for a plan by this agent")

    config = add("config", "Show every setting with its level and file, or trust the project's own file.")
    config.add_argument(
        "what", nargs="?", choices=["show", "trust"], default="show", help="trust needs a person"
    )


def _add_deciding(add: Adder) -> None:
    approve = add("approve", "Approve a plan, or some of its steps. Needs a person.")
    _plan(approve)
    _steps(approve)
    approve.add_argument(
        "--hunks",
        action="append",
        type=_hunks,
        default=[],
        metavar="STEP:HUNK,HUNK",
        help="of this step only these hunks",
    )
    approve.add_argument("--note", default="", type=_words, help="a word to the agent")
    approve.add_argument("--apply", action="store_true", help="write it right away")

    reject = add("reject", "Reject a plan, or some of its steps. Needs a person.")
    _plan(reject)
    _steps(reject)
    reject.add_argument("--reason", required=True, type=_words, help="why; the agent reads it")

    _plan(
        add("dismiss", "Take a closed plan that was not applied out of the queue for good. Needs a person.")
    )

    _plan(add("apply", "Write an approved plan, whole or not at all. Needs a person."))


def _add_looking_back(add: Adder) -> None:
    rollback = add("rollback", "Take an applied plan, or some of its steps, back. Needs a person.")
    _plan(rollback)
    _steps(rollback)
    rollback.add_argument(
        "--on-drift",
        choices=["keep", "restore", "save-beside", "merge"],
        help="files that changed since: leave them, put the old bytes back, save those beside, or merge",
    )
    rollback.add_argument("--dry-run", action="store_true", help="only say what would happen")

    history = add("history", "List what was applied, newest first, and what undo is kept.")
    history.add_argument(
        "--discard", metavar="PLAN", help="free that plan's undo for good, instead; needs a person"
    )
    add("recover", "Finish or undo an interrupted apply. Needs a person if there is one.")

    add("forget", "Delete what Exacta Studio stores about this project. Needs a person.")
    journal = add("journal", "List the newest entries of the journal.")
    ways = journal.add_mutually_exclusive_group()
    ways.add_argument("--follow", action="store_true", help="print entries as they are written")
    ways.add_argument("--export", metavar="FILE", help="write it as lines of JSON; - for standard output")
    ways.add_argument(
        "--verify",
        nargs="?",
        type=Path,
        const=True,
        metavar="FILE",
        help="say whether an entry was changed (exit 1), here or in an export",
    )
    ways.add_argument(
        "--replay", metavar="DIR", type=Path, help="run it again in an empty folder or a copy of the project"
    )
    journal.add_argument(
        "--from", dest="export_file", metavar="FILE", type=Path, help="replay this export of a journal"
    )
    journal.add_argument("--with-contents", action="store_true", help="export the files' bytes too")

    demo = add("demo", "Open the window on a fresh copy of the demo project.")
    place = demo.add_mutually_exclusive_group()
    place.add_argument("--dir", type=Path, metavar="DIR", help="copy it to this new or empty folder")
    place.add_argument(
        "--remove-old", action="store_true", help="remove the copies that were made before; needs a person"
    )
    add_window_options(demo)


def add_window_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--smoke", action="store_true", help="show the window, print what it shows, end")
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="as --smoke, and save a picture")
    parser.add_argument("--theme", choices=["light", "dark"], help="instead of the system's choice")


def build_window_parser() -> argparse.ArgumentParser:
    """The arguments of the window itself: studio [PATH...]."""
    parser = _Parser(prog="studio", description="Open the window.", epilog=f"Commands: {' '.join(COMMANDS)}")
    _common(parser, default=None)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="a project folder, or a diff")
    parser.add_argument("--version", action="store_true", help="print the version")
    add_window_options(parser)
    return parser


def command_of(arguments: Sequence[str]) -> str | None:
    """The word that chooses a command, None for the window; options that may stand before are passed over."""
    words = iter(arguments)
    for word in words:
        if word == "--project":
            next(words, None)
        elif word != "--json" and not word.startswith("--project="):
            return word if word in COMMANDS else None
    return None


def _plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "plan", type=_words, metavar="PLAN", help="the plan's id, or at least 4 characters of it"
    )


def _steps(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--step",
        action="append",
        type=_number,
        dest="steps",
        metavar="N",
        help="only this step; may be repeated",
    )


def _number(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("counting starts at 1")
    return number


def _words(text: str) -> str:
    """What is no UTF-8 in a word that is no path, replaced: no store takes it."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError("seconds can't be negative")
    return seconds


def _plan_state(text: str) -> PlanState:
    from studio.engine.plan import PlanState

    try:
        return PlanState(text)
    except ValueError:
        known = ", ".join(state.value for state in PlanState)
        raise argparse.ArgumentTypeError(f"there is no state {text}; the states are {known}") from None


def _hunks(text: str) -> tuple[int, dict[int, HunkChoice]]:
    """`2:1,3`: of step 2 the hunks 1 and 3. The other hunks are filled in when the step is known."""
    step, separator, listed = text.partition(":")
    if not separator or not listed:
        raise argparse.ArgumentTypeError("give a step and its hunks, as in 2:1,3")
    return _number(step), {_number(part): True for part in listed.split(",")}
