"""Construction of the argument parsers of commands and of the window.

Describing every command takes longer than an interpreter takes to start, so only the requested one is.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Container, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, cast

from studio.doors.cli.command_table import TABLE, commands_text
from studio.doors.cli.console.output import print_line
from studio.errors import NotFound, UsageError
from studio.names import nearest_word, show_name


# Measured per command, from spawn to exit: argparse costs 28 ms, click 48 and typer 171.
class Parser(argparse.ArgumentParser):
    """Argument parser whose usage errors are StudioErrors.

    --json then prints them as JSON, like all other errors; help that can't be written is a failure. `ending`
    returns the lines below the help.
    """

    def __init__(self, *, ending: Callable[[], str] = str, **described: Any) -> None:
        super().__init__(**described)
        self._ending = ending

    def commands(self) -> dict[str, Parser]:
        """Return its subparsers by their words."""
        return {
            word: command
            for action in self._actions
            if isinstance(choices := cast("Any", action.choices), dict)
            for word, command in cast("dict[str, Parser]", choices).items()
        }

    def arguments(self) -> list[argparse.Action]:
        """Return its own arguments, without the choice of a command."""
        return [action for action in self._actions if not isinstance(action.choices, dict)]

    def actions(self) -> Iterator[argparse.Action]:
        """Yield all actions of it and its commands."""
        yield from self._actions
        for command in self.commands().values():
            yield from command.actions()

    def format_help(self) -> str:
        return f"{super().format_help()}\n{self._ending()}".rstrip("\n") + "\n"

    def print_help(self, file: object = None) -> None:
        assert file is None, "help is printed to standard output"
        print_line(self.format_help().rstrip("\n"), flush=True)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Check the value as argparse does, and suggest the nearest choice."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            near = nearest_word(str(value), map(str, action.choices or ()))
            if not near:
                raise
            message = str(error)
            hint = f"Did you mean {near}? See: {self.prog} --help"
            raise UsageError("usage", f"{message[:1].upper()}{message[1:]}.", hint) from error

    def error(self, message: str) -> NoReturn:
        raise UsageError("usage", f"{message[:1].upper()}{message[1:]}.", f"See: {self.prog} --help")


def build_parser(words: Sequence[str] | None = None) -> Parser:
    """Return the parser of the command that `words` select, else of all."""
    remaining = iter(words or ())
    name = _chosen(remaining, TABLE)
    parser = Parser(prog="studio", description="Review the changes that coding agents propose.")
    _add_common(parser, default=None)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)

    def add(word: str) -> argparse.ArgumentParser:
        return _add_subparser(commands.add_parser, word, TABLE[word].summary, word)

    for word in TABLE if name is None else (name,):
        if word == "fs":
            _add_operations(add(word), remaining)
        elif word in ("snapshot", "observed"):
            _add_ways(add(word), word)
        else:
            _add_arguments(add(word), word)
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments of a command.

    Words after `--` are left as they are to a command that accepts them. Raises UsageError.
    """
    command = command_of(words)
    if command is None or not TABLE[command].takes_words or "--" not in words:
        return build_parser(words).parse_args(words)
    end = words.index("--")  # argparse would read our own options after it
    arguments = build_parser(words[:end]).parse_args(words[:end])
    arguments.words = list(words[end + 1 :])
    return arguments


def _add_operations(files: argparse.ArgumentParser, remaining: Iterator[str]) -> None:
    from studio.doors.cli.commands.fs import OPERATIONS, add_operation, summary_of

    word = _chosen(remaining, OPERATIONS)
    operations = files.add_subparsers(dest="word", required=True, metavar="OPERATION", parser_class=Parser)
    for each in OPERATIONS if word is None else (word,):
        add_operation(_add_subparser(operations.add_parser, each, summary_of(each), f"fs {each}"), each)


def _add_ways(parser: argparse.ArgumentParser, word: str) -> None:
    from studio.doors.cli.arguments import WAYS

    actions = parser.add_subparsers(dest="way", required=True, metavar="WHAT", parser_class=Parser)
    for action, (summary, describe) in WAYS[word].items():
        describe(_add_subparser(actions.add_parser, action, summary, f"{word} {action}"))


def _add_arguments(parser: argparse.ArgumentParser, word: str) -> None:
    from studio.doors.cli.arguments import DESCRIBED

    if word in DESCRIBED:
        DESCRIBED[word](parser)
    if word == "demo":
        _add_window_options(parser)


def _add_subparser(
    add_parser: Callable[..., argparse.ArgumentParser], word: str, summary: str, words: str
) -> argparse.ArgumentParser:
    """Add a parser of a command or operation, with the common arguments.

    These are --project and --json; examples end the help.
    """
    parser = add_parser(word, help=summary, description=summary, ending=lambda: _examples(words))
    _add_common(parser, default=argparse.SUPPRESS)
    return parser


def _examples(words: str) -> str:
    from studio.doors.cli.examples import examples_text

    return examples_text(words)


def _add_common(parser: argparse.ArgumentParser, default: str | None) -> None:
    """Add --project and --json, which may precede or follow the command."""
    parser.add_argument("--project", metavar="DIR", type=Path, default=default, help="project folder")
    parser.add_argument(
        "--json",
        action="store_true",
        default=default or False,
        help="print one JSON document and nothing else",
    )


def _add_window_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--smoke", action="store_true", help="open the window, print its contents, and exit")
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="like --smoke, and save a screenshot")
    parser.add_argument("--theme", choices=["light", "dark"], help="override the system theme")


def build_window_parser() -> Parser:
    """Return the parser of the window itself: studio [PATH...]."""
    parser = Parser(
        prog="studio",
        usage="studio [PATH ...] [options]\n       studio COMMAND [options]",
        description="Review the changes that coding agents propose: open the window, or run a command.",
        ending=lambda: f"{commands_text()}\n\n{_examples('')}",
    )
    _add_common(parser, default=None)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="project folder or diff")
    parser.add_argument("--version", action="store_true", help="print the version")
    _add_window_options(parser)
    return parser


def command_of(arguments: Sequence[str]) -> str | None:
    """Return the word that selects a command, None for the window.

    Options that may precede it are skipped.
    """
    return _chosen(iter(arguments), TABLE)


def refuse_misspelt_command(arguments: Sequence[str]) -> None:
    """Reject a first word that is almost a command and no file.

    Raises NotFound.
    """
    word = _first(iter(arguments)) or ""
    near = nearest_word(word, TABLE)
    if near and not word.startswith("-") and not os.path.lexists(word):
        name = show_name(word)
        message = f"{name} is neither a command nor a file."
        raise NotFound("path.missing", message, f"Did you mean: studio {near}")


def _chosen(words: Iterator[str], choices: Container[str]) -> str | None:
    word = _first(words)
    return word if word is not None and word in choices else None


def _first(words: Iterator[str]) -> str | None:
    """Return the first word that is no common option."""
    for word in words:
        if word == "--project":
            next(words, None)
        elif word != "--json" and not word.startswith("--project="):
            return word
    return None
