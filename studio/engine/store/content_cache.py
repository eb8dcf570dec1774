"""Contents of one apply, verified before its first write."""

from __future__ import annotations

import hashlib

from studio.engine.limits import KEPT_CONTENT_BYTES
from studio.engine.store.blobs import Blobs


class ContentCache:
    """Verified contents of one apply, cached so that most are read once."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._kept: dict[str, bytes] = {}
        self._left = KEPT_CONTENT_BYTES

    def check(self, sha256: str) -> None:
        """Raise Refused for content that is missing or damaged."""
        if sha256 not in self._kept:
            self._blobs.get(sha256)

    def keep(self, sha256: str) -> None:
        """Verify content that will be taken, and cache it if it fits.

        Raises as `check`.
        """
        if sha256 in self._kept:
            return
        data = self._blobs.get(sha256)
        if len(data) <= self._left:
            self._kept[sha256] = data
            self._left -= len(data)

    def hold(self, data: bytes) -> None:
        """Cache content that is not in the store yet, whatever its size."""
        self._kept[hashlib.sha256(data).hexdigest()] = data

    def read(self, sha256: str) -> bytes:
        """Return verified bytes; cached ones stay cached.

        Raises as `check`.
        """
        data = self._kept.get(sha256)
        return self._blobs.get(sha256) if data is None else data

    def take(self, sha256: str) -> bytes:
        """Return verified bytes and drop them from the cache.

        Raises as `check`.
        """
        data = self._kept.pop(sha256, None)
        return self._blobs.get(sha256) if data is None else data
