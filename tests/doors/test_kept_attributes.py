"""What a file has besides its bytes stays when they are replaced, or a fact says that it does not."""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from studio.system import syscalls
from tests.doors.conftest import CommandLine

NO_DUMP, NO_ACCESS_TIMES = 0x40, 0x80
UNNAMED = 2**32 - 1
ENTRIES = (
    (1, 6, UNNAMED),
    (2, 6, 1),
    (4, 6, UNNAMED),
    (16, 4, UNNAMED),
    (32, 0, UNNAMED),
)
# Another user may write, the mask lets nobody but the owner: with the mask gone he could.
ACCESS_LIST = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in ENTRIES)


def kept(file: Path) -> tuple[int, int, dict[str, bytes]]:
    """Mode, inode flags and extended attributes."""
    handle = os.open(file, os.O_RDONLY)
    try:
        flags = syscalls.inode_flags(handle)
        names = os.listxattr(handle)
        return os.fstat(handle).st_mode, flags, {name: os.getxattr(handle, name) for name in names}
    finally:
        os.close(handle)


def facts(plan: dict[str, Any]) -> list[str]:
    return [fact["kind"] for fact in plan["steps"][0]["facts"]]


@pytest.fixture
def file(project: Path) -> Path:
    found = project / "a.txt"
    found.write_text("old\n")
    handle = os.open(found, os.O_RDONLY)
    with suppress(OSError):  # not every file system knows them
        syscalls.set_inode_flags(handle, syscalls.inode_flags(handle) | NO_DUMP | NO_ACCESS_TIMES)
    os.close(handle)
    for name, value in (("system.posix_acl_access", ACCESS_LIST), ("user.note", b"mine")):
        with suppress(OSError):
            os.setxattr(found, name, value)
    return found


@pytest.mark.usefixtures("allow_review")
@pytest.mark.parametrize("op", ["modify", "append"])
def test_flags_and_the_mask_of_an_access_list_stay(studio: CommandLine, file: Path, op: str) -> None:
    before = kept(file)
    plan = studio.submit({"op": op, "path": "a.txt", "content": "new\n"})
    assert facts(plan) == []
    assert studio("approve", plan["plan"], "--apply").code == 0
    assert file.read_text().endswith("new\n") and kept(file) == before
    assert studio("rollback", plan["plan"]).code == 0
    assert file.read_text() == "old\n" and kept(file) == before


@pytest.mark.usefixtures("allow_review")
@pytest.mark.parametrize("step", [{"op": "modify", "content": "new\n"}, {"op": "delete"}])
def test_a_read_only_file_is_replaced_with_a_fact(
    studio: CommandLine, file: Path, step: dict[str, str]
) -> None:
    file.chmod(0o444)
    plan = studio.submit({**step, "path": "a.txt"})
    assert "read_only" in facts(plan)
    assert studio("approve", plan["plan"], "--apply").code == 0
    assert not file.exists() or (file.stat().st_mode & 0o777, file.read_text()) == (0o444, "new\n")


@pytest.mark.usefixtures("allow_review")
def test_a_new_file_is_shared_as_its_folder_says(studio: CommandLine, project: Path) -> None:
    """A colleague of the default list can write to it, as to one that a shell made there."""
    (project / "shared").mkdir()
    entries = ((1, 7, UNNAMED), (2, 6, 1), (4, 6, UNNAMED), (16, 6, UNNAMED), (32, 0, UNNAMED))
    value = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    try:
        os.setxattr(project / "shared", "system.posix_acl_default", value)
    except OSError:
        return  # not every file system knows them
    (project / "shared/deep").mkdir()
    (project / "shared/deep/own.txt").touch()
    steps = [{"op": "create", "path": f"shared/{name}", "content": "x\n"} for name in ("a.txt", "new/b.txt")]
    plan = studio.submit(*steps, {"op": "mkdir", "path": "shared/made"})
    assert studio("approve", plan["plan"], "--apply").code == 0
    own = kept(project / "shared/deep/own.txt")
    assert kept(project / "shared/a.txt") == kept(project / "shared/new/b.txt") == own
    folder = kept(project / "shared/deep")
    assert kept(project / "shared/new") == kept(project / "shared/made") == folder
    assert studio("rollback", plan["plan"]).code == 0
    assert sorted(path.name for path in (project / "shared").rglob("*")) == ["deep", "own.txt"]
