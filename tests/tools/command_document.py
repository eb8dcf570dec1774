"""Writes docs/commands.md anew from the parsers that make --help: python -m tests.tools.command_document"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from studio.doors.cli.examples import EXAMPLES
from studio.doors.cli.parser import Parser, build_parser, build_window_parser
from studio.engine.plan import PlanState, StepState

FILE = Path(__file__).parents[2] / "docs" / "commands.md"

_HEAD = """\
# Every command

What each command takes, as its `--help` says it. [The command line](command_line.md) tells how commands work
together, what they print and what their exit codes mean. Every command also takes `--project DIR`, the
project folder, and `--json`, to print one JSON document and nothing else; both may stand before or after the
command.

This page is made from the parsers that the program reads its arguments by (`python -m
tests.tools.command_document`).
"""
_CLOSED = {
    PlanState.CANCELLED: "withdrawn",
    PlanState.INVALID: "refused",
    PlanState.CHANGES_REQUESTED: "sent back for another round",
    PlanState.FAILED: "not written",
}
_COMMON = frozenset({"help", "project", "json"})


def text() -> str:
    """The whole page."""
    return "\n".join(
        [_HEAD, *_states(), *_section("", build_window_parser()), *_commands("", build_parser())]
    )


def _states() -> Iterator[str]:
    """The values of `state` in the JSON of plans and steps."""
    plans = [state for state in PlanState if state is not PlanState.DRAFT]
    yield "## States\n\nIn JSON, `state` has these values; `wait` ends when the plan is closed.\n"
    yield f"| `state` of | values |\n|---|---|\n| an open plan | {_listed(plans, closed=False)} |"
    yield f"| a closed plan | {_listed(plans, closed=True)} |"
    yield f"| a step | {', '.join(f'`{state.value}`' for state in StepState)} |\n"


def _listed(plans: Sequence[PlanState], *, closed: bool) -> str:
    found = (state for state in plans if state.is_decided is closed)
    return ", ".join(
        f"`{state.value}`" + (f" ({_CLOSED[state]})" if state in _CLOSED else "") for state in found
    )


def _commands(words: str, parser: Parser) -> Iterator[str]:
    for name, chosen in parser.commands().items():
        yield from _section(f"{words} {name}".strip(), chosen)
        yield from _commands(f"{words} {name}".strip(), chosen)


def _section(words: str, parser: Parser) -> Iterator[str]:
    heading = f"studio {words}" if words else "studio [PATH…]"
    yield f"{'##' if words.count(' ') == 0 else '###'} `{heading}`\n"
    yield f"{parser.description}\n"
    rows = [f"- **`{_shown(each)}`** {_help(each)}" for each in parser.arguments() if _is_told(each)]
    if rows:
        yield "\n".join(rows) + "\n"
    if words in EXAMPLES:
        yield "\n".join(["```text", *EXAMPLES[words], "```\n"])


def _is_told(action: argparse.Action) -> bool:
    return action.dest not in _COMMON and action.help != argparse.SUPPRESS


def _shown(action: argparse.Action) -> str:
    """How it is written: `--title TEXT`, `PLAN`, `[FILE...]`."""
    value = "" if action.nargs == 0 else _value(action)
    return " ".join(filter(None, (", ".join(action.option_strings), value)))


def _value(action: argparse.Action) -> str:
    plain = action.metavar
    if isinstance(plain, tuple):
        return " ".join(plain)
    if plain is None and action.choices is not None:
        plain = "|".join(str(each) for each in action.choices)
    plain = plain or action.dest.upper()
    match action.nargs:
        case "*" | "...":
            return f"[{plain}...]"
        case "+":
            return f"{plain}..."
        case "?":
            return f"[{plain}]"
        case _:
            return plain


def _help(action: argparse.Action) -> str:
    said = (action.help or "") % {"default": action.default, "prog": "studio", "metavar": action.metavar}
    return f"{said[:1].upper()}{said[1:].rstrip('.')}." if said else ""


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
