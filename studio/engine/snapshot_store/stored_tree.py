"""Stored snapshot's entries and contents, and differences between two snapshots."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from functools import cached_property

from studio.engine.disk import link_image
from studio.engine.snapshot_store.git_names import git_name, name_of
from studio.engine.snapshot_store.manifest import Manifest, manifest_of, unreadable
from studio.engine.snapshot_store.object_folder import FILE, FOLDER, LINK, PROGRAM, ObjectFolder
from studio.journal.file_image import FileImage, sha256
from studio.values import Value

_TREES_REMEMBERED = 64

_KINDS = {FILE: stat.S_IFREG, PROGRAM: stat.S_IFREG, LINK: stat.S_IFLNK, FOLDER: stat.S_IFDIR}


class StoredEntry(Value):
    """One entry of a stored state.

    `mode` is kind and permission bits as in `st_mode`, for symbolic links the kind alone; `object_id` is
    git's raw id of the bytes, b"" for a folder.
    """

    path: str
    mode: int
    object_id: bytes

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        return stat.S_ISLNK(self.mode)


def image_of(entry: StoredEntry, data: bytes | None) -> FileImage:
    """Return an entry's image as steps have it.

    `data` are its bytes, None for a folder.
    """
    if data is None:
        return FileImage(None, 0, stat.S_IMODE(entry.mode))
    if entry.is_link:
        return link_image(data)
    return FileImage(sha256(data), len(data), stat.S_IMODE(entry.mode))


class Difference(Value):
    """One path whose entry differs between two states.

    An entry is None where the path does not exist.
    """

    path: str
    before: StoredEntry | None
    after: StoredEntry | None


class StoredTree:
    """One stored folder state.

    Its methods raise SnapshotError where objects are missing or damaged.
    """

    def __init__(self, objects: ObjectFolder, tree: bytes) -> None:
        self._objects = objects
        self._read: dict[bytes, dict[str, tuple[int, bytes]]] = {}
        self.object_id = tree

    @cached_property
    def manifest(self) -> Manifest:
        return manifest_of(self._objects.blob(self._top["manifest"]))

    @property
    def files(self) -> bytes:
        """Raw id of the git tree of the root folder."""
        return self._top["files"]

    def entries(self) -> Iterator[StoredEntry]:
        """Yield all entries but the root, parents before children."""
        yield from self._yield_below(self._top["files"], "")
        yield from map(self._build_folder, self.manifest.empty_folders)

    def entry(self, path: str) -> StoredEntry | None:
        """Return the entry at a path, or None."""
        if path in self.empty_folders:
            return self._build_folder(path)
        above, _, last = path.rpartition("/")
        tree = self._find_tree(above)
        found = None if tree is None else self._read_entries(tree).get(git_name(last))
        return None if found is None else self._build_entry(path, *found)

    def _find_tree(self, folder: str) -> bytes | None:
        """Return the raw id of a folder's git tree.

        None where the folder is missing or empty.
        """
        tree = self.files
        for name in folder.split("/") if folder else ():
            mode, tree = self._read_entries(tree).get(git_name(name), (0, b""))
            if mode != FOLDER:
                return None
        return tree

    def names_in(self, folder: str) -> frozenset[str]:
        """Return the paths of a folder's own entries.

        Empty where there is no such folder.
        """
        found = {path for path in self.empty_folders if path.rpartition("/")[0] == folder}
        tree = self._find_tree(folder)
        if tree is not None:
            found |= {f"{folder}/{name_of(name)}" for name in self._read_entries(tree)}
        return frozenset(found)

    def missing(self) -> Iterator[str]:
        """Yield the paths of files and links whose blobs are missing.

        Raises SnapshotError where trees are missing.
        """
        present = self._objects.present()
        for entry in self.entries():
            if not entry.is_folder and entry.object_id not in present:
                yield entry.path

    def content(self, entry: StoredEntry) -> bytes:
        """Return a file's bytes, or a symbolic link's target."""
        return self._objects.blob(entry.object_id)

    def differences(self, other: StoredTree) -> Iterator[Difference]:
        """Yield the changes that turn this state into the other, by path."""
        before: dict[str, StoredEntry] = {}
        after: dict[str, StoredEntry] = {}
        if self.manifest.usual_modes != other.manifest.usual_modes:
            before |= {entry.path: entry for entry in self.entries()}
            after |= {entry.path: entry for entry in other.entries()}
        else:
            self._compare_trees(other, before, after)
            changed = set(self.manifest.modes.items()) ^ set(other.manifest.modes.items())
            for path in {path for path, _ in changed}:
                for tree, found in ((self, before), (other, after)):
                    entry = tree.entry(path)
                    if entry is not None:
                        found[path] = entry
        for path in sorted(before.keys() | after.keys()):
            one, two = before.get(path), after.get(path)
            if one != two:
                yield Difference(path, one, two)

    def _compare_trees(
        self, other: StoredTree, before: dict[str, StoredEntry], after: dict[str, StoredEntry]
    ) -> None:
        """Collect the entries that differ; subtrees with equal ids are not read."""
        pending = [(self._top["files"], other._top["files"], "")]
        while pending:
            one, two, path = pending.pop()
            prefix = f"{path}/" if path else ""
            entries, other_entries = self._read_entries(one), self._read_entries(two)
            for name in entries.keys() | other_entries.keys():
                at, to = entries.get(name), other_entries.get(name)
                if at == to:
                    continue
                entry = prefix + name_of(name)
                if at is not None and to is not None and at[0] == to[0] == FOLDER:
                    pending.append((at[1], to[1], entry))
                    continue
                for tree, item, found in ((self, at, before), (other, to, after)):
                    if item is not None:
                        found[entry] = tree._build_entry(entry, *item)
                        if item[0] == FOLDER:
                            found |= {each.path: each for each in tree._yield_below(item[1], entry)}
        # A folder that is empty in only one state may exist in both.
        for path in self.empty_folders ^ other.empty_folders:
            for tree, found in ((self, before), (other, after)):
                entry = tree.entry(path)
                if entry is not None:
                    found[path] = entry

    @cached_property
    def _top(self) -> Mapping[str, bytes]:
        entries = {name: object_id for _, name, object_id in self._objects.tree(self.object_id)}
        if not entries.keys() >= {"files", "manifest"}:
            raise unreadable()
        return entries

    @cached_property
    def empty_folders(self) -> frozenset[str]:
        """Paths of folders that hold nothing or only such folders."""
        return frozenset(self.manifest.empty_folders)

    def _read_entries(self, tree: bytes) -> dict[str, tuple[int, bytes]]:
        """Return mode and raw id of a tree's entries by name.

        Cached, so that a large folder is not read again for each of its files.
        """
        entries = self._read.get(tree)
        if entries is None:
            entries = {name: (mode, object_id) for mode, name, object_id in self._objects.tree(tree)}
            if len(self._read) >= _TREES_REMEMBERED:
                del self._read[next(iter(self._read))]
            self._read[tree] = entries
        return entries

    def _yield_below(self, tree: bytes, path: str) -> Iterator[StoredEntry]:
        pending = [(tree, path)]
        while pending:
            tree, path = pending.pop()
            prefix = f"{path}/" if path else ""
            for mode, name, object_id in self._objects.tree(tree):
                entry_path = prefix + name_of(name)
                yield self._build_entry(entry_path, mode, object_id)
                if mode == FOLDER:
                    pending.append((object_id, entry_path))

    def _build_entry(self, path: str, mode: int, object_id: bytes) -> StoredEntry:
        return (
            self._build_folder(path)
            if mode == FOLDER
            else StoredEntry(path, self._find_mode(path, mode), object_id)
        )

    def _build_folder(self, path: str) -> StoredEntry:
        return StoredEntry(path, self._find_mode(path, FOLDER), b"")

    def _find_mode(self, path: str, git_mode: int) -> int:
        manifest = self.manifest
        usual = {FILE: manifest.file_mode, PROGRAM: manifest.program_mode, FOLDER: manifest.folder_mode}
        if git_mode not in _KINDS:
            raise unreadable()
        return _KINDS[git_mode] | (0 if git_mode == LINK else manifest.modes.get(path, usual[git_mode]))
