"""Lazy Qt item model of project files, including files plans would create.

Rows come from the disk and from what open plans would create. A chain of folders that contain nothing but the
next one is one row ("src/tidewatch"). Changes insert and remove single rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from msgspec import Struct, field
from PySide6.QtCore import (
    QAbstractItemModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from studio.names import show_name
from studio.ui.look.words import plain_tip, say
from studio.ui.tree.badges import Badge, Badges, FolderBadge
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import TreeEntry

Index = QModelIndex | QPersistentModelIndex
Listed = Callable[["tuple[TreeEntry, ...]"], object]

TOP = QModelIndex()
_Sign = TypeVar("_Sign", Badge, FolderBadge)
_HIDDEN_NAMES = frozenset({".git"})
# Signalling every row at each decision stalled a large open tree for several frames.
_SINGLE_CHANGES = 200


class Role(IntEnum):
    """Item roles besides the name."""

    PATH = Qt.ItemDataRole.UserRole
    FOLDER = Qt.ItemDataRole.UserRole + 1
    BADGE = Qt.ItemDataRole.UserRole + 2
    DENIED = Qt.ItemDataRole.UserRole + 3


class _Entry(Value):
    """One name in a folder, on disk or only proposed."""

    path: str
    is_folder: bool
    is_link: bool = False


class _Node(Struct, eq=False):
    """One row; `children` is None until the folder is listed."""

    key: int
    entry: _Entry
    name: str
    parent: _Node | None
    depth: int = 0
    """Number of ancestor rows."""
    children: list[_Node] | None = None
    requested: bool = False


class _Disk(Struct):
    """Listings so far; a folder missing in `folders` is not listed yet."""

    folders: dict[str, tuple[_Entry, ...]] = field(default_factory=dict)
    requested: set[str] = field(default_factory=set)
    old: set[str] = field(default_factory=set)
    """Folders to list again once their parent's listing has arrived."""


class TreeRow(NamedTuple):
    """Display of a row; `has_rows` is true for an unlisted folder."""

    name: str
    is_folder: bool
    has_rows: bool
    is_denied: bool
    badge: Badge | FolderBadge | None
    depth: int
    origin: str
    """Who created the file with an applied plan, "" if unknown."""


