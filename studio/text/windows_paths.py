"""Conversion of project paths to absolute Windows paths; character and length checks."""

from __future__ import annotations

import re
from pathlib import PureWindowsPath
from typing import Final

from studio.errors import InvalidPath, PathTooLong
from studio.limits import WINDOWS_LONG_PATH_UNITS, WINDOWS_NAME_UNITS, WINDOWS_PATH_UNITS
from studio.names import parse_name, show_name

_NEAR_LIMIT: Final = 248
"""Length in UTF-16 units from which a path gets the long-path prefix.

A folder path of this length has no room for a short file name.
"""

_NOT_ON_WINDOWS = re.compile('[<>"|?*]')
_PREFIX = "\\\\?\\"
_SHARE_PREFIX = "\\\\?\\UNC\\"


def windows_path(root: PureWindowsPath, path: str, *, use_long_paths: bool = True) -> str:
    r"""Return the absolute Windows spelling of a path relative to `root`.

    It is strict and has backslashes. From 248 UTF-16 units on it has the prefix \\?\, after which Windows no
    longer normalizes. Raises InvalidPath for what `parse_name` refuses and for characters that Windows does
    not allow in a name, PathTooLong over 259 units without `use_long_paths`, and over 32,766 with it, or over
    255 of one name. `root` is an absolute folder of a drive or a share.
    """
    parse_name(path)
    if _NOT_ON_WINDOWS.search(path):
        raise InvalidPath(
            "name.windows",
            f"The path {show_name(path)} has a character that Windows does not take in a name.",
            'Leave out < > " | ? and *.',
            path=path,
        )
    if not root.is_absolute() or str(root).startswith((_PREFIX, "\\\\.\\")):
        raise InvalidPath(
            "root.not_absolute",
            f"{show_name(str(root))} is not an absolute folder of a drive or a share.",
            "Name the folder with its drive.",
        )
    segments = path.split("/")
    longest = max(map(_count_units, segments))
    if longest > WINDOWS_NAME_UNITS:
        raise _path_too_long(path, f"has a name of {longest} characters; Windows takes {WINDOWS_NAME_UNITS}")
    whole = str(root.joinpath(*segments))
    if not PureWindowsPath(whole).is_relative_to(root):
        raise InvalidPath(
            "name.outside",
            f"{show_name(path)} is outside the root folder.",
            "Choose another name.",
            path=path,
        )
    units = _count_units(whole)
    if units < _NEAR_LIMIT or (units <= WINDOWS_PATH_UNITS and not use_long_paths):
        return whole
    if not use_long_paths:
        raise _path_too_long(
            path, f"has {units} characters in all; without long paths {WINDOWS_PATH_UNITS} are taken"
        )
    whole = _SHARE_PREFIX + whole[2:] if whole.startswith("\\\\") else _PREFIX + whole
    if _count_units(whole) > WINDOWS_LONG_PATH_UNITS:
        raise _path_too_long(
            path, f"has {_count_units(whole)} characters in all; Windows takes {WINDOWS_LONG_PATH_UNITS}"
        )
    return whole


def _count_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _path_too_long(path: str, reason: str) -> PathTooLong:
    return PathTooLong(
        "name.too_long", f"The path {show_name(path)} {reason}.", "Choose shorter names.", path=path
    )
