"""Many contents are verified together, and one by one where that fails; none is taken on trust."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.engine.store import Store
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


def test_a_damaged_one_is_named_and_hides_no_other(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged, missing = names()[7], names()[9]
    with store.database.write() as connection:
        connection.execute("UPDATE blobs SET packed = ? WHERE hex(sha256) = ?", (b"no", damaged.upper()))
        connection.execute("DELETE FROM blobs WHERE hex(sha256) = ?", (missing.upper(),))
    cache = ContentCache(store.blobs)
    cache.verify(IMAGES, ())
    for name in (damaged, missing):
        with pytest.raises(Refused):
            cache.check(name)
    for name in set(names()) - {damaged, missing}:
        cache.check(name)

    def unreadable(_: object) -> Iterator[tuple[str, bytes]]:
        raise Refused("store.damaged", "A page can't be read.", "")
        yield

    monkeypatch.setattr(store.blobs, "read_sound", unreadable)
    cache = ContentCache(store.blobs)
    cache.verify(IMAGES, ())
    cache.check(names()[0])
