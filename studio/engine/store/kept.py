"""Contents verified before the first byte of an apply is written, and kept until they are (design 5.2)."""

from __future__ import annotations

import hashlib

from studio.engine.limits import KEPT_CONTENT_BYTES
from studio.engine.store.blobs import Blobs


class KeptContents:
    """The contents of one apply: every one is read from the store and verified, most of them only once."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._kept: dict[str, bytes] = {}
        self._left = KEPT_CONTENT_BYTES

    def check(self, sha256: str) -> None:
        """Raises Refused for content that is gone or damaged."""
        if sha256 not in self._kept:
            self._blobs.get(sha256)

    def keep(self, sha256: str) -> None:
        """Check content that will be taken. Raises as `check`."""
        if sha256 in self._kept:
            return
        data = self._blobs.get(sha256)
        if len(data) <= self._left:
            self._kept[sha256] = data
            self._left -= len(data)

    def hold(self, data: bytes) -> None:
        """Keep content that is not in the store yet, whatever its size."""
        self._kept[hashlib.sha256(data).hexdigest()] = data

    def read(self, sha256: str) -> bytes:
        """The bytes with that hash, verified; what is kept stays so. Raises as `check`."""
        data = self._kept.get(sha256)
        return self._blobs.get(sha256) if data is None else data

    def take(self, sha256: str) -> bytes:
        """The bytes with that hash, verified. They are kept no longer. Raises as `check`."""
        data = self._kept.pop(sha256, None)
        return self._blobs.get(sha256) if data is None else data
