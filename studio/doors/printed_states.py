"""Snapshots, and what was observed against the newest, as JSON (contract 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from studio.doors.printed import error_json, step_json
from studio.engine.observed_change import ObservedChange
from studio.engine.plan import time_text
from studio.engine.snapshots import DiskUse, RestorePreview, SnapshotRecord


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
    """What restoring would do; with the error that it would end with, if it would."""
    return {
        "title": preview.title,
        "dry_run": True,
        "steps": [step_json(step) for step in preview.steps],
        "unplanned": list(preview.unplanned),
        "left_out": dict(preview.left_out),
        **(error_json(preview.refusal) if preview.refusal is not None else {}),
    }
