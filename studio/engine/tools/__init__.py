"""The tools that an agent is offered, described once: files read, listed, searched and changed (R198)."""

from studio.engine.tools.context import Proposals, ToolContext, other_folders
from studio.engine.tools.operations import OPERATIONS, Operation, operation_named
from studio.engine.tools.results import (
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
from studio.engine.tools.schemas import checked_arguments, input_schema, output_schema, tool_schemas
from studio.engine.tools.security_policy import FileSystemSecurityPolicy
from studio.engine.tools.shapes import ANY, Field, Kind, Parameter, Shape, as_json
from studio.engine.tools.tool import FileSystemTool

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
