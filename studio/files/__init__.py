"""File creation and appending without review, for programs that embed the engine.

No door and no window imports it.
"""

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
