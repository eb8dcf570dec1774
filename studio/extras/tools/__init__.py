"""File tools offered to agents: read, list, search and change files.

Implementations are imported on access: a door that only describes the tools needs no filesystem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.extras.tools.operations import OPERATIONS, Operation, operation_named
from studio.extras.tools.results import (
    BulkItem,
    BulkResult,
    DirectoryListingResult,
    FileContentResult,
    FileExistsResult,
    FileInfoResult,
    FileOperationError,
    FileOperationResult,
    FileSystemItem,
    SearchMatch,
    SearchResult,
    UnseenEntry,
)
from studio.extras.tools.schemas import checked_arguments, input_schema, output_schema, tool_schemas
from studio.extras.tools.shapes import ANY, Field, Kind, Parameter, Shape, as_json
from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.extras.tools.context import Proposals, ToolContext, other_folders
    from studio.extras.tools.security_policy import FileSystemSecurityPolicy
    from studio.extras.tools.tool import FileSystemTool

__all__ = [
    "ANY",
    "OPERATIONS",
    "BulkItem",
    "BulkResult",
    "DirectoryListingResult",
    "Field",
    "FileContentResult",
    "FileExistsResult",
    "FileInfoResult",
    "FileOperationError",
    "FileOperationResult",
    "FileSystemItem",
    "FileSystemSecurityPolicy",
    "FileSystemTool",
    "Kind",
    "Operation",
    "Parameter",
    "Proposals",
    "SearchMatch",
    "SearchResult",
    "Shape",
    "ToolContext",
    "UnseenEntry",
    "as_json",
    "checked_arguments",
    "input_schema",
    "operation_named",
    "other_folders",
    "output_schema",
    "tool_schemas",
]

__getattr__ = late_names(
    __name__,
    {
        "studio.extras.tools.context": "Proposals ToolContext other_folders",
        "studio.extras.tools.security_policy": "FileSystemSecurityPolicy",
        "studio.extras.tools.tool": "FileSystemTool",
    },
)
