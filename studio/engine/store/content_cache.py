"""Cache of verified file contents needed while a plan is applied."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress

from studio.engine.store.blobs import Blobs
from studio.errors import Refused
from studio.journal.file_image import FileImage
from studio.limits import KEPT_CONTENT_BYTES

_TOGETHER_FROM = 64
"""From so many contents on, threads verify them."""


class ContentCache:
    """Verified contents of one apply, cached so that most are read once."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._cached: dict[str, bytes] = {}
        self._sound: set[str] = set()
        self._free_bytes = KEPT_CONTENT_BYTES

    def verify(self, checked: Iterable[FileImage | None], taken: Iterable[FileImage | None]) -> None:
        """Verify many contents together; cache what will be taken, if it fits.

        `check` and `preload` answer for each, and read again what was not found sound here: a damaged page
        fails a query for many, and the system may have no thread left.
        """
        wanted = dict.fromkeys(_hashes(taken))
        every = wanted | dict.fromkeys(_hashes(checked))
        names = [name for name in every if not self._is_verified(name)]
        if len(names) < _TOGETHER_FROM:
            return
        with suppress(Refused, RuntimeError):
            for name, data in self._blobs.read_sound(names):
                self._sound.add(name)
                if name in wanted:
                    self._add_if_it_fits(name, data)

    def check(self, sha256: str) -> None:
        """Raise Refused for content that is missing or damaged."""
        if not self._is_verified(sha256):
            self._blobs.get(sha256)

    def preload(self, sha256: str) -> None:
        """Verify content that will be taken, and cache it if it fits.

        Raises as `check`.
        """
        if not self._is_verified(sha256):
            self._add_if_it_fits(sha256, self._blobs.get(sha256))

    def _is_verified(self, sha256: str) -> bool:
        return sha256 in self._cached or sha256 in self._sound

    def _add_if_it_fits(self, sha256: str, data: bytes) -> None:
        if len(data) <= self._free_bytes:
            self._cached[sha256] = data
            self._free_bytes -= len(data)

    def add(self, data: bytes) -> None:
        """Cache content that is not in the store yet, whatever its size."""
        self._cached[hashlib.sha256(data).hexdigest()] = data

    def read(self, sha256: str) -> bytes:
        """Return verified bytes; cached ones stay cached.

        Raises as `check`.
        """
        data = self._cached.get(sha256)
        return self._blobs.get(sha256) if data is None else data

    def pop(self, sha256: str) -> bytes:
        """Return verified bytes and drop them from the cache.

        Raises as `check`.
        """
        data = self._cached.pop(sha256, None)
        return self._blobs.get(sha256) if data is None else data


def _hashes(images: Iterable[FileImage | None]) -> Iterator[str]:
    return (image.sha256 for image in images if image is not None and image.sha256 is not None)
