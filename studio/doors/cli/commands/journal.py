"""`studio journal`: list, follow, export, verify and replay the journal."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.doors import json_documents
from studio.doors.cli.console import texts
from studio.doors.cli.console.answer import REFUSED, Answer
from studio.doors.cli.console.interrupts import defer_interrupts
from studio.doors.cli.console.output import print_line
from studio.doors.cli.console.person import About, require_person
from studio.doors.cli.console.terminal import progress
from studio.engine import PersonSource
from studio.errors import UsageError
from studio.extras.journal_view import JournalRow, write_journal
from studio.journal.entries import (
    FileFault,
    JournalUpgraded,
    SessionChange,
    UndoDiscarded,
    WritingRequest,
    to_json,
)
from studio.limits import PRINTED_ENTRIES_UP_TO
from studio.names import show_name

if TYPE_CHECKING:
    from studio.engine import Decision
    from studio.extras.journal_view import ChainReport, JournalView
    from studio.journal.entries import (
        Entry,
    )
    from studio.workspace import Workspace


def journal(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    if arguments.with_contents and arguments.export is None:
        raise UsageError("usage", "--with-contents needs --export.", "See: studio journal --help")
    if arguments.export_file is not None and arguments.replay is None:
        raise UsageError("usage", "--from needs --replay.", "See: studio journal --help")
    filters = (arguments.plan, arguments.path, arguments.id, arguments.before, arguments.limit)
    if any(filters) and (arguments.follow or arguments.export or arguments.verify or arguments.replay):
        message = "--plan, --path, --id, --before and --limit apply only to the list."
        raise UsageError("usage", message, "See: studio journal --help")
    if arguments.follow:
        return _follow(workspace, as_json=arguments.json)
    if arguments.export is not None:
        return _export(workspace, arguments)
    if arguments.verify is not None:
        with progress("Verifying", as_json=arguments.json):
            return _verify(workspace, None if arguments.verify is True else arguments.verify)
    if arguments.replay is not None:
        return _replay(workspace, arguments)
    return _page(workspace, arguments)


def _page(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    """Return the newest entries, or those before a position.

    `before` in the answer is the position for the next page.
    """
    view = workspace.journal
    limit = min(arguments.limit or PRINTED_ENTRIES_UP_TO, PRINTED_ENTRIES_UP_TO)
    if arguments.plan or arguments.path or arguments.id:
        found, before = _matching(view, arguments, limit)
        nothing = "No matching entries."
    else:
        found = view.newest(arguments.before, limit=limit)
        before = found[-1].position if found and found[-1].position > 1 else None
        nothing = "The journal is empty."
    rows = tuple(reversed(found))
    decisions = view.decisions(rows)
    lines = "\n".join(_line(row, decisions.get(row.step_id)) for row in rows) or nothing
    document = {"entries": [_row_json(row, decisions.get(row.step_id)) for row in rows], "before": before}
    remark = f"For older entries, add --before {before}." if before is not None else ""
    return Answer(document, lines, remark=remark)


def _matching(
    view: JournalView, arguments: argparse.Namespace, limit: int
) -> tuple[list[JournalRow], int | None]:
    """Return matching requests with replies, latest first, and the next position.

    A request must match all given arguments.
    """
    before, rows = arguments.before, dict[int, JournalRow]()
    plan, path, name = arguments.plan, arguments.path.strip("/"), arguments.id
    while True:
        found = view.find(f"{plan} {path} {name}", before)
        matching = {
            (row.plan_id, getattr(row.entry, "correlation_id", row.position))
            for row in found.rows
            if row.plan_id.startswith(plan)
            and (not path or any(_is_at(getattr(row.entry, key, ""), path) for key in ("path", "to")))
            and (not name or name in (row.step_id, getattr(row.entry, "correlation_id", "")))
        }
        for row in found.rows:
            if (row.plan_id, getattr(row.entry, "correlation_id", row.position)) in matching:
                rows[row.position] = row
        before = found.before
        if before is None or len(rows) >= limit:
            return [rows[position] for position in sorted(rows, reverse=True)], before


def _is_at(entry_path: str, path: str) -> bool:
    prefix = f"{entry_path.strip('/')}/"
    return prefix.startswith(f"{path}/")


def _follow(workspace: Workspace, *, as_json: bool) -> Answer:
    """Print one line, or one object, for each new entry."""
    newest = workspace.journal.newest(limit=1)
    for row in workspace.journal.follow(newest[0].position if newest else 0):
        decision = workspace.journal.decisions([row]).get(row.step_id)
        print_line(json.dumps(_row_json(row, decision)) if as_json else _line(row, decision), flush=True)
    return Answer({}, "", is_printed=True)


def _export(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    target, with_contents = arguments.export, arguments.with_contents
    remark = "The export contains your files' contents. Check it before you share it."
    if target == "-":
        for line in workspace.journal.export(with_contents=with_contents):
            print_line(line)
        return Answer({}, "", remark=remark if with_contents else "", is_printed=True)
    with progress("Exporting entries", as_json=arguments.json) as report:
        count = write_journal(
            workspace.journal,
            Path(target),
            workspace.root_path,
            report=lambda number: report(number, 0),
            with_contents=with_contents,
        )
    document: dict[str, Any] = {"exported": count, "file": target, "contents": with_contents}
    message = f"Exported {count} entries to {show_name(target)}."
    return Answer(document, message, remark=remark if with_contents else "")


def _verify(workspace: Workspace, export: Path | None) -> Answer:
    found = workspace.journal.verify(export)
    subject = "The journal" if export is None else show_name(str(export))
    document: dict[str, Any] = {
        "entries": _entries(workspace, found, export),
        "damaged_at": found.damaged_at,
        "covered_from": found.covered_from,
    }
    if export is not None:
        document["file"] = str(export)
    if found.damaged_at is not None:
        where = "Entry" if export is None else f"{subject}: line"
        document["why"] = found.why
        message = f"{where} {found.damaged_at} was altered: {found.why}."
        return Answer(document, message, REFUSED)
    if not found.entries:
        return Answer(document, f"{subject} has no entries to verify.")
    message = f"All {found.entries} entries are intact."
    if found.entries == 1:
        message = "The only entry is intact."
    return Answer(document, message + _covered(found))


def _entries(workspace: Workspace, found: ChainReport, export: Path | None) -> int:
    """Return the number of entries.

    In a damaged export only those before the damage can be counted.
    """
    if found.damaged_at is None or export is not None:
        return found.entries
    newest = workspace.journal.newest(limit=1)
    return newest[0].position if newest else 0


def _covered(found: ChainReport) -> str:
    """Return a sentence on which rows' hashes cover time, plan and step."""
    if not found.entries:
        return ""
    if found.covered_from is None:
        return " Hashes of an older version cover the entries, not their time, plan and step."
    if found.covered_from == 1:
        return " Hashes also cover time, plan and step."
    return (
        f" From entry {found.covered_from} on, hashes also cover time, plan and step; earlier ones cover "
        "only the entries."
    )


