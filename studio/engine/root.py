"""The project's folder, held open: every read and every handle for a write starts here (R1, R25, design 5).

Nothing below follows a link: a folder is reached by openat2 with RESOLVE_BENEATH and NO_SYMLINKS, or by
a walk of single components with O_NOFOLLOW. The path checks of `names` come first; this module holds
even without them. What it can't see: a real folder moved out of the project after its handle was taken.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path

from studio.engine import system
from studio.engine.errors import NotFound, Refused
from studio.engine.names import is_git_alias, show_name

_FOLDER_FLAGS = os.O_RDONLY | system.O_DIRECTORY | system.O_NOFOLLOW | system.O_CLOEXEC
_FILE_FLAGS = os.O_RDONLY | system.O_NOFOLLOW | system.O_NONBLOCK | system.O_CLOEXEC
_SYSTEM_FOLDERS = frozenset("/bin /boot /dev /etc /proc /root /sbin /sys /usr /var".split())
_READ_SIZE = 1 << 20
_OPEN_TRIES = 1000


class EntryKind(Enum):
    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FileState:
    """What the file system says about one entry, the entry itself and not what a link points to."""

    kind: EntryKind
    size: int
    mode: int
    device: int
    inode: int
    links: int
    user: int
    group: int
    modified_ns: int
    changed_ns: int

    @property
    def signature(self) -> tuple[int, ...]:
        """Equal signatures hint at equal bytes; only a hash proves them (T: forged times)."""
        return (self.device, self.inode, self.size, self.modified_ns, self.changed_ns, self.mode)


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One row of the project tree; `path` is relative, with slashes."""

    path: str
    is_folder: bool
    size: int
    is_link: bool

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


