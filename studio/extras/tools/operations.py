"""Descriptions of the file system tool's operations, as data.

Python, the command line, the documentation and every door that offers them to a model use these.
`FileSystemTool` has a method for each, with these parameters and defaults; `schemas` makes JSON Schemas.
"""

from __future__ import annotations

from typing import Final

from studio.errors import UsageError
from studio.extras.tools.results import (
    BulkResult,
    DirectoryListingResult,
    FileContentResult,
    FileExistsResult,
    FileInfoResult,
    FileOperationResult,
    SearchResult,
)
from studio.extras.tools.shapes import Kind, Parameter, Shape
from studio.limits import (
    FILE_BYTES,
    FILESYSTEM_MATCHES_UP_TO,
    FILESYSTEM_WRITE_CHARACTERS,
    PATH_BYTES,
    PATTERN_CHARACTERS,
    SEARCH_EXPRESSION_CHARACTERS,
    TOOL_FILES_UP_TO,
    TOOL_OPERATIONS_UP_TO,
)
from studio.names import show_name
from studio.values import Value


class Operation(Value):
    """One operation: its `name` for models, and `method` of `FileSystemTool`.

    `changes`: it changes files, at once or as a plan. `in_python` are parameters that only Python callers
    have.
    """

    name: str
    method: str
    words: str
    parameters: tuple[Parameter, ...]
    result: Shape
    changes: bool = False
    in_python: tuple[str, ...] = ()


MEGABYTES: Final = FILE_BYTES // (1024 * 1024)

_FILE = Parameter("file_path", Kind.STRING, "Path in the project.", most=PATH_BYTES)
_FOLDER = Parameter("directory_path", Kind.STRING, 'The folder; "." is the root.', most=PATH_BYTES)
_PATH = Parameter("path", Kind.STRING, "A file or folder.", most=PATH_BYTES)
_CONTENT = Parameter("content", Kind.STRING, "Exact text.", most=FILESYSTEM_WRITE_CHARACTERS)
_ENCODING = Parameter(
    "encoding",
    Kind.STRING,
    "utf-8 keeps the file's own; or one like windows-1252.",
    "utf-8",
    most=PATTERN_CHARACTERS,
)
_PATTERN = Parameter(
    "pattern",
    Kind.STRING,
    "Names (*, ?, {a,b}, [abc]); with a slash, paths.",
    "*",
    most=PATTERN_CHARACTERS,
)
_HIDDEN = Parameter("include_hidden", Kind.BOOLEAN, "Include dotfiles.", False)
_DEPTH = Parameter("max_depth", Kind.INTEGER, "Maximum depth; 0: no limit.", 0, least=0)
_FROM = Parameter("source_path", Kind.STRING, "The file.", most=PATH_BYTES)
_TO = Parameter("destination_path", Kind.STRING, "The new path.", most=PATH_BYTES)
_OVER = Parameter("overwrite", Kind.BOOLEAN, "Replace an existing file.", False)
_CONFIRM = Parameter(
    "confirm",
    Kind.BOOLEAN,
    "For direct changes; a plan waits for review.",
    False,
)

