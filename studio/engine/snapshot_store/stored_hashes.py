"""Reading and writing of a file hash cache, shared between processes."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from studio.engine.root.hash_cache import RECORD_BYTES, REMOVAL_BYTES, CachedFolder, HashCache
from studio.system.own_files import write_own_file

_MAGIC = b"exacta hashes 2\n"
_DIGEST = 32
_FOLDER = struct.Struct("<6I20s")


def read_hashes(file: Path, rules: str = "") -> HashCache:
    """Read the hash cache that `write_hashes` stored.

    It is empty where the file is missing or damaged, or was written under other exclusion rules.
    """
    with suppress(OSError, ValueError, struct.error):
        data = file.read_bytes()
        body = memoryview(data)[len(_MAGIC) + _DIGEST :]
        if data[: len(_MAGIC) + _DIGEST] == _build_head(rules, body):
            cache = HashCache()
            cache.removal = bytes(body[:REMOVAL_BYTES])
            cache.folders.update(_parse_folders(body[REMOVAL_BYTES:]))
            top = cache.folders.get("")
            if top is not None and top.tree:
                return cache
    return HashCache()


def write_hashes(file: Path, cache: HashCache, rules: str = "") -> None:
    """Store the hash cache, unless its folder does not exist.

    `rules` are the exclusion rules it was made under. Raises OSError.
    """
    if not file.parent.is_dir():
        return  # the project's stored state was deleted
    parts = (part for path, folder in cache.folders.items() for part in _yield_parts(path, folder))
    body = b"".join((cache.removal, *parts))
    write_own_file(file, _build_head(rules, body) + body)


def _build_head(rules: str, body: bytes | memoryview) -> bytes:
    digest = hashlib.sha256(rules.encode("utf-8", "surrogatepass") + b"\0")
    digest.update(body)
    return _MAGIC + digest.digest()


def _yield_parts(path: str, folder: CachedFolder) -> Iterator[bytes]:
    excluded = (word for pair in folder.left_out.items() for word in pair)
    texts = [_join_words(words) for words in ((path,), folder.records, folder.folders, excluded)]
    lengths = [len(text) for text in texts]
    yield _FOLDER.pack(folder.mode, len(folder.records), *lengths, folder.tree)
    yield from texts
    yield from folder.records.values()


def _parse_folders(body: memoryview) -> Iterator[tuple[str, CachedFolder]]:
    place = 0
    while place < len(body):
        mode, count, *lengths, tree = _FOLDER.unpack_from(body, place)
        place += _FOLDER.size
        texts: list[list[str]] = []
        for length in lengths:
            texts.append(_split_words(bytes(body[place : place + length])))
            place += length
        (path,), names, folders, excluded = (texts[0] or [""], *texts[1:])
        end = place + count * RECORD_BYTES
        records = (bytes(body[at : at + RECORD_BYTES]) for at in range(place, end, RECORD_BYTES))
        place = end
        reasons = dict(zip(excluded[::2], excluded[1::2], strict=True))
        yield path, CachedFolder(mode, dict(zip(names, records, strict=True)), set(folders), reasons, tree)


def _join_words(words: Iterable[str]) -> bytes:
    return "\0".join(words).encode("utf-8", "surrogatepass")


def _split_words(data: bytes) -> list[str]:
    return data.decode("utf-8", "surrogatepass").split("\0") if data else []
