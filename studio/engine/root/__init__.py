"""Project root choice, file access without following links, guard of locked files."""

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.engine.root.choosing import check_root, find_project_above, find_root
    from studio.engine.root.entries import Copied, FileState, TreeEntry, Unseen, state_of
    from studio.engine.root.entry_kind import EntryKind
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

__getattr__ = late_names(
    __name__,
    {
        "studio.engine.root.choosing": "check_root find_project_above find_root",
        "studio.engine.root.entry_kind": "EntryKind",
        "studio.engine.root.entries": "Copied FileState TreeEntry Unseen state_of",
        "studio.engine.root.git_folder": "is_within_git",
        "studio.engine.root.guard": "Guard PathLocked",
        "studio.engine.root.opening": "open_entry open_folder walk_components",
        "studio.engine.root.project_root": "FolderTooLarge ProjectRoot ReservedNames",
        "studio.engine.root.reading": "read_file read_handle unreadable",
    },
)
