"""JSON documents for plans, steps, sessions, tool calls, history, rollbacks and snapshots."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec.structs import replace

from studio import engine
from studio.doors.limits import LISTED_HUNKS_UP_TO, LISTED_PROBLEMS_UP_TO
from studio.engine import Fact, Problem
from studio.journal.file_image import time_text

if TYPE_CHECKING:
    from studio.engine import (
        CommitMessage,
        Decision,
        Dismissal,
        HistoryEntry,
        HunkRange,
        ObservedChange,
        PathConflict,
        PathVerdict,
        Plan,
        RetentionReport,
        RollbackFile,
        RollbackPreview,
        Session,
        Step,
        ToolCall,
        UndoLoss,
    )
    from studio.errors import StudioError
    from studio.extras.snapshots import DiskUse, RestorePreview, SnapshotRecord
    from studio.workspace import InterruptedFile


def document_text(document: Any, indent: int | None = None) -> str:
    """Return a document as JSON text.

    A name that is not UTF-8 appears in escaped form, as not every JSON reader accepts lone surrogates.
    """
    text = json.dumps(document)
    if "\\ud" in text:
        text = json.dumps(_encodable(document))
    # In C: with an indent, json.dumps of Python 3.11 is pure Python and took submit of 1,000 files 150 ms.
    return text if indent is None else msgspec.json.format(text, indent=indent)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value).items()
        return {_encodable(key): _encodable(field) for key, field in fields}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in cast("Sequence[Any]", value)]
    return value


def plan_json(plan: Plan, conflicts: Sequence[PathConflict] = ()) -> dict[str, Any]:
    printed: dict[str, Any] = {
        "plan": plan.id,
        "version": plan.version,
        "title": plan.title,
        "agent": plan.agent,
        "state": plan.state.value,
        "created": time_text(plan.created),
        "stale": plan.stale,
        "format": plan.format,
        "steps": [step_json(step) for step in plan.steps],
        "problems": [problem_json(problem) for problem in plan.problems],
    }
    if conflicts:
        printed["conflicts"] = [conflict_json(conflict) for conflict in conflicts]
    if plan.duplicate:
        printed["duplicate"] = True
    if plan.session is not None:
        printed["session"] = plan.session
    if plan.message:
        printed["message"] = plan.message
    if plan.rolls_back is not None:
        printed["rolls_back"] = plan.rolls_back
    if plan.restores is not None:
        printed["restores"] = plan.restores
    if plan.reviews is not None:
        printed["reviews"] = plan.reviews
    if plan.applied is not None:
        printed["applied"] = time_text(plan.applied)
    if plan.parts:
        printed["parts"] = _parts_json(plan)
    if plan.dismissal is not None:
        printed["dismissed"] = _dismissal_json(plan.dismissal)
    return printed


def _parts_json(plan: Plan) -> list[dict[str, Any]]:
    """Return a plan's parts; `kept` is whether their undo is."""
    return [
        {
            "part": part.number,
            "applied": time_text(part.applied),
            "steps": [step.number for step in plan.steps_of_part(part.number)],
            "kept": part.discarded is None,
        }
        for part in plan.parts
    ]


def listed_json(plan: Plan) -> dict[str, Any]:
    """Return a plan for a list, with long lists shortened.

    `more_hunks` counts the hunks that are not included.
    """
    with_recontext = [step.number for step in plan.steps if step.recontext][:LISTED_PROBLEMS_UP_TO]
    shown = replace(
        plan,
        steps=tuple(_listed(step, recontext=step.number in with_recontext) for step in plan.steps),
        problems=Problem.shorten(plan.problems, LISTED_PROBLEMS_UP_TO),
    )
    printed = plan_json(shown)
    for step, line in zip(plan.steps, printed["steps"], strict=True):
        if len(step.hunks) > LISTED_HUNKS_UP_TO:
            line["more_hunks"] = len(step.hunks) - LISTED_HUNKS_UP_TO
    return printed


