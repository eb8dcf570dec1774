"""Snapshot manifest of data git trees lack: full modes, empty folders, exclusions.

Git has two modes for files, none for folders, and no empty folders.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import field
from msgspec.structs import asdict

from studio.engine.snapshot_store.git_names import git_path, path_of
from studio.errors import SnapshotError
from studio.values import Value

VERSION = 1
_DAMAGED = "snapshot.damaged"

FILE_MODE, PROGRAM_MODE, FOLDER_MODE = 0o644, 0o755, 0o755


class Manifest(Value):
    """Metadata of one snapshot; `files` and `bytes` include symbolic links.

    `file_mode`, `program_mode` and `folder_mode` are the permission bits of all entries that are not in
    `modes`. `left_out` maps the path of an entry that was not stored to the reason; a restore never touches
    it.
    """

    files: int = 0
    bytes: int = 0
    file_mode: int = FILE_MODE
    program_mode: int = PROGRAM_MODE
    folder_mode: int = FOLDER_MODE
    modes: Mapping[str, int] = field(default_factory=dict[str, int])
    empty_folders: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def usual_modes(self) -> tuple[int, int, int]:
        """Permission bits of files, of executables and of folders."""
        return (self.file_mode, self.program_mode, self.folder_mode)

    def to_bytes(self) -> bytes:
        """Serialize as JSON, with paths in git's form."""
        fields: dict[str, Any] = asdict(self) | {
            "version": VERSION,
            "modes": {git_path(path): mode for path, mode in self.modes.items()},
            "empty_folders": [git_path(path) for path in self.empty_folders],
            "left_out": {git_path(path): why for path, why in self.left_out.items()},
        }
        return json.dumps(fields, indent=0, sort_keys=True).encode()


def manifest_of(data: bytes) -> Manifest:
    """Parse what `to_bytes` returned.

    Raises SnapshotError for anything else.
    """
    try:
        fields: dict[str, Any] = json.loads(data)
        if fields.pop("version") != VERSION:
            raise SnapshotError(
                "snapshot.newer",
                "The snapshot was created by a newer Exacta Studio.",
                "Restore it with that version.",
            )
        modes: dict[str, int] = fields.pop("modes")
        empty: list[str] = fields.pop("empty_folders")
        excluded: dict[str, str] = fields.pop("left_out")
        manifest = Manifest(
            **fields,
            modes={path_of(path): mode for path, mode in modes.items()},
            empty_folders=tuple(map(path_of, empty)),
            left_out={path_of(path): why for path, why in excluded.items()},
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise unreadable() from error
    numbers = (
        manifest.files,
        manifest.bytes,
        manifest.file_mode,
        manifest.program_mode,
        manifest.folder_mode,
    )
    if not all(type(number) is int and number >= 0 for number in (*numbers, *manifest.modes.values())):
        raise unreadable()
    return manifest


def is_damage(error: SnapshotError) -> bool:
    """Return whether the error was created by `unreadable`."""
    return error.code == _DAMAGED


def unreadable() -> SnapshotError:
    """Return the error for a snapshot whose contents are damaged."""
    return SnapshotError(
        _DAMAGED,
        "The snapshot can't be read: its stored data is damaged.",
        "Delete it, and create a new one.",
    )
