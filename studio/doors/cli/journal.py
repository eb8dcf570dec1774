"""`studio journal`: list, follow, export, verify and replay what was asked and answered (contract 7)."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from studio.doors import printed
from studio.doors.cli import texts
from studio.doors.cli.answer import DONE, REFUSED, Answer
from studio.doors.cli.person import About, require_person
from studio.engine.branch.entries import FileFault, WritingRequest, to_json
from studio.engine.errors import UsageError
from studio.engine.names import show_name
from studio.engine.new_files import new_file
from studio.engine.plan import Decision
from studio.engine.store.journal import JournalRow
from studio.engine.workspace import Workspace

LISTED_UP_TO = 200
"""How many of the newest entries are listed."""


def journal(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    if arguments.with_contents and arguments.export is None:
        raise UsageError("usage", "--with-contents goes with --export.", "See: studio journal --help")
    if arguments.follow:
        return _follow(workspace, as_json=arguments.json)
    if arguments.export is not None:
        return _export(workspace, arguments.export, with_contents=arguments.with_contents)
    if arguments.verify:
        return _verify(workspace)
    if arguments.replay is not None:
        return _replay(workspace, arguments.replay)
    rows = tuple(reversed(workspace.journal.newest(limit=LISTED_UP_TO)))
    decisions = workspace.journal.decisions(rows)
    lines = "\n".join(_line(row, decisions.get(row.step_id)) for row in rows) or "Nothing was written yet."
    return Answer({"entries": [_row_json(row, decisions.get(row.step_id)) for row in rows]}, lines)


def _follow(workspace: Workspace, *, as_json: bool) -> Answer:
    if as_json:
        raise UsageError(
            "usage", "--follow has no end, and --json prints one document.", "Leave one of them out."
        )
    newest = workspace.journal.newest(limit=1)
    for row in workspace.journal.follow(newest[0].position if newest else 0):
        decision = workspace.journal.decisions([row]).get(row.step_id)
        sys.stdout.write(_line(row, decision) + "\n")
        sys.stdout.flush()
    return Answer({}, "")


def _export(workspace: Workspace, target: str, *, with_contents: bool) -> Answer:
    lines = workspace.journal.export(with_contents=with_contents)
    remark = "The export holds the contents of your files. Look at it before you hand it on."
    if target == "-":
        for line in lines:
            sys.stdout.write(line + "\n")
        return Answer({}, "", remark=remark if with_contents else "", is_printed=True)
    count = _written(workspace, Path(target), lines, with_contents=with_contents)
    document: dict[str, Any] = {"exported": count, "file": target, "contents": with_contents}
    said = f"{count} entries are in {show_name(target)}."
    return Answer(document, said, remark=remark if with_contents else "")


def _written(workspace: Workspace, file: Path, lines: Iterator[str], *, with_contents: bool) -> int:
    count = 0
    with new_file(file, workspace.root_path, contents=with_contents) as stream:
        for line in lines:
            stream.write(line.encode("utf-8") + b"\n")
            count += 1
    return count


def _verify(workspace: Workspace) -> Answer:
    damage = workspace.journal.first_damage()
    newest = workspace.journal.newest(limit=1)
    document = {"entries": newest[0].position if newest else 0, "damaged_at": damage}
    if damage is None:
        return Answer(document, f"All {document['entries']} entries are as they were written.", DONE)
    said = f"Entry {damage} was changed, or one before it is missing."
    return Answer(document, said, REFUSED)


def _replay(workspace: Workspace, folder: Path) -> Answer:
    person = None
    if workspace.journal.replay_needs_person(folder):
        about = (About("journal of", str(workspace.root_path)), About("over files in", str(folder.resolve())))
        what = "Run the journal again, over the files that are there?"
        person = require_person(workspace, what=what, word=workspace.name, about=about)
    done = workspace.journal.replay(folder, person)
    document = {"requests": done.requests, "position": done.position, "paths": list(done.paths)}
    said = f"{done.requests} requests were run again and answered the same; {len(done.paths)} paths written."
    return Answer(document, said)


def _row_json(row: JournalRow, decision: Decision | None) -> dict[str, Any]:
    """`who` and `seen` stand beside a request; they are no part of entry, hash or export (contract 9)."""
    asked = printed.seen_json(decision) if isinstance(row.entry, WritingRequest) else {}
    return {
        "position": row.position,
        "written": row.written,
        "plan": row.plan_id,
        "step": row.step_id,
        "hash": row.hash,
        "entry": json.loads(to_json(row.entry)),
        **asked,
    }


def _line(row: JournalRow, decision: Decision | None) -> str:
    path = show_name(getattr(row.entry, "path", ""))
    to = getattr(row.entry, "to", "")
    said = f" -> {show_name(to)}" if to else ""
    if isinstance(row.entry, FileFault):
        said = f"  {row.entry.fault_kind.value}: {show_name(row.entry.message)}"
    plan = row.plan_id[:8] or "-"
    if decision is not None and isinstance(row.entry, WritingRequest):
        said += f"  ({texts.seen(decision)})"
    return f"{row.position:>8}  {row.written}  {plan:<8}  {type(row.entry).__name__:<17} {path}{said}"
