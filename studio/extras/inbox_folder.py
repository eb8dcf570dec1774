"""Inbox folder for agents' submitted texts: listing, claiming, reading, archiving, answers.

It is outside of every project, accessible to its user alone, and held open. Its files are claimed by a rename
and never reached through a link; nothing in it is overwritten but what we wrote there ourselves. The system's
own lock ensures that one process takes from it at a time.
"""

from __future__ import annotations

import os
import stat
import uuid
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio.engine.disk import DiskChange, files, folders, image_at, place_one
from studio.engine.disk.outside_files import check_outside
from studio.engine.disk.temporary_names import temporary_name
from studio.engine.root import ProjectRoot, open_entry, read_handle, unreadable
from studio.errors import Conflict, FileExists, NotFound, Refused
from studio.journal.file_image import FileImage, sha256
from studio.names import show_name
from studio.program.app_folders import account_home, own_directories
from studio.program.locks import try_lock
from studio.system.closing import Closing
from studio.system.os_errors import wrap_os_errors
from studio.values import Value

TAKEN: Final = ".taken"
ANSWER: Final = ".answer.txt"
"""Suffixes of a text that was taken, and of its answer."""

_CLAIMS: Final = ".exacta-studio"
"""Our folder in the inbox for claimed texts without an answer yet."""
_ANSWER_MODE: Final = 0o600
# A name has 255 bytes at most, and has to leave room for a number and the longest suffix.
_NAME_BYTES: Final = 230
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


class Arrival(Value):
    """A file in the inbox.

    If two scans find it equal, no one is writing to it.
    """

    name: str
    identity: tuple[int, int]
    size: int
    changed: int


