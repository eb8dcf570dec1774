"""Read operations on external folders that the configuration allows.

Such a folder is named by an absolute path, and only read. A tool of its own executes the operation, on files
that are opened for that one call; results and errors then have absolute paths.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, wraps
from typing import Any, Final, Protocol, TypeVar, cast

from studio.engine.errors import StudioError
from studio.engine.tools.context import OtherFolder, ToolContext
from studio.engine.tools.results import (
    DirectoryListingResult,
    FileContentResult,
    FileInfoResult,
    SearchResult,
)

_Method = TypeVar("_Method", bound=Callable[..., Any])

_PATHS: Final = frozenset({"file_path", "directory_path", "path", "source_path"})
"""Path parameters of read operations."""


class _Tool(Protocol):
    def __init__(self, context: ToolContext) -> None: ...

    @property
    def context(self) -> ToolContext: ...


def allow_external_folders(method: _Method) -> _Method:
    """Decorate a read operation to accept paths in external folders."""
    signature = inspect.signature(method)
    (name,) = _PATHS & signature.parameters.keys()

    @wraps(method)
    def carried_out(tool: _Tool, *args: Any, **kwargs: Any) -> Any:
        if not tool.context.others:
            return method(tool, *args, **kwargs)
        bound = signature.bind(tool, *args, **kwargs).arguments
        found = tool.context.elsewhere(bound[name])
        if found is None:
            return method(tool, *args, **kwargs)
        folder, beneath = found
        with _open_tool(tool, folder) as (other, named):
            arguments = {key: value for key, value in bound.items() if key != "self"}
            return _to_absolute_result(method(other, **{**arguments, name: beneath}), named)

    return cast("_Method", carried_out)


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