def _listed(step: Step, *, recontext: bool) -> Step:
    return replace(
        step,
        hunks=step.hunks[:LISTED_HUNKS_UP_TO],
        problems=Problem.shorten(step.problems, LISTED_PROBLEMS_UP_TO),
        facts=Fact.shorten(step.facts, LISTED_PROBLEMS_UP_TO),
        recontext=step.recontext if recontext else "",
    )


def _dismissal_json(dismissal: Dismissal) -> dict[str, Any]:
    """Return a dismissal; `was` is the state before it."""
    return {
        "was": dismissal.was.value,
        "who": dismissal.who,
        "seen": dismissal.seen.value,
        "folder": str(dismissal.folder) if dismissal.folder is not None else None,
        "when": time_text(dismissal.when),
    }


def conflict_json(conflict: PathConflict) -> dict[str, Any]:
    return {
        "step": conflict.step,
        "path": conflict.path,
        "other_plan": conflict.other_plan,
        "other_step": conflict.other_step,
        "other_path": conflict.other_path,
    }


_LINK_MODE = "120000"


def step_json(step: Step) -> dict[str, Any]:
    printed: dict[str, Any] = {"step": step.number, "id": step.id, "op": step.op.value, "path": step.path}
    if step.to is not None:
        printed["to"] = step.to
    printed["state"] = step.state.value
    if step.unit is not None:
        printed["unit"] = step.unit
    modes = [side.git_mode if side is not None else None for side in (step.base, step.result)]
    if step.mode_change is not None or _LINK_MODE in modes:
        printed["mode"] = modes
    printed |= {
        "base_sha256": step.base.sha256 if step.base is not None else None,
        "result_sha256": step.result.sha256 if step.result is not None else None,
        "decided_sha256": step.decided_sha256,
        "added": step.added,
        "removed": step.removed,
        "hunks": [_hunk_json(hunk) for hunk in step.hunks],
        "problems": [problem_json(problem) for problem in step.problems],
        "facts": [_fact_json(fact) for fact in step.facts],
    }
    if step.reason:
        printed["reason"] = step.reason
    if step.recontext:
        printed["recontext"] = step.recontext
    if step.rebased_from is not None:
        printed["rebased"] = True
    if step.decision is not None:
        printed["decision"] = _decision_json(step.decision)
    return printed


def _decision_json(decision: Decision) -> dict[str, Any]:
    printed: dict[str, Any] = {
        "verdict": decision.verdict.value,
        **seen_json(decision),
        "folder": str(decision.folder) if decision.folder is not None else None,
        "when": time_text(decision.when),
        "text": decision.text,
        "edited": decision.edited,
    }
    if decision.comments:
        printed["comments"] = [
            {"side": comment.side, "line": comment.line, "text": comment.text}
            for comment in decision.comments
        ]
    return printed


def seen_json(decision: Decision | None) -> dict[str, str | None]:
    """Return who decided and how they were seen; null if unknown.

    Both are null where no one decided.
    """
    if decision is None:
        return {"who": None, "seen": None}
    return {"who": decision.who, "seen": decision.seen.value if decision.seen is not None else None}


def problem_json(problem: Problem) -> dict[str, Any]:
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "message": problem.message,
        "hint": problem.hint,
        "at": problem.at,
        **_position(problem),
        **({"count": problem.count} if problem.count != 1 else {}),
    }


def error_json(error: StudioError) -> dict[str, Any]:
    printed: dict[str, Any] = {
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
        "registry": error.registry,
        "severity": error.severity.value,
        "retryable": error.retryable,
    }
    if error.path is not None:
        printed["path"] = error.path
    if isinstance(error, engine.ApplyRefused | engine.Drifted):
        listed = error.problems.items()
        printed["problems"] = [{"step": step, **problem_json(problem)} for step, problem in listed]
    if isinstance(error, engine.ConfigRefused):
        printed["problems"] = [problem_json(problem) for problem in error.problems]
    return {"error": printed}


