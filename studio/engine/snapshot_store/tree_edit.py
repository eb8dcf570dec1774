"""Edits of a stored snapshot that rewrite only the affected git trees."""

from __future__ import annotations

import stat
from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from studio.engine.snapshot_store.capture import Captured
from studio.engine.snapshot_store.git_names import git_name, name_of
from studio.engine.snapshot_store.manifest import FOLDER_MODE
from studio.engine.snapshot_store.object_folder import EMPTY_TREE, FILE, FOLDER, LINK, PROGRAM, ObjectFolder
from studio.engine.snapshot_store.stored_tree import StoredEntry, StoredTree


class _Folder(Struct):
    """One expanded folder: its entries and its subfolders, by git names.

    A subfolder that was not expanded is the raw id of its tree.
    """

    entries: dict[str, tuple[int, bytes]] = field(default_factory=dict[str, tuple[int, bytes]])
    folders: dict[str, _Folder | bytes] = field(default_factory=dict[str, "_Folder | bytes"])

    @property
    def is_empty(self) -> bool:
        return not self.entries and not self.folders


class TreeEdit:
    """Changes to a stored state, written by `write`.

    Unaffected trees are never read.
    """

    def __init__(self, objects: ObjectFolder, tree: StoredTree) -> None:
        self._objects = objects
        self._manifest = tree.manifest
        self._modes = dict(tree.manifest.modes)
        self._excluded = dict(tree.manifest.left_out)
        self._empty: dict[str, set[str]] = {}
        for path in tree.manifest.empty_folders:
            above, _, name = path.rpartition("/")
            self._empty.setdefault(above, set()).add(name)
        self._top = self._read_folder("", tree.files)

    def put(self, path: str, entry: StoredEntry | None, bits: Mapping[str, int]) -> None:
        """Set the entry at a path; None removes it.

        Missing parent folders are created with their permission bits from `bits`; an existing folder keeps
        its entries.
        """
        above, _, name = path.rpartition("/")
        self._excluded.pop(path, None)
        folder = self._expand_folder(above, bits if entry is not None else None)
        if folder is None:
            return
        stored = git_name(name)
        if entry is None or not (entry.is_folder and stored in folder.folders):
            folder.entries.pop(stored, None)
            if folder.folders.pop(stored, None) is not None:
                self._forget_beneath(path)
            self._modes.pop(path, None)
        if entry is None:
            return
        if entry.is_folder:
            folder.folders.setdefault(stored, _Folder())
        else:
            folder.entries[stored] = (_git_mode(entry.mode), entry.object_id)
        self._set_bits(path, entry.mode)

    def exclude(self, path: str, why: str) -> None:
        """Remove a path's entry and note why it is not stored."""
        self.put(path, None, {})
        self._excluded[path] = why

    def is_empty_folder(self, path: str) -> bool:
        """Return whether an empty folder is at the path."""
        folder = self._expand_folder(path, None)
        return folder is not None and folder.is_empty

    def has_room_for(self, path: str, entry: StoredEntry | None) -> bool:
        """Return whether setting the entry would replace nothing else.

        Neither a file in the place of a parent folder, nor the entries of a folder.
        """
        folder: _Folder | None = self._top
        above, _, last = path.rpartition("/")
        prefix = ""
        for name in above.split("/") if above else ():
            if folder is None:
                return True
            if git_name(name) in folder.entries:
                return False
            prefix = f"{prefix}/{name}" if prefix else name
            folder = self._expand_folder(prefix, None)
        if folder is None or git_name(last) not in folder.folders:
            return True
        return (entry is not None and entry.is_folder) or self.is_empty_folder(path)

    def write(self) -> Captured:
        """Store the changed trees.

        `files` and `bytes` of the manifest stay as they were. Raises SnapshotError.
        """
        empty = [
            f"{above}/{name}" if above else name for above, names in self._empty.items() for name in names
        ]
        files = self._write_folder(self._top, "", empty)
        manifest = replace(
            self._manifest, modes=self._modes, empty_folders=tuple(sorted(empty)), left_out=self._excluded
        )
        entries = (
            (FOLDER, "files", files),
            (FILE, "manifest", self._objects.write_blob(manifest.to_bytes())),
        )
        return Captured(self._objects.write_tree(entries), manifest)

    def _write_folder(self, folder: _Folder, path: str, empty: list[str]) -> bytes:
        entries = [(mode, name, object_id) for name, (mode, object_id) in folder.entries.items()]
        for name, below in folder.folders.items():
            if isinstance(below, bytes):
                entries.append((FOLDER, name, below))
                continue
            entry_path = f"{path}/{name_of(name)}" if path else name_of(name)
            tree = self._write_folder(below, entry_path, empty)
            if tree == EMPTY_TREE:
                empty.append(entry_path)
            else:
                entries.append((FOLDER, name, tree))
        return self._objects.write_tree(entries)

    def _expand_folder(self, path: str, bits: Mapping[str, int] | None) -> _Folder | None:
        """Return the folder at a path, expanded.

        A missing one is created with `bits`, or None is returned where `bits` is None.
        """
        folder, prefix = self._top, ""
        for name in path.split("/") if path else ():
            prefix = f"{prefix}/{name}" if prefix else name
            stored = git_name(name)
            below = folder.folders.get(stored)
            if below is None:
                if bits is None:
                    return None
                folder.entries.pop(stored, None)
                self._modes.pop(prefix, None)
                below = _Folder()
                self._set_bits(prefix, stat.S_IFDIR | bits.get(prefix, FOLDER_MODE))
            elif isinstance(below, bytes):
                below = self._read_folder(prefix, below)
            folder.folders[stored] = below
            folder = below
        return folder

    def _read_folder(self, path: str, tree: bytes) -> _Folder:
        folder = _Folder()
        for mode, name, object_id in self._objects.tree(tree):
            if mode == FOLDER:
                folder.folders[name] = object_id
            else:
                folder.entries[name] = (mode, object_id)
        self._add_empty(folder, path)
        return folder

    def _add_empty(self, folder: _Folder, path: str) -> None:
        """Add a folder's empty subfolders, which git trees can't hold."""
        for name in self._empty.pop(path, ()):
            below = folder.folders[git_name(name)] = _Folder()
            self._add_empty(below, f"{path}/{name}" if path else name)

    def _forget_beneath(self, path: str) -> None:
        prefix = f"{path}/"
        for table in (self._modes, self._excluded):
            for below in [below for below in table if below.startswith(prefix)]:
                del table[below]
        for above in [above for above in self._empty if above == path or above.startswith(prefix)]:
            del self._empty[above]

    def _set_bits(self, path: str, mode: int) -> None:
        manifest = self._manifest
        if stat.S_ISLNK(mode):
            return
        usual = manifest.folder_mode
        if not stat.S_ISDIR(mode):
            usual = manifest.program_mode if mode & stat.S_IXUSR else manifest.file_mode
        if stat.S_IMODE(mode) == usual:
            self._modes.pop(path, None)
        else:
            self._modes[path] = stat.S_IMODE(mode)


def _git_mode(mode: int) -> int:
    if stat.S_ISLNK(mode):
        return LINK
    return PROGRAM if mode & stat.S_IXUSR else FILE
