"""What observed changes must say, from two plain walks over a folder: a baseline that a test keeps itself."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from studio.engine.diff import compute, merge_typed
from studio.engine.observed_change import ObservedChange
from studio.engine.plan import Operation
from studio.errors import Refused
from studio.extras.observed.baseline import OverOthers
from studio.journal.file_image import FileImage
from tests.engine.snapshot_store.folders import FolderState, standing

Entry = tuple[int, bytes] | None
"""Kind with permission bits, and the bytes; None for nothing. See `standing`."""

Said = dict[str, tuple[object, object]]
"""By path what it held and what it holds."""


class Model:
    """The baseline of one folder, moved on by our own writes and by what a person keeps, by nothing else."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.baseline: dict[str, tuple[int, bytes]] = dict(standing(folder))
        self.seen: FolderState = dict(self.baseline)
        self._written: list[tuple[str, str, Entry, Entry, OverOthers]] = []

    def wrote(
        self,
        paths: Iterable[tuple[str, str]],
        before: FolderState,
        after: FolderState,
        over: OverOthers,
    ) -> None:
        """A plan of ours wrote these paths, each from another or the same one; the baseline has it with the
        next look."""
        self._written += [(source, path, before.get(source), after.get(path), over) for source, path in paths]

    def keep(self, changes: Iterable[ObservedChange]) -> None:
        """A person kept these, as they were seen last."""
        paths = sorted({path for change in changes for path in change.paths})
        for path in paths:
            self._put_one(path, self.seen.get(path))
        self._drop_empty(paths)

    def expected(self) -> Said:
        """What a look must find now."""
        self.seen = standing(self._folder)
        for source, path, before, after, over in self._written:
            entry = self.baseline.get(source)
            if source != path and self._has_room(source, None):
                self._put_one(source, None)
                self._drop_empty([source])
            is_found = _content(entry) == _content(before)
            is_merged = not is_found and over is OverOthers.MERGED
            left = _without_others(entry, before, after) if is_merged else after
            if self._has_room(path, left) and (is_found or over is not OverOthers.OPEN):
                self._put_one(path, _with_bits(entry, before, left))
                if left is None:  # what a later write of ours puts there comes to no folder
                    self._drop_empty([path])
        self._drop_empty(each for source, path, *_ in self._written for each in (source, path))
        self._written.clear()
        paths = self.baseline.keys() | self.seen.keys()
        return {
            path: (_image(self.baseline.get(path)), _image(self.seen.get(path)))
            for path in paths
            if self.baseline.get(path) != self.seen.get(path) and self._is_told(path)
        }

    def _is_told(self, path: str) -> bool:
        """A folder comes and goes with what is in it."""
        before, after = self.baseline.get(path), self.seen.get(path)
        if before is not None and after is not None:
            return True
        tree, entry = (self.seen, after) if before is None else (self.baseline, before)
        return not _is_folder(entry) or all(_is_folder(tree[below]) for below in _below(tree, path))

    def _has_room(self, path: str, entry: Entry) -> bool:
        """Whether nothing goes that others changed: the baseline is a tree."""
        if any(above in self.baseline and not _is_folder(self.baseline[above]) for above in _above(path)):
            return False
        return _is_folder(entry) or not any(_below(self.baseline, path))

    def _put_one(self, path: str, entry: Entry) -> None:
        if not (_is_folder(entry) and _is_folder(self.baseline.get(path))):
            for below in [path, *_below(self.baseline, path)]:
                self.baseline.pop(below, None)
        if entry is None:
            return
        for above in _above(path):
            if not _is_folder(self.baseline.get(above)):
                there = self.seen.get(above)
                self.baseline[above] = there if there and _is_folder(there) else (stat.S_IFDIR | 0o755, b"")
        self.baseline[path] = entry

    def _drop_empty(self, paths: Iterable[str]) -> None:
        """A folder above that is no more goes with the last that was in it."""
        for folder in sorted({above for path in paths for above in _above(path)}, key=len, reverse=True):
            is_gone = not _is_folder(self.seen.get(folder))
            if is_gone and _is_folder(self.baseline.get(folder)) and not any(_below(self.baseline, folder)):
                del self.baseline[folder]


def said(changes: Iterable[ObservedChange]) -> Said:
    """What observed changes say, path by path, moves as both of their ends."""
    found: Said = {}
    for change in changes:
        before, after = _plain(change.before), _plain(change.after)
        sides = {change.path: (before, after)}
        if change.op is Operation.MOVE:
            assert before == after and change.to is not None
            sides = {change.path: (before, None), change.to: (None, after)}
        assert not found.keys() & sides.keys(), "one path is told once"
        found |= sides
    return found


def _plain(image: FileImage | None) -> object:
    return None if image is None else (image.sha256, image.size, image.mode)


def _image(entry: Entry) -> object:
    if entry is None:
        return None
    mode, data = entry
    if stat.S_ISDIR(mode):
        return None, 0, stat.S_IMODE(mode)
    return hashlib.sha256(data).hexdigest(), len(data), mode if stat.S_ISLNK(mode) else stat.S_IMODE(mode)


def _content(entry: Entry) -> object:
    return None if entry is None else (stat.S_IFMT(entry[0]), entry[1])


def _with_bits(entry: Entry, before: Entry, after: Entry) -> Entry:
    """Permission bits that the write did not change are those that the baseline has."""
    if entry is None or before is None or after is None or before[0] != after[0]:
        return after
    return entry[0], after[1]


def _without_others(entry: Entry, before: Entry, after: Entry) -> Entry:
    """What a write of ours left without what others changed there before."""
    if before is None or after is None:
        return after
    if _content(before) == _content(after):
        return None if entry is None else (after[0], entry[1])
    if not stat.S_ISREG(before[0]) or not (entry is None or stat.S_ISREG(entry[0])):
        return after
    try:
        if entry is not None:
            return after[0], merge_typed(before[1], entry[1], after[1])
        lines = compute(before[1], after[1])
    except Refused:
        return after
    return after if lines.removed == lines.base_total else None


def _is_folder(entry: Entry) -> bool:
    return entry is not None and stat.S_ISDIR(entry[0])


def _below(tree: FolderState, folder: str) -> Iterator[str]:
    return (path for path in tree if path.startswith(f"{folder}/"))


def _above(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))