def history_json(entry: HistoryEntry) -> dict[str, Any]:
    return {
        "plan": entry.plan.id,
        "title": entry.plan.title,
        "agent": entry.plan.agent,
        "state": entry.state.value,
        "applied": time_text(entry.applied_at),
        "files": entry.files,
        "added": entry.added if entry.is_counted else None,
        "removed": entry.removed if entry.is_counted else None,
        "rolls_back": entry.rolls_back,
        "rolled_back_by": entry.rolled_back_by,
        "kept": entry.kept,
        "part": entry.part,
        "parts": len(entry.plan.parts),
        "discarded": _discarded_json(entry),
        **seen_json(entry.decision),
    }


def _discarded_json(entry: HistoryEntry) -> dict[str, str | None] | None:
    """Return when and by whom undo was discarded; `who` null: expired."""
    part = entry.discarded
    if part is None or part.discarded is None:
        return None
    how = part.discarded_seen.value if part.discarded_seen is not None else None
    return {"when": time_text(part.discarded), "who": part.discarded_by, "seen": how}


def loss_json(loss: UndoLoss) -> dict[str, Any]:
    """Return what can't be rolled back any more, and what was freed.

    `contents` counts the freed contents, `freed` their bytes as compressed.
    """
    return {
        "plan": loss.plan.id,
        "title": loss.plan.title,
        "files": list(loss.paths),
        "contents": loss.contents,
        "freed": loss.freed,
    }


def retention_json(report: RetentionReport) -> dict[str, Any]:
    return {
        "plans": report.limits.plans,
        "days": report.limits.days,
        "bytes": report.limits.bytes,
        "used": report.size,
        "kept": list(dict.fromkeys(undo.plan_id for undo in report.retained)),
        "next_to_go": list(dict.fromkeys(undo.plan_id for undo in report.due)),
        "kept_parts": [[undo.plan_id, undo.part] for undo in report.retained],
        "parts_to_go": [[undo.plan_id, undo.part] for undo in report.due],
        "keeps_next": report.keeps_next,
        "discarded": report.discarded,
    }


def interrupted_json(file: InterruptedFile) -> dict[str, Any]:
    """Return an interrupted file; `found` is before, after, neither, or null.

    It states what the path held before recovery.
    """
    return {
        "plan": file.plan_id,
        "path": file.path,
        "before_sha256": file.before.sha256 if file.before is not None else None,
        "after_sha256": file.after.sha256 if file.after is not None else None,
        "found": file.disk_state.value if file.disk_state is not None else None,
    }


def preview_json(preview: RollbackPreview) -> dict[str, Any]:
    """Return what a rollback would do, and the error it would raise."""
    return {
        "rolls_back": preview.plan.id,
        "title": preview.plan.title,
        "dry_run": True,
        "steps": [_rollback_file_json(file) for file in preview.files],
        **(error_json(preview.refusal) if preview.refusal is not None else {}),
    }


def rollback_json(plan: Plan, preview: RollbackPreview) -> dict[str, Any]:
    """Return the rollback plan; `taken_back` has the result for each original step."""
    return {**plan_json(plan), "taken_back": [_rollback_file_json(file) for file in preview.files]}


def commit_json(commit: CommitMessage) -> dict[str, Any]:
    """Return a commit message, and the paths to commit in plan order."""
    return {"message": commit.text, "paths": list(commit.paths)}


def _rollback_file_json(file: RollbackFile) -> dict[str, Any]:
    """Return one file of a rollback.

    `does` is what is written for it, null where the file stays; `saved_as` names a copy made beside it.
    """
    printed: dict[str, Any] = {
        "step": file.step,
        "path": file.path,
        "effect": file.effect.value,
        "standing": file.disk_status.value,
        "drifted": file.drifted,
        "way": file.resolution.value.replace("_", "-") if file.resolution is not None else None,
        "message": file.sentence,
        "added": file.added,
        "removed": file.removed,
        "does": _deed_json(file.does) if file.does is not None else None,
    }
    if file.saved_as is not None:
        printed["saved_as"] = file.saved_as
    if file.problem is not None:
        printed["problem"] = problem_json(file.problem)
    return printed


