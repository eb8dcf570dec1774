"""Detection of text editors' lock, swap, auto-save and probe files.

They come and go with the editor, and are no change of the project; a lock shows which file is open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from studio.values import Value

HEAD_BYTES: Final = 1024
"""The bytes that identify such a file: vim's block 0 and nano's lock do so in the first 1008 bytes."""

# vim, memline.c (struct block0): b0_version begins at byte 2, and b0_dirty, the last byte of b0_fname, is
# 0x55 while the buffer is modified. nano, files.c (write_lockfile), writes the same with "nano" as version.
_SWAP: Final = re.compile(r"\..+\.sw[a-px]", re.DOTALL)
# b0_pid, little-endian, and b0_hname are at the same places in both.
_DIRTY_AT, _DIRTY = 1007, 0x55
_PROCESS_IN, _HOST_IN = slice(24, 28), slice(68, 108)
# vim, fileio.c: a folder is tested for write access with an empty file 4913, then 5036 and so on by 123.
_PROBE_FIRST, _PROBE_STEP = 4913, 123
_NUMBER: Final = re.compile("[1-9][0-9]{3,8}")
# Emacs, filelock.c: a link to USER@HOST.PID:BOOT, or a file of that text where links can't be made, while the
# buffer is modified. joe(1), "File locks": a link to USER@HOST.PID from the first modification to the save.
_LINK: Final = re.compile(rb"[^@\0\n]+@([^\0\n]+)\.(\d+)(:\d+)?")
# Emacs, "Auto-Save Files": #NAME# until the file is saved.
_AUTO_SAVE: Final = re.compile(r"#(.+)#", re.DOTALL)
# LibreOffice, svl/source/misc/lockfilecommon.cxx: name, login, host, DD.MM.YYYY HH:MM and a URL.
_OFFICE: Final = re.compile(rb"[^,\n]*(,[^,\n]*){2},\d\d\.\d\d\.\d{4} \d\d:\d\d,[^\n]*;")
# KTextEditor, kateswapfile.cpp: the header of a QDataStream, from the first modification to the save.
_KATE: Final = b"Kate Swap File "


class OpenInEditor(Value):
    """An open file's editor; `is_unsaved` only where its lock proves that.

    `host` and `process` are those of the lock's owner, where it names both. With `is_left` that process has
    ended.
    """

    editor: str
    is_unsaved: bool
    host: bytes = b""
    process: int = 0
    is_left: bool = False


def lock_names(name: str) -> Iterator[str]:
    """Yield the names that the lock of a file may have."""
    yield f".#{name}"
    yield f".~lock.{name}#"
    yield f".{name}.kate-swp"
    # vim puts no second dot before a name that has one; a second swap file is .swo, and so on down.
    for dotted in (f".{name}", *([name] if name.startswith(".") else [])):
        yield from (f"{dotted}.sw{letter}" for letter in "ponmlkjihgfedcba")


def lock_of(name: str, head: bytes, *, is_link: bool) -> OpenInEditor | None:
    """Return the editor of a lock file, None for any other file.

    `head` is HEAD_BYTES of the file, or a link's target.
    """
    if name.startswith(".#"):
        found = _LINK.fullmatch(head)
        if found is None:
            return None
        editor = "Emacs" if found[3] else "Emacs or joe"
        return OpenInEditor(editor, is_unsaved=True, host=found[1], process=int(found[2]))
    if is_link:
        return None
    if name.startswith(".~lock.") and name.endswith("#"):
        return OpenInEditor("LibreOffice", is_unsaved=False) if _OFFICE.match(head) else None
    if name.endswith(".kate-swp"):
        return OpenInEditor("kate", is_unsaved=True) if _KATE in head[:32] else None
    if _SWAP.fullmatch(name):
        editor = {b"b0VIM ": "vim", b"b0nano": "nano"}.get(head[:6])
        is_unsaved = head[_DIRTY_AT : _DIRTY_AT + 1] == bytes([_DIRTY])
        if editor is None:
            return None
        process = int.from_bytes(head[_PROCESS_IN], "little")
        return OpenInEditor(editor, is_unsaved, head[_HOST_IN].partition(b"\0")[0], process)
    return None


def is_editor_file(name: str, head: bytes, *, is_link: bool, is_beside: Callable[[str], bool]) -> bool:
    """Return whether an editor made this file for itself.

    `is_beside` checks whether its folder has an entry of a name.
    """
    if lock_of(name, head, is_link=is_link) is not None:
        return True
    auto_saved = _AUTO_SAVE.fullmatch(name)
    if is_link or auto_saved is not None:
        return not is_link and auto_saved is not None and is_beside(auto_saved[1])
    return not head and (_SWAP.fullmatch(name) is not None or _is_probe(name))


def may_be_editor_file(name: str) -> bool:
    """Return whether a name alone may be an editor file's.

    Its content is to be read then.
    """
    return name.startswith((".", "#")) or _is_probe(name)


def _is_probe(name: str) -> bool:
    number = int(name) if _NUMBER.fullmatch(name) else 0
    return number >= _PROBE_FIRST and (number - _PROBE_FIRST) % _PROBE_STEP == 0
