"""The file manager of file actions: create a file, or append to one, at once (R50-R53, R58).

For programs that embed the engine and decide by themselves what is written: the manager works on the
filesystem it is given. Over a session's overlay what it writes becomes a plan, as everything does that is
written there. Our own doors never come here: for them such an action is a format.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Final

from studio.engine.diff.own_line_ends import in_common_line_end
from studio.engine.errors import (
    AppendError,
    FileError,
    FileExists,
    FileMissing,
    InvalidPath,
    PathOverLimit,
    StudioError,
    WriteError,
)
from studio.engine.filesystem import Filesystem, WriteMode, refusals
from studio.engine.filesystem.ruled import denied
from studio.engine.names import is_reserved, normalized, parse_existing, parse_name
from studio.engine.policy import Policy, RuleSet
from studio.engine.system.os_errors import Role, in_role
from studio.engine.text import NotText, describe, encode_text

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

# There is one hierarchy: the manager's errors are the engine's, under the names that its callers know (R175).
FileSystemManagerError = FileError
PathTraversalError = InvalidPath
FileAlreadyExistsError = FileExists
FileNotFoundError = FileMissing

MARKDOWN_ALONE: Final = Policy(rules=(RuleSet("default", extensions=(".md",)),))
"""The rules for file actions unless others are given: what is locked or denied by default, and `.md` files
alone (R40)."""

_BEFORE_APPENDED: Final = "\n\n"


class FileSystemManager:
    """Creates files and appends to them beneath the root of one filesystem; each call all or nothing."""

    def __init__(self, filesystem: Filesystem, policy: Policy = MARKDOWN_ALONE) -> None:
        """`policy` counts beside whatever rules the filesystem itself has."""
        self._filesystem = filesystem
        self._policy = policy

    def handle_create(self, path: str, content: str) -> None:
        """Make a file with this text in UTF-8, and the folders above it that are missing (R50).

        Raises PathTraversalError for a path that may not be, FileAlreadyExistsError where anything is at it,
        WriteError for all else; nothing was written then, and no folder made.
        """
        with _in_words(WriteError):
            self._filesystem.write(self._validated(path), content, WriteMode.CREATE)

    def handle_append(self, path: str, content: str) -> None:
        """Append an empty line and this text to a file that is there (R51, C11, C14).

        It is written in the file's encoding, and in CRLF where the file has that throughout, as the format
        `file-action` does.
        Raises PathTraversalError for a path that may not be, FileNotFoundError where nothing is at it,
        AppendError for all else; nothing was written then.
        """
        with _in_words(AppendError):
            found = self._validated(path)
            self._filesystem.stat(found)
            added = self._appended(found, _BEFORE_APPENDED + content)
            with self._filesystem.open_write(found, WriteMode.APPEND, create_parents=False) as writer:
                # Looked for again behind the begin: a file that went before it would be made anew, and one
                # that goes later is noticed when the stream is closed.
                self._filesystem.stat(found)
                writer.write(added)

    def _appended(self, path: str, text: str) -> bytes:
        """The bytes of appended text in the form of its file; in UTF-8 for a file that is no text."""
        added = _bytes_of(path, text)
        with self._filesystem.open_read(path) as reader:
            form = describe(reader.read(), path=path)
        if isinstance(form, NotText):
            return added
        return encode_text(in_common_line_end(text, form), form)[len(form.bom) :]

    def _validated(self, path: str) -> str:
        """The path as the filesystem is asked for it, which looks for links itself, and proves that it stays
        beneath the root (R14, R15, R17, C1-C4). Raises InvalidPath, AccessDenied."""
        given, limits = normalized(path), self._policy.limits

        def parse(exists: bool) -> str:
            return parse_name(given, exists=exists, segment_bytes=limits.segment, depth=limits.depth)

        found = parse_existing(parse, self._filesystem.exists)
        verdict = self._policy.check(found, exists=is_reserved(found))
        if not verdict.allowed:
            raise denied(verdict)
        return found


class ActionKind(Enum):
    """What a file action does."""

    CREATE = "create"
    APPEND = "append"


@dataclass(frozen=True, slots=True)
class Action:
    """One file action: the path is relative to the root."""

    kind: ActionKind
    path: str
    content: str


@dataclass(frozen=True, slots=True)
class ActionStatus:
    """What became of an action: `error` is why nothing was written, and its sentence the answer to give."""

    action: Action
    error: FileSystemManagerError | None = None

    @property
    def success(self) -> bool:
        return self.error is None


def carry_out(manager: FileSystemManager, action: Action) -> ActionStatus:
    """Do what an action says and tell what became of it, for whoever answers to an agent (R53, R58)."""
    handle = manager.handle_create if action.kind is ActionKind.CREATE else manager.handle_append
    try:
        handle(action.path, action.content)
    except FileSystemManagerError as error:
        return ActionStatus(action, error)
    return ActionStatus(action)


def _bytes_of(path: str, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise refusals.bad_text(path, at=error.start) from error


@contextmanager
def _in_words(role: Role) -> Generator[None]:
    """Turns what is raised inside into one of the manager's errors (R52)."""
    own = FileExists if role is WriteError else FileMissing
    try:
        yield
    except StudioError as error:
        if isinstance(error, (own, InvalidPath)) and not isinstance(error, PathOverLimit):
            raise
        raise in_role(error, role) from error
