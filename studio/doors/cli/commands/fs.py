"""`studio fs`: read, search and edit files; edits become plans.

Texts, parameters and defaults come from the operations' own description; none is written down twice.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from studio.doors.cli.console.answer import DONE, NOT_FOUND, REFUSED, STALE, Answer
from studio.doors.cli.console.standard_input import read_standard_input
from studio.doors.cli.console.terminal import progress
from studio.doors.cli.console.texts import file_text
from studio.errors import NotFound, Refused
from studio.extras.tools import Kind, as_json, checked_arguments, operation_named
from studio.limits import FILESYSTEM_WRITE_BYTES
from studio.names import show_name
from studio.system.os_errors import reason

if TYPE_CHECKING:
    from studio.extras.tools import Operation, Parameter
    from studio.workspace import Workspace

OPERATIONS: Final[Mapping[str, str]] = {
    "read": "read_file",
    "write": "write_file",
    "append": "append_file",
    "list": "list_directory",
    "tree": "directory_tree",
    "mkdir": "create_directory",
    "copy": "copy_file",
    "move": "move_file",
    "delete": "delete_file",
    "info": "get_file_info",
    "exists": "file_exists",
    "search": "search_files",
    "bulk": "bulk_operations",
}
"""Command word to operation name."""

_PLACES = {"directory_path": "."}
"""Optional positional arguments."""


def summary_of(word: str) -> str:
    """Return what the operation does, in one sentence."""
    return operation_named(OPERATIONS[word]).words


def add_operation(parser: argparse.ArgumentParser, word: str) -> None:
    """Add one operation's arguments to a parser."""
    operation = operation_named(OPERATIONS[word])
    parser.set_defaults(operation=operation.name)
    # Optional ones last.
    for parameter in sorted(operation.parameters, key=lambda each: each.name in _PLACES):
        _add_parameter(parser, parameter)
    parser.add_argument("--agent", default="", help="name of the agent, for its session and its plans")
    parser.add_argument(
        "--session",
        default=None,
        metavar="NAME",
        help="session name: commands with the same name share a plan (default: STUDIO_SESSION)",
    )


