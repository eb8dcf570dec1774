"""Header lines and hunks of one file, as parsed and before validation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from studio.engine.diff.binary_patch import BinaryPatch, Blocks
from studio.engine.diff.headers import Name
from studio.engine.diff.hunks import PatchHunk

INDEX: Final = re.compile(rb"([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{6}))?")
"""The ids of git's index line, and the mode if unchanged."""

_WHOLE_ID_DIGITS = (40, 64)


@dataclass(slots=True)
class Section:
    """Everything parsed about one file, before validation."""

    line: int
    git_rest: bytes | None = None
    headers: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    old: Name | None = None
    new: Name | None = None
    hunks: Sequence[PatchHunk] = ()
    is_stub: bool = False
    blocks: Blocks | None = None
    quoted: bool = False
    is_named_above: bool = False

    def has(self, *keys: bytes) -> bool:
        """Return whether one of these git headers is present."""
        return not self.headers.keys().isdisjoint(keys)

    @property
    def is_binary(self) -> bool:
        """Whether the file is not compared line by line."""
        return self.is_stub or self.blocks is not None

    @property
    def binary_patch(self) -> BinaryPatch | None:
        """The blocks with their ids; None if ids are abbreviated or missing."""
        index = INDEX.fullmatch(self.headers.get(b"index ", b""))
        if self.blocks is None or index is None:
            return None
        old_id, new_id = index[1].decode(), index[2].decode()
        if len(old_id) != len(new_id) or len(old_id) not in _WHOLE_ID_DIGITS:
            return None
        return BinaryPatch(old_id, new_id, *self.blocks)

    @property
    def creates(self) -> bool:
        """Whether the file is missing on the old side."""
        return self.has(b"new file mode ") or (self.old is not None and self._is_missing(self.old))

    @property
    def deletes(self) -> bool:
        """Whether the file is missing on the new side."""
        return self.has(b"deleted file mode ") or (self.new is not None and self._is_missing(self.new))

    def is_empty(self, side: Name) -> bool:
        """Return whether its only hunk has no lines on this side."""
        if len(self.hunks) != 1:
            return False
        (hunk,) = self.hunks
        if side is self.old:
            return hunk.old_start == hunk.old_lines == 0
        return hunk.new_start == hunk.new_lines == 0

    def _is_missing(self, side: Name) -> bool:
        if side.value is None:
            return True
        # With a git line the mode headers say it; GNU diff -N and Subversion have no other sign.
        return self.git_rest is None and side.is_missing and self.is_empty(side)
