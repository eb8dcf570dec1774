"""Snapshots of a folder, stored as git objects outside of it."""

from studio.engine.snapshot_store.capture import Capture, Captured
from studio.engine.snapshot_store.manifest import Manifest, is_damage, unreadable
from studio.engine.snapshot_store.object_folder import UNWRITABLE, ObjectFolder
from studio.engine.snapshot_store.stored_hashes import read_hashes, write_hashes
from studio.engine.snapshot_store.stored_tree import Difference, StoredEntry, StoredTree, image_of
from studio.engine.snapshot_store.tree_edit import TreeEdit
from studio.engine.snapshot_store.walk import NEVER_KEPT

__all__ = [
    "NEVER_KEPT",
    "UNWRITABLE",
    "Capture",
    "Captured",
    "Difference",
    "Manifest",
    "ObjectFolder",
    "StoredEntry",
    "StoredTree",
    "TreeEdit",
    "image_of",
    "is_damage",
    "read_hashes",
    "unreadable",
    "write_hashes",
]