def _deed_json(step: Step) -> dict[str, Any]:
    """Return a step of a rollback, without who decided it and when."""
    keys = ("op", "path", "to", "mode", "base_sha256", "result_sha256")
    return {name: value for name, value in step_json(step).items() if name in keys}


def session_json(session: Session) -> dict[str, Any]:
    return {
        "session": session.id,
        "agent": session.agent,
        "door": session.door,
        "state": session.state.value,
        "since": time_text(session.since),
        "last": time_text(session.last),
        "plans": list(session.plans),
    }


def call_json(call: ToolCall) -> dict[str, Any]:
    document: dict[str, Any] = {
        "call": call.id,
        "session": call.session,
        "agent": call.agent,
        "tool": call.tool,
    }
    if call.command:
        document["command"] = call.command
    document |= {"cwd": call.cwd, "state": call.state.value, "since": time_text(call.since)}
    decision = call.decision
    if decision is not None:
        document["decision"] = {
            "verdict": "allow" if decision.is_allowed else "deny",
            "who": decision.who,
            "seen": decision.seen.value,
            "when": time_text(decision.when),
            "text": decision.text,
        }
    return document


def verdict_json(verdict: PathVerdict) -> dict[str, Any]:
    return {
        "path": verdict.path,
        "allowed": verdict.allowed,
        "rule": verdict.rule,
        "level": verdict.level,
        "reason": verdict.reason,
        "hint": verdict.hint,
    }


def _hunk_json(hunk: HunkRange) -> dict[str, Any]:
    return {
        "hunk": hunk.hunk,
        "old_start": hunk.old_start,
        "old_lines": hunk.old_lines,
        "new_start": hunk.new_start,
        "new_lines": hunk.new_lines,
        "chosen": hunk.chosen if isinstance(hunk.chosen, bool) else sorted(hunk.chosen),
    }


def _fact_json(fact: Fact) -> dict[str, Any]:
    printed: dict[str, Any] = {"kind": fact.kind, "severity": fact.severity.value, "message": fact.message}
    if fact.side is not None:
        printed["side"] = fact.side
    return {**printed, **_position(fact)}


def _position(value: Problem | Fact) -> dict[str, int]:
    place = {"line": value.line, "column": value.column}
    return {name: number for name, number in place.items() if number is not None}


def snapshot_json(record: SnapshotRecord) -> dict[str, Any]:
    return {
        "snapshot": record.id,
        "tag": record.tag,
        "created": time_text(record.created),
        "files": record.files,
        "bytes": record.bytes,
        "commit": record.commit,
    }


def snapshots_json(found: Sequence[SnapshotRecord], use: DiskUse) -> dict[str, Any]:
    return {"snapshots": [snapshot_json(record) for record in found], "used": use.used, "cap": use.cap}


def observed_json(change: ObservedChange) -> dict[str, Any]:
    printed: dict[str, Any] = {"observed": change.id, "op": change.op.value, "path": change.path}
    if change.to is not None:
        printed["to"] = change.to
    printed |= {
        "before_sha256": change.before.sha256 if change.before is not None else None,
        "after_sha256": change.after.sha256 if change.after is not None else None,
        "seen": time_text(change.seen),
        "hints": list(change.hints),
        "state": change.state.value,
    }
    if change.group is not None:
        printed["group"] = change.group.name
    if change.is_before_unknown:
        printed["before_unknown"] = True
    return printed


def dry_run_json(preview: RestorePreview) -> dict[str, Any]:
    """Return what a restore would do, and the error it would raise."""
    return {
        "title": preview.title,
        "dry_run": True,
        "steps": [step_json(step) for step in preview.steps],
        "unplanned": list(preview.unplanned),
        "left_out": dict(preview.left_out),
        **(error_json(preview.refusal) if preview.refusal is not None else {}),
    }
