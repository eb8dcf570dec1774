"""A sample of `python -m tests.tools.streaming`: memory does not grow with the file."""

from __future__ import annotations

import pytest

from studio.engine.filesystem.content import SPOOL_BYTES, Content, ContentWriting
from tests.tools.streaming import ALLOWED_MEBIBYTES, KINDS, added_mebibytes

SAMPLE_MEBIBYTES = ALLOWED_MEBIBYTES + 16
"""More than may be added: a backend that kept the file in memory would be found."""


@pytest.mark.parametrize("kind", KINDS)
def test_memory_does_not_grow_with_the_file(kind: str) -> None:
    """Streams, measured from outside."""
    assert added_mebibytes(kind, SAMPLE_MEBIBYTES) <= ALLOWED_MEBIBYTES


def test_what_is_large_is_read_as_what_is_small() -> None:
    pieces = [bytes([number]) * (SPOOL_BYTES // 3 + number) for number in range(8)]
    contents: list[Content] = []
    writing = ContentWriting(contents.append)
    for piece in pieces:
        writing.write(piece)
    writing.finish()
    whole = b"".join(pieces)
    (content,) = contents
    assert len(content) == len(whole)
    assert bytes(content) == whole
    for at in (0, SPOOL_BYTES - 5, 2 * SPOOL_BYTES + 11, len(whole) - 3, len(whole), len(whole) + 9):
        assert content.read_at(at, 4097) == whole[at : at + 4097]
    longer = content.followed_by(Content([b"end"])).followed_by(Content([b"!"]))
    assert bytes(longer) == whole + b"end!"
    assert longer.sha256 == Content([whole, b"end!"]).sha256


def test_many_small_appends_stay_cheap() -> None:
    content = Content()
    for number in range(5000):
        content = content.followed_by(Content([b"%d\n" % number]))
    assert bytes(content) == b"".join(b"%d\n" % number for number in range(5000))
    assert content.part_count < 50
