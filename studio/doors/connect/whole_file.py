"""Configuration entry that is a whole file, such as a hook.

It is created only where no file is, and removed as a whole.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final, cast

from studio.documents import Key, Trace
from studio.errors import Refused
from studio.extras.home_files import HomeFile

_EXECUTABLE: Final = 0o700
_BY_ITS_OWNER: Final = 0o100


def content_of(value: object) -> bytes:
    """Return the content that an entry gives the file."""
    return str(_member(value, "content")).encode()


def mode_of(value: object) -> int | None:
    """Return the mode that an entry gives the file, None for any."""
    return _EXECUTABLE if _member(value, "executable") is True else None


def trace() -> Trace:
    """Return the trace of an entry before which there was no file."""
    return Trace(-1, "")


def find_entry(
    file: HomeFile, values: Sequence[object], *, was_written: bool, refuses_others: bool
) -> tuple[Key, object] | None:
    """Return the file's key and value if it is ours.

    A file that we wrote is ours even if changed since. Raises Refused for another program's file, and for a
    link, if `refuses_others`.
    """
    if file.path.is_symlink():
        # Agents skip links silently; and we never wrote its target.
        if refuses_others:
            raise Refused(
                "connect.file_is_link",
                f"{file.display_name} is a link, which may be ignored.",
                "Remove the link, then try again.",
            )
        return None
    if file.data is None:
        return None
    for value in values:
        if content_of(value) == file.data:
            return "", value if _has_mode(file, value) else {"content": _member(value, "content")}
    if was_written:
        return "", {"content": file.data.decode("utf-8", "replace")}
    if refuses_others:
        raise Refused(
            "connect.file_taken",
            f"{file.display_name} already exists and belongs to another program; it was not replaced.",
            "Rename or remove it, then try again.",
        )
    return None


def _has_mode(file: HomeFile, value: object) -> bool:
    return sys.platform == "win32" or mode_of(value) is None or bool(file.mode & _BY_ITS_OWNER)


def _member(value: object, name: str) -> object:
    assert isinstance(value, dict), "an entry of this kind says what it holds"
    return cast("dict[str, object]", value).get(name)
