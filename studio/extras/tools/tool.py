"""File system tool for one agent: read, list, search and change."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any, Protocol, TypeVar, cast

from msgspec.structs import replace

from studio.engine.filesystem import FileStat, WriteMode, refusals
from studio.engine.root import EntryKind
from studio.engine.root.opening import link_refused
from studio.errors import AccessDenied, FileMissing, InvalidPath, NeedsPerson, StudioError, UsageError
from studio.extras.tools import operations as known
from studio.extras.tools.bulk import Bulk, Progress
from studio.extras.tools.changes import Changes, Effect
from studio.extras.tools.context import CONFIRM_HINT, OtherFolder, ToolContext
from studio.extras.tools.file_text import (
    bytes_to_append,
    bytes_to_write,
    content_of,
    requested_encoding,
)
from studio.extras.tools.listing import ListingOptions, list_folder, tree_of
from studio.extras.tools.operations import Operation, operation_named
from studio.extras.tools.results import (
    BulkResult,
    DirectoryListingResult,
    EntryType,
    FileContentResult,
    FileExistsResult,
    FileInfoResult,
    FileOperationResult,
    SearchMatch,
    SearchResult,
    UnseenEntry,
    extension_of,
)
from studio.extras.tools.schemas import checked_arguments
from studio.extras.tools.shapes import Shaped, as_json
from studio.extras.tools.written_changes import replace_file
from studio.limits import FILESYSTEM_MATCHES_UP_TO
from studio.names import show_name
from studio.program.log_file import LOGGER

# Read operations on external folders that the configuration allows.
#
# Such a folder is named by an absolute path, and only read. A tool of its own executes the operation, on
# files that are opened for that one call; results and errors then have absolute paths.

_Method = TypeVar("_Method", bound=Callable[..., Any])


class _Tool(Protocol):
    def __init__(self, context: ToolContext) -> None: ...

    @property
    def context(self) -> ToolContext: ...


def allow_external_folders(parameter: str) -> Callable[[_Method], _Method]:
    """Decorate a read operation to accept paths in external folders.

    Its first parameter is the path, of this name.
    """

    def decorate(method: _Method) -> _Method:
        @wraps(method)
        def carried_out(tool: _Tool, *args: Any, **kwargs: Any) -> Any:
            path = args[0] if args else kwargs.get(parameter)
            found = None
            if path is not None and tool.context.others:
                found = tool.context.find_external_folder(path)
            if found is None:
                return method(tool, *args, **kwargs)
            folder, beneath = found
            if args:
                args = (beneath, *args[1:])
            else:
                kwargs[parameter] = beneath
            with _open_tool(tool, folder) as (other, named):
                return _to_absolute_result(method(other, *args, **kwargs), named)

        return cast("_Method", carried_out)

    return decorate


@contextmanager
def _open_tool(tool: _Tool, folder: OtherFolder) -> Generator[tuple[_Tool, str]]:
    with folder.open() as context:
        try:
            yield type(tool)(context), folder.path.as_posix()
        except StudioError as error:
            raise error.within(folder.path.as_posix()) from None


def _to_absolute_result(result: Any, folder: str) -> Any:
    """Return a result with absolute paths."""
    name = partial(_to_absolute, folder)
    match result:
        case FileContentResult() | FileInfoResult():
            return replace(result, path=name(result.path))
        case DirectoryListingResult():
            items = tuple(replace(item, path=name(item.path)) for item in result.items)
            unseen = tuple(replace(one, path=name(one.path)) for one in result.unseen)
            return replace(result, path=name(result.path), items=items, unseen=unseen)
        case SearchResult():
            matches = tuple(replace(match, path=name(match.path)) for match in result.matches)
            unseen = tuple(replace(one, path=name(one.path)) for one in result.unseen)
            return replace(result, path=name(result.path), matches=matches, unseen=unseen)
        case _:
            return result


def _to_absolute(folder: str, path: str) -> str:
    return folder if path == "." else f"{folder.rstrip('/')}/{path}"


_MEGABYTE = 1024 * 1024


class FileSystemTool:
    """File operations of one agent session, as described in `operations.OPERATIONS`.

    Where the context has a plan, changes become part of the session's open plan; a result then has the plan
    and its state, and nothing is on disk before a person approved. Paths are relative to the root with
    slashes, or absolute within it, or, for reading, in another folder that the configuration allows, also
    with ".." at the start. A name that Windows reserves is accepted where an entry has it. Every call raises
    InvalidPath and PathTraversal for any other path, AccessDenied for what the rules deny or lock,
    LeadsOutside for a link on the way.
    """

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._changes = Changes(context)

    @property
    def context(self) -> ToolContext:
        """The context that the tool works with."""
        return self._context

    def call(self, name: str, arguments: Mapping[str, object]) -> dict[str, object]:
        """Execute an operation by name, with arguments and result as JSON.

        Raises UsageError for arguments that don't match its description, else as its method.
        """
        operation = operation_named(name)
        result = self.run(operation, checked_arguments(operation, arguments))
        return as_json(result)

    def run(self, operation: Operation, arguments: Mapping[str, object]) -> Shaped:
        """Execute an operation with validated arguments.

        Raises as its method.
        """
        method = cast("Callable[..., Shaped | bool]", getattr(self, operation.method))
        result = method(**arguments)
        if isinstance(result, bool):
            return FileExistsResult(str(arguments["path"]), result)
        return result

    @allow_external_folders("file_path")
    def read(
        self,
        file_path: str,
        encoding: str = "utf-8",
        max_size_mb: int = known.MEGABYTES,
        max_lines: int = 0,
        skip_lines: int = 0,
    ) -> FileContentResult:
        """Return the text of a file.

        `max_size_mb` can lower the limit of the rules, but not raise it. Raises FileMissing, NotAFile,
        Undecodable for what is not text, UsageError for negative numbers.
        """
        _check_numbers(max_lines=max_lines, skip_lines=skip_lines)
        _check_numbers(1, max_size_mb=max_size_mb)
        path, named = self._context.path(file_path), requested_encoding(encoding)
        files = self._context.files
        with files.open_read(path) as reader:
            self._check_size(path, reader.size, max_size_mb)
            data = reader.read()
        modified = files.stat(path).modified_at
        assert modified is not None
        return content_of(
            data,
            path,
            named=named,
            setting=self._context.setting(path),
            modified=modified,
            skip=skip_lines,
            most=max_lines,
        )

    def write(
        self,
        file_path: str,
        content: str,
        encoding: str = "utf-8",
        create_backup: bool = True,
        overwrite: bool = True,
    ) -> FileOperationResult:
        """Write text to a file in its own encoding.

        For immediate changes `create_backup` keeps the replaced file beside it; a plan has its undo instead.
        Raises FileExists without `overwrite`, NotAFile, Undecodable for a file that is not text, Refused for
        text that its encoding can't represent.
        """
        path, named = self._context.path(file_path), requested_encoding(encoding)
        files, setting = self._context.files, self._context.setting(path)
        with self._changes.call(known.WRITE.name, path) as effect:
            there = files.exists(path)
            if there and not overwrite:
                raise refusals.exists(path)
            before = self._read_content(path) if there else None
            data = bytes_to_write(content, path, before, named=named, setting=setting)
            keeps = create_backup and self._context.writes_at_once
            backup = replace_file(files, path, data, keeps_backup=keeps)
        return _build_result(known.WRITE, path, effect, size=len(data), backup=backup)

    def append(self, file_path: str, content: str, encoding: str = "utf-8") -> FileOperationResult:
        """Append text to an existing file, in its encoding.

        Raises FileMissing, else as `write`.
        """
        path, named = self._context.path(file_path), requested_encoding(encoding)
        files, setting = self._context.files, self._context.setting(path)
        with self._changes.call(known.APPEND.name, path) as effect:
            before = self._read_content(path)
            added = bytes_to_append(content, path, before, named=named, setting=setting)
            if added:
                files.write_bytes(path, added, "append")
        return _build_result(known.APPEND, path, effect, size=len(before) + len(added))

    @allow_external_folders("directory_path")
    def list(
        self,
        directory_path: str,
        pattern: str = "*",
        recursive: bool = False,
        include_hidden: bool = False,
        max_depth: int = 0,
    ) -> DirectoryListingResult:
        """List a folder's items: folders first, then files, each by path.

        `max_depth` counts levels, 1 is the folder alone, and is used only with `recursive`. Folders that the
        rules deny are listed but not entered. Raises FileMissing, NotAFolder, ValueError for an invalid
        pattern.
        """
        _check_numbers(max_depth=max_depth)
        wanted = self._build_filter(pattern, max_depth if recursive else 1, include_hidden=include_hidden)
        return list_folder(self._context.files, self._context.path(directory_path), wanted)

    @allow_external_folders("directory_path")
    def tree(
        self, directory_path: str, pattern: str = "*", include_hidden: bool = False, max_depth: int = 0
    ) -> DirectoryListingResult:
        """List as `list` with `recursive`, each folder followed by its items."""
        _check_numbers(max_depth=max_depth)
        wanted = self._build_filter(pattern, max_depth, include_hidden=include_hidden)
        return tree_of(self._context.files, self._context.path(directory_path), wanted)

    def create_directory(self, directory_path: str, recursive: bool = True) -> FileOperationResult:
        """Create a folder.

        Raises FileExists for an existing file, FileMissing where its parents are missing and not `recursive`.
        """
        path = self._context.path(directory_path)
        with self._changes.call(known.CREATE_DIRECTORY.name, path) as effect:
            self._context.files.mkdir(path, parents=recursive)
        return _build_result(known.CREATE_DIRECTORY, path, effect)

    def copy(self, source_path: str, destination_path: str, overwrite: bool = False) -> FileOperationResult:
        """Copy a file.

        From an external folder, such as one with templates, only the bytes are copied. Both paths are
        checked. Raises FileMissing, FileExists, NotAFile.
        """
        if self._context.find_external_folder(source_path) is not None:
            return self._write_destination(
                destination_path, self._read_source(source_path), overwrite=overwrite
            )
        old, new = self._context.path(source_path), self._context.path(destination_path)
        files = self._context.files
        with self._changes.call(known.COPY.name, new) as effect:
            files.copy(old, new, overwrite)
            size = files.stat(new).size_bytes
        return _build_result(known.COPY, new, effect, size=size)

    def move(
        self, source_path: str, destination_path: str, overwrite: bool = False, confirm: bool = False
    ) -> FileOperationResult:
        """Move a file or folder.

        Raises as `copy`, and NeedsPerson where a file would be replaced immediately without `confirm`.
        """
        old, new = self._context.path(source_path), self._context.path(destination_path)
        files = self._context.files
        with self._changes.call(known.MOVE.name, old, new) as effect:
            if overwrite and old != new and self._needs_confirmation and files.exists(new):
                files.stat(old)
                self._check_confirmed(new, "Replacing", confirm=confirm)
            files.move(old, new, overwrite)
            moved = files.stat(new)
        return _build_result(known.MOVE, new, effect, size=_entry_size(moved))

    def delete(self, path: str, recursive: bool = False, confirm: bool = False) -> FileOperationResult:
        """Delete a file or folder.

        Raises FileMissing, FolderNotEmpty unless `recursive`, NeedsPerson where it is deleted immediately
        without `confirm`.
        """
        place = self._context.path(path)
        files = self._context.files
        with self._changes.call(known.DELETE.name, place) as effect:
            found = files.stat(place)
            if found.is_file or recursive or not files.scan(place):
                self._check_confirmed(place, "Deleting", confirm=confirm, counts=found.is_directory)
            files.delete(place, recursive)
        return _build_result(known.DELETE, place, effect)

    def exists(self, path: str) -> bool:
        """Return whether an entry exists.

        False for a refused path, which is logged.
        """
        try:
            return self._is_there(path)
        except (InvalidPath, AccessDenied, FileMissing) as error:
            LOGGER.info("tool refused rule=%s path=%s reason=%s", error.code, show_name(path), error.message)
            return False

    @allow_external_folders("path")
    def info(self, path: str) -> FileInfoResult:
        """Return metadata of a file, folder or link without reading it."""
        place = self._context.path(path)
        found = self._context.files.stat(place)
        name = found.path.rpartition("/")[2]
        return FileInfoResult(
            path=found.path,
            name=name,
            type=_entry_type(found),
            size_bytes=found.size_bytes,
            created=found.created_at,
            modified=found.modified_at,
            permissions=f"{found.mode:04o}",
            extension=extension_of(name) if found.is_file else None,
            is_hidden=name.startswith(".") and name != ".",
        )

    @allow_external_folders("directory_path")
    def search(
        self,
        directory_path: str,
        text: str,
        pattern: str = "*",
        max_matches: int = FILESYSTEM_MATCHES_UP_TO,
    ) -> SearchResult:
        """Search lines that match the regular expression `text`, by path and line.

        Raises ValueError for an invalid expression or pattern, TimeoutError for one that is too slow.
        """
        _check_numbers(1, max_matches=max_matches)
        path = self._context.path(directory_path)
        files = self._context.files
        _check_searched(path, files.stat(path))
        glob = pattern if "/" in pattern else f"**/{pattern}"
        found = files.grep(text, path, None if pattern == "*" else glob, max_matches)
        return SearchResult(
            path=path,
            matches=tuple(
                SearchMatch(one.path, one.line_number, one.line_content, one.match_start, one.match_end)
                for one in found
            ),
            truncated=found.truncated,
            unseen=tuple(UnseenEntry(one.path, one.reason) for one in found.unseen),
        )

    def bulk(
        self,
        operations: Sequence[Mapping[str, object]],
        confirm: bool = False,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
    ) -> BulkResult:
        """Execute operations in order, making all of their changes or none.

        Failed reads are reported one by one. `progress` gets the number of finished operations and of all;
        `cancel` ends it without any change. Raises Refused for more changes than one call may make, and what
        the first failing change raises; UsageError for an unknown operation.
        """
        bulk = Bulk(self._context, self._changes, self.run, lambda context: FileSystemTool(context).run)
        return bulk.carry_out(operations, confirm=confirm, progress=progress, cancel=cancel)

    @allow_external_folders("path")
    def _is_there(self, path: str) -> bool:
        return self._context.files.exists(self._context.path(path))

    @allow_external_folders("source_path")
    def _read_source(self, source_path: str) -> bytes:
        return self._read_content(self._context.path(source_path))

    def _write_destination(
        self, destination_path: str, data: bytes, *, overwrite: bool
    ) -> FileOperationResult:
        path, files = self._context.path(destination_path), self._context.files
        with self._changes.call(known.COPY.name, path) as effect:
            files.write_bytes(path, data, WriteMode.OVERWRITE if overwrite else WriteMode.CREATE)
        return _build_result(known.COPY, path, effect, size=len(data))

    def _build_filter(self, pattern: str, max_depth: int, *, include_hidden: bool) -> ListingOptions:
        at_most = self._context.policy.max_files_per_operation
        return ListingOptions(pattern, max_depth, include_hidden, at_most, not self._context.writes_at_once)

    def _read_content(self, path: str) -> bytes:
        with self._context.files.open_read(path) as reader:
            self._check_size(path, reader.size)
            return reader.read()

    def _check_size(self, path: str, size: int, max_size_mb: int | None = None) -> None:
        """Raise AccessDenied where a file is larger than the limit."""
        limit = self._context.policy.max_file_size
        if max_size_mb is not None:
            limit = min(limit, max_size_mb * _MEGABYTE)
        if size > limit:
            raise AccessDenied(
                "policy.denied",
                f"{show_name(path)} is denied: {size} bytes are more than the limit of {limit}.",
                "Exclude this file, or search it for the lines you need.",
                path=path,
            )

    def _yield_paths(self, folder: str) -> Iterator[str]:
        for entry in self._context.files.scan(folder):
            path = f"{folder}/{entry.name}"
            yield path
            if entry.kind is EntryKind.FOLDER and not entry.is_denied:
                yield from self._yield_paths(path)

    @property
    def _needs_confirmation(self) -> bool:
        """Whether a delete needs confirmation, which a plan's review replaces."""
        return self._context.policy.require_confirmation_for_delete and self._context.writes_at_once

    def _check_confirmed(self, path: str, what: str, *, confirm: bool, counts: bool = False) -> None:
        """Raise NeedsPerson for an unconfirmed change.

        It names the path, and the number of entries in a folder.
        """
        if self._needs_confirmation and not confirm:
            beneath = sum(1 for _ in self._yield_paths(path)) if counts else 0
            also = f" with {beneath} files and folders in it" if beneath else ""
            raise NeedsPerson(
                "tool.confirm",
                f"{what} {show_name(path)}{also} can't be undone here, and was not confirmed.",
                CONFIRM_HINT,
                path=path,
            )


def _check_numbers(least: int = 0, /, **numbers: int) -> None:
    for name, value in numbers.items():
        if value < least:
            raise UsageError("tool.argument", f"{name} is {value}.", f"Use a number of at least {least}.")


def _check_searched(path: str, found: FileStat) -> None:
    if found.is_link:
        raise link_refused(path)
    if not (found.is_file or found.is_directory):
        raise refusals.not_a_file(path, EntryKind.OTHER)


def _entry_type(found: FileStat) -> EntryType:
    if found.is_link:
        return "link"
    return "file" if found.is_file else "directory" if found.is_directory else "other"


def _entry_size(found: FileStat) -> int | None:
    return found.size_bytes if found.is_file else None


def _build_result(
    operation: Operation, path: str, effect: Effect, *, size: int | None = None, backup: str | None = None
) -> FileOperationResult:
    return FileOperationResult(
        success=True,
        operation=operation.name,
        path=path,
        size_bytes=size,
        backup_path=backup,
        plan=effect.plan,
        state=effect.state,
    )
