"""Many files written at once by the writer alone: beside writing them plainly, and beside `git checkout`."""

from __future__ import annotations

import hashlib
import os
import random
import time
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path
from uuid import UUID

from studio.engine.disk import Batch, DiskChange
from studio.engine.disk.temporary_names import temporary_name
from studio.engine.root import ProjectRoot
from studio.journal.file_image import FileImage
from studio.system.syscalls import Unsupported, flush_file_system
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.processes import environment, milliseconds

FILES = 1000
_FOLDERS = 20
_BYTES = 20_000
_PLAIN_TARGET = 2.5
_CHECKOUT_TARGET = 1.0
_VOCABULARY = tuple(f"{number:x}" * 2 for number in range(256, 4096))


def _name(number: int) -> str:
    return f"part{number % _FOLDERS:02d}/file{number:04d}.txt"


def flush(root: Path) -> None:
    """Everything written on the folder's file system is on the disk."""
    handle = os.open(root, os.O_RDONLY)
    try:
        flush_file_system(handle)
    except Unsupported:
        os.sync()
    finally:
        os.close(handle)


def _content(number: int, version: str) -> bytes:
    """Text that packs about as well as source code does."""
    dice = random.Random(f"{version} {number}")
    words = dice.choices(_VOCABULARY, k=_BYTES // 4)
    return " ".join(words).encode()[:_BYTES]


@cache
def _contents(version: str) -> tuple[bytes, ...]:
    return tuple(_content(number, version) for number in range(FILES))


def _lay(root: Path, version: str) -> None:
    for number, data in enumerate(_contents(version)):
        file = root / _name(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def disk_changes(results: dict[str, bytes]) -> tuple[DiskChange, ...]:
    """Every file from its old to its new bytes; both are in `results` by SHA-256 afterwards."""
    images: list[list[FileImage]] = []
    for both in zip(_contents("old"), _contents("new"), strict=True):
        digests = [hashlib.sha256(data).hexdigest() for data in both]
        results.update(zip(digests, both, strict=True))
        images.append([FileImage(digest, _BYTES, 0o644) for digest in digests])
    return tuple(
        DiskChange(
            _name(number),
            old,
            new,
            f"{_name(number).rpartition('/')[0]}/{temporary_name(str(UUID(int=number)), 1)}",
            _name(number),
        )
        for number, (old, new) in enumerate(images)
    )


def _fresh(folder: Path) -> Callable[[], Path]:
    """Makes an old tree where none was: what an earlier turn removed slows the next one down on ext4."""
    numbers = count()

    def fresh() -> Path:
        root = folder / f"tree{next(numbers)}"
        _lay(root, "old")
        flush(root)
        return root

    return fresh


def _check_new(root: Path) -> None:
    for number, data in enumerate(_contents("new")):
        assert (root / _name(number)).read_bytes() == data


def _batch(fresh: Callable[[], Path]) -> Callable[[], float]:
    """The time of one batch that replaces all files, from preparing to the last flush."""
    results: dict[str, bytes] = {}
    wanted = disk_changes(results)

    def measured() -> float:
        root = fresh()
        with ProjectRoot(root) as opened:
            started = time.perf_counter()
            batch = Batch(opened, wanted, results.__getitem__)
            batch.prepare()
            exclusive = batch.commit()
            assert batch.finish() == ()
            taken = (time.perf_counter() - started) * 1000
        assert len(exclusive) == FILES
        _check_new(root)
        return taken

    return measured


def _write_plain(folder: Path, pairs: int) -> Comparison:
    fresh = _fresh(folder)

    def peer() -> float:
        root = fresh()
        contents = [(root / _name(number), data) for number, data in enumerate(_contents("new"))]
        started = time.perf_counter()
        for file, data in contents:
            file.write_bytes(data)
        flush(root)
        taken = (time.perf_counter() - started) * 1000
        _check_new(root)
        return taken

    mine, other = compare(_batch(fresh), peer, pairs)
    return Comparison("Batch", "written in place, then syncfs", mine, other, _PLAIN_TARGET)


def _write_checkout(folder: Path, pairs: int) -> Comparison:
    variables = environment(folder)
    fresh = _fresh(folder)
    numbers = count()

    def peer() -> float:
        root = folder / f"repository{next(numbers)}"
        _lay(root, "new")
        git = ["git", "-C", str(root), "-c", "user.name=x", "-c", "user.email=x@example.org"]
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "new"]):
            milliseconds([*git, *command], variables)
        _lay(root, "old")
        flush(root)
        taken = milliseconds([*git, "checkout", "-q", "-f", "."], variables)
        _check_new(root)
        return taken

    mine, other = compare(_batch(fresh), peer, pairs)
    return Comparison("Batch", "git checkout -f .", mine, other, _CHECKOUT_TARGET)


WRITE = Benchmark("write", f"{FILES} files replaced at once and flushed, beside plain writing", _write_plain)
CHECKOUT = Benchmark("checkout", f"{FILES} files replaced at once and flushed, beside git", _write_checkout)
