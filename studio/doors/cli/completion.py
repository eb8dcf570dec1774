"""`studio completion`: shell completion scripts, made by shtab.

shtab generates them from the parsers themselves, so that no word is written down twice.
"""

from __future__ import annotations

import argparse
from typing import Any, Final

import shtab

from studio import engine, formats
from studio.doors.cli.console.answer import Answer
from studio.doors.cli.parser import build_parser

_FILES: Final = frozenset(("FILE", "PATH", "SOURCE", "DESTINATION"))
_READ_BY_SHTAB: Final = "complete"
_FOLDERS: Final = frozenset(("DIR", "FOLDER", "DIRECTORY"))


def completion(arguments: argparse.Namespace) -> Answer:
    """Return the script. Raises ImportError where shtab is missing."""
    parser = build_parser()
    for action in parser.actions():
        _complete(action, files=shtab.FILE, folders=shtab.DIRECTORY)
    script = shtab.complete(parser, shell=arguments.shell).rstrip("\n")
    return Answer({"shell": arguments.shell, "script": script}, script)


def _complete(action: argparse.Action, *, files: Any, folders: Any) -> None:
    """Set shtab's completion: choices, or paths by the metavar in the help."""
    if "--format" in action.option_strings:
        action.choices = list(formats.detect.FORMATS)
    elif "--state" in action.option_strings:
        action.choices = [state.value for state in engine.PlanState]
    elif action.metavar in _FILES:
        setattr(action, _READ_BY_SHTAB, files)
    elif action.metavar in _FOLDERS:
        setattr(action, _READ_BY_SHTAB, folders)
