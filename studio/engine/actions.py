"""The file manager under its older name (contract 10)."""

from studio.files.manager import (
    MARKDOWN_ALONE,
    Action,
    ActionKind,
    ActionStatus,
    AppendError,
    FileAlreadyExistsError,
    FileNotFoundError,
    FileSystemManager,
    FileSystemManagerError,
    PathTraversalError,
    WriteError,
    carry_out,
)

__all__ = [
    "MARKDOWN_ALONE",
    "Action",
    "ActionKind",
    "ActionStatus",
    "AppendError",
    "FileAlreadyExistsError",
    "FileNotFoundError",
    "FileSystemManager",
    "FileSystemManagerError",
    "PathTraversalError",
    "WriteError",
    "carry_out",
]
