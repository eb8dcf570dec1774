"""Why a call of the protocol is refused, in one sentence each: the same on every backend (R114, R175)."""

from __future__ import annotations

import errno

from studio.engine.errors import (
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
    Undecodable,
    UsageError,
)
from studio.engine.filesystem.types import PathLimits
from studio.engine.names import show_name
from studio.engine.root import EntryKind

_WHAT = {
    EntryKind.FOLDER: "a folder",
    EntryKind.PIPE: "a pipe",
    EntryKind.SOCKET: "a socket",
    EntryKind.DEVICE: "a device",
}


class BadCall(UsageError, ValueError):
    """An argument makes no sense: a negative offset, an unknown mode (Q66)."""


class StreamClosed(UsageError, ValueError):
    """The stream is closed (R93)."""

    def __init__(self, path: str) -> None:
        super().__init__(
            "stream.closed",
            "I/O operation on closed file",
            f"({show_name(path)}). Open it again.",
            path=path,
        )


class IllegalSeek(FileError, Refused, OSError):
    """A stream that is written has no position to go to (R93)."""

    number = errno.ESPIPE

    def __init__(self, path: str, offset: int, whence: int) -> None:
        super().__init__(
            "stream.seek",
            "Illegal seek",
            f"({show_name(path)}, to {offset} from {whence}). A stream is written in order.",
            path=path,
        )


class TooLarge(Refused, ValueError):
    """More than one call reads or writes; a stream has no such limit (R94, Q64)."""


class BadContent(Refused, ValueError):
    """The text can't be written as UTF-8 (R115)."""


class FileShrank(FileError, Conflict, OSError):
    """A file that is being read ends before it did when it was opened."""


def named(path: str) -> str:
    """The path in a sentence; the root has no name of its own."""
    return show_name(path) if path else "the root"


def missing(path: str) -> FileMissing:
    return FileMissing(
        "fs.missing", f"{show_name(path)} does not exist.", "Check the path, or make it first.", path=path
    )


def no_folder(path: str, folder: str) -> FileMissing:
    return FileMissing(
        "fs.no_folder",
        f"{show_name(path)} can't be made: the folder {show_name(folder)} does not exist.",
        "Make the folder first, or let the call make folders.",
        path=path,
    )


def beneath_file(path: str, above: str) -> NotAFolder:
    return NotAFolder(
        "fs.not_a_folder",
        f"{show_name(path)} can't be reached: {show_name(above)} is not a folder.",
        "Choose another path.",
        path=path,
    )


def not_a_folder(path: str) -> NotAFolder:
    return NotAFolder(
        "fs.not_a_folder", f"{show_name(path)} is a file, not a folder.", "Name a folder.", path=path
    )


def not_a_file(path: str, kind: EntryKind) -> NotAFile:
    return NotAFile(
        "fs.not_a_file",
        f"{named(path)} is {_WHAT.get(kind, 'no regular file')}, not a file.",
        "Only regular files are read and changed.",
        path=path,
    )


def exists(path: str) -> FileExists:
    return FileExists(
        "fs.exists", f"{show_name(path)} exists already.", "Choose another path, or overwrite it.", path=path
    )


def not_empty(path: str) -> FolderNotEmpty:
    return FolderNotEmpty(
        "fs.not_empty",
        f"The folder {show_name(path)} is not empty.",
        "Remove what is in it first, or delete it recursively.",
        path=path,
    )


def read_only(path: str) -> AccessDenied:
    return AccessDenied(
        "fs.read_only",
        f"{named(path)} can't be changed: this filesystem is read-only.",
        "Propose a plan, or open a writable filesystem.",
        path=path,
    )


def root_is_no_file(path: str) -> InvalidPath:
    return InvalidPath(
        "path.root", "The root itself can't be written as a file.", "Name a file beneath it.", path=path
    )


def root_stays(path: str) -> AccessDenied:
    return AccessDenied(
        "fs.root", "The root itself can't be deleted or moved.", "Name an entry beneath it.", path=path
    )