READ: Final = Operation(
    "read_file",
    "read",
    "Read a text file.",
    (
        _FILE,
        _ENCODING,
        Parameter(
            "max_size_mb",
            Kind.INTEGER,
            "Maximum file size in MiB; can only lower the limit.",
            MEGABYTES,
            least=1,
        ),
        Parameter("max_lines", Kind.INTEGER, "Maximum lines; 0: no limit.", 0, least=0),
        Parameter("skip_lines", Kind.INTEGER, "Lines to skip.", 0, least=0),
    ),
    FileContentResult.SHAPE,
)
WRITE: Final = Operation(
    "write_file",
    "write",
    "Create or replace a text file.",
    (
        _FILE,
        _CONTENT,
        _ENCODING,
        Parameter(
            "create_backup",
            Kind.BOOLEAN,
            "For direct changes; a plan has undo data.",
            True,
        ),
        Parameter("overwrite", Kind.BOOLEAN, "Replace an existing file.", True),
    ),
    FileOperationResult.SHAPE,
    changes=True,
)
APPEND: Final = Operation(
    "append_file",
    "append",
    "Append text to a text file.",
    (_FILE, _CONTENT, _ENCODING),
    FileOperationResult.SHAPE,
    changes=True,
)
LIST: Final = Operation(
    "list_directory",
    "list",
    "List a folder: folders first, then files.",
    (
        _FOLDER,
        _PATTERN,
        Parameter("recursive", Kind.BOOLEAN, "Include subfolders.", False),
        _HIDDEN,
        _DEPTH,
    ),
    DirectoryListingResult.SHAPE,
)
TREE: Final = Operation(
    "directory_tree",
    "tree",
    "List a folder recursively.",
    (_FOLDER, _PATTERN, _HIDDEN, _DEPTH),
    DirectoryListingResult.SHAPE,
)
CREATE_DIRECTORY: Final = Operation(
    "create_directory",
    "create_directory",
    "Create a folder if it is missing.",
    (_FOLDER, Parameter("recursive", Kind.BOOLEAN, "Create parent folders.", True)),
    FileOperationResult.SHAPE,
    changes=True,
)
COPY: Final = Operation(
    "copy_file", "copy", "Copy a file.", (_FROM, _TO, _OVER), FileOperationResult.SHAPE, changes=True
)
MOVE: Final = Operation(
    "move_file",
    "move",
    "Move or rename a file or folder.",
    (_FROM, _TO, _OVER, _CONFIRM),
    FileOperationResult.SHAPE,
    changes=True,
)
DELETE: Final = Operation(
    "delete_file",
    "delete",
    "Delete a file, or a folder.",
    (_PATH, Parameter("recursive", Kind.BOOLEAN, "Delete a folder and its contents.", False), _CONFIRM),
    FileOperationResult.SHAPE,
    changes=True,
)
EXISTS: Final = Operation(
    "file_exists", "exists", "Check whether a file or folder exists.", (_PATH,), FileExistsResult.SHAPE
)
INFO: Final = Operation(
    "get_file_info",
    "info",
    "Size, dates and permissions of a file or folder.",
    (_PATH,),
    FileInfoResult.SHAPE,
)
SEARCH: Final = Operation(
    "search_files",
    "search",
    "Find lines in text files by regular expression.",
    (
        _FOLDER,
        Parameter(
            "text",
            Kind.STRING,
            "Regular expression, of one line.",
            most=SEARCH_EXPRESSION_CHARACTERS,
        ),
        _PATTERN,
        Parameter("max_matches", Kind.INTEGER, "Maximum matches.", FILESYSTEM_MATCHES_UP_TO, least=1),
    ),
    SearchResult.SHAPE,
)
BULK: Final = Operation(
    "bulk_operations",
    "bulk",
    f"Run up to {TOOL_FILES_UP_TO} operations; all changes apply, or none.",
    (
        Parameter(
            "operations",
            Kind.LIST,
            'In order: objects with "operation" (an operation\'s name) and its parameters.',
            most=TOOL_OPERATIONS_UP_TO,
        ),
        _CONFIRM,
    ),
    BulkResult.SHAPE,
    changes=True,
    in_python=("progress", "cancel"),
)

OPERATIONS: Final = (
    *(READ, WRITE, APPEND, LIST, TREE, CREATE_DIRECTORY, COPY, MOVE, DELETE, EXISTS, INFO, SEARCH, BULK),
)
"""Every operation of the tool."""

_BY_NAME = {operation.name: operation for operation in OPERATIONS}


def operation_named(name: str) -> Operation:
    """Return the operation of that name.

    Raises UsageError.
    """
    found = _BY_NAME.get(name)
    if found is None:
        raise UsageError(
            "tool.operation",
            f"There is no operation {show_name(name)}.",
            f"Use one of {', '.join(_BY_NAME)}.",
        )
    return found
