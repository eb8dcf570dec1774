"""Many contents are verified together, and one by one where that fails; none is taken on trust."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from studio.engine.store import Store, database
from studio.engine.store.content_cache import ContentCache
from studio.errors import Refused
from studio.journal.file_image import FileImage, sha256

CONTENTS = [f"content {number}\n".encode() * 50 for number in range(300)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with_contents = Store(tmp_path / "store")
    with_contents.blobs.add(CONTENTS)
    yield with_contents
    with_contents.database.close()


IMAGES = [FileImage(sha256(content), len(content), 0o644) for content in CONTENTS]


def names() -> list[str]:
    return [image.sha256 for image in IMAGES if image.sha256 is not None]


def test_each_is_read_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = ContentCache(store.blobs)
    cache.verify(IMAGES[:150], IMAGES[150:])
    monkeypatch.setattr(store.blobs, "get", lambda name: pytest.fail(f"{name} is read again"))
    for name in names():
        cache.check(name)
    assert [cache.pop(name) for name in names()[150:]] == CONTENTS[150:]


def test_without_a_thread_they_are_verified_one_by_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full process table failed the apply with an internal error."""

    def none_left(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none_left)
    cache = ContentCache(store.blobs)
    cache.verify((), IMAGES)
    for name in names():
        cache.preload(name)
    assert [cache.pop(name) for name in names()] == CONTENTS


def test_a_damaged_one_is_named_and_hides_no_other(store: Store) -> None:
    damaged, missing = names()[7], names()[9]
    with store.database.write() as connection:
        connection.execute("UPDATE blobs SET packed = ? WHERE hex(sha256) = ?", (b"no", damaged.upper()))
        connection.execute("DELETE FROM blobs WHERE hex(sha256) = ?", (missing.upper(),))
    assert refused(store, IMAGES) == {damaged, missing}


def test_an_unreadable_page_hides_no_other(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One query for many fails with it: a rollback was refused as a whole for one lost file."""
    noise = [random.Random(number).randbytes(20_000) for number in range(80)]
    store.blobs.add(noise)
    images = [FileImage(sha256(content), len(content), 0o644) for content in noise]
    store.database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (size,) = store.database.connection.execute("PRAGMA page_size").fetchone()
    store.database.close()
    file = store.database.file
    data = bytearray(file.read_bytes())
    page = data.index(noise[40][12_000:12_100]) // size * size
    data[page : page + 4] = b"\xff\xff\xff\xff"  # an overflow page begins with the number of the next
    file.write_bytes(data)
    monkeypatch.setattr(database, "STORE_CHECK_UP_TO", 0)
    reopened = Store(tmp_path / "store")
    with closing(reopened.database):
        assert refused(reopened, images) == {images[40].sha256}


def refused(store: Store, images: Sequence[FileImage]) -> set[str | None]:
    """The contents that are refused after all were verified together."""
    cache = ContentCache(store.blobs)
    cache.verify(images, ())
    found: set[str | None] = set()
    for image in images:
        try:
            cache.check(image.sha256 or "")
        except Refused:
            found.add(image.sha256)
    return found
