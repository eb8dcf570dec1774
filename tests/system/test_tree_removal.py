"""Removing what a stranger left: it goes, and nothing outside does."""

from __future__ import annotations

import os
from pathlib import Path

from studio.system.tree_removal import remove_tree


def test_closed_folders_and_links_go(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    (outside / "inner").mkdir(parents=True)
    (outside / "inner/file").write_bytes(b"x")
    for number in range(3):
        (folder / f"{number}/closed/inner").mkdir(parents=True)
        (folder / f"{number}/closed/inner/file").write_bytes(b"x")
        (folder / f"{number}/closed/link").symlink_to(outside)
        (folder / f"{number}/closed/inner").chmod(0)
        (folder / f"{number}/closed").chmod(0o500 if number else 0)
    (folder / "link").symlink_to(outside)
    os.mkfifo(folder / "pipe")
    before = outside.stat().st_mtime_ns
    remove_tree(folder)
    assert not folder.exists()
    assert (outside / "inner/file").read_bytes() == b"x" and outside.stat().st_mtime_ns == before


def test_a_link_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("real")
    remove_tree(tmp_path / "link")
    remove_tree(tmp_path / "missing")
    assert (tmp_path / "real/file").read_bytes() == b"x"


def test_any_depth_goes(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    handle = os.open(folder, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=handle)
        below = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(handle)
    remove_tree(folder)
    assert not folder.exists()
