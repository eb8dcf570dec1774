"""One path on its way from what is there to what shall be, and what it holds at the moment (design 5)."""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from studio.engine.disk.held import Beneath
from studio.engine.errors import Conflict
from studio.engine.names import show_name
from studio.engine.plan import FileImage, sha256
from studio.engine.root import EntryKind

ContentReader = Callable[[str], bytes]
"""Gives the verified bytes of a SHA-256; raises Refused when the store can't."""


@dataclass(frozen=True, slots=True)
class Placement:
    """One path on its way from `before` to `after` (None: nothing is there).

    `temporary` is the path of our own file for it: first the prepared one, then the displaced one. It is
    in the same folder, or above the folders that the plan removes.
    `like` is the path whose owner and attributes a new file takes.
    """

    path: str
    before: FileImage | None
    after: FileImage | None
    temporary: str = ""
    like: str | None = None
    if_empty: bool = False

    @property
    def is_folder(self) -> bool:
        return (self.before or self.after or FileImage("", 0, 0)).is_folder

    @property
    def makes_folder(self) -> bool:
        return self.is_folder and self.before is None

    @property
    def sets_folder_mode(self) -> bool:
        """Whether a folder stays and gets other permission bits."""
        return self.is_folder and self.before is not None and self.after is not None


class Place(Enum):
    """What a target holds, seen from its placement."""

    BEFORE = "before"
    AFTER = "after"
    NEITHER = "neither"


class Displaced(Conflict):
    """What came out of the exchange was not the reviewed base: somebody wrote in that moment."""


def place_of(root: Beneath, placement: Placement) -> Place:
    """Compare what is on disk with both ends, by existence, kind, bytes and permission bits.

    Raises Refused where the path leads through a link.
    """
    now = image_at(root, placement.path)
    if placement.if_empty and now is not None and now.is_folder:
        return Place.BEFORE
    if holds(placement, now, placement.after):
        return Place.AFTER
    return Place.BEFORE if holds(placement, now, placement.before) else Place.NEITHER


def holds(placement: Placement, now: FileImage | None, side: FileImage | None) -> bool:
    """Whether what is there now is that side of the placement; where only a folder's bits change, they tell
    the sides apart."""
    if not is_same(now, side):
        return False
    return not placement.sets_folder_mode or now is None or side is None or now.mode == side.mode


def image_at(root: Beneath, path: str) -> FileImage | None:
    """What is at a path, a link itself and not what it leads to; what is neither has the SHA-256 "" and
    equals nothing."""
    try:
        found = root.digest(path)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        found = None  # nothing can have such a name there
    if found is None:
        return None
    digest, state = found
    if state.kind is EntryKind.LINK and (target := root.link_target(path)) is not None:
        return link_image(target)
    return FileImage(None if state.kind is EntryKind.FOLDER else digest, state.size, state.mode)


def link_image(target: bytes) -> FileImage:
    """The image of a symbolic link that says `target`."""
    return FileImage(sha256(target), len(target), stat.S_IFLNK)


def has_same_content(one: FileImage, other: FileImage | None) -> bool:
    """Whether two images agree in kind and bytes, whatever their permission bits."""
    return other is not None and (one.sha256, one.is_link) == (other.sha256, other.is_link)


def is_same(one: FileImage | None, other: FileImage | None) -> bool:
    """Whether two images agree in existence, kind, bytes and permission bits (of folders: in kind)."""
    if one is None or other is None:
        return one is other
    if one.is_folder or other.is_folder:
        return one.is_folder and other.is_folder
    return (one.sha256, one.mode) == (other.sha256, other.mode)


def touched_folders(placements: Iterable[Placement]) -> set[str]:
    """The folders to flush: whose names change, by the targets or by our own files beside or above them, and
    those that are made, for their permission bits. One that only gets other bits is flushed with them."""
    touched: set[str] = set()
    for placement in placements:
        if placement.sets_folder_mode:
            continue
        touched |= {_folder_of(placement.path), _folder_of(placement.temporary or placement.path)}
        if placement.is_folder:
            touched.add(placement.path)
    return touched


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def displaced(placement: Placement) -> Displaced:
    """The error for a target that changed in the moment it was to be written (design 5.5)."""
    return Displaced(
        "apply.displaced",
        f"{show_name(placement.path)} changed in the moment it was to be written.",
        "Look at the file, then have the step proposed anew.",
        path=placement.path,
    )
