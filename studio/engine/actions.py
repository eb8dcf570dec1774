"""The file manager under its older module name."""

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
