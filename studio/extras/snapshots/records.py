"""Snapshot records as JSON in commit messages: publish, list, find, read."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from studio.engine.snapshot_store import Captured, ObjectFolder, StoredTree, unreadable
from studio.engine.store.rows import now
from studio.errors import NotFound, SnapshotError, UsageError
from studio.names import show_name
from studio.values import Value

BASELINE: Final = "baseline"
"""Tag and name of the automatic snapshot that changes are compared with."""

_SHORTEST_PREFIX = 4


class SnapshotRecord(Value):
    """Metadata of one snapshot.

    `files` and `bytes` count what it contains, `left_out` what could not be stored; `commit` is a hex id. The
    tag "baseline" is reserved for the app's own snapshot.
    """

    id: str
    tag: str
    created: datetime
    files: int
    bytes: int
    left_out: int
    commit: str

    @property
    def short_id(self) -> str:
        """First eight hex digits of the id."""
        return self.id[:8]

    @property
    def is_baseline(self) -> bool:
        return self.id == BASELINE

    @property
    def name(self) -> str:
        """Display name: the tag, or the short id if there is none."""
        return self.tag or self.short_id


def publish(
    objects: ObjectFolder, captured: Captured, tag: str, *, snapshot_id: str | None = None
) -> SnapshotRecord:
    """Store a captured state durably as a snapshot.

    Raises SnapshotError.
    """
    manifest, created = captured.manifest, now()
    name = snapshot_id or str(uuid.uuid4())
    fields: dict[str, str | int] = {
        "snapshot": name,
        "tag": tag,
        "created": created.isoformat(),
        "files": manifest.files,
        "bytes": manifest.bytes,
        "left_out": len(manifest.left_out),
    }
    commit = objects.write_commit(captured.tree, created, json.dumps(fields))
    objects.publish(name, commit)
    return record_of(fields, commit)


def records(objects: ObjectFolder) -> tuple[SnapshotRecord, ...]:
    """Return all readable snapshots, oldest first."""
    return tuple(sorted(_yield_readable(objects), key=lambda record: (record.created, record.id)))


def _yield_readable(objects: ObjectFolder) -> Iterator[SnapshotRecord]:
    for name in objects.names():
        try:
            yield read_record(objects, objects.read_ref(name))
        except (SnapshotError, NotFound):
            continue


def damaged(objects: ObjectFolder) -> tuple[str, ...]:
    """Return the sorted ids of snapshots that can't be read."""
    readable = {record.id for record in _yield_readable(objects)}
    return tuple(name for name in objects.names() if name not in readable and name != BASELINE)


def read_record(objects: ObjectFolder, commit: str) -> SnapshotRecord:
    """Read the record in a commit.

    Raises SnapshotError where it is damaged.
    """
    _, message = objects.commit(commit)
    try:
        fields: dict[str, Any] = json.loads(message)
        return record_of(fields, commit)
    except (ValueError, TypeError, KeyError) as error:
        raise unreadable() from error


def record_of(fields: dict[str, Any], commit: str) -> SnapshotRecord:
    """Build a record from parsed JSON.

    Raises ValueError, TypeError or KeyError for invalid fields.
    """
    numbers = (fields["files"], fields["bytes"], fields["left_out"])
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError("files")
    return SnapshotRecord(
        str(fields["snapshot"]),
        str(fields["tag"]),
        datetime.fromisoformat(fields["created"]),
        *numbers,
        commit,
    )


def find(objects: ObjectFolder, wanted: str) -> SnapshotRecord:
    """Find a snapshot by id, unique id prefix, or tag.

    Of several with the tag the newest is returned. Raises NotFound, or UsageError for an ambiguous prefix.
    """
    stored = records(objects)
    tagged = [record for record in stored if record.tag and record.tag == wanted]
    if tagged:
        return tagged[-1]
    found = [record for record in stored if record.id.startswith(wanted)]
    if len(wanted) < _SHORTEST_PREFIX or not found:
        raise NotFound(
            "snapshot.missing",
            f"There is no snapshot {show_name(wanted)}.",
            "Choose an existing snapshot.",
        )
    if len(found) > 1:
        raise UsageError(
            "snapshot.ambiguous",
            f"{len(found)} snapshots start with {show_name(wanted)}.",
            "Specify more of the id.",
        )
    return found[0]


def tree_of(objects: ObjectFolder, record: SnapshotRecord) -> StoredTree:
    """Return a snapshot's stored tree.

    Raises SnapshotError where it is damaged.
    """
    return StoredTree(objects, objects.commit(record.commit)[0])