def state_of(status: os.stat_result) -> FileState:
    if stat.S_ISREG(status.st_mode):
        kind = EntryKind.FILE
    elif stat.S_ISDIR(status.st_mode):
        kind = EntryKind.FOLDER
    elif stat.S_ISLNK(status.st_mode):
        kind = EntryKind.LINK
    else:
        kind = EntryKind.OTHER
    return FileState(
        kind,
        status.st_size,
        stat.S_IMODE(status.st_mode),
        status.st_dev,
        status.st_ino,
        status.st_nlink,
        status.st_uid,
        status.st_gid,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def find_root(start: Path) -> tuple[Path, str]:
    """The project root above a folder, and why: studio.yaml, else .git, else the folder itself (R2, R12)."""
    folders = (start, *start.parents)
    for name in ("studio.yaml", ".git"):
        for folder in folders:
            if (folder / name).exists():
                return folder, f"the nearest folder with {name}"
    return start, "the current folder"


def check_root(path: Path) -> Path:
    """Resolve a folder that is to be a project root, refusing those that never may be (contract 1)."""
    shown = show_name(str(path))
    if not path.exists():
        raise NotFound("root.missing", f"The folder {shown} does not exist.", "Check the path.")
    if not path.is_dir():
        raise NotFound(
            "root.not_a_folder", f"{shown} is not a folder.", "Name the folder that holds the project."
        )
    resolved = path.resolve(strict=True)
    reason = _why_never_a_root(resolved)
    if reason:
        raise Refused(
            "root.refused", f"{shown} can't be a project: it is {reason}.", "Open a folder inside it."
        )
    return resolved


def _why_never_a_root(path: Path) -> str:
    if path == Path(path.anchor):
        return "the root of a drive"
    if path == Path.home().resolve():
        return "your home folder"
    # Resolved like the path itself: on many systems /bin and /lib are links into /usr.
    system_folders = (*(Path(name) for name in _SYSTEM_FOLDERS), *Path("/").glob("lib*"))
    if any(path in (folder, folder.resolve()) for folder in system_folders):
        return "a system folder"
    return ""


class ProjectRoot:
    """An open project folder. Close it, or use it as a context manager."""

    def __init__(self, path: Path) -> None:
        """Open the folder. Raises NotFound or Refused (contract 1)."""
        self.handle = -1
        try:
            self.path = check_root(path)
            self.handle = os.open(self.path, _FOLDER_FLAGS & ~system.O_NOFOLLOW)
            status = os.fstat(self.handle)
        except OSError as error:
            self.close()
            raise Refused(
                "root.unreadable",
                f"The folder {show_name(str(path))} can't be opened: {error.strerror}.",
                "Check its permissions and the disk.",
            ) from error
        self.identity = f"{status.st_dev}:{status.st_ino}"

    def close(self) -> None:
        if self.handle >= 0:
            with suppress(OSError):  # it was only read from
                os.close(self.handle)
            self.handle = -1

    def __enter__(self) -> ProjectRoot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def folds_case(self) -> bool:
        """Whether the volume takes two spellings that differ by case for one file (C5, R21).

        Asked of the root's own name: its other spelling is the same folder, or it is not.
        """
        other = self.path.with_name(self.path.name.swapcase())
        if other == self.path:
            return False
        try:
            status = other.stat()
        except OSError:
            return False
        return f"{status.st_dev}:{status.st_ino}" == self.identity

    def is_still_there(self) -> bool:
        """Whether the path still names the folder that was opened."""
        try:
            status = self.path.stat()
        except OSError:
            return False
        return f"{status.st_dev}:{status.st_ino}" == self.identity

    @contextmanager
    def folder(self, path: str) -> Generator[int]:
        """The handle of a folder beneath the root ("" is the root). Raises Refused for a link on the way,
        FileNotFoundError, NotADirectoryError or another OSError."""
        handle = self._open(path, _FOLDER_FLAGS)
        try:
            yield handle
        finally:
            os.close(handle)

    @contextmanager
    def parent(self, path: str) -> Generator[tuple[int, bytes]]:
        """The handle of the folder that holds `path`, and the last component as bytes."""
        above, _, name = path.rpartition("/")
        with self.folder(above) as handle:
            yield handle, os.fsencode(name)

    def state(self, path: str) -> FileState | None:
        """What is at `path` now; None if nothing is. Raises Refused for a link among its folders."""
        if not path:
            return state_of(os.fstat(self.handle))
        try:
            with self.parent(path) as (folder, name):
                return state_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read(self, path: str, limit: int) -> tuple[bytes, FileState]:
        """The exact bytes of a regular file of at most `limit` bytes.

        Raises Refused for links, folders, pipes, devices and larger files (checked before reading),
        OSError where the system says no.
        """
        with self.parent(path) as (folder, name):
            return read_file(folder, name, limit, shown=path)

    def digest(self, path: str) -> tuple[str, FileState] | None:
        """SHA-256 and state of what is at `path`, read in pieces; None where nothing is.

        A folder, link or other special entry has the digest "". Raises Refused for a link among its
        folders, OSError where the system says no.
        """
        try:
            with self.parent(path) as (folder, name):
                state = state_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
                if state.kind is not EntryKind.FILE:
                    return "", state
                handle = os.open(name, _FILE_FLAGS, dir_fd=folder)
                try:
                    state = state_of(os.fstat(handle))
                    if state.kind is not EntryKind.FILE:  # exchanged in between
                        return "", state
                    digest = hashlib.sha256()
                    while part := os.read(handle, _READ_SIZE):
                        digest.update(part)
                    return digest.hexdigest(), state_of(os.fstat(handle))
                finally:
                    os.close(handle)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def list_folder(self, path: str) -> tuple[TreeEntry, ...]:
        """The entries of one folder, folders first, then by name; links are listed, never entered."""
        prefix = f"{path}/" if path else ""
        entries: list[TreeEntry] = []
        with self.folder(path) as handle, os.scandir(handle) as found:
            for entry in found:
                is_folder = entry.is_dir(follow_symlinks=False)
                try:
                    size = 0 if is_folder else entry.stat(follow_symlinks=False).st_size
                except OSError:
                    size = 0
                entries.append(TreeEntry(prefix + entry.name, is_folder, size, entry.is_symlink()))
        return tuple(sorted(entries, key=lambda entry: (not entry.is_folder, entry.name)))

    def walk(self, path: str = "") -> Iterator[TreeEntry]:
        """Every entry beneath a folder, parents before children; a folder that can't be read is skipped."""
        pending = [path]
        while pending:
            try:
                entries = self.list_folder(pending.pop())
            except (OSError, Refused):
                continue
            for entry in entries:
                yield entry
                if entry.is_folder:
                    pending.append(entry.path)

    def check_not_git(self, path: str) -> None:
        """Refuse a path one of whose components *is* the `.git` beside it, under whatever name (R126, T)."""
        parts = path.split("/")
        for index, part in enumerate(parts):
            if is_git_alias(part):
                continue
            folder = "/".join(parts[:index])
            state = self.state("/".join(parts[: index + 1]))
            if state is None:
                return
            git = self.state(f"{folder}/.git" if folder else ".git")
            if git is not None and (git.device, git.inode) == (state.device, state.inode):
                raise Refused(
                    "path.git",
                    f"{show_name(path)} is the project's .git under another name.",
                    "Git's own files are never changed.",
                    path=path,
                )

    def _open(self, path: str, flags: int) -> int:
        try:
            name = os.fsencode(path) or b"."
            if path and (path.startswith("/") or any(part in ("", ".", "..") for part in path.split("/"))):
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
            return self._open_again(path, name, flags) if path else os.open(b".", flags, dir_fd=self.handle)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EXDEV):
                raise _link_refused(path) from error
            raise

    def _open_again(self, path: str, name: bytes, flags: int) -> int:
        """Open, and where that met no folder, look what is there: O_NOFOLLOW with O_DIRECTORY answers
        ENOTDIR for a link. What is a folder again by then is opened again: it must not pass for absent."""
        for _ in range(_OPEN_TRIES):
            try:
                return _walk(self.handle, name, flags)
            except NotADirectoryError:
                kind = _in_the_way(self, path)
                if kind is not EntryKind.FOLDER:
                    break
        else:
            kind = EntryKind.LINK
        raise OSError(
            errno.ELOOP if kind is EntryKind.LINK else errno.ENOTDIR, os.strerror(errno.ENOTDIR), path
        )