class InboxFolder(Closing):
    """An inbox held open by this process; close it after use.

    It is also a context manager.
    """

    def __init__(self, path: Path, *projects: Path) -> None:
        """Open the folder at an absolute path.

        `projects` are roots that it must be apart from. Raises NotFound where there is none, Refused for a
        place or permissions that an inbox can't have and where another process takes from it, or FileError.
        """
        self._shown = show_name(str(path))
        self.path = _resolve_folder(path, self._shown, *projects)
        self._root = ProjectRoot(self.path, lambda folder: folder)
        try:
            with wrap_os_errors(f"The inbox {self._shown} can't be used"):
                self._check_folder()
                if not try_lock(self._root.handle):
                    raise Refused(
                        "inbox.held",
                        f"Another Exacta Studio process takes the files of the inbox {self._shown} already.",
                        "End the running one first.",
                    )
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._root.close()

    def check(self) -> None:
        """Check that the path still names the opened folder.

        Raises Conflict where it does not, Refused where it is not its user's alone, or FileError.
        """
        with wrap_os_errors(f"The inbox {self._shown} can't be used"):
            self._check_folder()

    def _check_folder(self) -> None:
        status = os.fstat(self._root.handle)
        if not os.path.samestat(status, self.path.lstat()):
            raise Conflict(
                "inbox.exchanged",
                f"The inbox {self._shown} is not the folder any more that it was.",
                "Check what is there, then start it again.",
            )
        if status.st_uid != os.geteuid():
            raise Refused(
                "inbox.other_owner",
                f"The inbox {self._shown} belongs to another user.",
                "Specify a folder that you own.",
            )
        if status.st_mode & _OTHERS_WRITE:
            raise Refused(
                "inbox.open_to_others",
                f"Other users may write to the inbox {self._shown}, and would speak for your agents.",
                f"Remove write access for others: chmod go-w {self._shown}",
            )

    def arrivals(self) -> tuple[Arrival, ...]:
        """Return the files to be taken, oldest first.

        Excludes folders, names that begin with a dot, answers, and texts that were taken before. Raises
        FileError.
        """
        found: list[Arrival] = []
        with (
            wrap_os_errors(f"The inbox {self._shown} can't be looked into"),
            self._root.folder("") as handle,
            os.scandir(handle) as entries,
        ):
            for entry in entries:
                if entry.name.startswith(".") or entry.name.endswith((TAKEN, ANSWER)):
                    continue
                with suppress(FileNotFoundError):  # gone meanwhile
                    if not entry.is_dir(follow_symlinks=False):
                        found.append(_read_arrival(entry.name, entry.stat(follow_symlinks=False)))
        return tuple(sorted(found, key=lambda arrival: (arrival.changed, arrival.name)))

    def free_name(self, name: str) -> str:
        """Return a free name for a taken text and its answer.

        It is without the suffixes: the arrival's own name, with a number where an earlier one had that.
        """
        short = os.fsdecode(os.fsencode(name)[:_NAME_BYTES])
        number = 1
        while True:
            free = short if number == 1 else f"{short}.{number}"
            if all(self._root.state(free + ending) is None for ending in (TAKEN, ANSWER)):
                return free
            number += 1

    def claim(self, name: str, claim: str) -> bool:
        """Claim a file by a durable rename into our own folder.

        Returns False where it is gone. Raises FileError.
        """
        try:
            with wrap_os_errors(f"{show_name(name)} can't be imported from the inbox"):
                with suppress(FileExistsError):
                    folders.make_folder(self._root, _CLAIMS, 0o700)
                files.rename_new(self._root, name, f"{_CLAIMS}/{claim}")
                # Otherwise a power cut could bring back what was proposed.
                folders.flush_folders(self._root, ["", _CLAIMS])
        except FileNotFoundError:
            return False
        return True

    def is_claimed(self, claim: str) -> bool:
        """Return whether a claimed text is still in our own folder."""
        return self._root.state(f"{_CLAIMS}/{claim}") is not None

    def read(self, claim: str, limit: int, name: str) -> bytes:
        """Return the bytes of a claimed text.

        `name` is the text's name in messages. Raises NotAFile for anything but a regular file, Refused for
        one of another owner, with a second hard link, of more than `limit` bytes or still being written, or
        FileError.
        """
        shown = show_name(name)
        with (
            wrap_os_errors(f"{shown} can't be read"),
            self._root.parent(f"{_CLAIMS}/{claim}") as (folder, entry),
        ):
            status = os.stat(entry, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                raise Refused("inbox.link", f"{shown} is a link; it was not followed.", "Put a copy there.")
            if not stat.S_ISREG(status.st_mode):
                raise unreadable(status, limit, name)
            handle = open_entry(folder, entry)
            try:
                status = os.fstat(handle)
                _check_single(status, shown)
                data, before = read_handle(handle, limit, shown=name, hint="Submit it in parts.")
                if _read_arrival(name, before) != _read_arrival(name, os.fstat(handle)):
                    raise Refused(
                        "inbox.still_written",
                        f"{shown} was still being written when it was imported.",
                        "Write it elsewhere on the same disk, and move it here when it is whole.",
                    )
                return data
            finally:
                os.close(handle)

    def archive_claim(self, claim: str, free: str) -> None:
        """Move a claimed text beside its answer.

        It gets another number where its name was taken meanwhile; if it was moved before, nothing happens.
        Raises FileError.
        """
        with (
            wrap_os_errors(f"{show_name(free + TAKEN)} can't be stored in the inbox"),
            suppress(FileNotFoundError),
        ):
            if self._root.state(free + TAKEN) is not None:
                free = self.free_name(free)
            files.rename_new(self._root, f"{_CLAIMS}/{claim}", free + TAKEN)
            folders.flush_folders(self._root, ["", _CLAIMS])

    def write_answer(self, claim: str, free: str, text: bytes, ours: Collection[str]) -> None:
        """Write the answer to a claimed text, atomically and durably.

        `ours` are the SHA-256 of all that we may have written there, one more each time. Raises FileExists
        where something else is there, or another FileError.
        """
        name = free + ANSWER
        shown = show_name(name)
        with wrap_os_errors(f"{shown} can't be written"):
            before = image_at(self._root, name)
            if before is not None and (before.is_link or before.sha256 not in ours):
                raise FileExists(
                    "inbox.not_ours",
                    f"{shown} in the inbox is not the answer that was written there; it stays as it is.",
                    "Check the status of the plan instead.",
                )
            if before is not None and before.sha256 == sha256(text):
                return
            mode = _ANSWER_MODE if before is None else before.mode
            after = FileImage(sha256(text), len(text), mode)
            place_one(self._root, DiskChange(name, before, after, _temporary_name(claim, len(ours))), text)

    def sweep(self, claim: str, ours: Collection[str]) -> None:
        """Remove temporary files that a killed process left of these answers.

        Raises FileError.
        """
        hashes = {*ours, sha256(b"")}
        with wrap_os_errors(
            f"Files that an earlier process left in the inbox {self._shown} can't be removed"
        ):
            for attempt in range(1, len(ours) + 1):
                for path in files.temporary_paths(_temporary_name(claim, attempt)):
                    # Compared by content as well: an exchange may have returned another program's file.
                    left = image_at(self._root, path)
                    if left is not None and not left.is_link and left.sha256 in hashes:
                        files.remove_file(self._root, path)


def _resolve_folder(path: Path, shown: str, *projects: Path) -> Path:
    """Return the inbox's real path, following links once.

    Raises Refused for an unsuitable place.
    """
    with wrap_os_errors(f"The inbox {shown} can't be used"):
        place = path.parent.resolve() / path.name
        if place.is_symlink():
            raise Refused(
                "inbox.is_link",
                f"The inbox {shown} is a link.",
                "Name the folder that it leads to, or make one.",
            )
        if not place.is_dir():
            raise NotFound(
                "inbox.missing", f"The inbox {shown} is not there.", f"Make it: mkdir -m 700 {shown}"
            )
    if ".." in path.parts:
        raise Refused("inbox.not_plain", f"The inbox {shown} has .. in its path.", 'Use a path without "..".')
    check_outside(place / _CLAIMS, f"The inbox {shown}", *projects)
    for protected in (*projects, *own_directories(), account_home(), Path.home().resolve()):
        if protected.is_relative_to(place):
            raise Refused(
                "inbox.holds_others",
                f"The inbox {shown} holds more than an inbox may: {show_name(str(protected))}.",
                "Create a folder only for agents' files.",
            )
    return place


def _temporary_name(claim: str, attempt: int) -> str:
    return temporary_name(str(uuid.UUID(claim)), attempt)


def _check_single(status: os.stat_result, shown: str) -> None:
    """Check that a text is its owner's and has a single name.

    By another name it could be written to. Raises Refused.
    """
    if status.st_uid != os.geteuid():
        raise Refused(
            "inbox.other_owner", f"{shown} belongs to another user.", "Put it there as the inbox's user."
        )
    if status.st_nlink > 1:
        raise Refused(
            "inbox.hard_link", f"{shown} has other names beside this one (hard links).", "Put a copy there."
        )


def _read_arrival(name: str, status: os.stat_result) -> Arrival:
    return Arrival(name, (status.st_dev, status.st_ino), status.st_size, status.st_mtime_ns)
