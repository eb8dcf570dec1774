"""Project root choice, file access without following links, guard of locked files."""

from studio.engine.root.choosing import check_root, find_project_above, find_root
from studio.engine.root.entries import Copied, EntryKind, FileState, TreeEntry, Unseen, state_of
from studio.engine.root.git_folder import is_within_git
from studio.engine.root.guard import Guard, PathLocked
from studio.engine.root.opening import open_entry, open_folder, walk_components
from studio.engine.root.project_root import FolderTooLarge, ProjectRoot, ReservedNames
from studio.engine.root.reading import read_file, read_handle, unreadable

__all__ = [
    "Copied",
    "EntryKind",
    "FileState",
    "FolderTooLarge",
    "Guard",
    "PathLocked",
    "ProjectRoot",
    "ReservedNames",
    "TreeEntry",
    "Unseen",
    "check_root",
    "find_project_above",
    "find_root",
    "is_within_git",
    "open_entry",
    "open_folder",
    "read_file",
    "read_handle",
    "state_of",
    "unreadable",
    "walk_components",
]
