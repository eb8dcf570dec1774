"""Writable overlay over a read-only filesystem; its changes become plan steps.

It presents the base and its own writes as one tree; a delete hides, a move is recorded as a move, and
`changes` returns all of it as the steps of a plan.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from operator import attrgetter

from msgspec.structs import replace

from studio.engine.draft import DraftStep
from studio.engine.filesystem.access_log import AccessLog
from studio.engine.filesystem.backing import Backing, Entries, Reading, Scan, scanned
from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.filesystem.changes import steps_of
from studio.engine.filesystem.content import Content, ContentReading, ContentWriting
from studio.engine.filesystem.globbing import Glob
from studio.engine.filesystem.grep import Lines, Search, merged
from studio.engine.filesystem.memory import MemoryFile, system_error
from studio.engine.filesystem.memory_snapshots import MemorySnapshots
from studio.engine.filesystem.overlay_tree import (
    Base,
    BaseChange,
    Layer,
    Moved,
    Node,
    Origin,
    Whiteout,
    Written,
    joined,
)
from studio.engine.filesystem.searching import (
    Names,
    SearchableBacking,
    files_by_walking,
    lines_beneath,
    lines_by_opening,
    lines_of,
)
from studio.engine.filesystem.types import FilesystemSnapshot, PathLimits, WriteMode
from studio.engine.root import EntryKind, FileState
from studio.errors import LeadsOutside
from studio.values import Value


class OverlayFilesystem(BackedFilesystem):
    """A base with changes in memory; the base is never written.

    The base may change meanwhile: unchanged paths are read as they are now, a change of a file that is not
    the one that was read is refused with BaseChanged, and `base_changes` reports all others.
    """

    def __init__(
        self,
        base: BackedFilesystem,
        *,
        read_only: bool = False,
        limits: PathLimits | None = None,
        keeps_bases: bool = False,
        log: AccessLog | None = None,
    ) -> None:
        """Wrap a base; with `keeps_bases` steps carry their base bytes."""
        self._layers = OverlayBacking(base.backing, keeps_bases=keeps_bases)
        super().__init__(self._layers, read_only=read_only, limits=limits or base.limits, log=log)
        self._snapshots = MemorySnapshots(self._layers, "overlay")

    @property
    def layers(self) -> OverlayBacking:
        """The backing, for changes that are not made through the protocol."""
        return self._layers

    def changes(self) -> tuple[DraftStep, ...]:
        """Return the steps from the base to this tree, by path.

        They are computed at each call, at the cost of the changes. Files carry the hash of the base that they
        were made on. What no plan can express in one step of a path (a file where the base has a folder, and
        the reverse) is a step with that problem.
        """
        return steps_of(self._layers.base, self._layers.top)

    def base_changes(self) -> tuple[BaseChange, ...]:
        """Return where the base changed since the changes were made."""
        return tuple(self._layers.base.changes())

    def forget_changes(self) -> None:
        """Drop all changes, as after they were applied or discarded."""
        self._layers.discard_changes()

    def snapshot(self, tag: str | None = None) -> FilesystemSnapshot:
        """Store the current changes, without the base."""
        return self._snapshots.snapshot(tag)

    def restore(self, snapshot: FilesystemSnapshot) -> None:
        """Restore the changes of a snapshot; the base is not affected.

        Raises SnapshotRestoreError, AccessDenied where the filesystem is read-only.
        """
        self._check_may_change("")
        self._snapshots.restore(snapshot)


class _EntryRef(Value):
    """An entry of an overlay folder: the folder and a name."""

    layer: Layer
    key: str
    name: str

    @property
    def natural(self) -> str | None:
        """The base path visible here; None where there can be none."""
        return None if self.layer.base is None else joined(self.layer.base, self.name)

    def put(self, node: Node) -> None:
        self.layer.entries[self.key] = (self.name, node)


class OverlayBacking(Backing, SearchableBacking):
    """Storage primitives over a base and a tree of differences."""

    def __init__(self, base: Backing, *, keeps_bases: bool = False) -> None:
        self.base = Base(base, keeps_contents=keeps_bases)
        self.top = Layer("")

    def discard_changes(self) -> None:
        """Drop all differences, so that reads return the base again."""
        self.replace_base(self.base.backing)

    def capture_state(self) -> tuple[Base, Layer]:
        """Return all differences and recorded base states."""
        return self.base.copied(), self.top.copied()

    def restore_state(self, stored: tuple[Base, Layer]) -> None:
        """Replace all differences by stored ones."""
        base, top = stored
        self.base, self.top = base.copied(), top.copied()

    def replace_base(self, base: Backing) -> None:
        """Drop all differences, and use another base."""
        self.base = Base(base, keeps_contents=self.base.keeps_contents)
        self.top = Layer("")

    @property
    def root(self) -> str:
        return self.base.backing.root

    @property
    def windows(self) -> bool:
        return self.base.backing.windows

    @property
    def folds_case(self) -> bool:
        return self.base.backing.folds_case

    def node(self, path: str) -> FileState | None:
        return self._read_state(self._find_node(path))

    def has_name(self, path: str) -> bool:
        return super().has_name(path) and self.base.backing.has_name(path)

    def link_refused(self, path: str) -> LeadsOutside:
        return self.base.backing.link_refused(path)

    def created_ns(self, path: str) -> int | None:
        return self._created_ns(self._find_node(path))

    def _created_ns(self, node: Node | None) -> int | None:
        match node:
            case Moved(place) | Layer(base=str(place)):
                return self.base.backing.created_ns(place)
            case Written(file):
                return file.created_ns
            case _:
                return None

    def entries(self, path: str) -> Entries:
        match self._find_node(path):
            case Moved(place):
                return self.base.backing.entries(place)
            case Layer() as layer:
                return self._merge_entries(layer)
            case Written():
                raise system_error(errno.ENOTDIR, path)
            case _:
                raise system_error(errno.ENOENT, path)

    @property
    def is_layer(self) -> bool:
        return True

    def scan(self, path: str) -> Scan:
        match self._find_node(path):
            case Moved(place):
                return self.base.backing.scan(place)
            case Layer(base=str(place)) as layer:
                return self._scan_over(layer, self.base.scan(place))
            case _:
                return super().scan(path)

    def open(self, path: str) -> Reading:
        match self._find_node(path):
            case Moved(place):
                self.base.note_read(place)
                return self.base.backing.open(place)
            case Written(file):
                return ContentReading(file.content)
            case Layer():
                raise system_error(errno.EISDIR, path)
            case _:
                raise system_error(errno.ENOENT, path)

    def files_beneath(self, folder: str, glob: Glob) -> Names:
        return files_by_walking(self, folder, glob)

    def lines_beneath(self, folder: str, search: Search) -> Lines:
        return lines_of_overlay(self, self.base, self._find_node(folder), folder, search)

    def start(self, path: str, mode: WriteMode) -> ContentWriting:
        return ContentWriting(lambda content: self._write_file(path, content, mode))

    def _write_file(self, path: str, content: Content, mode: WriteMode) -> None:
        node = self._find_node(path)
        state = self._read_state(node)
        if state is not None and mode is WriteMode.CREATE:
            raise system_error(errno.EEXIST, path)
        if state is not None and state.kind is not EntryKind.FILE:
            raise system_error(errno.EISDIR, path)
        place = self._prepare_place(path)
        if node is None or state is None:
            self.base.record(path)
            place.put(Written(MemoryFile(place.name, content)))
        elif isinstance(node, Written):
            whole = node.file.content.followed_by(content) if mode is WriteMode.APPEND else content
            place.put(Written(node.file.written(whole), node.origin))
        elif isinstance(node, Moved):
            self._begin_change(path, node)
            self.base.record(path)
            self.base.record(node.path)
            before = self.base.recorded_content(node.path) if mode is WriteMode.APPEND else Content()
            whole = before.followed_by(content) if mode is WriteMode.APPEND else content
            origin = None if node.path == path else Origin(node.path, copied=False)
            place.put(Written(MemoryFile(place.name, whole, state.mode), origin))

    def _begin_change(self, path: str, node: Node) -> None:
        """Drop the old record of an unchanged path, to record it anew."""
        if isinstance(node, Moved) and node.path == path:
            self.base.drop(path)

    def put(self, path: str, content: Content, mode: int) -> None:
        """Create or replace a file with these bytes and permission bits."""
        self._write_file(path, content, WriteMode.OVERWRITE)
        place = self._prepare_place(path)
        node = self._find_node(path)
        assert isinstance(node, Written)
        place.put(Written(MemoryFile(place.name, content, mode), node.origin))

    def make_folder(self, path: str) -> None:
        if self.node(path) is not None:
            raise system_error(errno.EEXIST, path)
        self.base.record(path)
        self._prepare_place(path).put(Layer(None))

    def remove(self, path: str, *, recursive: bool) -> None:
        node = self._find_node(path)
        state = self._read_state(node)
        if node is None or state is None:
            raise system_error(errno.ENOENT, path)
        if state.kind is EntryKind.FOLDER and not recursive and not self.entries(path).is_empty:
            raise system_error(errno.ENOTEMPTY, path)
        self._begin_change(path, node)
        if isinstance(node, Moved):
            self.base.record(node.path)
        self._hide_path(path, self._prepare_place(path))

    def move(self, source: str, destination: str, *, replace: bool) -> None:
        node = self._find_node(source)
        if node is None or self._read_state(node) is None:
            raise system_error(errno.ENOENT, source)
        old, new = self._prepare_place(source), self._prepare_place(destination)
        is_same_entry = old.layer is new.layer and old.key == new.key
        existing = None if is_same_entry else self._find_node(destination)
        if existing is not None and self._read_state(existing) is not None:
            if not replace:
                raise system_error(errno.EEXIST, destination)
            self._begin_change(destination, existing)
        self._begin_change(source, node)
        self.base.record(destination)
        if isinstance(node, Moved):
            self.base.record(node.path)
        elif isinstance(node, Written):
            origin = node.origin or self._find_origin(old)
            at_home = origin is not None and not origin.copied and origin.path == new.natural
            node = Written(node.file, None if at_home else origin)
        self._hide_path(source, old)
        if isinstance(node, Moved) and node.path == new.natural and node.path == destination:
            new.layer.entries.pop(new.key, None)  # it is back at its original path
            self.base.drop(destination)
        else:
            new.put(node)

    def copy(self, source: str, destination: str, *, replace: bool) -> None:
        node = self._find_node(source)
        state = self._read_state(node)
        if node is None or state is None:
            raise system_error(errno.ENOENT, source)
        origin: Origin | None = None
        if isinstance(node, Written):
            content = node.file.content
            origin = node.origin if node.origin is not None and node.origin.copied else None
        elif isinstance(node, Moved) and state.kind is EntryKind.FILE:
            self._begin_change(source, node)
            content = self.base.recorded_content(node.path)
            origin = Origin(node.path, copied=True)
        else:
            raise system_error(errno.EISDIR, source)
        existing = self._find_node(destination)
        if existing is not None and self._read_state(existing) is not None:
            if not replace:
                raise system_error(errno.EEXIST, destination)
            self._begin_change(destination, existing)
        self.base.record(destination)
        place = self._prepare_place(destination)
        if isinstance(existing, Moved) and existing.path != destination:
            self.base.record(existing.path)  # the entry moved here is gone
        place.put(Written(MemoryFile(place.name, content, state.mode), origin))

    def _find_node(self, path: str) -> Node | None:
        """Return the node at a path.

        An unchanged file or folder of the base is a `Moved` at its own path.
        """
        node: Node = self.top
        for name in path.split("/") if path else ():
            if isinstance(node, Moved):
                node = Moved(joined(node.path, name))
            elif isinstance(node, Layer):
                listed = node.entries.get(self.base.key(name))
                if listed is not None:
                    node = listed[1]
                elif node.base is not None:
                    node = Moved(joined(node.base, name))
                else:
                    return None
            else:
                return None
        return None if isinstance(node, Whiteout) else node

    def _read_state(self, node: Node | None) -> FileState | None:
        match node:
            case Moved(place):
                return self.base.state(place)
            case Written(file):
                return file.state
            case Layer(base=None):
                return node.own_state
            case Layer(base=str(place)):
                state = self.base.state(place)
                return state if state is not None and state.kind is EntryKind.FOLDER else node.own_state
            case _:
                return None

    def _prepare_place(self, path: str) -> _EntryRef:
        """Return the entry at a path, making its parent folders layers.

        Raises OSError where there is no folder.
        """
        above, _, name = path.rpartition("/")
        layer = self.top
        at = ""
        for part in above.split("/") if above else ():
            at = joined(at, part)
            node = self._find_node(at)
            if isinstance(node, Moved):
                state = self.base.state(node.path)
                if state is None:
                    raise system_error(errno.ENOENT, at)
                if state.kind is not EntryKind.FOLDER:
                    raise system_error(errno.ENOTDIR, at)
                node = Layer(node.path)
                layer.entries[self.base.key(part)] = (part, node)
            if not isinstance(node, Layer):
                raise system_error(errno.ENOENT if node is None else errno.ENOTDIR, at)
            layer = node
        return _EntryRef(layer, self.base.key(name), name)

    def _hide_path(self, path: str, place: _EntryRef) -> None:
        """Hide a path, by a whiteout where the base has something."""
        if place.natural is not None and self.base.state(place.natural) is not None:
            self.base.record(place.natural)
            place.put(Whiteout())
        else:
            place.layer.entries.pop(place.key, None)
            self.base.drop(path)

    def _find_origin(self, place: _EntryRef) -> Origin | None:
        """Return the base file that a written file here replaces."""
        natural = place.natural
        record = None if natural is None else self.base.record_at(natural)
        return (
            None if natural is None or record is None or not record.is_file else Origin(natural, copied=False)
        )

    def _scan_over(self, layer: Layer, below: Scan) -> Scan:
        """Return the rows of a base folder with the differences applied."""
        if not layer.entries:
            return below
        found = [entry for entry in below.found if self.base.key(entry.name) not in layer.entries]
        for name, node in layer.entries.values():
            state = None if isinstance(node, Whiteout) else self._read_state(node)
            if state is not None:
                found.append(scanned(name, state, self._created_ns(node)))
        return Scan(tuple(sorted(found, key=attrgetter("name"))), below.unseen)

    def _merge_entries(self, layer: Layer) -> Entries:
        below = Entries() if layer.base is None else self.base.entries(layer.base)
        if not layer.entries:
            return below
        own = layer.entries
        files = [name for name in below.files if self.base.key(name) not in own]
        folders = [name for name in below.folders if self.base.key(name) not in own]
        others = [entry for entry in below.others if self.base.key(entry[0]) not in own]
        for name, node in own.values():
            state = None if isinstance(node, Whiteout) else self._read_state(node)
            if state is None:
                continue
            if state.kind is EntryKind.FILE:
                files.append(name)
            elif state.kind is EntryKind.FOLDER:
                folders.append(name)
            else:
                others.append((name, state.kind))
        return Entries(
            tuple(sorted(files)),
            tuple(sorted(folders)),
            tuple(sorted(others, key=lambda entry: entry[0])),
            below.unseen,
        )


_EVERY_FILE = Glob("**")


def lines_of_overlay(overlay: Backing, base: Base, node: Node | None, folder: str, search: Search) -> Lines:
    """Return the matching lines beneath a folder of the overlay.

    `node` is the folder's node. Where it is over the same folder of the base, unchanged parts are searched in
    the base's own way. Raises SearchTooSlow, or FileError.
    """
    if isinstance(node, Moved) and node.path == folder:
        return lines_beneath(base.backing, folder, search)
    if not isinstance(node, Layer) or node.base != folder:
        return lines_by_opening(overlay, folder, search)
    differing = tuple(_find_differences(node, folder))
    below = lines_beneath(
        base.backing, folder, replace(search, skip=_skip_differing(base, differing, search))
    )
    own = lines_of(overlay, sorted(_find_own_files(overlay, folder, differing, search)), search)
    return merged((below, own), search.limit)


def _find_differences(layer: Layer, folder: str) -> Iterator[str]:
    """Yield the topmost paths at which the overlay differs from the base."""
    for name, node in layer.entries.values():
        path = joined(folder, name)
        if isinstance(node, Layer) and node.base == path:
            yield from _find_differences(node, path)
        elif node != Moved(path):
            yield path


def _skip_differing(base: Base, differing: tuple[str, ...], search: Search) -> Callable[[str], bool]:
    hidden = {base.key(path) for path in differing}
    skip = search.skip

    def skipped(path: str) -> bool:
        key = base.key(path)
        while key not in hidden:
            key = key.rpartition("/")[0]
            if not key:
                return skip is not None and skip(path)
        return True

    return skipped


def _find_own_files(
    overlay: Backing, folder: str, differing: tuple[str, ...], search: Search
) -> Iterator[str]:
    """Yield the files to search at and beneath the differing paths."""
    start = len(folder) + 1 if folder else 0
    for path in differing:
        state = overlay.node(path)
        if state is None:
            continue
        paths = (path,)
        if state.kind is EntryKind.FOLDER:
            paths = files_by_walking(overlay, path, _EVERY_FILE).paths
        elif state.kind is not EntryKind.FILE:
            continue
        for file in paths:
            if search.glob is None or search.glob.matches(file[start:]):
                yield file
