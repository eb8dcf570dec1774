"""The file system tool, against the least that any program would do for the same answer."""

from __future__ import annotations

import hashlib
import time
from contextlib import closing
from pathlib import Path

from studio.engine.filesystem import HostFilesystem
from studio.extras.tools import FileSystemSecurityPolicy, FileSystemTool, ToolContext
from tests.bench.perf import trees
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.processes import environment, milliseconds

BYTES = 10 * 1024 * 1024
_LINE = b"some words in a line, and a few more of them\n"
_MORE_THAN_ENOUGH = 1_000_000


def _read(folder: Path, pairs: int) -> Comparison:
    data = (_LINE * (BYTES // len(_LINE) + 1))[:BYTES]
    (folder / "large.txt").write_bytes(data)
    filesystem = HostFilesystem(folder, read_only=True)
    tool = FileSystemTool(ToolContext(filesystem))

    def ours() -> float:
        started = time.perf_counter()
        found = tool.read("large.txt")
        taken = (time.perf_counter() - started) * 1000
        assert found.size_bytes == BYTES and found.line_count
        return taken

    def peer() -> float:
        started = time.perf_counter()
        hashlib.sha256(data).hexdigest()
        return (time.perf_counter() - started) * 1000

    with closing(filesystem):
        mine, other = compare(ours, peer, pairs)
    return Comparison("FileSystemTool.read, lines counted", "hashlib.sha256 of its bytes", mine, other, 3.0)


def _list(folder: Path, pairs: int) -> Comparison:
    root = folder / "tree"
    root.mkdir()
    trees.make_tree(root)
    filesystem = HostFilesystem(root, read_only=True)
    policy = FileSystemSecurityPolicy(max_files_per_operation=_MORE_THAN_ENOUGH)
    tool = FileSystemTool(ToolContext.over(filesystem, policy))
    variables = environment(folder)

    def ours() -> float:
        started = time.perf_counter()
        found = tool.list(".", recursive=True)
        taken = (time.perf_counter() - started) * 1000
        assert found.total_files == trees.FILES
        return taken

    def peer() -> float:
        return milliseconds(["find", str(root), "-printf", "%y %s %T@ %C@ %p\\n"], variables)

    with closing(filesystem):
        mine, other = compare(ours, peer, pairs)
    return Comparison("FileSystemTool.list, recursive", "find -printf, a process", mine, other, 2.5)


TOOL_READ = Benchmark("tool-read", "10 MiB of text read, with lines and checksum", _read)
TOOL_LIST = Benchmark("tool-list", f"{trees.FILES:,} files listed under the rules", _list)
