"""What requests mean for single paths, and how each is prepared, carried out and put back (design 5).

Every function looks at what is on disk before it acts, so that it may be called again after a crash at
any point, by another process: `put_back` is both the end of a failed apply and the heart of recovery.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from studio.engine import disk
from studio.engine.branch.entries import (
    DirectoryCreate,
    FileDelete,
    FileModeSet,
    FileMove,
    FileWrite,
    Request,
)
from studio.engine.errors import Conflict, Refused
from studio.engine.limits import FLUSH_EACH_UP_TO
from studio.engine.names import show_name
from studio.engine.plan import FileImage
from studio.engine.root import EntryKind, ProjectRoot
from studio.engine.system import Unsupported

ContentReader = Callable[[str], bytes]
"""Gives the verified bytes of a SHA-256; raises Refused when the store can't."""

_GIVE_BACK_TIMES = 64
_UNFINISHED_MODE = 0o600


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


class Place(Enum):
    """What a target holds, seen from its placement."""

    BEFORE = "before"
    AFTER = "after"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class PutBack:
    """How putting a target back ended.

    `is_left`: it holds neither base nor result and was left as it is. `strange` are paths of our own files
    that stay because they hold what somebody wrote.
    """

    is_left: bool
    strange: tuple[str, ...] = ()


class Displaced(Conflict):
    """What came out of the exchange was not the reviewed base: somebody wrote in that moment."""


def placements_of(requests: Iterable[Request]) -> tuple[Placement, ...]:
    """The requests as placements, in the order of carrying out: folders made, files, folders removed."""
    placements: list[Placement] = []
    for request in requests:
        match request:
            case DirectoryCreate():
                placements.append(Placement(request.path, None, FileImage(None, 0, request.mode)))
            case FileWrite():
                like = request.path if request.base is not None else None
                placements.append(
                    Placement(request.path, request.base, request.result, request.temporary, like)
                )
            case FileModeSet():
                placements.append(
                    Placement(request.path, request.base, request.result, request.temporary, request.path)
                )
            case FileDelete():
                placements.append(
                    Placement(request.path, request.base, None, request.temporary, if_empty=request.if_empty)
                )
            case FileMove():
                # The new file first: while the old one is there, its owner and attributes can be read.
                placements.append(
                    Placement(request.to, None, request.result, request.to_temporary, request.path)
                )
                placements.append(Placement(request.path, request.base, None, request.temporary))
    made = [placement for placement in placements if placement.makes_folder]
    files = [placement for placement in placements if not placement.is_folder]
    gone = [placement for placement in placements if placement.is_folder and placement.after is None]
    return (
        *sorted(made, key=lambda placement: placement.path.count("/")),
        *files,
        *sorted(gone, key=lambda placement: -placement.path.count("/")),
    )


def place_of(root: ProjectRoot, placement: Placement) -> Place:
    """Compare what is on disk with both ends, by existence, kind, bytes and permission bits.

    Raises Refused where the path leads through a link.
    """
    now = image_at(root, placement.path)
    if placement.if_empty and now is not None and now.is_folder:
        return Place.BEFORE
    if is_same(now, placement.after):
        return Place.AFTER
    return Place.BEFORE if is_same(now, placement.before) else Place.NEITHER


def image_at(root: ProjectRoot, path: str) -> FileImage | None:
    """What is at a path; a link or special entry has the SHA-256 "" and equals nothing."""
    found = root.digest(path)
    if found is None:
        return None
    digest, state = found
    return FileImage(None if state.kind is EntryKind.FOLDER else digest, state.size, state.mode)


def is_same(one: FileImage | None, other: FileImage | None) -> bool:
    """Whether two images agree in existence, kind, bytes and permission bits (of folders: in kind)."""
    if one is None or other is None:
        return one is other
    if one.is_folder or other.is_folder:
        return one.is_folder and other.is_folder
    return (one.sha256, one.mode) == (other.sha256, other.mode)


def stage(root: ProjectRoot, placements: Sequence[Placement], content: ContentReader) -> None:
    """Make the new folders, write every result beside its target, flush, and read it all back (R127)."""
    for placement in placements:
        if placement.makes_folder and placement.after is not None:
            disk.make_folder(root, placement.path, placement.after.mode)
    results = [item for item in placements if item.after is not None and item.after.sha256 is not None]
    few = len(results) <= FLUSH_EACH_UP_TO
    for placement in results:
        _write(root, placement, placement.after, content, flush=few)
    staged = [placement.temporary for placement in results]
    if not few:
        disk.flush_files(root, staged)
    for placement, path in zip(results, staged, strict=True):
        found = root.digest(path)
        if found is None or placement.after is None or found[0] != placement.after.sha256:
            raise OSError(errno.EIO, "the bytes read back are not those that were written", placement.path)