def _add_parameter(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    words = parameter.words.replace("%", "%%")
    if parameter.name == "content":
        parser.add_argument(
            "--content", default=None, metavar="TEXT", help=f"{words} Default: standard input."
        )
    elif parameter.kind is Kind.LIST:
        parser.add_argument(
            parameter.name,
            nargs="?",
            default="-",
            metavar="FILE",
            help=f"{words} A JSON file; - or omitted: standard input.",
        )
    elif parameter.is_required and parameter.name in _PLACES:
        parser.add_argument(
            parameter.name, nargs="?", default=_PLACES[parameter.name], metavar="FOLDER", help=words
        )
    elif parameter.is_required:
        parser.add_argument(parameter.name, metavar=parameter.name.removesuffix("_path").upper(), help=words)
    elif parameter.kind is Kind.BOOLEAN:
        name = parameter.name.replace("_", "-")
        usual = f"--{name}" if parameter.default else f"--no-{name}"
        parser.add_argument(
            f"--{name}",
            action=argparse.BooleanOptionalAction,
            default=parameter.default,
            help=f"{words} (default: {usual})",
        )
    else:
        parser.add_argument(
            f"--{parameter.name.replace('_', '-')}",
            type=int if parameter.kind is Kind.INTEGER else str,
            default=parameter.default,
            metavar="N" if parameter.kind is Kind.INTEGER else parameter.name.upper(),
            help=f"{words} (default: {parameter.default})".replace("%", "%%"),
        )


def fs(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    """Run one operation in its own session or a named one."""
    operation = operation_named(arguments.operation)
    values = {parameter.name: _value(operation, parameter, arguments) for parameter in operation.parameters}
    name = arguments.session if arguments.session is not None else os.environ.get("STUDIO_SESSION", "")
    session = workspace.proposer.open_session(arguments.agent, "fs", name=name)
    try:
        with (
            progress(f"studio fs {arguments.word}", as_json=arguments.json) as report,
            workspace.overlay(session) as overlay,
        ):
            tool = workspace.tool(overlay, session)
            if operation.name == OPERATIONS["bulk"]:
                operations = cast(
                    "list[dict[str, object]]", checked_arguments(operation, values)["operations"]
                )
                found = as_json(tool.bulk(operations, progress=report))
            else:
                found = tool.call(operation.name, values)
    finally:
        workspace.proposer.close_session(session)
    return _SAID[arguments.word](found)


def _value(operation: Operation, parameter: Parameter, arguments: argparse.Namespace) -> object:
    value = getattr(arguments, parameter.name)
    if parameter.kind is Kind.LIST:
        return _operations(value)
    if parameter.name != "content" or value is not None:
        return value
    try:
        data = read_standard_input(FILESYSTEM_WRITE_BYTES + 1)
    except OSError as error:
        message = f"Standard input can't be read: {reason(error)}."
        raise Refused("fs.unreadable", message, "Pipe the text in, or use --content TEXT.") from error
    return _text_of(
        data, "Standard input", f"{operation.name} accepts no more at once. Write the file in parts."
    )


def _operations(name: str) -> object:
    """Parse a JSON file or standard input.

    The operation checks that it is a list of objects.
    """
    shown = "Standard input" if name == "-" else show_name(name)
    hint = "Provide a JSON list of operations: studio fs bulk --help"
    try:
        if name == "-":
            data = read_standard_input(FILESYSTEM_WRITE_BYTES + 1)
        else:
            with Path(name).open("rb") as stream:
                data = stream.read(FILESYSTEM_WRITE_BYTES + 1)
        return json.loads(_text_of(data, shown, "Propose it in parts."))
    except FileNotFoundError as error:
        raise NotFound(
            "fs.no_operations", f"{shown} does not exist.", "Check the path.", path=name
        ) from error
    except OSError as error:
        raise Refused(
            "fs.no_operations", f"{shown} can't be read: {reason(error)}.", hint, path=name
        ) from error
    except (ValueError, RecursionError) as error:
        raise Refused(
            "fs.no_operations", f"{shown} is not valid JSON: {show_name(str(error))}.", hint
        ) from error


def _text_of(data: bytes, shown: str, too_large: str) -> str:
    if len(data) > FILESYSTEM_WRITE_BYTES:
        raise Refused("fs.too_large", f"{shown} has more than {FILESYSTEM_WRITE_BYTES} bytes.", too_large)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(
            "fs.not_utf8",
            f"{shown} is not UTF-8 at byte {error.start}.",
            "Send UTF-8; the file keeps its own encoding.",
        ) from error


def _content(found: dict[str, Any]) -> Answer:
    remark = "studio: output truncated; the file has more lines." if found["truncated"] else ""
    # A pipe gets exactly the text; on a terminal the prompt starts on a line of its own.
    is_exact = not sys.stdout.isatty()
    content = found["content"] if is_exact else file_text(found["content"].removesuffix("\n"))
    return Answer(found, content, remark=remark, is_exact=is_exact)


def _listing(found: dict[str, Any]) -> Answer:
    lines = [f"{show_name(item['path'])}{_SLASH[item['type']]}" for item in found["items"]]
    return Answer(found, "\n".join(lines), remark=_unread_lines(found))


def _tree(found: dict[str, Any]) -> Answer:
    start = found["path"].count("/") + (found["path"] not in ("", "."))
    lines = [
        f"{'  ' * (item['path'].count('/') - start)}{show_name(item['name'])}{_SLASH[item['type']]}"
        for item in found["items"]
    ]
    return Answer(found, "\n".join(lines), remark=_unread_lines(found))


def _unread_lines(found: dict[str, Any]) -> str:
    lines = [f"studio: {show_name(one['path'])}: {one['reason']}" for one in found.get("unseen", ())]
    return "\n".join(
        [*lines, "studio: output truncated; there are more results."] if found["truncated"] else lines
    )


def _changed(found: dict[str, Any]) -> Answer:
    shown = show_name(found["path"])
    if found["state"] == "done":
        return Answer(found, f"{shown}: done.")
    if found["plan"] is None:
        return Answer(found, f"{shown}: no change.")
    state = f"{found['state']} in plan {found['plan'][:8]}"
    return Answer(found, f"{shown}: {state}", STALE if found["state"] == "stale" else DONE)


def _info(found: dict[str, Any]) -> Answer:
    return Answer(found, "\n".join(f"{key}: {show_name(str(value))}" for key, value in found.items()))


def _exists(found: dict[str, Any]) -> Answer:
    return Answer(found, "yes" if found["exists"] else "no", DONE if found["exists"] else NOT_FOUND)


def _search(found: dict[str, Any]) -> Answer:
    lines = [
        f"{show_name(match['path'])}:{match['lineNumber']}:{show_name(match['line'])}"
        for match in found["matches"]
    ]
    return Answer(found, "\n".join(lines), remark=_unread_lines(found))


def _bulk(found: dict[str, Any]) -> Answer:
    lines = [_item(item) for item in found["items"]]
    if found["plan"] is not None:
        lines.append(f"{found['state']} in plan {found['plan'][:8]}")
    failed = not all(item["success"] for item in found["items"])
    code = REFUSED if failed else STALE if found["state"] == "stale" else DONE
    return Answer(found, "\n".join(lines), code, remark=_unread_lines(found))


def _item(item: dict[str, Any]) -> str:
    if not item["success"]:
        return f"{item['operation']}: {show_name(item['error']['message'])}"
    return f"{item['operation']} {show_name(str(item['result'].get('path', '')))}".rstrip()


_SLASH: Final[Mapping[str, str]] = {"directory": "/", "file": ""}
_SAID: Final[Mapping[str, Callable[[dict[str, Any]], Answer]]] = {
    "read": _content,
    "list": _listing,
    "tree": _tree,
    "info": _info,
    "exists": _exists,
    "search": _search,
    "bulk": _bulk,
    **dict.fromkeys(("write", "append", "mkdir", "copy", "move", "delete"), _changed),
}