def _walk(handle: int, path: bytes, flags: int) -> int:
    try:
        return system.open_beneath(handle, path, flags)
    except system.Unsupported:
        return walk_components(handle, path, flags)


def walk_components(handle: int, path: bytes, flags: int) -> int:
    """Open `path` component by component without following links: the way without openat2."""
    *folders, last = path.split(b"/")
    current = os.dup(handle)
    try:
        for component in folders:
            following = os.open(component, _FOLDER_FLAGS, dir_fd=current)
            os.close(current)
            current = following
        return os.open(last, flags | system.O_NOFOLLOW, dir_fd=current)
    finally:
        os.close(current)


def _in_the_way(root: ProjectRoot, path: str) -> EntryKind:
    """The first of a path's components that is no folder; FOLDER if all that are there are folders."""
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        with suppress(OSError):
            name = os.fsencode("/".join(parts[:count]))
            kind = state_of(os.stat(name, dir_fd=root.handle, follow_symlinks=False)).kind
            if kind is not EntryKind.FOLDER:
                return kind
    return EntryKind.FOLDER


def _link_refused(path: str) -> Refused:
    return Refused(
        "path.link",
        f"{show_name(path)} is reached through a link.",
        "Links are never followed; name the real file.",
        path=path,
    )


def read_file(folder: int, name: bytes, limit: int, *, shown: str) -> tuple[bytes, FileState]:
    """Read a regular file by its folder's handle. Raises as `ProjectRoot.read`."""
    before = state_of(os.stat(name, dir_fd=folder, follow_symlinks=False))
    _check_readable(before, limit, shown)
    handle = os.open(name, _FILE_FLAGS, dir_fd=folder)
    try:
        state = state_of(os.fstat(handle))
        _check_readable(state, limit, shown)
        parts: list[bytes] = []
        total = 0
        while part := os.read(handle, _READ_SIZE):
            total += len(part)
            if total > limit:
                raise _too_large(shown, total, limit)
            parts.append(part)
        return b"".join(parts), state
    finally:
        os.close(handle)


def _check_readable(state: FileState, limit: int, shown: str) -> None:
    if state.kind is EntryKind.LINK:
        raise _link_refused(shown)
    if state.kind is EntryKind.FOLDER:
        raise Refused(
            "path.folder", f"{show_name(shown)} is a folder, not a file.", "Name a file.", path=shown
        )
    if state.kind is EntryKind.OTHER:
        raise Refused(
            "path.not_a_file",
            f"{show_name(shown)} is a pipe, a socket or a device.",
            "Only regular files are read and changed.",
            path=shown,
        )
    if state.size > limit:
        raise _too_large(shown, state.size, limit)


def _too_large(shown: str, size: int, limit: int) -> Refused:
    return Refused(
        "file.too_large",
        f"{show_name(shown)} has {size} bytes; the limit is {limit}.",
        "Raise limits: file_bytes in the user configuration if files of this size are to be changed.",
        path=shown,
    )
