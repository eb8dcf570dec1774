"""`studio snapshot`: create, list, compare, restore and delete snapshots."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from studio.doors import json_documents
from studio.doors.cli.console import texts
from studio.doors.cli.console.answer import DONE, Answer, exit_code
from studio.doors.cli.console.interrupts import defer_interrupts
from studio.doors.cli.console.person import About, require_person
from studio.doors.cli.console.questions import about_steps
from studio.doors.cli.console.terminal import progress
from studio.doors.json_documents import dry_run_json, snapshot_json, snapshots_json
from studio.journal.file_image import time_text
from studio.names import show_name

if TYPE_CHECKING:
    from studio.extras.snapshots import RestorePreview, SnapshotRecord
    from studio.workspace import Workspace


def snapshot(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    return _COMMANDS[arguments.way](workspace, arguments)


def _create(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    with progress("Creating the snapshot", as_json=arguments.json) as report:
        record = workspace.snapshots.create(arguments.tag, progress=report)
    excluded = workspace.snapshots.excluded_paths(record.id) if record.left_out else {}
    lines = [_line(record), *_excluded_lines(excluded)]
    return Answer(snapshot_json(record) | {"left_out": excluded}, "\n".join(lines))


def _list(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    found = workspace.snapshots.all(with_baseline=arguments.all)
    for each in workspace.snapshots.damaged():
        sys.stderr.write(f"studio: Snapshot {each[:8]} can't be read: its stored data is damaged.\n")
    use = workspace.snapshots.disk_use()
    used = f"{use.used:,} of {use.cap:,} bytes used."
    lines = "\n".join([*map(_line, found), used]) if found else "No snapshots."
    return Answer(snapshots_json(found, use), lines)


def _diff(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    with progress("Comparing", as_json=arguments.json):
        changes = workspace.snapshots.changes(arguments.snapshot, arguments.other)
    document = {"changes": [{"path": change.path, "op": change.op} for change in changes]}
    lines = (f"{change.op:<7} {show_name(change.path)}" for change in changes)
    return Answer(document, "\n".join(lines) or "No differences.")


def _restore(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    with progress("Comparing", as_json=arguments.json):
        preview = workspace.snapshots.preview(arguments.snapshot)
    if arguments.dry_run:
        return dry_run(preview)
    if preview.refusal is not None and not workspace.needs_recovery:
        raise preview.refusal
    if not preview.steps:
        return Answer({"plan": None}, "The project already matches the snapshot. Nothing was written.")
    person = require_person(
        workspace, what=f"{preview.title}?", word=workspace.name, about=_about(workspace, preview)
    )
    with progress("Restoring", as_json=arguments.json) as report, defer_interrupts() as control:
        plan = workspace.reviewer(person).snapshots.restore(
            arguments.snapshot, shown=preview.fingerprint, progress=report, control=control
        )
    return Answer(json_documents.plan_json(plan), texts.plan_text(plan))


def dry_run(preview: RestorePreview) -> Answer:
    """Return what a plan that restores an old state would do.

    The exit code is the one that the restore would have.
    """
    refusal = preview.refusal
    code = exit_code(refusal) if refusal is not None else DONE
    message = texts.error_text(refusal) if refusal is not None else ""
    return Answer(dry_run_json(preview), texts.restore_text(preview), code, message)


def _delete(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    snapshots = [workspace.snapshots.find(each) for each in arguments.snapshots]
    about = [About("snapshot", _line(record)) for record in snapshots]
    many = "this snapshot" if len(snapshots) == 1 else f"these {len(snapshots)} snapshots"
    person = require_person(workspace, what=f"Delete {many} for good?", word=workspace.name, about=about)
    freed = workspace.reviewer(person).snapshots.delete([record.id for record in snapshots])
    document = {"deleted": [record.id for record in snapshots], "freed": freed}
    return Answer(document, f"Deleted, {freed:,} bytes freed.")


def _about(workspace: Workspace, preview: RestorePreview) -> list[About]:
    about = [About("project", str(workspace.root_path))]
    about += about_steps(preview.steps, "studio snapshot restore --dry-run")
    about += [About("overwrites", f"{path}, an outside change") for path in preview.unplanned[:5]]
    if len(preview.unplanned) > 5:
        about.append(About("overwrites", f"{len(preview.unplanned) - 5} more outside changes"))
    return about


def _line(record: SnapshotRecord) -> str:
    excluded = f", {record.left_out} excluded" if record.left_out else ""
    size = f"{record.files:,} files, {record.bytes:,} bytes{excluded}"
    return f"{record.short_id}  {time_text(record.created)}  {size}  {show_name(record.tag)}".rstrip()


def _excluded_lines(excluded: dict[str, str]) -> list[str]:
    return [f"  excluded: {show_name(path)}: {why}" for path, why in excluded.items()]


_COMMANDS = {"create": _create, "list": _list, "diff": _diff, "restore": _restore, "delete": _delete}
