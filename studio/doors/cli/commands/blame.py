"""`studio blame`: the plan, agent and person behind each line."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from studio.doors.cli.console.answer import DONE, Answer
from studio.extras.reader import Origin
from studio.journal.file_image import time_text
from studio.names import show_name
from studio.text import diff_text

if TYPE_CHECKING:
    from studio.extras.reader import Blame, BlamedLines
    from studio.workspace import Workspace

_NOBODY = "-" * 8
_WIDEST = 24


def blame(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    content = workspace.reader.read(arguments.file)
    found = workspace.reader.blame(arguments.file, content)
    text = diff_text(content, workspace.config.encoding_for(found.path)).decode("utf-8", "replace")
    return Answer(_document(found), _format_blame(found, text.split("\n")), DONE, found.why)


def _document(found: Blame) -> dict[str, Any]:
    return {"path": found.path, "sha256": found.sha256, "lines": [_lines_json(each) for each in found.lines]}


def _lines_json(lines: BlamedLines) -> dict[str, Any]:
    document: dict[str, Any] = {"first": lines.first, "last": lines.last, "from": lines.origin.value}
    if lines.origin is Origin.PLAN:
        document |= {"plan": lines.plan_id, "step": lines.step, "title": lines.title}
        if lines.agent:
            document["agent"] = lines.agent
        if lines.is_edited:
            document["edited"] = True
        if lines.seen is not None:
            document["seen"] = lines.seen.value
    if lines.commit is not None:
        document["commit"] = lines.commit
    if lines.is_boundary:
        document["boundary"] = True
    if lines.who:
        document["who"] = lines.who
    if lines.when is not None:
        document["when"] = time_text(lines.when)
    return document


def _format_blame(found: Blame, texts: list[str]) -> str:
    names = [_author(each) for each in found.lines]
    wide = min(_WIDEST, max(map(len, names), default=0))
    digits = len(str(found.lines[-1].last)) if found.lines else 0
    rows: list[str] = []
    for lines, name in zip(found.lines, names, strict=True):
        mark = "^" if lines.is_boundary else ""  # as `git blame` prints it
        ident = (mark + (lines.plan_id or lines.commit or _NOBODY))[:8]
        day = time_text(lines.when)[:10] if lines.when is not None else " " * 10
        head = f"{ident} {name[:wide]:<{wide}} {day}"
        rows += (
            f"{head} {number:>{digits}}  {show_name(texts[number - 1])}"
            for number in range(lines.first, lines.last + 1)
        )
    return "\n".join(rows) or "The file has no lines."


def _author(lines: BlamedLines) -> str:
    """Return the author: a plan's agent or editor, or git's author."""
    return show_name(lines.who if lines.is_edited or not lines.agent else lines.agent) or "unknown"
