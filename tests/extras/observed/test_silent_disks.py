"""Disks that others may write to unheard are known by their kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.extras.observed import watcher as module
from studio.extras.observed.watcher import disks_without_events


@pytest.mark.parametrize(
    ("mounts", "silent"),
    [
        ([("/", "overlay"), ("/proc", "proc")], {}),
        ([("/", "ext4"), ("/disk", "nfs4")], {"": "nfs4"}),
        ([("/", "nfs4"), ("/disk/user", "ext4")], {}),
        ([("/disk/user", "ext4"), ("/disk/user", "9p")], {"": "9p"}),
        ([("/disk/user/project", "fuse.sshfs")], {"": "fuse.sshfs"}),
        ([("/", "ext4"), ("/disk/us", "nfs4"), ("/disk/user/project2", "cifs")], {}),
        ([("/", "ext4"), ("/disk/user/project/a/b", "virtiofs")], {"a/b": "virtiofs"}),
        (
            [("/", "ext4"), ("/disk/user/project/a", "tmpfs"), ("/disk/user/project/b", "fuseblk")],
            {"b": "fuseblk"},
        ),
        ([], {}),
    ],
)
def test_the_disk_that_holds_a_folder_counts(
    mounts: list[tuple[str, str]], silent: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tuple((place.encode(), kind) for place, kind in mounts)
    monkeypatch.setattr(module, "mounts", lambda: told)
    assert disks_without_events(Path("/disk/user/project")) == silent
