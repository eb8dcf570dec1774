"""File tools offered to agents: read, list, search and change files.

Implementations are imported on access: a door that only describes the tools needs no filesystem.
"""

from __future__ import annotations

from importlib import import_module
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

_MODULES = {
    "FileSystemSecurityPolicy": "security_policy",
    "FileSystemTool": "tool",
    "Proposals": "context",
    "ToolContext": "context",
    "other_folders": "context",
}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return getattr(import_module(f"studio.extras.tools.{_MODULES[name]}"), name)
    raise AttributeError(name)
