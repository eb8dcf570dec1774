"""The table of truth, read: what lies at a path, what is asked of it, and what is to come of that.

Nothing here asks how: whoever carries out the operations, by whatever door, compares with these cells.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from studio.limits import FILE_BYTES

TABLE = Path(__file__).with_name("truth.txt")

PATHS = {
    "file": "a.txt",
    "folder": "folder",
    "nothing": "none.txt",
    "link": "link.txt",
    "link-loop": "loop",
    "denied": "server.pem",
    "locked": "opencode.json",
    "too-large": "large.txt",
    "read-only": "kept.txt",
    "binary": "data.bin",
    "windows-1252": "legacy.txt",
    "undecodable": "odd.txt",
    "pipe": "pipe",
    "odd-bytes": os.fsdecode(b"odd-\xff.txt"),
}
"""What lies where."""

OTHER = "other.txt"
"""The file that copy-to and move-to take."""

TARGET = "new.txt"
"""Where copy and move take it."""


@dataclass(frozen=True)
class Cell:
    """One word of the table."""

    section: str
    condition: str
    operation: str
    expected: str

    def __str__(self) -> str:
        return f"{self.section}: {self.operation} of {self.condition}"


def cells() -> Iterator[Cell]:
    """Every cell, in the order of the file."""
    section, operations = "", list[str]()
    for line in TABLE.read_text("utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("["):
            section, operations = line.strip("[]"), []
        elif not operations:
            operations = line.split()
        else:
            condition, *words = line.split()
            for operation, word in zip(operations, words, strict=True):
                yield Cell(section, condition, operation, word)


def codes() -> Mapping[str, str]:
    """The code of an error for each word that stands for one, as the head of the file says."""
    head = TABLE.read_text("utf-8").partition("\n[")[0]
    return dict(re.findall(r"(\S+) += (\S+)", head))


def lay_out(folder: Path) -> None:
    """Put everything in its place."""
    (folder / "folder").mkdir()
    (folder / "folder/inner.txt").write_text("a line\n")
    (folder / OTHER).write_text("another\n")
    for name in ("a.txt", "server.pem", "opencode.json", "kept.txt"):
        (folder / name).write_text("a line\n")
    (folder / "kept.txt").chmod(0o444)
    (folder / "link.txt").symlink_to("a.txt")
    (folder / "loop").symlink_to("loop")
    with (folder / "large.txt").open("wb") as large:
        large.write(b"a line\n")
        large.truncate(FILE_BYTES + 1)
    (folder / "data.bin").write_bytes(b"a line\0\1\2")
    (folder / "legacy.txt").write_bytes("a line in a café, and déjà vu\n".encode("cp1252"))
    (folder / "odd.txt").write_bytes(b"a line \x81\x8d\xff\n")
    os.mkfifo(folder / "pipe")
    (folder / PATHS["odd-bytes"]).write_text("a line\n")


def call_of(cell: Cell) -> tuple[str, dict[str, object]]:
    """The operation by its name, and its arguments, as every door takes them."""
    path = PATHS[cell.condition]
    calls: dict[str, tuple[str, dict[str, object]]] = {
        "read": ("read_file", {"file_path": path}),
        "write": ("write_file", {"file_path": path, "content": "new\n"}),
        "append": ("append_file", {"file_path": path, "content": "more\n"}),
        "list": ("list_directory", {"directory_path": path}),
        "tree": ("directory_tree", {"directory_path": path}),
        "mkdir": ("create_directory", {"directory_path": path}),
        "copy": ("copy_file", {"source_path": path, "destination_path": TARGET}),
        "copy-to": ("copy_file", {"source_path": OTHER, "destination_path": path, "overwrite": True}),
        "move": ("move_file", {"source_path": path, "destination_path": TARGET}),
        "move-to": ("move_file", {"source_path": OTHER, "destination_path": path, "overwrite": True}),
        "delete": ("delete_file", {"path": path, "recursive": True}),
        "exists": ("file_exists", {"path": path}),
        "info": ("get_file_info", {"path": path}),
        "search": ("search_files", {"directory_path": path, "text": "line"}),
    }
    return calls[cell.operation]


def word_for(operation: str, result: Mapping[str, object]) -> str:
    """The word that says what came of a call that was not refused."""
    if operation == "exists":
        return "true" if result["exists"] else "false"
    if "state" in result:
        return {"pending": "plan", "done": "done", "unchanged": "same"}[str(result["state"])]
    return {"content": "text", "items": "items", "matches": "lines", "permissions": "info"}[
        next(key for key in ("content", "items", "matches", "permissions") if key in result)
    ]
