"""Bare git object store for snapshots: blobs, trees, commits, refs, garbage collection.

It is in a folder of ours, outside of every project. Contents are not rows of the store, because SQLite
(3.40.1) can't delete rows on a full disk, where removing an object frees its space. pygit2 writes it, without
an index. None of the user's or the project's git configuration is read: pygit2 would block forever on a named
pipe in its place.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
import uuid
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from studio.engine.root import open_folder
from studio.engine.root.hash_cache import REMOVAL_BYTES
from studio.engine.snapshot_store.manifest import unreadable
from studio.errors import NotFound, SnapshotError
from studio.names import show_name
from studio.system import syscalls
from studio.system.closing import Closing
from studio.system.git_library import loadable
from studio.system.os_errors import reason
from studio.system.own_files import make_own_folder, write_own_file

# Objects written before the last boot may be incomplete on disk.

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def boot_id() -> str:
    """Return the kernel's id of this boot, or "" if unknown."""
    with suppress(OSError, UnicodeError):
        return _BOOT_ID.read_text("ascii").strip()
    return ""


FOLDER: Final = 0o040000
FILE: Final = 0o100644
PROGRAM: Final = 0o100755
LINK: Final = 0o120000
"""Entry modes in git trees."""

EMPTY_TREE: Final = bytes.fromhex("4b825dc642cb6eb9a060e54bf8d69288fbee4904")

UNWRITABLE: Final = "snapshot.unwritable"
"""Error code for a store that can't be written."""

_NAMES: Final = "refs/snapshots/"
_NAME: Final = re.compile(r"[0-9a-z][0-9a-z-]{0,63}")
_IDENTITY: Final = "Exacta Studio <studio@localhost>"
_LARGE_BYTES: Final = 256 * 1024
_OBJECT = re.compile(r"[0-9a-f]{40}")
_CLOCK_NS: Final = 1_000_000_000
"""Largest lag of a new file's timestamp behind the clock, in nanoseconds."""
_HELD: Final = re.compile(rb"([0-7]+) ([^\0]*)\0(.{20})", re.DOTALL)
"""Entry of a tree object: mode, name and raw object id."""

TreeEntries = Sequence[tuple[int, str, bytes]]
"""Mode, git name and raw object id of a tree's entries."""


