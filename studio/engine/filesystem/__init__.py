"""Filesystem interface for agents' file tools; backends: disk, memory, overlay."""

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.engine.filesystem.base import BackedFilesystem
    from studio.engine.filesystem.globbing import Glob
    from studio.engine.filesystem.host import HostFilesystem
    from studio.engine.filesystem.host_snapshots import HostSnapshots
    from studio.engine.filesystem.memory import InMemoryFilesystem
    from studio.engine.filesystem.overlay import OverlayFilesystem
    from studio.engine.filesystem.protocol import (
        ByteReader,
        ByteWriter,
        Filesystem,
        SnapshotableFilesystem,
        TextReader,
    )
    from studio.engine.filesystem.types import (
        MAX_READ_BYTES,
        MAX_WRITE_BYTES,
        MAX_WRITE_LENGTH,
        READ_ENTIRE_FILE,
        FileEntry,
        FileStat,
        FilesystemSnapshot,
        GlobMatch,
        GrepMatch,
        PathLimits,
        ReadBytesResult,
        ReadResult,
        Results,
        ScannedEntry,
        WriteMode,
        WriteResult,
    )

__all__ = [
    "MAX_READ_BYTES",
    "MAX_WRITE_BYTES",
    "MAX_WRITE_LENGTH",
    "READ_ENTIRE_FILE",
    "BackedFilesystem",
    "ByteReader",
    "ByteWriter",
    "FileEntry",
    "FileStat",
    "Filesystem",
    "FilesystemSnapshot",
    "Glob",
    "GlobMatch",
    "GrepMatch",
    "HostFilesystem",
    "HostSnapshots",
    "InMemoryFilesystem",
    "OverlayFilesystem",
    "PathLimits",
    "ReadBytesResult",
    "ReadResult",
    "Results",
    "ScannedEntry",
    "SnapshotableFilesystem",
    "TextReader",
    "WriteMode",
    "WriteResult",
]

__getattr__ = late_names(
    __name__,
    {
        "studio.engine.filesystem.base": "BackedFilesystem",
        "studio.engine.filesystem.globbing": "Glob",
        "studio.engine.filesystem.host": "HostFilesystem",
        "studio.engine.filesystem.host_snapshots": "HostSnapshots",
        "studio.engine.filesystem.memory": "InMemoryFilesystem",
        "studio.engine.filesystem.overlay": "OverlayFilesystem",
        "studio.engine.filesystem.protocol": (
            "ByteReader ByteWriter Filesystem SnapshotableFilesystem TextReader"
        ),
        "studio.engine.filesystem.types": (
            "MAX_READ_BYTES MAX_WRITE_BYTES MAX_WRITE_LENGTH READ_ENTIRE_FILE FileEntry FileStat "
            "FilesystemSnapshot GlobMatch GrepMatch PathLimits ReadBytesResult ReadResult Results "
            "ScannedEntry WriteMode WriteResult"
        ),
    },
)
