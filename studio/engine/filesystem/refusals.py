"""Exceptions and error messages of the filesystem protocol, common to all backends."""

from __future__ import annotations

import errno
from typing import Generic, TypeVar

from studio.engine.root import EntryKind
from studio.errors import (
    AccessDenied,
    Conflict,
    FileError,
    FileExists,
    FileMissing,
    FolderNotEmpty,
    InvalidPath,
    NotAFile,
    NotAFolder,
    PathOverLimit,
    Refused,
    StudioError,
    Undecodable,
    UsageError,
)
from studio.names import show_name

_WHAT = {
    EntryKind.FOLDER: "a folder",
    EntryKind.PIPE: "a pipe",
    EntryKind.SOCKET: "a socket",
    EntryKind.DEVICE: "a device",
}

_Error = TypeVar("_Error", bound=StudioError)


class BadCall(UsageError, ValueError):
    """An invalid argument, such as a negative offset or an unknown mode."""


class StreamClosed(UsageError, ValueError):
    """Access to a closed stream."""

    def __init__(self, path: str) -> None:
        super().__init__(
            "stream.closed",
            "I/O operation on closed file",
            f"({show_name(path)}). Open it again.",
            path=path,
        )


class IllegalSeek(FileError, Refused, OSError):
    """A seek in a stream opened for writing, which has no position."""

    number = errno.ESPIPE

    def __init__(self, path: str, offset: int, whence: int) -> None:
        super().__init__(
            "stream.seek",
            "Illegal seek",
            f"({show_name(path)}, to {offset} from {whence}). A stream is written in order.",
            path=path,
        )


class TooLarge(Refused, ValueError):
    """A read or write above the limit for one call."""


class BadContent(Refused, ValueError):
    """A text that can't be encoded as UTF-8 (lone surrogates)."""


class FileShrank(FileError, Conflict, OSError):
    """A file that became shorter while it was being read."""


def named(path: str) -> str:
    """Return a path for a message; the root has no name."""
    return show_name(path) if path else "the root"


class Refusal(Generic[_Error]):
    """A template for an error.

    Called with a path, and a word for every other placeholder, it returns the error.
    """

    def __init__(self, error: type[_Error], code: str, sentence: str, hint: str) -> None:
        self._error, self._code, self.sentence, self.hint = error, code, sentence, hint

    def __call__(self, path: str, **words: str | int) -> _Error:
        shown = {gap: show_name(word) if isinstance(word, str) else word for gap, word in words.items()}
        sentence = self.sentence.format(path=named(path), **shown)
        return self._error(self._code, sentence, self.hint.format(**shown), path=path)


missing = Refusal(FileMissing, "fs.missing", "{path} does not exist.", "Check the path, or create it first.")
no_folder = Refusal(
    FileMissing,
    "fs.no_folder",
    "{path} can't be created: the folder {folder} does not exist.",
    "Create the folder first, or let the call create missing folders.",
)
beneath_file = Refusal(
    NotAFolder,
    "fs.not_a_folder",
    "{path} can't be reached: {above} is not a folder.",
    "Choose another path.",
)
not_a_folder = Refusal(NotAFolder, "fs.not_a_folder", "{path} is a file, not a folder.", "Name a folder.")
_not_a_file = Refusal(
    NotAFile, "fs.not_a_file", "{path} is {what}, not a file.", "Only regular files are read and changed."
)
exists = Refusal(FileExists, "fs.exists", "{path} exists already.", "Choose another path, or overwrite it.")
not_empty = Refusal(
    FolderNotEmpty,
    "fs.not_empty",
    "The folder {path} is not empty.",
    "Empty it first, or delete it recursively.",
)
read_only = Refusal(
    AccessDenied,
    "fs.read_only",
    "{path} can't be changed: this filesystem is read-only.",
    "Propose a plan, or open a writable filesystem.",
)
root_is_no_file = Refusal(
    InvalidPath, "path.root", "The root itself can't be written as a file.", "Specify a file in that folder."
)
root_stays = Refusal(
    AccessDenied, "fs.root", "The root itself can't be deleted or moved.", "Specify an entry in that folder."
)
too_deep = Refusal(
    PathOverLimit,
    "fs.too_deep",
    "{path} has {count} segments; the limit of this filesystem is {limit}.",
    "Choose a shallower path, or raise the limit.",
)
segment_too_long = Refusal(
    PathOverLimit,
    "fs.too_long",
    "{path} has a segment of {count} characters; the limit of this filesystem is {limit}.",
    "Choose a shorter name, or raise the limit.",
)
into_itself = Refusal(
    InvalidPath,
    "fs.into_itself",
    "{source} can't be moved to {path}, which is inside it.",
    "Choose a path outside it.",
)
closed = Refusal(BadCall, "fs.closed", "The filesystem is closed.", "Open it again.")
bad_mode = Refusal(
    BadCall,
    "fs.mode",
    "{path} can't be written in {mode!r} mode.",
    "Valid modes: create, overwrite and append.",
)
bad_number = Refusal(
    BadCall,
    "fs.number",
    "{path} can't be read: {name} is {value}, which is invalid.",
    "Use {least} or more.",
)
bad_encoding = Refusal(
    BadCall,
    "fs.encoding",
    "{path} can't be read as {encoding}: the protocol knows UTF-8 only.",
    "Read the bytes and decode them.",
)
bad_text = Refusal(
    BadContent,
    "fs.content",
    "The text for {path} can't be written as UTF-8: character {at} (counted from 0) is half of a pair.",
    "Use bytes, or remove the character.",
)
seek_out_of_range = Refusal(
    BadCall,
    "stream.range",
    "{path} has no position {position}: it has {size} bytes.",
    "Positions are counted from 0 up to the size.",
)
bad_whence = Refusal(
    BadCall,
    "stream.whence",
    "{path} can't be sought from {whence}.",
    "0 counts from the start, 1 from the position, 2 from the end.",
)
too_large_to_read = Refusal(
    TooLarge,
    "fs.read_too_large",
    "{path} would give {size} bytes or more at once; the limit is {limit}.",
    "Set a limit, or read it as a stream with open_read or open_text.",
)
too_large_to_write = Refusal(
    TooLarge,
    "fs.write_too_large",
    "{path} would receive {size} {unit} at once; the limit is {limit}.",
    "Write it as a stream with open_write.",
)
shrank = Refusal(
    FileShrank,
    "stream.shrank",
    "{path} was truncated while it was read: it ends at byte {position} and had {size} bytes.",
    "Open it again.",
)


def not_a_file(path: str, kind: EntryKind) -> NotAFile:
    """Return the error for an entry that is not a regular file."""
    return _not_a_file(path, what=_WHAT.get(kind, "not a regular file"))


def undecodable(path: str, data: bytes, start: int, at: int) -> Undecodable:
    """Return the error for bytes that are not UTF-8.

    `data` is what was decoded, `start` the failing position in it, `at` that position in the file.
    """
    return Undecodable(
        "fs.not_utf8",
        f"{named(path)} is not UTF-8 text: byte {at} (counted from 0) can't be decoded.",
        "Read it with read_bytes or open_read.",
        path=path,
        data=data,
        start=start,
    )