class ObjectFolder(Closing):
    """Git directory with the objects and refs of snapshots.

    Close it, or use it as a context manager.
    """

    def __init__(self, path: Path) -> None:
        """Open the git directory, or create it, private to the user.

        Raises SnapshotError.
        """
        self.path = path
        self._sweeping = path / "sweeping"
        self._removed = path / "removed"
        self._flushed = path / "flushed"
        self._checked = path / "checked"
        try:
            # Imported here: it takes 70 ms, which other commands need not wait for.
            with loadable():
                import pygit2
        except ImportError as error:
            raise SnapshotError(
                "snapshot.no_git",
                "Snapshots of a folder on disk require pygit2, which is not installed.",
                "Install it: pip install pygit2",
            ) from error

        levels = pygit2.enums.ConfigLevel
        for level in (levels.SYSTEM, levels.XDG, levels.GLOBAL):
            pygit2.settings.search_path[level] = ""
        kinds = pygit2.enums.ObjectType
        self._kinds = {"blob": kinds.BLOB, "tree": kinds.TREE, "commit": kinds.COMMIT}
        self._failures = (pygit2.GitError, KeyError, ValueError)
        try:
            if not (path / "HEAD").exists():
                make_own_folder(path)
                pygit2.init_repository(str(path), bare=True)
            try:
                self._repository = pygit2.Repository(str(path))
            except pygit2.GitError:
                # Folders are missing or the configuration is damaged; it holds only what git writes anew.
                (path / "config").unlink(missing_ok=True)
                pygit2.init_repository(str(path), bare=True)
                self._repository = pygit2.Repository(str(path))
        except (pygit2.GitError, OSError) as error:
            raise SnapshotError(
                "snapshot.folder",
                f"The snapshots folder can't be used: {show_name(str(path))}.",
                "Check its permissions and the free disk space.",
            ) from error

    def close(self) -> None:
        self._repository.free()

    def write_blob(self, data: bytes) -> bytes:
        """Store bytes as a blob and return its raw id.

        Raises SnapshotError, as do all methods that write.
        """
        return self._write_object("blob", data)

    def write_tree(self, entries: TreeEntries) -> bytes:
        """Store a tree of these entries, which may be in any order."""
        # Not with git's TreeBuilder: it looks up each object first, 11 us per entry in place of 1.
        ordered = sorted(
            (name.encode() + (b"/" if mode == FOLDER else b""), mode, name, object_id)
            for mode, name, object_id in entries
        )
        parts = (b"%o %s\0%s" % (mode, name.encode(), object_id) for _, mode, name, object_id in ordered)
        return self._write_object("tree", b"".join(parts))

    def write_commit(self, tree: bytes, when: datetime, message: str) -> str:
        """Store a commit without a parent and return its hex id."""
        moment = f"{int(when.timestamp())} +0000"
        lines = (f"tree {tree.hex()}", f"author {_IDENTITY} {moment}", f"committer {_IDENTITY} {moment}")
        text = "\n".join((*lines, "", message, "")).encode("utf-8", "replace")
        return self._write_object("commit", text).hex()

    def has(self, object_id: bytes) -> bool:
        return self._repository.odb.exists(object_id.hex())

    def blob(self, object_id: bytes) -> bytes:
        """Return a blob's bytes.

        Raises SnapshotError where they are missing or damaged.
        """
        return self._read_object("blob", object_id)

    def tree(self, object_id: bytes) -> Iterator[tuple[int, str, bytes]]:
        """Yield mode, name and raw object id of a tree's entries.

        Raises SnapshotError as `blob`.
        """
        data = self._read_object("tree", object_id)
        entries: list[tuple[bytes, bytes, bytes]] = _HELD.findall(data)
        if sum(len(mode) + len(name) + 22 for mode, name, _ in entries) != len(data):
            raise unreadable()
        try:
            yield from [(int(mode, 8), name.decode(), entry) for mode, name, entry in entries]
        except ValueError as error:
            raise unreadable() from error

    def commit(self, commit: str) -> tuple[bytes, str]:
        """Return a commit's raw tree id and its message.

        Raises SnapshotError as `blob`.
        """
        if not _OBJECT.fullmatch(commit):
            raise unreadable()
        head, _, message = self._read_object("commit", bytes.fromhex(commit)).partition(b"\n\n")
        first = head.partition(b"\n")[0].decode("ascii", "replace")
        if not first.startswith("tree ") or not _OBJECT.fullmatch(first[5:]):
            raise unreadable()
        return bytes.fromhex(first[5:]), message.decode("utf-8", "replace")

    def publish(self, name: str, commit: str) -> None:
        """Point a ref at a commit, after flushing everything to disk.

        An existing ref is replaced. Raises SnapshotError.
        """
        assert _NAME.fullmatch(name), name
        with self._wrap_write_errors():
            self._flush_folders()
            try:
                self.read_ref(name)
            except SnapshotError:  # git does not replace an unreadable ref
                (self.path / _NAMES / name).unlink(missing_ok=True)
            except NotFound:
                pass
            self._repository.references.create(_NAMES + name, commit, force=True)
            self._flush_folders()

    def read_ref(self, name: str) -> str:
        """Return the commit that a ref points to.

        Raises NotFound, or SnapshotError where the ref's file is damaged.
        """
        try:
            found = self._repository.references.get(_NAMES + name) if _NAME.fullmatch(name) else None
        except self._failures as error:
            raise unreadable() from error
        if found is not None:
            return str(found.target)
        raise NotFound(
            "snapshot.missing",
            f"There is no snapshot {show_name(name)}.",
            "Choose an existing snapshot.",
        )

    def names(self) -> tuple[str, ...]:
        """Return all ref names, sorted."""
        found = self._repository.references.iterator()
        return tuple(sorted(each.name.removeprefix(_NAMES) for each in found if each.name.startswith(_NAMES)))

    def unpublish(self, name: str) -> None:
        """Delete a ref durably; its objects stay until `sweep`.

        Raises as `read_ref`.
        """
        self.read_ref(name)
        with self._wrap_write_errors():
            self._repository.references.delete(_NAMES + name)
            self._flush_folders()

    @property
    def is_half_swept(self) -> bool:
        """Whether a sweep was interrupted, so that cached objects may be missing."""
        return self._sweeping.exists()

    def sweep(self, trees: Iterable[str] = (), cached: Iterable[bytes] = ()) -> int:
        """Remove unreachable objects and return the number of bytes freed.

        Kept are the objects of `cached` (raw ids) and all that a ref or one of `trees` leads to. Objects
        reachable only through a damaged one are removed, since they can't be found any more; so are
        half-written files of a killed process.
        """
        with suppress(OSError):  # the disk is full
            self._sweeping.touch()
        self._record_removal()
        reachable: set[bytes] = set()
        for tree in trees:
            self._add_reached(bytes.fromhex(tree), reachable)
        for name in self.names():
            with suppress(SnapshotError):
                commit = self.read_ref(name)
                reachable.add(bytes.fromhex(commit))
                self._add_reached(self.commit(commit)[0], reachable)
        reachable.update(cached)
        freed = 0
        for file, object_id in self._yield_objects():
            if object_id not in reachable:
                with suppress(OSError):
                    size = file.stat().st_size
                    file.unlink()
                    freed += size
        self._sweeping.unlink(missing_ok=True)
        return freed

    @property
    def removal(self) -> bytes:
        """Token of 16 bytes that changes whenever objects are removed.

        With another token, cached objects may be missing.
        """
        word = b""
        with suppress(OSError):
            word = self._removed.read_bytes()[:REMOVAL_BYTES]
        return word.ljust(REMOVAL_BYTES, b"\0")

    def present(self) -> frozenset[bytes]:
        """Return the raw ids of all objects, unverified."""
        return frozenset(object_id for _, object_id in self._yield_objects() if object_id is not None)

    def remove_damaged(self, written_since_ns: int = 0) -> None:
        """Remove unreadable objects, because git never rewrites an object it has.

        Only objects written since `written_since_ns` are checked. Raises SnapshotError where the removal
        can't be noted.
        """
        self._record_removal()
        for file, object_id in self._yield_objects():
            if (
                object_id is not None
                and _read_written_ns(file) >= written_since_ns
                and not _is_sound(file, object_id)
            ):
                with suppress(OSError):
                    file.unlink()

    def check_after_start(self) -> None:
        """Remove objects damaged by a power cut, once after each boot.

        Raises SnapshotError.
        """
        boot = boot_id()
        if not boot or _read_text(self._checked) == boot:
            return
        self.remove_damaged(_read_written_ns(self._flushed))
        with self._wrap_write_errors():
            write_own_file(self._checked, boot.encode())

    def used_bytes(self) -> int:
        """Return the size of all objects on disk."""
        return sum(_read_size(file) for file, _ in self._yield_objects())

    def _add_reached(self, tree: bytes, reachable: set[bytes]) -> None:
        pending = [tree]
        while pending:
            object_id = pending.pop()
            if object_id in reachable:
                continue
            reachable.add(object_id)
            with suppress(SnapshotError):
                for mode, _, entry in self.tree(object_id):
                    if mode == FOLDER:
                        pending.append(entry)
                    else:
                        reachable.add(entry)

    def _yield_objects(self) -> Iterator[tuple[Path, bytes | None]]:
        """Yield each file of the objects with its raw id.

        The id is None where the file is no object.
        """
        for folder in sorted((self.path / "objects").glob("[0-9a-f][0-9a-f]")):
            for file in folder.iterdir() if folder.is_dir() else ():
                name = folder.name + file.name
                yield file, bytes.fromhex(name) if _OBJECT.fullmatch(name) else None

    def _write_object(self, kind: str, data: bytes) -> bytes:
        if len(data) < _LARGE_BYTES:
            # libgit2's error has no errno; writing it again below raises one with it.
            with suppress(*self._failures, OSError):
                return self._repository.write(self._kinds[kind], data).raw
        with self._wrap_write_errors():
            return self._write_large(kind, data)

    def _write_large(self, kind: str, data: bytes) -> bytes:
        """Write an object file as git does, in Python.

        libgit2 would block every thread of this process meanwhile.
        """
        head = f"{kind} {len(data)}\0".encode()
        name = hashlib.sha1(head, usedforsecurity=False)
        name.update(data)
        file = Path(self._object_path(name.hexdigest()))
        if not file.exists():
            packer = zlib.compressobj(zlib.Z_BEST_SPEED)
            write_own_file(file, packer.compress(head) + packer.compress(data) + packer.flush(), mode=0o444)
        return name.digest()

    def _read_object(self, kind: str, object_id: bytes) -> bytes:
        # Not with libgit2: a large object would block every thread of this process, and on a truncated one
        # libgit2 1.9 loops forever.
        head, _, data = _unpack(self._object_path(object_id.hex()), object_id).partition(b"\0")
        if head != f"{kind} {len(data)}".encode():
            raise unreadable()
        return data

    def _object_path(self, name: str) -> str:
        # No Path: creating one takes as long as reading the object.
        return f"{self.path}/objects/{name[:2]}/{name[2:]}"

    def _record_removal(self) -> None:
        with self._wrap_write_errors():
            try:
                write_own_file(self._removed, uuid.uuid4().bytes)
            except OSError:  # the disk is full; the removal frees space
                self._removed.unlink()

    @contextmanager
    def _wrap_write_errors(self) -> Generator[None]:
        """Turn errors of this folder into SnapshotError.

        A caller that reads project files and stores them here must not take it for an error of the project
        file.
        """
        try:
            yield
        except (*self._failures, OSError) as error:
            why = reason(error) if isinstance(error, OSError) else show_name(str(error))
            raise SnapshotError(
                UNWRITABLE,
                f"Nothing more can be stored in {show_name(str(self.path))}: {why}.",
                "Free disk space there, or fix its permissions; then try again.",
            ) from error

    def _flush_folders(self) -> None:
        written = time.time_ns() - _CLOCK_NS
        handle = open_folder(self.path)
        try:
            syscalls.flush_file_system(handle)
        finally:
            os.close(handle)
        self._flushed.touch()
        os.utime(self._flushed, ns=(written, written))


def _unpack(file: str | Path, object_id: bytes) -> bytes:
    """Return an object's header and bytes, decompressed.

    Raises SnapshotError.
    """
    try:
        with os.fdopen(os.open(file, os.O_RDONLY), "rb", buffering=0) as stream:
            whole = zlib.decompress(stream.read())
    except (OSError, zlib.error) as error:
        raise unreadable() from error
    if hashlib.sha1(whole, usedforsecurity=False).digest() != object_id:
        raise unreadable()
    return whole


def _is_sound(file: Path, object_id: bytes) -> bool:
    try:
        _unpack(file, object_id)
    except SnapshotError:
        return False
    return True


def _read_written_ns(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _read_text(file: Path) -> str:
    with suppress(OSError, UnicodeError):
        return file.read_text("ascii")
    return ""


def _read_size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