# Not QFileSystemModel: with 50,000 files it takes 100 MiB, and this model 27.
class ProjectModel(QAbstractItemModel):
    """Model of paths relative to the root, listed on demand.

    Calls `list_folder(path, then)` for what it has not cached.
    """

    listed = Signal(str)
    """Emitted with the path of an expanded folder after its listing."""
    appearance_changed = Signal()
    """Emitted when more rows changed than are worth signalling individually."""

    def __init__(self, list_folder: Callable[[str, Listed], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._list_folder = list_folder
        self._keys = count(1)
        self._disk = _Disk()
        self._badges = Badges()
        self._proposed: dict[str, dict[str, bool]] = {}
        self._denied: frozenset[str] = frozenset()
        self._origins: dict[str, str] = {}
        self._only_badged = False
        self._filling = False
        self._root = _Node(0, _Entry("", is_folder=True), "", None)
        self._nodes: dict[int, _Node] = {}

    # Interface of the panel

    def load(self) -> None:
        """List the root folder."""
        self._list_children(self._root)

    def reload(self) -> None:
        """List every listed folder again after a change on disk."""
        self._disk.old = set(self._disk.folders)
        self._ask("")

    def set_badges(self, badges: Badges) -> None:
        """Update the badges of open plans."""
        before, self._badges = self._badges, badges
        if badges.proposed != before.proposed:
            self._proposed = _by_folder(badges.proposed)
            self._reshape(self._root)
        elif self._only_badged:
            self._reshape(self._root)
        self._say_changed([*_changed(before.files, badges.files), *_changed(before.folders, badges.folders)])

    def set_denied(self, paths: frozenset[str]) -> None:
        """Update which of the listed paths the rules deny."""
        changed = paths ^ self._denied
        self._denied = paths
        self._say_changed(list(changed))

    def set_origins(self, origins: dict[str, str]) -> None:
        """Update who created which file, as texts by path."""
        before, self._origins = self._origins, origins
        self._say_changed([path for path in {*before, *origins} if before.get(path) != origins.get(path)])

    def show_only_badged(self, only: bool) -> None:
        """List only paths with badges, or everything."""
        self._only_badged = only
        self._reshape(self._root)

    def listed_folders(self) -> tuple[str, ...]:
        """Return the path of each listed folder; "" is the root."""
        return tuple(self._disk.folders)

    def listing(self, folder: str) -> tuple[tuple[str, bool], ...]:
        """Return a folder's listed entries: path, and whether a folder."""
        return tuple((entry.path, entry.is_folder) for entry in self._disk.folders.get(folder, ()))

    def row(self, index: Index) -> TreeRow:
        """Return the display of a row."""
        node, entry = self._node(index), self._node(index).entry
        is_denied = entry.path in self._denied
        return TreeRow(
            show_name(node.name),
            entry.is_folder,
            self._has_rows(node),
            is_denied,
            self._badge(node),
            node.depth,
            self._origins.get(entry.path, ""),
        )

    def index_of(self, path: str) -> QModelIndex:
        """Return the row of a path, invalid if it has none."""
        node = self._root
        while True:
            found = next((child for child in node.children or () if _leads_to(child.entry, path)), None)
            if found is None:
                return QModelIndex()
            if found.entry.path == path:
                return self._index(found)
            node = found

    def deepest_listed(self, path: str) -> QModelIndex:
        """Return the row of the nearest ancestor that has one."""
        node = self._root
        while True:
            found = next((child for child in node.children or () if _leads_to(child.entry, path)), None)
            if found is None or found.entry.path == path:
                return self._index(node)
            node = found

    # Qt's model interface

    def index(self, row: int, column: int, parent: Index = TOP) -> QModelIndex:
        node = self._node(parent)
        if column != 0 or node.children is None or not 0 <= row < len(node.children):
            return QModelIndex()
        return self.createIndex(row, column, node.children[row].key)

    def parent(self, child: Index = TOP) -> Any:
        above = self._nodes[child.internalId()].parent if child.isValid() else None
        return self._index(above) if above is not None else QModelIndex()

    def rowCount(self, parent: Index = TOP) -> int:
        return len(self._node(parent).children or ()) if parent.column() <= 0 else 0

    def columnCount(self, parent: Index = TOP) -> int:
        return 0 if parent.column() > 0 else 1

    def hasChildren(self, parent: Index = TOP) -> bool:
        return parent.column() <= 0 and self._has_rows(self._node(parent))

    def canFetchMore(self, parent: Index) -> bool:
        node = self._node(parent)
        return node.entry.is_folder and not node.entry.is_link and not node.requested and not self._filling

    def fetchMore(self, parent: Index) -> None:
        # Views may call this from a signal about rows being inserted or removed; then it must wait.
        if not self._filling:
            self._list_children(self._node(parent))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        node = self._node(index)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return show_name(node.name)
            case Role.PATH:
                return node.entry.path
            case Role.FOLDER:
                return node.entry.is_folder
            case Role.BADGE:
                return self._badge(node)
            case Role.DENIED:
                return node.entry.path in self._denied
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(self._origins.get(node.entry.path, ""), wraps=True)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._accessible_words(node)
            case _:
                return None

    # Internals

    def _has_rows(self, node: _Node) -> bool:
        """Return whether a folder has rows, or may have while unlisted."""
        if not node.entry.is_folder or node.entry.is_link:
            return False
        return node.children is None or bool(node.children)

    def _badge(self, node: _Node) -> Badge | FolderBadge | None:
        path, badges = node.entry.path, self._badges
        # A folder that a step creates is shown like a file, until files in it have badges.
        return (badges.folders.get(path) if node.entry.is_folder else None) or badges.files.get(path)

    def _node(self, index: Index) -> _Node:
        return self._nodes[index.internalId()] if index.isValid() else self._root

    def _index(self, node: _Node) -> QModelIndex:
        if node.parent is None or node.parent.children is None:
            return QModelIndex()
        return self.createIndex(node.parent.children.index(node), 0, node.key)

    def _list_children(self, node: _Node) -> None:
        node.requested = True
        if self._is_listed(node.entry.path):
            self._fill(node)
            self._ask_for_chains(node.entry.path)
            self.listed.emit(node.entry.path)
        else:
            self._ask(node.entry.path)

    def _ask(self, path: str) -> None:
        if path not in self._disk.requested:
            self._disk.requested.add(path)
            self._list_folder(path, partial(self._store_listing, path))

    def _store_listing(self, path: str, entries: Iterable[TreeEntry]) -> None:
        self._disk.requested.discard(path)
        listed = tuple(
            _Entry(entry.path, entry.is_folder, entry.is_link)
            for entry in entries
            if entry.path.rpartition("/")[2] not in _HIDDEN_NAMES
        )
        before, link_before = self._disk.folders.get(path), self._next_link(path)
        self._disk.folders[path] = listed
        removed = {entry.path for entry in before or ()} - {entry.path for entry in listed if entry.is_folder}
        self._forget(removed)
        self._disk.old.discard(path)
        shows_rows = self._row_of_folder(path) is not None
        # Most folders are listed for their chains only: nothing changes where there is none.
        if listed != before and (shows_rows or self._next_link(path) != link_before):
            self._fill_on_the_way_to(path)
        for entry in listed:
            if entry.is_folder and entry.path in self._disk.old:
                self._ask(entry.path)
        self._ask_for_chains(path)
        if shows_rows:
            self.listed.emit(path)

    def _ask_for_chains(self, path: str) -> None:
        """List folders that may extend a chain: those of an expanded folder."""
        is_scanned = self._row_of_folder(path) is not None
        entries = self._disk.folders.get(path, ())
        if is_scanned or (len(entries) == 1 and entries[0].is_folder):
            for entry in entries:
                if entry.is_folder and not entry.is_link and entry.path not in self._disk.folders:
                    self._ask(entry.path)

    def _row_of_folder(self, path: str) -> _Node | None:
        if path == "":
            return self._root
        index = self.index_of(path)
        node = self._node(index) if index.isValid() else None
        return node if node is not None and node.requested else None

    def _forget(self, paths: set[str]) -> None:
        for path in list(self._disk.folders):
            if any(path == removed or path.startswith(f"{removed}/") for removed in paths):
                del self._disk.folders[path]

    def _reshape(self, node: _Node) -> None:
        """Update the rows of a folder and all folders beneath it."""
        if node.requested:
            self._fill(node)
        for child in node.children or ():
            self._reshape(child)

    def _fill_on_the_way_to(self, path: str) -> None:
        """Update rows from the root to a folder; chains may change there."""
        node: _Node | None = self._root
        while node is not None and node.requested:
            self._fill(node)
            children = node.children or ()
            node = next((child for child in children if _leads_to(child.entry, path)), None)

    def _fill(self, node: _Node) -> None:
        """Update a folder's rows, touching only the differences."""
        new_rows = self._rows(node.entry.path)
        if node.children is None:
            node.children = []
        self._filling = True
        changed = self._remove_rows(node, node.children, new_rows)
        self._insert_rows(node, node.children, new_rows)
        self._filling = False
        for child in changed:
            self._list_children(child)

    def _remove_rows(
        self, node: _Node, children: list[_Node], new_rows: list[tuple[_Entry, str]]
    ) -> list[_Node]:
        """Remove rows that are gone; return expanded ones that were renamed."""
        changed: list[_Node] = []
        rows = {_first_name(node, entry): (entry, name) for entry, name in new_rows}
        for index in range(len(children) - 1, -1, -1):
            child = children[index]
            entry, name = rows.get(_first_name(node, child.entry), (None, ""))
            if entry == child.entry:
                continue
            if entry is not None and entry.is_folder and child.entry.is_folder and not child.children:
                # A chain of folders got longer or shorter: the row stays under another name.
                child.entry, child.name = entry, name
                self.dataChanged.emit(self._index(child), self._index(child))
                if child.requested:
                    changed.append(child)
                continue
            self.beginRemoveRows(self._index(node), index, index)
            self._drop(children.pop(index))
            self.endRemoveRows()
        return changed

    def _insert_rows(self, node: _Node, children: list[_Node], new_rows: list[tuple[_Entry, str]]) -> None:
        # All in one signal: for each, the view scans its rows again.
        if not children and new_rows:
            self.beginInsertRows(self._index(node), 0, len(new_rows) - 1)
            children.extend(self._make(node, entry, name) for entry, name in new_rows)
            self.endInsertRows()
        for row, (entry, name) in enumerate(new_rows):
            if row >= len(children) or children[row].entry.path != entry.path:
                self.beginInsertRows(self._index(node), row, row)
                children.insert(row, self._make(node, entry, name))
                self.endInsertRows()

    def _make(self, parent: _Node, entry: _Entry, name: str) -> _Node:
        depth = 0 if parent is self._root else parent.depth + 1
        node = _Node(next(self._keys), entry, name, parent, depth)
        self._nodes[node.key] = node
        return node

    def _drop(self, node: _Node) -> None:
        del self._nodes[node.key]
        for child in node.children or ():
            self._drop(child)

    def _rows(self, folder: str) -> list[tuple[_Entry, str]]:
        """Return a folder's rows with their names, folders first.

        A chain is sorted by its first folder, so that its position stays when it grows.
        """
        entries = sorted(
            self._entries(folder), key=lambda each: (not each.is_folder, each.path.casefold(), each.path)
        )
        ends = [self._end_of_chain(entry) for entry in entries]
        return [(end, end.path.removeprefix(f"{folder}/" if folder else "")) for end in ends]

    def _end_of_chain(self, entry: _Entry) -> _Entry:
        while entry.is_folder and not entry.is_link:
            inner = self._next_link(entry.path)
            if inner is None:
                break
            entry = inner
        return entry

    def _next_link(self, folder: str) -> _Entry | None:
        """Return the only entry of a folder if it is a folder."""
        inner = self._entries(folder) if self._is_listed(folder) else []
        return inner[0] if len(inner) == 1 and inner[0].is_folder and not inner[0].is_link else None

    def _is_listed(self, folder: str) -> bool:
        """Return whether a folder is listed, or is not on disk."""
        if folder in self._disk.folders:
            return True
        above = folder.rpartition("/")[0]
        listed = self._disk.folders.get(above)
        if listed is None:
            return bool(above) and self._is_listed(above)
        return all(entry.path != folder for entry in listed)

    def _entries(self, folder: str) -> list[_Entry]:
        found = {entry.path: entry for entry in self._disk.folders.get(folder, ())}
        for path, is_folder in self._proposed.get(folder, {}).items():
            found.setdefault(path, _Entry(path, is_folder))
        if not self._only_badged:
            return list(found.values())
        badges = self._badges
        return [each for each in found.values() if each.path in badges.files or each.path in badges.folders]

    def _say_changed(self, paths: list[str]) -> None:
        """Signal changed rows, or if there are very many `appearance_changed`."""
        for path in paths[:_SINGLE_CHANGES]:
            index = self.index_of(path)
            if index.isValid():
                self.dataChanged.emit(index, index)
        if len(paths) > _SINGLE_CHANGES:
            self.appearance_changed.emit()

    def _accessible_words(self, node: _Node) -> str:
        parts = [show_name(node.name)]
        badge = self._badge(node)
        if isinstance(badge, Badge):
            parts.append(badge.style.word)
        elif badge is not None:
            template = QCoreApplication.translate(
                "Tree", "{count} files with steps, most severe state: {word}"
            )
            parts.append(say(template, count=badge.count, word=badge.gravest.style.word))
        if node.entry.path in self._denied:
            parts.append(QCoreApplication.translate("Tree", "denied"))
        if node.entry.path in self._origins:
            parts.append(self._origins[node.entry.path])
        return ", ".join(parts)


def _first_name(node: _Node, entry: _Entry) -> str:
    """Return the first path segment of a row below its parent."""
    above = node.entry.path
    return (entry.path[len(above) + 1 :] if above else entry.path).partition("/")[0]


def _leads_to(entry: _Entry, path: str) -> bool:
    return path == entry.path or (entry.is_folder and path.startswith(f"{entry.path}/"))


def _changed(before: dict[str, _Sign], after: dict[str, _Sign]) -> Iterator[str]:
    """Yield the paths whose badge changed."""
    yield from (path for path, sign in after.items() if before.get(path) != sign)
    yield from (path for path in before if path not in after)


def _by_folder(paths: dict[str, bool]) -> dict[str, dict[str, bool]]:
    """Return proposed paths and their parents, grouped by containing folder."""
    held: dict[str, dict[str, bool]] = {}
    for path, is_folder in paths.items():
        inner, folder_like = path, is_folder
        while inner:
            above = inner.rpartition("/")[0]
            held.setdefault(above, {}).setdefault(inner, folder_like)
            inner, folder_like = above, True
    return held
