"""Start of `studio mcp` without what other commands load: store, rules, engine."""

from __future__ import annotations

from collections.abc import Sequence

from studio import doors
from studio.doors.cli.commands.mcp import mcp
from studio.doors.cli.parser import build_parser
from studio.errors import StudioError


def run_mcp(words: Sequence[str]) -> int:
    """Run `studio mcp` with its arguments; return the exit code."""
    try:
        return mcp(build_parser(words).parse_args(words)).code
    except StudioError as error:
        return doors.main.report(error, as_json="--json" in words)