def _write(
    root: ProjectRoot, placement: Placement, image: FileImage | None, content: ContentReader, *, flush: bool
) -> None:
    assert image is not None and image.sha256 is not None
    like = placement.like if placement.like is not None and root.state(placement.like) is not None else None
    data = content(image.sha256)
    disk.write_temporary(root, placement.temporary, data, mode=image.mode, like=like, flush=flush)


def carry_out(root: ProjectRoot, placement: Placement) -> bool:
    """Put one staged result in its place. True if nobody could have come between.

    Raises Displaced when the target was not the base at that very moment; it is back as it was then.
    """
    if placement.is_folder:
        if placement.after is None:
            _remove_folder(root, placement)
        return True
    if placement.before is None:
        try:
            disk.rename_new(root, placement.temporary, placement.path)
        except FileExistsError as error:
            raise _displaced(placement) from error
        return True
    if placement.after is None:
        try:
            disk.rename_new(root, placement.path, placement.temporary)
        except FileNotFoundError as error:
            raise _displaced(placement) from error
        if not is_same(_kept(root, placement), placement.before):
            with suppress(FileExistsError):  # somebody made a new file: that is newer
                disk.rename_new(root, placement.temporary, placement.path)
            raise _displaced(placement)
        return True
    try:
        disk.exchange(root, placement.path, placement.temporary)
    except FileNotFoundError as error:
        if root.state(placement.path) is not None:  # then our own file is gone
            raise
        raise _displaced(placement) from error
    except Unsupported:
        _replace(root, placement)
        return False
    if not is_same(_kept(root, placement), placement.before):
        _give_back(root, placement)
        raise _displaced(placement)
    return True


def _give_back(root: ProjectRoot, placement: Placement) -> None:
    """Put what came out back in place; the newest, if somebody wrote again meanwhile.

    What comes out is ours, or else newer than what went in; an older one stays where `strange` finds it.
    """
    expected = placement.after
    with suppress(FileNotFoundError):  # somebody removed the file: that is newer still
        for _ in range(_GIVE_BACK_TIMES):
            going_in = _kept(root, placement)
            disk.exchange(root, placement.path, placement.temporary)
            if is_same(_kept(root, placement), expected):
                return
            expected = going_in


def _replace(root: ProjectRoot, placement: Placement) -> None:
    """The way without exchange: looked at right before, and again at what was linked aside (design 5.5)."""
    if not is_same(image_at(root, placement.path), placement.before):
        raise _displaced(placement)
    disk.replace(root, placement.path, placement.temporary, keep=True)
    kept = disk.kept_paths(root, placement.temporary)
    if kept and not is_same(image_at(root, kept[0]), placement.before):
        disk.replace(root, placement.path, kept[0], keep=False)
        raise _displaced(placement)


def _remove_folder(root: ProjectRoot, placement: Placement) -> None:
    try:
        disk.remove_folder(root, placement.path)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR):
            raise
        if not placement.if_empty:
            raise _displaced(placement) from error


def _displaced(placement: Placement) -> Displaced:
    return Displaced(
        "apply.displaced",
        f"{show_name(placement.path)} changed in the moment it was to be written.",
        "Look at the file, then have the step proposed anew.",
        path=placement.path,
    )


def put_back(root: ProjectRoot, placement: Placement, content: ContentReader) -> PutBack:
    """Give a target what it held before, from the displaced file or else from the store.

    A target that holds neither its base nor its result is somebody's work and is left alone, and so is a
    temporary file whose bytes nobody can account for.
    """
    place = place_of(root, placement)
    if placement.is_folder:
        _put_folder_back(root, placement, place)
        return PutBack(is_left=False)
    if place is Place.AFTER:
        _undo(root, placement, content)
    is_left = not is_same(image_at(root, placement.path), placement.before)
    return PutBack(is_left, _discard(root, placement, content))


def _put_folder_back(root: ProjectRoot, placement: Placement, place: Place) -> None:
    if placement.before is None:
        if place is Place.AFTER:
            # What somebody put into the new folder meanwhile keeps it.
            with suppress(OSError):
                disk.remove_folder(root, placement.path)
    elif place is Place.AFTER:
        disk.make_folder(root, placement.path, placement.before.mode)
    elif place is Place.BEFORE:
        disk.complete_folder(root, placement.path, placement.before.mode)


