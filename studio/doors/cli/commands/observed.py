"""`studio observed`, `watch`: list, follow, keep or revert changes outside of plans."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from studio.doors import json_documents
from studio.doors.cli.commands.snapshot import dry_run
from studio.doors.cli.console import texts
from studio.doors.cli.console.answer import Answer
from studio.doors.cli.console.interrupts import defer_interrupts
from studio.doors.cli.console.output import print_line
from studio.doors.cli.console.person import About, require_person
from studio.doors.cli.console.questions import about_steps
from studio.doors.cli.console.terminal import progress
from studio.doors.cli.console.texts import change_diff
from studio.doors.json_documents import observed_json
from studio.doors.limits import ASKED_FILES_UP_TO, PRINTED_FILES_UP_TO, WATCH_PULSE_SECONDS
from studio.engine import ObservedChange, ObservedState, StepContents
from studio.errors import Refused, UsageError
from studio.extras.observed.baseline import CHANGED_WHILE_INDEXING
from studio.extras.observed.hints import EVERYTHING, Hints
from studio.journal.file_image import time_text
from studio.names import show_name

if TYPE_CHECKING:
    from studio.workspace import Workspace

_UNKNOWN_BEFORE = (
    "There is no diff, and the change can't be reverted: the file changed while the project was first "
    "indexed."
)


def observed(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    return _COMMANDS[arguments.way](workspace, arguments)


def _list(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    is_first = not workspace.observed.has_baseline
    _scan_project(workspace, as_json=arguments.json)
    found = workspace.observed.all() if arguments.all else workspace.observed.open()
    lines = list(_lines(found, every=arguments.files))
    if is_first:
        lines.append("The project was indexed. New outside changes are listed here.")
    document = {"observed": [observed_json(change) for change in found]}
    return Answer(document, "\n".join(lines) or "No open outside changes.")


def _show(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    _scan_project(workspace, as_json=arguments.json)
    change = workspace.observed.find(arguments.change)
    document, lines = observed_json(change), [_line(change), *(f"  {hint}" for hint in change.hints)]
    if change.state is ObservedState.OPEN:
        sides, found = (change.before, change.after), workspace.observed.contents(change)
        contents = StepContents(found.before, found.after, None, found.setting)
        names, is_known = (change.path, change.target), not change.is_before_unknown
        diff = change_diff(names, sides, contents, for_people=not arguments.json) if is_known else ""
        document["diff"] = diff
        lines += ["", texts.diff_text(diff)] if diff else []
        lines += [] if is_known else [f"  {_UNKNOWN_BEFORE}"]
    return Answer(document, "\n".join(lines))


def _keep(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    changes = _selected_changes(workspace, arguments)
    person = require_person(
        workspace,
        what=f"Keep {_count(changes)}? No file is written.",
        word=workspace.name,
        about=_about(workspace, changes),
    )
    accepted = workspace.reviewer(person).observed.keep(changes)
    rows = [observed_json(change) for change in accepted]
    document = rows[0] if len(rows) == 1 else {"observed": rows}
    return Answer(document, "\n".join(map(_line, accepted)))


def _revert(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    changes = _selected_changes(workspace, arguments)
    choices = {changes[0].id: arguments.hunks} if arguments.hunks else {}
    if choices and len(changes) != 1:
        raise UsageError(
            "observed.hunks",
            "--hunks requires exactly one change.",
            "Specify one change. List them with: studio observed list",
        )
    preview = workspace.observed.preview(changes, choices)
    if arguments.dry_run:
        return dry_run(preview)
    if preview.refusal is not None and not workspace.needs_recovery:
        raise preview.refusal
    about = [*_about(workspace, changes), *about_steps(preview.steps, "studio observed revert --dry-run")]
    person = require_person(workspace, what=f"{preview.title}?", word=workspace.name, about=about)
    with progress("Writing", as_json=arguments.json) as report, defer_interrupts() as control:
        plan = workspace.reviewer(person).observed.revert(changes, choices, progress=report, control=control)
    return Answer(json_documents.plan_json(plan), texts.plan_text(plan))


def watch(workspace: Workspace, arguments: argparse.Namespace) -> Answer:
    """Print each observed change, and again when anything about it changes.

    Each is one line, or one JSON object.
    """
    hints, previous, state = Hints(), dict[str, ObservedChange](), ""
    hints.add(EVERYTHING)
    if not arguments.once:
        workspace.listen(lambda paths: _add_hints(hints, paths))
    version = None
    while True:
        hints.wake.clear()
        paths = hints.drain()
        if paths is not None:
            _scan_project(workspace, paths, as_json=arguments.json)
        if version != (version := workspace.data_version()) or paths is not None:
            current = {change.id: change for change in workspace.observed.all()}
            for change, is_gone in _changed_entries(previous, current):
                print_line(_change_line(change, is_gone=is_gone, as_json=arguments.json), flush=True)
            previous = current
        if arguments.once:
            return Answer({}, "", is_printed=True)
        if state != (state := workspace.watch_state.reason) and state:
            sys.stderr.write(f"studio: {state}\n")
        hints.wake.wait(WATCH_PULSE_SECONDS)
        for path in workspace.observed.unsettled:
            hints.add(path)


def _changed_entries(
    previous: dict[str, ObservedChange], current: dict[str, ObservedChange]
) -> Iterator[tuple[ObservedChange, bool]]:
    """Yield changes that are new or different, and whether each is undone."""
    for change in current.values():
        if previous.get(change.id) != change and (
            change.state is ObservedState.OPEN or change.id in previous
        ):
            yield change, False
    for change in previous.values():
        if change.id not in current and change.state is ObservedState.OPEN:
            yield change, True


def _change_line(change: ObservedChange, *, is_gone: bool, as_json: bool) -> str:
    if as_json:
        return json.dumps(observed_json(change) | ({"gone": True} if is_gone else {}))
    return f"{_line(change)}  no longer changed" if is_gone else _line(change)


def _add_hints(hints: Hints, paths: frozenset[str]) -> None:
    for path in paths or (EVERYTHING,):
        hints.add(path)


def _scan_project(workspace: Workspace, paths: frozenset[str] = frozenset(), *, as_json: bool) -> None:
    with progress("Scanning the project, bytes", as_json=as_json) as report:
        workspace.observed.look(paths, progress=report)
    for sentence in filter(None, (workspace.observed.loss, workspace.observed.unread)):
        sys.stderr.write(f"studio: {sentence}\n")


def _selected_changes(workspace: Workspace, arguments: argparse.Namespace) -> tuple[ObservedChange, ...]:
    """Return the named open changes. Raises NotFound, UsageError, Refused."""
    if bool(arguments.changes) is arguments.all:
        raise UsageError(
            "observed.which",
            "Specify changes or use --all, not both.",
            "List them with: studio observed list",
        )
    _scan_project(workspace, as_json=arguments.json)
    open_changes = workspace.observed.open()
    if arguments.all:
        return open_changes or _no_change()
    named = [workspace.observed.find(each) for each in arguments.changes]
    ids = {change.id for change in named}
    if arguments.group:
        groups = {change.group.number for change in named if change.group is not None}
        ids |= {each.id for each in open_changes if each.group is not None and each.group.number in groups}
    closed = [change for change in named if change.state is not ObservedState.OPEN]
    if closed:
        raise Refused(
            "observed.closed",
            f"{show_name(closed[0].target)} is already {closed[0].state.value}.",
            "List open changes with: studio observed list",
        )
    return tuple(change for change in open_changes if change.id in ids)


def _no_change() -> tuple[ObservedChange, ...]:
    raise Refused("observed.none", "No open outside changes.", "See: studio observed list --all")


def _about(workspace: Workspace, changes: Sequence[ObservedChange]) -> list[About]:
    about = [About("project", str(workspace.root_path))]
    about += [About("observed", _line(change)) for change in changes[:ASKED_FILES_UP_TO]]
    if len(changes) > ASKED_FILES_UP_TO:
        more = len(changes) - ASKED_FILES_UP_TO
        about.append(About("and more", f"{more} not listed; see: studio observed list --files"))
    return about


def _count(changes: Sequence[ObservedChange]) -> str:
    return "this change" if len(changes) == 1 else f"these {len(changes):,} changes"


def _lines(changes: Sequence[ObservedChange], *, every: bool) -> Iterator[str]:
    """Yield a line per change, with groups beneath their names.

    A large group is cut after its first ones, unless `every`.
    """
    ungrouped = [change for change in changes if change.group is None]
    groups = {change.group.number: change.group for change in changes if change.group is not None}
    yield from map(_line, ungrouped)
    for number, group in groups.items():
        members = [each for each in changes if each.group is not None and each.group.number == number]
        yield f"{show_name(group.name)}:"
        shown = members if every else members[:PRINTED_FILES_UP_TO]
        yield from (f"  {_line(each)}" for each in shown)
        if len(shown) < len(members):
            yield f"  and {len(members) - len(shown):,} more: studio observed list --files"


def _line(change: ObservedChange) -> str:
    path = show_name(change.path) + (f" -> {show_name(change.to)}" if change.to is not None else "")
    state = "" if change.state is ObservedState.OPEN else f"  {change.state.value}"
    while_indexing = f"  {CHANGED_WHILE_INDEXING}" if change.is_before_unknown else ""
    return f"{change.short_id}  {time_text(change.seen)}  {change.op.value:<7} {path}{while_indexing}{state}"


_COMMANDS = {"list": _list, "show": _show, "keep": _keep, "revert": _revert}