def too_deep(path: str, limits: PathLimits) -> PathOverLimit:
    count = path.count("/") + 1
    return PathOverLimit(
        "fs.too_deep",
        f"{show_name(path)} has {count} segments; the limit of this filesystem is {limits.depth}.",
        "Choose a path that is less deep, or raise the limit.",
        path=path,
    )


def segment_too_long(path: str, segment: str, limits: PathLimits) -> PathOverLimit:
    return PathOverLimit(
        "fs.too_long",
        f"{show_name(path)} has a segment of {len(segment)} characters; "
        f"the limit of this filesystem is {limits.segment}.",
        "Choose a shorter name, or raise the limit.",
        path=path,
    )


def not_for_windows(path: str, segment: str, reason: str) -> InvalidPath:
    return InvalidPath(
        "name.windows",
        f'{show_name(path)} has a segment "{show_name(segment)}", which {reason}.',
        "Choose a name that Windows takes as it is.",
        path=path,
    )


def into_itself(source: str, destination: str) -> InvalidPath:
    return InvalidPath(
        "fs.into_itself",
        f"{show_name(source)} can't be moved to {show_name(destination)}, which lies in it.",
        "Choose a path outside of it.",
        path=destination,
    )


def bad_mode(path: str, mode: str) -> BadCall:
    return BadCall(
        "fs.mode",
        f"{named(path)} can't be written in the mode {show_name(mode)!r}.",
        "The modes are create, overwrite and append.",
        path=path,
    )


def bad_number(path: str, name: str, value: int, hint: str) -> BadCall:
    return BadCall(
        "fs.number", f"{named(path)} can't be read: {name} is {value}, which makes no sense.", hint, path=path
    )


def bad_encoding(path: str, encoding: str) -> BadCall:
    return BadCall(
        "fs.encoding",
        f"{named(path)} can't be read as {show_name(encoding)}: the protocol knows UTF-8 only.",
        "Read the bytes and decode them.",
        path=path,
    )


def bad_text(path: str, at: int) -> BadContent:
    return BadContent(
        "fs.content",
        f"The text for {named(path)} can't be written as UTF-8: "
        f"character {at} (counted from 0) is half of a pair.",
        "Write bytes, or leave the character out.",
        path=path,
    )


def seek_out_of_range(path: str, position: int, size: int) -> BadCall:
    return BadCall(
        "stream.range",
        f"{named(path)} has no position {position}: it has {size} bytes.",
        "Positions are counted from 0 up to the size.",
        path=path,
    )


def bad_whence(path: str, whence: int) -> BadCall:
    return BadCall(
        "stream.whence",
        f"{named(path)} can't be sought from {whence}.",
        "0 counts from the start, 1 from the position, 2 from the end.",
        path=path,
    )


def too_large_to_read(path: str, size: int, limit: int) -> TooLarge:
    return TooLarge(
        "fs.read_too_large",
        f"{named(path)} would give {size} bytes or more at once; the limit is {limit}.",
        "Give a limit, or read it as a stream with open_read or open_text.",
        path=path,
    )


def too_large_to_write(path: str, size: int, limit: int, unit: str) -> TooLarge:
    return TooLarge(
        "fs.write_too_large",
        f"{named(path)} would get {size} {unit} at once; the limit is {limit}.",
        "Write it as a stream with open_write.",
        path=path,
    )


def shrank(path: str, position: int, size: int) -> FileShrank:
    return FileShrank(
        "stream.shrank",
        f"{named(path)} became shorter while it was read: it ends at byte {position} and had {size} bytes.",
        "Open it again.",
        path=path,
    )


def undecodable(path: str, data: bytes, start: int, at: int) -> Undecodable:
    """`data` is what was decoded, `start` where in it decoding failed, `at` where that is in the file."""
    return Undecodable(
        "fs.not_utf8",
        f"{named(path)} is not UTF-8 text: byte {at} (counted from 0) can't be decoded.",
        "Read it with read_bytes or open_read.",
        path=path,
        data=data,
        start=start,
    )
