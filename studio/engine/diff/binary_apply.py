"""Application of git binary patches, with size limit and object id checks.

Git's object ids name the content a patch is made for and the one it must produce. Whole ids are compared,
before and after; both sides are recorded by SHA-256, as for text.
"""

from __future__ import annotations

import hashlib
import zlib

from studio.engine.diff.binary_patch import BinaryBlock, BinaryPatch, Method
from studio.errors import Refused
from studio.names import show_name

_SHA1_DIGITS = 40
_DELTA_BYTES_LEAST = 4
"""Git accepts no shorter delta: two sizes and one command."""

_COPY_ALL = 0x10000
"""Length of a copy command that states no length."""


class _Damaged(Exception):
    """A block that can't be unpacked; the message completes a sentence."""


def object_id(data: bytes, digits: int) -> str:
    """Return git's blob id, of 40 (SHA-1) or 64 (SHA-256) digits."""
    # An identifier, not a safeguard: what is reviewed and written is bound to SHA-256.
    digest = hashlib.sha1(usedforsecurity=False) if digits == _SHA1_DIGITS else hashlib.sha256()
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def is_meant_for(patch: BinaryPatch, base: bytes | None) -> bool:
    """Return whether the patch was made for these bytes (None: no file)."""
    return patch.old_id == _id_of(base, len(patch.old_id))


def carry_out(base: bytes, patch: BinaryPatch, *, path: str, deletes: bool, at_most: int) -> bytes:
    """Return the bytes that the patch makes of its base.

    b"" where it deletes the file. Raises Refused `patch.too_large` before anything larger than `at_most`
    bytes is unpacked, and `patch.binary_damaged` where a block does not unpack to its stated size or the
    result does not match the ids.
    """
    try:
        for size in patch.sizes:
            _check_size(size, path, at_most)
        result = _unpack(patch.forward, base, path, at_most)
        if _id_of(None if deletes else result, len(patch.new_id)) != patch.new_id or (deletes and result):
            raise _Damaged("produces another content than its index line names")
        if patch.backward is not None and _unpack(patch.backward, result, path, at_most) != base:
            raise _Damaged("does not restore the file: its second block is wrong")
    except _Damaged as damage:
        raise Refused(
            "patch.binary_damaged",
            f"The binary patch of {show_name(path)} {damage}.",
            "Make it again with git diff --binary, or give the new content as content_base64.",
            path=path,
        ) from None
    return result


def _id_of(data: bytes | None, digits: int) -> str:
    return "0" * digits if data is None else object_id(data, digits)


def _check_size(size: int, path: str, at_most: int) -> None:
    if size > at_most:
        raise Refused(
            "patch.too_large",
            (
                f"The binary patch of {show_name(path)} decompresses to {size:,} bytes; the limit "
                f"is {at_most:,}."
            ),
            "Exclude this file, or ask the user to raise limits.file_bytes in the user configuration.",
            path=path,
        )


def _unpack(block: BinaryBlock, source: bytes, path: str, at_most: int) -> bytes:
    data = _inflate(block)
    return data if block.method is Method.LITERAL else _apply_delta(source, data, path, at_most)


def _inflate(block: BinaryBlock) -> bytes:
    """Unpack a block to exactly its stated size; never allocate more."""
    stream = zlib.decompressobj()
    try:
        # One byte more than stated, to notice any excess; without a length zlib would unpack without limit.
        data = stream.decompress(block.packed, block.size + 1)
    except zlib.error:
        raise _Damaged("is damaged: zlib can't unpack it") from None
    if len(data) != block.size:
        more = "more" if len(data) > block.size else "fewer"
        raise _Damaged(f"unpacks to {more} than the {block.size:,} bytes it declares")
    if not stream.eof:
        raise _Damaged("is damaged: its compressed bytes do not end")
    if stream.unused_data:
        raise _Damaged("has bytes after its compressed content")
    return data


def _apply_delta(source: bytes, delta: bytes, path: str, at_most: int) -> bytes:
    """Apply git's delta to `source`: copied ranges and inserted bytes."""
    if len(delta) < _DELTA_BYTES_LEAST:
        raise _Damaged("contains a delta that is too short")
    expected, at = _size_at(delta, 0)
    if expected != len(source):
        raise _Damaged(f"contains a delta for {expected:,} bytes, and there are {len(source):,}")
    size, at = _size_at(delta, at)
    _check_size(size, path, at_most)
    result = bytearray()
    while at < len(delta):
        command = delta[at]
        at += 1
        if command & 0x80:
            start, length, at = _copy_range(delta, at, command)
            if start + length > len(source):
                raise _Damaged("contains a delta that copies from beyond the end of the file")
            piece = source[start : start + length]
        elif command:
            piece = delta[at : at + command]
            at += command
            if len(piece) != command:
                raise _Damaged("contains a delta that is cut off")
        else:
            raise _Damaged("contains a delta with the reserved command 0")
        if len(result) + len(piece) > size:
            raise _Damaged(f"contains a delta that produces more than its declared {size:,} bytes")
        result += piece
    if len(result) != size:
        raise _Damaged(f"contains a delta that makes fewer than the {size:,} bytes it declares")
    return bytes(result)


def _size_at(delta: bytes, at: int) -> tuple[int, int]:
    """Return a little-endian base-128 size and the offset after it."""
    size = shift = 0
    # Nine groups hold 63 bits: no file is larger, and the number stays bounded.
    for byte in delta[at : at + 9]:
        size |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if not byte & 0x80:
            return size, at
    raise _Damaged("contains a delta whose sizes can't be read")


def _copy_range(delta: bytes, at: int, command: int) -> tuple[int, int, int]:
    """Return start, length and end of a copy command; zeros are omitted."""
    values = [0] * 7
    for bit in range(7):
        if command & 1 << bit:
            if at >= len(delta):
                raise _Damaged("contains a delta that is cut off")
            values[bit] = delta[at]
            at += 1
    start = int.from_bytes(bytes(values[:4]), "little")
    length = int.from_bytes(bytes(values[4:]), "little")
    return start, length or _COPY_ALL, at
