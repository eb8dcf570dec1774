"""The manual page, made of the parsers that make --help, so that it can't say anything else.

Imports the program, and so needs what that needs.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

_ESCAPES = str.maketrans({"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"})


def page(version: str, epoch: int) -> str:
    """studio(1): the window, and every command with its options and examples."""
    from studio.doors.cli.examples import EXAMPLES
    from studio.doors.cli.parser import build_parser, build_window_parser

    window = build_window_parser()
    date = datetime.fromtimestamp(epoch, UTC)
    lines = [
        f'.TH STUDIO 1 "{date:%Y-%m-%d}" "Exacta Studio {version}" "User Commands"',
        ".SH NAME",
        "studio \\- review what agents want to change",
        ".SH SYNOPSIS",
        ".B studio",
        "[\\fIPATH\\fR ...] [\\fIoptions\\fR]",
        ".br",
        ".B studio",
        "\\fICOMMAND\\fR [\\fIoptions\\fR]",
        ".SH DESCRIPTION",
        _text(
            "Without a command, studio opens its window: on the project folder or with the diffs it is given."
        ),
        _text("Every command also takes --help."),
        ".SH OPTIONS",
        *_arguments(window),
        ".SH COMMANDS",
    ]
    for words, parser in _commands(build_parser(), ()):
        lines += [f'.SS "{_text(" ".join(("studio", *words)))}"', *_usage(parser)]
        lines += [_text(parser.description or ""), *_arguments(parser)]
        lines += _examples(EXAMPLES.get(" ".join(words), ()))
    lines += [".SH EXAMPLES", *_examples(EXAMPLES[""])]
    return "\n".join(line for line in lines if line) + "\n"


def _commands(
    parser: argparse.ArgumentParser, words: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Every command and operation below a parser, with the words that choose it."""
    for action in parser._actions:
        choices: Any = action.choices
        if isinstance(choices, dict):
            for word, command in choices.items():
                yield (*words, word), command
                yield from _commands(command, (*words, word))


def _usage(parser: argparse.ArgumentParser) -> list[str]:
    usage = " ".join(parser.format_usage().split()).removeprefix("usage: ")
    return [".PP", f"\\fB{_text(usage)}\\fR", ".PP"]


def _arguments(parser: argparse.ArgumentParser) -> Iterator[str]:
    """What a parser takes, in its order, but for its commands."""
    formatter = argparse.HelpFormatter(parser.prog)
    for action in parser._actions:
        if isinstance(action.choices, dict) or action.help is argparse.SUPPRESS:
            continue
        yield ".TP"
        yield _signature(action)
        yield _text(formatter._expand_help(action) if action.help else "") or "\\&"


def _signature(action: argparse.Action) -> str:
    """An option with its value, or what stands for an argument."""
    names = ", ".join(f"\\fB{_text(name)}\\fR" for name in action.option_strings)
    if action.option_strings and action.nargs == 0:
        return names
    named = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest.upper()
    )
    value = " ".join(named) if isinstance(named, tuple) else named
    if action.nargs in ("*", "+"):
        value += " ..."
    return f"{names} \\fI{_text(value)}\\fR".strip()


def _examples(examples: tuple[str, ...]) -> list[str]:
    return [".PP", ".EX", *map(_text, examples), ".EE"] if examples else []


def _text(text: str) -> str:
    """Words that mean nothing to troff."""
    plain = re.sub(r"\s+", " ", text).strip().translate(_ESCAPES)
    return f"\\&{plain}" if plain.startswith(".") else plain
