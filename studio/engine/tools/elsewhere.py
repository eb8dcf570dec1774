"""Operations on folders outside of the project that the configuration allows (R5, C15).

Such a folder is named by an absolute path. Its own tool carries the operation out there, over files that are
opened for that one call; results and errors then name it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, wraps
from typing import Any, Final, Protocol, TypeVar, cast

from studio.engine.errors import StudioError, UsageError
from studio.engine.tools.context import OtherFolder, ToolContext
from studio.engine.tools.results import (
    DirectoryListingResult,
    FileContentResult,
    FileInfoResult,
    FileOperationResult,
    SearchResult,
)

_Method = TypeVar("_Method", bound=Callable[..., Any])

PATHS: Final = frozenset({"file_path", "directory_path", "path", "source_path", "destination_path"})
"""The parameters of operations that are paths."""


class _Tool(Protocol):
    def __init__(self, context: ToolContext) -> None: ...

    @property
    def context(self) -> ToolContext: ...


def anywhere(method: _Method) -> _Method:
    """Let the paths of an operation lie in another folder, all of them in the same one.

    Where they are apart it is the operation's own business what becomes of that.
    """
    signature = inspect.signature(method)
    places = [name for name in signature.parameters if name in PATHS]

    @wraps(method)
    def carried_out(tool: _Tool, *args: Any, **kwargs: Any) -> Any:
        if not tool.context.others:
            return method(tool, *args, **kwargs)
        given = signature.bind(tool, *args, **kwargs).arguments
        found = [tool.context.elsewhere(given[name]) for name in places]
        first = found[0]
        if first is None or any(one is None or one[0] is not first[0] for one in found):
            return method(tool, *args, **kwargs)
        beneath = {name: one[1] for name, one in zip(places, found, strict=True) if one is not None}
        with _tool_in(tool, first[0]) as (other, folder):
            arguments = {name: value for name, value in given.items() if name != "self"}
            return _named(method(other, **{**arguments, **beneath}), folder)

    return cast("_Method", carried_out)


def check_together(context: ToolContext, source: str, destination: str) -> None:
    """Raises UsageError for a move out of one folder into another: no one step could take that back."""
    if context.are_apart(source, destination):
        raise UsageError(
            "tool.apart",
            "A move stays within the project, or within one other folder.",
            "Copy the file, then delete the old one.",
        )


@contextmanager
def _tool_in(tool: _Tool, folder: OtherFolder) -> Generator[tuple[_Tool, str]]:
    with folder.open() as context:
        try:
            yield type(tool)(context), folder.path.as_posix()
        except StudioError as error:
            raise error.within(folder.path.as_posix()) from None


def _named(result: Any, folder: str) -> Any:
    """A result with its paths as others may use them: absolute."""
    name = partial(_absolute, folder)
    match result:
        case FileContentResult() | FileInfoResult():
            return replace(result, path=name(result.path))
        case FileOperationResult():
            backup = None if result.backup_path is None else name(result.backup_path)
            return replace(result, path=name(result.path), backup_path=backup)
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


def _absolute(folder: str, path: str) -> str:
    return folder if path == "." else f"{folder.rstrip('/')}/{path}"