def _undo(root: ProjectRoot, placement: Placement, content: ContentReader) -> None:
    if placement.before is None:
        _take_away(root, placement, content)
        return
    kept = next(
        (
            path
            for path in disk.kept_paths(root, placement.temporary)
            if _can_go_back(root, path, placement, content)
        ),
        None,
    )
    if kept is None:
        _discard(root, placement, content)
        _write(root, placement, placement.before, content, flush=True)
        kept = placement.temporary
    if placement.after is None:
        disk.rename_new(root, kept, placement.path)
        return
    try:
        disk.exchange(root, placement.path, kept)
    except Unsupported:
        disk.replace(root, placement.path, kept, keep=False)


def _take_away(root: ProjectRoot, placement: Placement, content: ContentReader) -> None:
    """Undo a create. The name it is moved to may still be taken: by a link to it that a crash left."""
    if _discard(root, placement, content):
        return
    disk.rename_new(root, placement.path, placement.temporary)
    if not is_same(_kept(root, placement), placement.after):
        with suppress(FileExistsError):  # somebody made a new file: that is newer
            disk.rename_new(root, placement.temporary, placement.path)


def _can_go_back(root: ProjectRoot, path: str, placement: Placement, content: ContentReader) -> bool:
    """Whether our own file is the displaced one, or what somebody made of it, and not a write cut short."""
    image, before, after = image_at(root, path), placement.before, placement.after
    if image is None or before is None:
        return False
    is_after = after is not None and image.sha256 == after.sha256
    if after is not None and is_after and (after.sha256 != before.sha256 or image.mode == after.mode):
        return False
    if image.sha256 == before.sha256:
        # The permission bits are set last: a file of ours still has those it was made with.
        return image.mode == before.mode or image.mode != _UNFINISHED_MODE
    return not _is_beginning(root, path, placement, content)


def _discard(root: ProjectRoot, placement: Placement, content: ContentReader) -> tuple[str, ...]:
    """Remove our temporary files; returns those that stay, because their bytes are neither ours nor kept
    in the store."""
    strange: list[str] = []
    for path in disk.kept_paths(root, placement.temporary):
        found = root.digest(path)
        if found is None:
            continue
        known = {image.sha256 for image in (placement.before, placement.after) if image is not None}
        if found[0] in known or _is_beginning(root, path, placement, content):
            disk.remove_file(root, path)
        else:
            strange.append(path)
    return tuple(strange)


def _is_beginning(root: ProjectRoot, path: str, placement: Placement, content: ContentReader) -> bool:
    """Whether the file is a write of ours that a crash cut short."""
    state = root.state(path)
    for image in (placement.after, placement.before):
        if state is None or image is None or not image.sha256 or state.size > image.size:
            continue
        with suppress(Refused):
            if content(image.sha256).startswith(root.read(path, image.size)[0]):
                return True
    return False


def finish(root: ProjectRoot, placement: Placement) -> tuple[str, ...]:
    """Remove the displaced old file; returns the paths that stay, because they are not what was displaced."""
    strange: list[str] = []
    if placement.is_folder:
        return ()
    known = {image.sha256 for image in (placement.before, placement.after) if image is not None}
    for path in disk.kept_paths(root, placement.temporary):
        found = root.digest(path)
        if found is None:
            continue
        if found[0] in known:
            disk.remove_file(root, path)
        else:
            strange.append(path)
    return tuple(strange)


def complete_folder(root: ProjectRoot, placement: Placement) -> None:
    """Finish the making of a folder that a crash cut short, or remove one that goes if it is empty."""
    if placement.makes_folder and placement.after is not None:
        disk.complete_folder(root, placement.path, placement.after.mode)
    elif placement.if_empty:
        _remove_folder(root, placement)


def kept_is_base(root: ProjectRoot, placement: Placement) -> bool:
    """Whether the displaced file, if it is still there, holds the base: only then may it go."""
    if placement.is_folder or placement.before is None:
        return True
    kept = _kept(root, placement)
    return kept is None or is_same(kept, placement.before) or is_same(kept, placement.after)


def touched_folders(placements: Iterable[Placement]) -> set[str]:
    """The folders whose names change: those of the targets, and of our own files beside or above them."""
    paths = [
        path for placement in placements for path in (placement.path, placement.temporary or placement.path)
    ]
    return {_folder_of(path) for path in paths}


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _kept(root: ProjectRoot, placement: Placement) -> FileImage | None:
    paths = disk.kept_paths(root, placement.temporary)
    return image_at(root, paths[0]) if paths else None
