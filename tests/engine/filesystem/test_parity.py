"""The same calls on host, memory and overlay: same verdicts, same sentences, same bytes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from hypothesis import given, settings, strategies as st

from studio.engine.filesystem import FileStat, Results
from studio.engine.filesystem.base import BackedFilesystem
from studio.errors import StudioError
from tests.engine.filesystem.backends import BACKENDS, Backends, Tree

Call = Callable[[BackedFilesystem], object]

NAMES = st.sampled_from(["a", "b", "c", "dir", "A"])
PATHS = st.one_of(
    st.lists(NAMES, min_size=1, max_size=3).map("/".join),
    st.lists(NAMES, min_size=1, max_size=2).map("/".join),
    st.sampled_from(
        [".", "", "/", "..", "a/..", "a/../..", "/a//b/", "CON", "a/./b", "x" * 81, "a/" * 16 + "a"]
    ),
)
DATA = st.binary(max_size=12) | st.sampled_from([b"one\ntwo\n", b"a\r\nb", b"\xff\xfe\n", "ä\n".encode()])
MODES = st.sampled_from(["create", "overwrite", "append"])
BOOLS = st.booleans()
GLOBS = st.sampled_from(["**", "*", "**/a", "[", "{a,b}/*"])
NUMBERS = st.integers(-2, 6)


def stream(files: BackedFilesystem, path: str, mode: str, pieces: list[bytes], ending: str) -> object:
    """A stream that is closed, discarded, or left by an exception."""
    writer = files.open_write(path, mode)
    for piece in pieces:
        writer.write(piece)
    if ending == "raise":
        writer.__exit__(KeyError, KeyError(), None)
    elif ending == "discard":
        writer.discard()
    else:
        writer.close()
    return writer.bytes_written


def reading(files: BackedFilesystem, path: str, seek: int, size: int) -> object:
    with files.open_read(path) as reader:
        return reader.size, reader.read(size), reader.seek(seek), reader.read(), reader.position


CALLS: st.SearchStrategy[Call] = st.one_of(
    st.builds(lambda p, d, m, c: lambda f: f.write_bytes(p, d, m, c), PATHS, DATA, MODES, BOOLS),
    st.builds(lambda p, t, m: lambda f: f.write(p, t, m), PATHS, st.text(max_size=5), MODES),
    st.builds(
        lambda p, m, d, e: lambda f: stream(f, p, m, d, e),
        *(PATHS, MODES, st.lists(DATA, max_size=3), st.sampled_from(["close", "raise", "discard"])),
    ),
    st.builds(lambda p, s, n: lambda f: reading(f, p, s, n), PATHS, NUMBERS, NUMBERS),
    st.builds(lambda p, o, n: lambda f: f.read(p, o, n), PATHS, NUMBERS, NUMBERS),
    st.builds(lambda p, o, n: lambda f: f.read_bytes(p, o, n), PATHS, NUMBERS, NUMBERS),
    st.builds(lambda p: lambda f: list(f.open_text(p)), PATHS),
    st.builds(lambda p: lambda f: f.exists(p), PATHS),
    st.builds(lambda p: lambda f: f.stat(p), PATHS),
    st.builds(lambda p: lambda f: f.list(p), PATHS),
    st.builds(
        lambda g, p: lambda f: f.glob(g, p), st.sampled_from(["**", "*", "**/a", "[", "{a,b}/*"]), PATHS
    ),
    st.builds(lambda g, p: lambda f: f.grep(g, p), st.sampled_from(["o", "^b", "(", "."]), PATHS),
    st.builds(lambda p, r: lambda f: f.delete(p, r), PATHS, BOOLS),
    st.builds(lambda p, m, e: lambda f: f.mkdir(p, m, e), PATHS, BOOLS, BOOLS),
    st.builds(lambda p, q, o: lambda f: f.move(p, q, o), PATHS, PATHS, BOOLS),
    st.builds(lambda p, q, o: lambda f: f.copy(p, q, o), PATHS, PATHS, BOOLS),
)

FILES = st.lists(st.tuples(st.lists(NAMES, min_size=1, max_size=3), DATA), max_size=5)


def tree_of(listed: list[tuple[list[str], bytes]]) -> Tree:
    """The files among these that can stand together."""
    tree: Tree = {}
    for names, data in listed:
        path = "/".join(names)
        if not any(f"{path}/".startswith(f"{other}/") or other.startswith(f"{path}/") for other in tree):
            tree[path] = data
    return tree


def outcome(files: BackedFilesystem, call: Call) -> object:
    """What a call gives, or how it is refused, without what differs between backends by nature: times."""
    try:
        given_back = call(files)
    except StudioError as error:
        builtins = [base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins"]
        return type(error).__name__, error.code, error.message, error.hint, error.path, builtins
    if isinstance(given_back, FileStat):
        found = given_back
        return found.path, found.is_file, found.is_directory, found.size_bytes, found.mode, found.is_link
    if isinstance(given_back, Results):
        return tuple(given_back), given_back.unseen, given_back.truncated
    return given_back


def everything(files: BackedFilesystem) -> dict[str, object]:
    """Every path of a filesystem with its bytes and mode; None for folders."""
    held: dict[str, object] = {}
    pending = ["."]
    while pending:
        for entry in files.list(pending.pop()):
            if entry.is_directory:
                held[entry.path] = None
                pending.append(entry.path)
            else:
                held[entry.path] = files.read_bytes(entry.path).content, files.stat(entry.path).mode
    return held


@settings(max_examples=50)
@given(FILES, st.lists(CALLS, min_size=1, max_size=14), st.sampled_from([False] * 5 + [True]))
def test_every_backend_says_and_holds_the_same(
    listed: list[tuple[list[str], bytes]], calls: list[Call], read_only: bool
) -> None:
    tree = tree_of(listed)
    before = os.umask(0o022)
    try:
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            backends = Backends(Path(folder), stack)
            every = {kind: backends.make(kind, tree, read_only=read_only) for kind in BACKENDS}
            untouched = [everything(base) for base in backends.bases]
            for call in calls:
                outcomes = {kind: outcome(files, call) for kind, files in every.items()}
                assert all(found == outcomes["host"] for found in outcomes.values()), outcomes
            held = {kind: everything(files) for kind, files in every.items()}
            assert all(found == held["host"] for found in held.values()), held
            assert [everything(base) for base in backends.bases] == untouched
    finally:
        os.umask(before)
