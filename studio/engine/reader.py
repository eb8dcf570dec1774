"""The reading side of an open project: its files and who wrote their lines. It decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from studio.engine.errors import Refused
from studio.engine.history.blame import Blame, BlamedLines, Origin, blame
from studio.engine.names import parse_tool, show_name
from studio.engine.project.context import Context
from studio.engine.system.os_errors import told
from studio.engine.text import NotText, describe

if TYPE_CHECKING:
    from studio.engine.git_data import GitData

__all__ = ["Blame", "BlamedLines", "Origin", "Reader"]


class Reader:
    """What a person wants to know of files, whether or not a plan is about them."""

    def __init__(self, context: Context, git: Callable[[], GitData]) -> None:
        self._context = context
        self._git = git

    def read(self, path: str) -> bytes:
        """The bytes of a file, by its path in the project, or its absolute one. Raises FileError, and Refused
        where it is no regular file or larger than a plan may change."""
        inside = self._inside(path)
        with told(f"{show_name(path)} can't be read", path=path):
            return self._context.root.read_bytes(inside, self._context.config().limits.file_bytes)

    def blame(self, path: str, content: bytes | None = None) -> Blame:
        """Which plan, or else which commit, brought each line of a file, and who had it written: of these
        bytes, else of those on disk. Raises as `read`, and Refused where the bytes are no text."""
        inside = self._inside(path)
        content = self.read(path) if content is None else content
        form = describe(content, self._context.config().encoding_for(inside))
        if isinstance(form, NotText):
            raise Refused(
                "blame.no_text", f"{show_name(path)} has no lines. {form.sentence}", "Name a text.", path=path
            )
        return blame(self._context, inside, content, self._git())

    def _inside(self, path: str) -> str:
        return parse_tool(path, [self._context.root.path])[1]