def _replay(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    folder: Path = arguments.replay
    export: Path | None = arguments.export_file
    person = None
    if workspace.journal.replay_needs_person(folder):
        source = [About("journal of", str(workspace.root_path))]
        if export is not None:
            source = [About("journal in", str(export.absolute())), About("project", str(workspace.root_path))]
        about = (*source, About("over files in", str(folder.resolve())))
        what = "Replay the journal and overwrite existing files?"
        person = require_person(workspace, what=what, word=workspace.name, about=about)
    with progress("Replaying the journal", as_json=arguments.json), defer_interrupts() as control:
        is_stopped = control.pause.is_set
        replayed = workspace.journal.replay(folder, person, export=export, is_stopped=is_stopped)
    document = {"requests": replayed.requests, "position": replayed.position, "paths": list(replayed.paths)}
    message = (
        f"Replayed {replayed.requests} requests with identical replies; {len(replayed.paths)} paths written."
    )
    return Answer(document, message)


def _row_json(row: JournalRow, decision: Decision | None) -> dict[str, Any]:
    """Return a row with who decided its request.

    `who` and `seen` are not part of the entry, its hash or an export.
    """
    decided_by = json_documents.seen_json(decision) if isinstance(row.entry, WritingRequest) else {}
    return {
        "position": row.position,
        "written": row.written,
        "plan": row.plan_id,
        "step": row.step_id,
        "hash": row.hash,
        "entry": json.loads(to_json(row.entry)),
        **decided_by,
    }


def _line(row: JournalRow, decision: Decision | None) -> str:
    path = show_name(getattr(row.entry, "path", "")) or _record(row.entry)
    to = getattr(row.entry, "to", "")
    detail = f" -> {show_name(to)}" if to else ""
    if isinstance(row.entry, SessionChange):
        detail += f"  ({row.entry.change}, direct, outside of the project)"
    if isinstance(row.entry, FileFault):
        detail = f"  {row.entry.fault_kind.value}: {show_name(row.entry.message)}"
    plan = (row.plan_id or getattr(row.entry, "plan_id", ""))[:8] or "-"
    if decision is not None and isinstance(row.entry, WritingRequest):
        detail += f"  ({texts.decided_by(decision)})"
    return f"{row.position:>8}  {row.written}  {plan:<8}  {type(row.entry).__name__:<17} {path}{detail}"


def _record(entry: Entry) -> str:
    """Describe one of the store's own records in a few words."""
    match entry:
        case JournalUpgraded():
            return "hashes also cover time, plan and step from here on"
        case UndoDiscarded():
            how = texts.SEEN[PersonSource(entry.seen)]
            files = "1 file" if entry.files == 1 else f"{entry.files} files"
            return f"undo data of {files} discarded by {show_name(entry.who)} {how}"
        case _:
            return ""
