"""What the system refuses, produced for real: a sentence, nothing written, the same plan afterwards.

Full and read-only disks are in test_disks; locks of others in test_foreign_locks.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.faults.bench import outcomes_of
from tests.tools.mounts import REFUSED, namespace
from tests.tools.rights import AS_ROOT, IS_ROOT

EXT4 = ("sh", "-c", 'truncate -s 8M "$0/img" && mkfs.ext4 -q -F "$0/img" && mount -o loop "$0/img" "$0/try"')
BTRFS = ("sh", "-c", 'truncate -s 128M "$0/img" && mkfs.btrfs -q "$0/img" && mount -o loop "$0/img" "$0/try"')

EXPECTED = {
    "quota_in_the_middle": ("disk.quota", "your quota on the disk that holds sub/a.txt is used up"),
    "permission": ("target.unchangeable", "its folder is not writable. 2 more steps"),
    "immutable": ("target.unchangeable", "sub/a.txt can't be changed: it is marked immutable"),
    "append_only": ("target.unchangeable", "its folder is marked immutable. 2 more steps"),
    "busy": ("target.unchangeable", "sub/a.txt can't be changed: it is a mount point"),
    "not_a_folder": ("disk.not_a_folder", "a file is where it needs a folder"),
    "is_a_folder": ("step.stale", "sub/n/b.txt changed after it was reviewed"),
    "too_many_open": ("disk.too_many_open", "too many files are open"),
}

HINTS = {
    "permission": "Change the permissions of the folder",
    "immutable": "Remove that attribute",
    "append_only": "Remove that attribute from the folder",
    "busy": "Unmount it",
}

ROOT_ALONE = ("permission", "immutable", "append_only")
"""They take what a user may not give away or mark, also in a name space of his own."""


Outcome = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return outcomes_of("tests.faults.refusing", tmp_path_factory.mktemp("refusing"))


@pytest.fixture
def outcome(outcomes: dict[str, Any]) -> Outcome:
    def found(case: str) -> dict[str, Any]:
        assert isinstance(outcomes[case], dict), outcomes[case]
        return outcomes[case]

    return found


def skip_without(mount: tuple[str, ...], folder: Path) -> None:
    """Skip the test where such a disk can't be mounted."""
    (folder / "try").mkdir()
    if subprocess.run([*namespace(), *mount, str(folder)], check=False, capture_output=True).returncode:
        pytest.skip(REFUSED)


def assert_told_and_applied(seen: dict[str, Any], code: str, words: str) -> None:
    told, message, hint = seen["told"]
    assert told == code
    assert message.startswith("Nothing was written: ") and words in message and message.endswith(".")
    assert hint.endswith(".") and "Errno" not in message + hint
    assert seen["untouched"], "nothing was written"
    assert seen["again"] == 0, "the same plan goes through afterwards"
    assert seen["found"] == {"sub/a.txt": "new\n", "sub/n/b.txt": "b"}


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=AS_ROOT if case in ROOT_ALONE else ()) for case in EXPECTED]
)
def test_what_the_system_refuses(case: str, outcome: Outcome) -> None:
    seen = outcome(case)
    assert_told_and_applied(seen, *EXPECTED[case])
    assert HINTS.get(case, "") in seen["told"][2]


def test_a_quota_that_is_used_up(outcome: Outcome, tmp_path: Path) -> None:
    """On a disk that keeps one, where the system has such disks."""
    skip_without(BTRFS, tmp_path)
    seen = outcome("quota")
    assert_told_and_applied(seen, "disk.quota", "is used up")


def test_a_disk_that_is_gone(outcome: Outcome) -> None:
    """The program that serves it was killed in between."""
    if any(shutil.which(tool) is None for tool in ("mkntfs", "lowntfs-3g")):
        pytest.skip(REFUSED)
    if not IS_ROOT:
        pytest.skip(REFUSED)
    seen = outcome("gone")
    code, message, hint = seen["writer"]
    assert (
        code == "disk.gone" and message == "Nothing was written: the disk that held x.txt is gone." and hint
    )
    # The gateway looks at the root before anything else.
    assert seen["told"][0] == "root.gone" and seen["told"][1].endswith(".") and seen["told"][2]
    assert seen["untouched"] and seen["again"] == 0
    assert seen.get("replaced", ["root.replaced"])[0] == "root.replaced"
    assert seen["found"] == {"sub/a.txt": "new\n", "sub/n/b.txt": "b"}


def test_a_disk_that_comes_back_under_another_number(outcome: Outcome, tmp_path: Path) -> None:
    """Another place among the disks is no other project: what was approved is still approved."""
    skip_without(EXT4, tmp_path)
    assert outcome("mounted_anew") == {"again": 0, "found": "new\n"}


def test_a_program_that_runs_is_replaced_and_goes_on(outcome: Outcome) -> None:
    """It could not be written to in place; what is put in its place disturbs nobody."""
    seen = outcome("running")
    assert seen == {"busy": True, "code": 0, "still running": True, "there": False}
