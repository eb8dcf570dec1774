"""File creation and appending for programs that embed the engine.

It is for programs that embed the engine and decide by themselves what is written: it uses the filesystem that
it is given. Over a session's overlay its writes become a plan, like all writes there. Our own doors don't use
it: for them a file action is a format.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from enum import Enum
from typing import Final

from msgspec.structs import replace

from studio.engine import Filesystem, Policy, RuleSet, WriteMode, bad_text
from studio.errors import (
    AppendError,
    FileError,
    FileExists,
    FileMissing,
    InvalidPath,
    PathOverLimit,
    StudioError,
    WriteError,
)
from studio.names import is_reserved, normalized, parse_existing, parse_name
from studio.system.os_errors import Role, in_role
from studio.text import NotText, describe, encode_text
from studio.values import Value

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

# Aliases of the engine's errors, under the names that embedding programs use.
FileSystemManagerError = FileError
PathTraversalError = InvalidPath
FileAlreadyExistsError = FileExists
FileNotFoundError = FileMissing

MARKDOWN_ALONE: Final = Policy(rules=(RuleSet("default", extensions=(".md",)),))
"""Default rules for file actions: `.md` files only.

The default locks and denies apply as well.
"""

_BEFORE_APPENDED: Final = "\n\n"

_POLICY_HINT: Final = "Exclude this file, or pass a policy that allows it to FileSystemManager."
_HINTS: Final = {
    "fs.exists": "Choose another path, or append to it.",
    "fs.read_only": "Open the filesystem for writing.",
}
"""What a program can do, by the code of an error whose own hint is for people or agents in a project."""


class FileSystemManager:
    """File creation and appending on one filesystem, each call all or nothing."""

    def __init__(self, filesystem: Filesystem, policy: Policy = MARKDOWN_ALONE) -> None:
        """Use a filesystem; `policy` applies in addition to its own rules."""
        self._filesystem = filesystem
        self._policy = policy

    def handle_create(self, path: str, content: str) -> None:
        """Create a file with this text in UTF-8, with missing parents.

        Raises PathTraversalError for an invalid path, FileAlreadyExistsError where anything exists there,
        WriteError for all else; then nothing was written, and no folder created.
        """
        with _in_words(WriteError):
            self._filesystem.write(self._validated(path), content, WriteMode.CREATE)

    def handle_append(self, path: str, content: str) -> None:
        """Append an empty line and this text to an existing file.

        It is written in the file's encoding, and with CRLF where the file has that throughout, as by the
        format `file-action`. Raises PathTraversalError for an invalid path, FileNotFoundError where nothing
        exists there, AppendError for all else; then nothing was written.
        """
        with _in_words(AppendError):
            found = self._validated(path)
            self._filesystem.stat(found)
            added = self._appended(found, _BEFORE_APPENDED + content)
            with self._filesystem.open_write(found, WriteMode.APPEND, create_parents=False) as writer:
                # Checked again after opening: a file that was deleted before would be created anew; a later
                # deletion is noticed when the stream is closed.
                self._filesystem.stat(found)
                writer.write(added)

    def _appended(self, path: str, text: str) -> bytes:
        """Encode text to append in the form of its file.

        UTF-8 is used for a file that is not text.
        """
        added = _bytes_of(path, text)
        with self._filesystem.open_read(path) as reader:
            form = describe(reader.read(), path=path)
        if isinstance(form, NotText):
            return added
        return encode_text(form.with_line_ends(text), form)[len(form.bom) :]

    def _validated(self, path: str) -> str:
        """Return the normalized path after checking it against the rules.

        The filesystem itself detects links and ensures that the path stays beneath the root. Raises
        InvalidPath, AccessDenied.
        """
        given, limits = normalized(path), self._policy.limits

        def parse(exists: bool) -> str:
            return parse_name(given, exists=exists, segment_bytes=limits.segment, depth=limits.depth)

        found = parse_existing(parse, self._filesystem.exists)
        verdict = self._policy.check(found, exists=is_reserved(found))
        if not verdict.allowed:
            raise (verdict if verdict.level == "locked" else replace(verdict, hint=_POLICY_HINT)).denial()
        return found


class ActionKind(Enum):
    """Kind of a file action."""

    CREATE = "create"
    APPEND = "append"


class Action(Value):
    """One file action; the path is relative to the root."""

    kind: ActionKind
    path: str
    content: str


class ActionStatus(Value):
    """Outcome of an action.

    `error` is the reason why nothing was written, and its message the answer to give.
    """

    action: Action
    error: FileSystemManagerError | None = None

    @property
    def success(self) -> bool:
        return self.error is None


def carry_out(manager: FileSystemManager, action: Action) -> ActionStatus:
    """Execute an action and return its outcome for the agent."""
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
        raise bad_text(path, at=error.start) from error


@contextmanager
def _in_words(role: Role) -> Generator[None]:
    """Convert errors inside the block to the manager's own."""
    own = FileExists if role is WriteError else FileMissing
    try:
        yield
    except StudioError as error:
        is_own = isinstance(error, (own, InvalidPath)) and not isinstance(error, PathOverLimit)
        found = error if is_own else in_role(error, role)
        hint = _HINTS.get(found.code, found.hint)
        raise type(found)(found.code, found.message, hint, path=found.path) from error
