"""Cache of verified file contents needed while a plan is applied."""

from __future__ import annotations

import hashlib

from studio.engine.store.blobs import Blobs
from studio.limits import KEPT_CONTENT_BYTES


class ContentCache:
    """Verified contents of one apply, cached so that most are read once."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._cached: dict[str, bytes] = {}
        self._free_bytes = KEPT_CONTENT_BYTES

    def check(self, sha256: str) -> None:
        """Raise Refused for content that is missing or damaged."""
        if sha256 not in self._cached:
            self._blobs.get(sha256)

    def preload(self, sha256: str) -> None:
        """Verify content that will be taken, and cache it if it fits.

        Raises as `check`.
        """
        if sha256 in self._cached:
            return
        data = self._blobs.get(sha256)
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
