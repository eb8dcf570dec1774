"""Which folder a store belongs to: by the file system's own number, where one is known."""

from __future__ import annotations

from pathlib import Path

from studio.engine.store import Store


def test_another_disk_with_the_number_of_the_one_before_is_another_folder(tmp_path: Path) -> None:
    """Two sticks in the same plug: the same device number, and the same inode at the top of both."""
    store = Store(tmp_path / "state")
    assert store.check_root(tmp_path, "2065:2", "fs71:2")
    assert store.is_root("2081:2", "fs71:2"), "the same stick in another plug"
    assert store.is_root("2065:2", "fs72:2") is False
    assert store.check_root(tmp_path, "2065:2", "fs72:2") is False
    store.accept_root("2065:2", "fs72:2")
    assert store.is_root("2065:2", "fs72:2") and not store.is_root("2065:2", "fs71:2")
    store.close()


def test_a_store_of_before_learns_the_number(tmp_path: Path) -> None:
    store = Store(tmp_path / "state")
    assert store.check_root(tmp_path, "2065:2", "fs71:2")
    with store.database.write() as connection:
        connection.execute("DELETE FROM meta WHERE key = 'lasting'")
    assert store.is_root("2081:2", "fs71:2") is False, "nothing but the device's number is known"
    assert store.check_root(tmp_path, "2065:2", "fs71:2")
    assert store.is_root("2081:2", "fs71:2")
    store.close()
