"""Journal entry types, and the leaf that carries out requests.

Names are imported lazily: a store needs the entries alone, and no leaf.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.branch import (
        Daemon,
        DaemonStateError,
        DaemonStatus,
        FailureOccurred,
        FileJournal,
        MockFS,
        MockFSConfig,
        MockFSDaemon,
        PosixFSDaemon,
        StatusChanged,
        WindowsFS,
        WindowsFSConfig,
        WindowsFSDaemon,
    )
    from studio.engine.branch.entries import (
        RECORD_TYPES,
        REPLY_TYPES,
        Content,
        CreateMode,
        DirectoryCreate,
        DirectoryCreated,
        Entry,
        FileContent,
        FileContentChunk,
        FileDelete,
        FileDeleted,
        FileFault,
        FileList,
        FileListing,
        FileMetadata,
        FileModeChanged,
        FileModeSet,
        FileMove,
        FileMoved,
        FileRead,
        FileStat,
        FileWrite,
        FileWriteChunk,
        FileWritten,
        JournalUpgraded,
        Record,
        Request,
        SessionChange,
        SessionListing,
        SessionRead,
        UndoDiscarded,
        WritingRequest,
        payload_of,
        to_json,
    )
    from studio.engine.branch.journal import (
        Journal,
        MemoryJournal,
        Positioned,
    )
    from studio.engine.branch.leaf import (
        Leaf,
        LeafSettings,
    )
    from studio.engine.branch.posix import (
        PosixFS,
        PosixFSConfig,
    )
    from studio.engine.errors import FaultKind

_MODULES = {
    "entries": (
        "CreateMode DirectoryCreate DirectoryCreated Entry FileContent FileContentChunk "
        "FileDelete FileDeleted FileFault FileList FileListing FileMetadata FileModeChanged "
        "FileModeSet FileMove FileMoved FileRead FileStat FileWrite FileWriteChunk FileWritten "
        "Content JournalUpgraded RECORD_TYPES REPLY_TYPES Record Request SessionChange SessionListing "
        "SessionRead UndoDiscarded WritingRequest "
        "payload_of to_json"
    ),
    "journal": "Journal MemoryJournal Positioned",
    "leaf": "Leaf LeafSettings",
    "posix": "PosixFS PosixFSConfig",
}

__all__ = [
    "RECORD_TYPES",
    "REPLY_TYPES",
    "Content",
    "CreateMode",
    "Daemon",
    "DaemonStateError",
    "DaemonStatus",
    "DirectoryCreate",
    "DirectoryCreated",
    "Entry",
    "FailureOccurred",
    "FaultKind",
    "FileContent",
    "FileContentChunk",
    "FileDelete",
    "FileDeleted",
    "FileFault",
    "FileJournal",
    "FileList",
    "FileListing",
    "FileMetadata",
    "FileModeChanged",
    "FileModeSet",
    "FileMove",
    "FileMoved",
    "FileRead",
    "FileStat",
    "FileWrite",
    "FileWriteChunk",
    "FileWritten",
    "Journal",
    "JournalUpgraded",
    "Leaf",
    "LeafSettings",
    "MemoryJournal",
    "MockFS",
    "MockFSConfig",
    "MockFSDaemon",
    "Positioned",
    "PosixFS",
    "PosixFSConfig",
    "PosixFSDaemon",
    "Record",
    "Request",
    "SessionChange",
    "SessionListing",
    "SessionRead",
    "StatusChanged",
    "UndoDiscarded",
    "WindowsFS",
    "WindowsFSConfig",
    "WindowsFSDaemon",
    "WritingRequest",
    "payload_of",
    "to_json",
]


def __getattr__(name: str) -> object:
    if name == "FaultKind":
        return import_module("studio.engine.errors").FaultKind
    for module, names in _MODULES.items():
        if name in names.split():
            return getattr(import_module(f"studio.engine.branch.{module}"), name)
    if name in __all__:
        return getattr(import_module("studio.branch"), name)
    raise AttributeError(name)
