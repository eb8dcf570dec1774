"""Limited folder listings for tools: sorted flat list, or tree."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from studio.engine.filesystem import Filesystem, Glob, ScannedEntry
from studio.engine.filesystem.backup_names import is_backup
from studio.engine.root import EntryKind
from studio.errors import AccessDenied, FileMissing, NotAFolder
from studio.extras.tools.results import DirectoryListingResult, FileSystemItem, UnseenEntry
from studio.values import Value

_KINDS = {
    EntryKind.LINK: "is a link, and links are not followed",
    EntryKind.PIPE: "is a pipe",
    EntryKind.SOCKET: "is a socket",
    EntryKind.DEVICE: "is a device",
    EntryKind.OTHER: "is no file",
}


class ListingOptions(Value):
    """Parameters of a listing; `max_depth` counts levels, 0 for all.

    Folders that don't match the pattern are searched, too.
    """

    pattern: str
    max_depth: int
    include_hidden: bool
    at_most: int
    keeps_backups: bool


def list_folder(files: Filesystem, folder: str, wanted: ListingOptions) -> DirectoryListingResult:
    """List a folder: folders first, then files, each by path.

    Levels are read one after the other, so that the limit omits the deepest items. Raises as
    `Filesystem.scan`, ValueError for an invalid pattern.
    """
    listing = _Listing(files, folder, wanted)
    listing.walk()
    by_path = attrgetter("path")
    return _build_result(
        folder, (*sorted(listing.folders, key=by_path), *sorted(listing.files, key=by_path)), listing
    )


def tree_of(files: Filesystem, folder: str, wanted: ListingOptions) -> DirectoryListingResult:
    """List a folder as a tree, each folder followed by its items.

    Folders come first, then files, by name.
    """
    listing = _Listing(files, folder, wanted)
    listing.walk()
    return _build_result(folder, sorted((*listing.folders, *listing.files), key=_tree_key), listing)


def _tree_key(item: FileSystemItem) -> list[tuple[bool, str]]:
    """Return the sort key of a tree; an item's parents are folders."""
    *above, name = item.path.split("/")
    return [*((False, part) for part in above), (item.entry.kind is not EntryKind.FOLDER, name)]


def _build_result(folder: str, items: Iterable[FileSystemItem], listing: _Listing) -> DirectoryListingResult:
    return DirectoryListingResult(
        path=folder,
        items=tuple(items),
        total_files=len(listing.files),
        total_directories=len(listing.folders),
        total_size_bytes=sum([item.entry.size_bytes for item in listing.files]),
        truncated=listing.truncated,
        unseen=tuple(listing.unseen),
    )


class _Listing:
    """A walk through folders that stops when the limit is exceeded."""

    def __init__(self, files: Filesystem, folder: str, wanted: ListingOptions) -> None:
        self.folders: list[FileSystemItem] = []
        self.files: list[FileSystemItem] = []
        self.unseen: list[UnseenEntry] = []
        self.truncated = False
        self._filesystem = files
        self._folder = folder
        self._wanted = wanted
        self._glob = None if wanted.pattern == "*" else Glob(wanted.pattern)
        self._above = "" if folder == "." else f"{folder}/"

    def walk(self) -> None:
        level, depth = self._list_folder(self._folder), 1
        while level and not self.truncated and depth != self._wanted.max_depth:
            below: list[str] = []
            for folder in level:
                try:
                    below += self._list_folder(folder)
                except (FileMissing, NotAFolder):
                    continue  # deleted meanwhile
                except AccessDenied as error:
                    self.unseen.append(UnseenEntry(folder, error.message))
                if self.truncated:
                    break
            level, depth = below, depth + 1

    def _list_folder(self, folder: str) -> list[str]:
        """Add a folder's items, and return its subfolders that may be read."""
        found = self._filesystem.scan(folder)
        prefix = "" if folder == "." else f"{folder}/"
        self.unseen += (UnseenEntry(entry.path, entry.reason) for entry in found.unseen)
        entries = found if self._wanted.include_hidden else [one for one in found if one.name[0] != "."]
        folders = [one for one in entries if one.kind is EntryKind.FOLDER]
        files = [one for one in entries if one.kind is EntryKind.FILE]
        if len(folders) + len(files) < len(entries):
            self._report_others(entries, prefix)
        if not self._wanted.keeps_backups:
            files = [one for one in files if not is_backup(one.name)]
        for chosen, items in ((folders, self.folders), (files, self.files)):
            chosen_here = chosen if self._glob is None else self._filter_entries(chosen, prefix)
            room = self._wanted.at_most - len(self.folders) - len(self.files)
            if len(chosen_here) > room:
                self.truncated = True
                chosen_here = chosen_here[:room]
            items += [FileSystemItem(prefix + one.name, one) for one in chosen_here]
        return [prefix + one.name for one in folders if not one.is_denied]

    def _filter_entries(self, entries: list[ScannedEntry], prefix: str) -> list[ScannedEntry]:
        assert self._glob is not None
        if "/" not in self._wanted.pattern:
            names = set(self._glob.start.files([one.name for one in entries]))
            return [one for one in entries if one.name in names]
        inner = prefix[len(self._above) :]
        return [one for one in entries if self._glob.matches(inner + one.name)]

    def _report_others(self, entries: list[ScannedEntry] | tuple[ScannedEntry, ...], prefix: str) -> None:
        for one in entries:
            if one.kind in _KINDS:
                path = prefix + one.name
                self.unseen.append(UnseenEntry(path, f"{path} {_KINDS[one.kind]}."))
