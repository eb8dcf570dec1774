"""The calls of a forked child that change a disk, recorded by strace with their bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.faults.injection import Action, run

LONGEST_BYTES = 1 << 26
_UNFINISHED = " <unfinished ...>"
RECORDED = (
    "chmod,copy_file_range,creat,fallocate,fchmod,fchmodat,fchown,fchownat,fdatasync,fremovexattr,fsetxattr,fsync,"
    "ftruncate,link,linkat,mkdir,mkdirat,openat,pwrite64,pwritev,rename,renameat,renameat2,rmdir,sendfile,"
    "symlink,symlinkat,syncfs,truncate,unlink,unlinkat,write,writev"
)


@dataclass(frozen=True, slots=True)
class Call:
    """One call that succeeded. `paths` are absolute: of the handle, or of the names in their order.

    `data` is what was written, `number` its offset, the size or the mode; `flags` as strace prints them.
    """

    name: str
    paths: tuple[Path, ...]
    data: bytes = b""
    number: int = 0
    flags: str = ""


def record(action: Action, trace: Path) -> tuple[Call, ...]:
    """What a child changed on any disk, in order; it must end with exit code 0."""
    options = ("-f", "-y", "-xx", "-s", str(LONGEST_BYTES), "-e", f"trace={RECORDED}", "-o", str(trace))
    code = run(action, *options)
    assert code == 0, f"the recorded run ended with {code}"
    return tuple(_calls(_whole(trace.read_text("ascii", "replace").splitlines())))


def _whole(lines: Iterable[str]) -> Iterator[str]:
    """The lines without the number of their thread; a call that another thread's came into is one line, where
    it ended."""
    begun: dict[str, str] = {}
    for line in lines:
        thread, _, text = line.partition(" ")
        text = text.lstrip()
        if text.endswith(_UNFINISHED):
            begun[thread] = text.removesuffix(_UNFINISHED)
        elif text.startswith("<... "):
            yield begun.pop(thread) + text.partition("resumed>")[2]
        else:
            yield text


def _calls(lines: Iterable[str]) -> Iterator[Call]:
    positions: dict[str, int] = {}
    for line in lines:
        matched = re.fullmatch(r"(\w+)\((.*)\)\s+= (-?\d+)(<.*>)?(?: .*)?", line)
        if matched is None or matched[3].startswith("-"):
            continue
        call = _call(matched[1], matched[2].split(", "), positions, matched[3])
        if call is not None:
            yield call


def _call(name: str, values: list[str], positions: dict[str, int], result: str) -> Call | None:
    """One line as a call; `positions` are where the open handles stand."""
    match name, values:
        case ("openat", [folder, path, flags, *mode]):
            positions[result] = 0
            is_made = "O_CREAT" in flags or "O_TRUNC" in flags
            return _made(name, _at(folder, path), mode, flags) if is_made else None
        case ("mkdirat", [folder, path, mode]):
            return _made(name, _at(folder, path), [mode], "")
        case ("mkdir", [path, mode]):
            return _made(name, _plain(path), [mode], "")
        case ("write", [handle, text, _]):
            number = handle.partition("<")[0]
            start = positions.get(number, 0)
            positions[number] = start + int(result)
            return Call(name, (_of(handle),), _text(text)[: int(result)], start)
        case ("pwrite64", [handle, text, _, offset]):
            return Call(name, (_of(handle),), _text(text)[: int(result)], int(offset))
        case ("ftruncate", [handle, size]):
            return Call(name, (_of(handle),), number=int(size))
        case ("fchmod", [handle, mode]):
            return Call(name, (_of(handle),), number=int(mode, 8))
        case ("chmod", [path, mode]):
            return Call(name, (_plain(path),), number=int(mode, 8))
        case ("fsync" | "fdatasync" | "syncfs" | "fchown" | "fsetxattr" | "fremovexattr", [handle, *_]):
            return Call(name, (_of(handle),))
        case ("symlinkat", [target, folder, path]):
            return Call(name, (_at(folder, path),), _text(target))
        case ("fchownat", [folder, path, *_]):
            return Call(name, (_at(folder, path),))
        case ("unlinkat", [folder, path, flags]):
            return Call(name, (_at(folder, path),), flags=flags)
        case ("unlink" | "rmdir", [path]):
            return Call(name, (_plain(path),))
        case ("renameat2", [old_folder, old, new_folder, new, flags]):
            return Call(name, (_at(old_folder, old), _at(new_folder, new)), flags=flags)
        case ("renameat" | "linkat", [old_folder, old, new_folder, new, *_]):
            return Call(name, (_at(old_folder, old), _at(new_folder, new)))
        case ("rename" | "link", [old, new]):
            return Call(name, (_plain(old), _plain(new)))
        case _:
            raise ValueError(f"{name} is recorded, but nobody knows what it does: {values}")


def _made(name: str, path: Path, mode: list[str], flags: str) -> Call:
    return Call(name, (path,), number=int(mode[0], 8) if mode else 0, flags=flags)


def _unescaped(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _text(value: str) -> bytes:
    assert value.endswith('"'), "strace cut what was written"
    return _unescaped(value.strip('"'))


def _plain(value: str) -> Path:
    return Path(os.fsdecode(_text(value)))


def _of(handle: str) -> Path:
    return Path(os.fsdecode(_unescaped(handle.partition("<")[2].rstrip(">"))))


def _at(folder: str, path: str) -> Path:
    return _of(folder) / _plain(path)
