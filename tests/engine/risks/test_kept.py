"""What the facts say a replacement loses is what the disk really loses."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from studio.engine.plan import Operation, Step, StepState
from studio.engine.risks import TargetContext, Writer, facts_of
from studio.engine.root import state_of
from studio.journal.file_image import FileImage
from tests.tools.rights import IS_ROOT

ROOT = Path(__file__).parents[3]
NOBODY = 65534
# Writes a new file with everything of the old one that the disk gives it, as a user without privileges.
REPLACE = """
import json, os, sys
from pathlib import Path
from studio.engine.disk.files import write_temporary
from studio.engine.root import ProjectRoot
with ProjectRoot(Path(sys.argv[1])) as root:
    if sys.argv[2] != "0":
        user = int(sys.argv[2])
        os.setgroups([]); os.setgid(user); os.setuid(user)
    write_temporary(root, "new.txt", b"new", mode=0o640, like="old.txt", flush=False)
    print(json.dumps([os.geteuid(), [os.getegid(), *os.getgroups()]]))
"""
# Version 2: read and write for the owner, read for user 7, a mask, read for others.
ACCESS_LIST = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, bits, who)
    for tag, bits, who in (
        (1, 6, 2**32 - 1),
        (2, 4, 7),
        (4, 4, 2**32 - 1),
        (16, 4, 2**32 - 1),
        (32, 4, 2**32 - 1),
    )
)
CAPABILITY = struct.pack("<IIIII", 0x02000001, 1 << 10, 0, 0, 0)


@pytest.mark.parametrize("user", [NOBODY, 0], ids=["without privileges", "as we are"])
def test_what_is_lost_is_what_is_told_of(tmp_path: Path, user: int) -> None:
    tmp_path.chmod(0o777)
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_bytes(b"old")
    given = {"user.note": b"x", "system.posix_acl_access": ACCESS_LIST, "security.capability": CAPABILITY}
    for name, value in given.items():
        with suppress(OSError):  # not every file system takes it, and not everybody may set it
            os.setxattr(old, name, value)
    attributes = os.listxattr(old)
    done = subprocess.run(
        [sys.executable, "-c", REPLACE, str(tmp_path), str(user if IS_ROOT else 0)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    who, groups = json.loads(done.stdout)
    around = TargetContext(state_of(old.lstat()), attributes, True, Writer(who, frozenset(groups)))
    image = FileImage("0" * 64, 3, 0o640)
    step = Step(1, "id", Operation.MODIFY, "old.txt", None, StepState.PENDING, image, image)
    told = [fact for fact in facts_of(step, b"old", b"new", around=around) if fact.kind.endswith("_lost")]

    before, after = old.stat(), new.stat()
    owners_lost = (before.st_uid != after.st_uid) + (before.st_gid != after.st_gid)
    lost = {name for name in attributes if name not in os.listxattr(new)}
    print(f"{attributes} of {before.st_uid}; lost: {lost}, {owners_lost} owners")
    assert sum(fact.kind == "owner_lost" for fact in told) == owners_lost
    named = [fact.message for fact in told if fact.kind == "attributes_lost"]
    assert len(named) == bool(lost)
    assert all(name in named[0] for name in lost)
    if IS_ROOT:
        assert owners_lost == (2 if user else 0)
