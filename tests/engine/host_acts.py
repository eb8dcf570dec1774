"""What the filesystem protocol can do on disk, as rows of the jail's table of operations."""

from __future__ import annotations

from pathlib import Path

from studio.engine.filesystem import HostFilesystem, PathLimits
from studio.engine.filesystem.host_backing import HostBacking
from studio.engine.filesystem.types import WriteMode
from studio.engine.root import ProjectRoot
from tests.engine.root.jail import SECRET, Act

NEW = b"written as a stream\n"
WORD = "secret that"
WIDE = PathLimits(depth=64, segment=255)


def stream_in(root: ProjectRoot, path: str) -> bytes:
    reading = HostBacking(root).open(path)
    try:
        return reading.read_at(0, reading.size)
    finally:
        reading.close()


def stream_out(root: ProjectRoot, path: str, mode: WriteMode) -> bytes:
    writing = HostBacking(root).start(path, mode)
    try:
        writing.write(NEW)
    except BaseException:
        writing.discard()
        raise
    writing.finish()
    return b"done"


def glob(root: ProjectRoot, path: str) -> bytes:
    return "\n".join(match.path for match in HostFilesystem(root, limits=WIDE).glob("**", path)).encode()


def grep(root: ProjectRoot, path: str) -> bytes:
    return "\n".join(map(repr, HostFilesystem(root, limits=WIDE).grep(WORD, path))).encode()


def _plain_append(path: str) -> bytes:
    with Path(path).open("ab") as file:
        file.write(NEW)
    return b""


def _plain_new(path: str) -> bytes:
    Path(path).write_bytes(NEW)
    return b""


def _plain_names(path: str) -> bytes:
    return "\n".join(file.name for file in Path(path).iterdir()).encode()


def _plain_search(path: str) -> bytes:
    return b"".join(file.read_bytes() for file in Path(path).iterdir())


assert WORD.encode() in SECRET

HOST_ACTS = (
    Act("stream in", "secret.txt", stream_in, lambda p: Path(p).read_bytes(), True, True),
    Act("stream new", "new.txt", lambda r, p: stream_out(r, p, WriteMode.CREATE), _plain_new, True),
    Act("stream over", "secret.txt", lambda r, p: stream_out(r, p, WriteMode.OVERWRITE), _plain_new, True),
    Act("stream behind", "secret.txt", lambda r, p: stream_out(r, p, WriteMode.APPEND), _plain_append, True),
    Act("glob", "vault", glob, _plain_names, True, True),
    Act("grep", "vault", grep, _plain_search, True, True),
)
