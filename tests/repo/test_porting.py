"""docs/porting.md says of everything that the program asks of its system what another one has to offer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/porting.md").read_text("utf-8")

SYSTEM_MODULES = frozenset("fcntl os pwd resource select signal socket termios".split())
"""Modules of the standard library that differ from system to system."""

ALIKE = frozenset(
    """
    os.DirEntry os.O_APPEND os.O_CREAT os.O_EXCL os.O_RDONLY os.O_RDWR os.O_TRUNC os.O_WRONLY
    os.PathLike os.R_OK os.SEEK_SET os.W_OK os.X_OK os._exit os.access os.chdir os.close
    os.cpu_count os.curdir os.defpath os.devnull os.dup os.environ os.fdopen os.fsdecode os.fsencode
    os.fspath os.fstat os.fsync os.ftruncate os.get_terminal_size os.getcwd os.getpid os.kill
    os.link os.listdir os.lseek os.lstat os.mkdir os.name os.open os.path os.pathsep os.pipe os.read
    os.remove os.rename os.replace os.rmdir os.scandir os.sep os.stat os.stat_result os.strerror
    os.supports_dir_fd os.supports_effective_ids os.umask os.unlink os.urandom os.utime os.walk
    os.write signal.SIGINT signal.SIGKILL signal.SIGTERM signal.SIG_DFL signal.SIG_IGN
    signal.Signals signal.default_int_handler signal.getsignal signal.raise_signal signal.signal
    socket.SHUT_RDWR socket.create_server
    """.split()
)
"""What every system has under this name. How it does it may differ: the guide says so where it matters."""

_MODULES = "|".join(sorted(SYSTEM_MODULES))
_NAMING = re.compile(rf"\b(?:{_MODULES})\.|^[ \t]*from (?:{_MODULES}) ", re.MULTILINE)


@cache
def used_names() -> frozenset[str]:
    """Everything of those modules that the program names, as `module.name`."""
    return frozenset(_used_names())


def _used_names() -> Iterator[str]:
    for file in (ROOT / "studio").rglob("*.py"):
        source = file.read_text("utf-8")
        if not _NAMING.search(source):
            continue
        tree = ast.parse(source)
        imported = {
            name.asname or name.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for name in node.names
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id in SYSTEM_MODULES & imported:
                    yield f"{node.value.id}.{node.attr}"
            elif isinstance(node, ast.ImportFrom) and node.module in SYSTEM_MODULES and not node.level:
                yield from (f"{node.module}.{name.name}" for name in node.names)


def public_names() -> Iterator[str]:
    """The functions and classes by which the engine asks for what the standard library lacks."""
    for file in (ROOT / "studio/system").glob("*.py"):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                yield node.name


def test_every_call_of_the_system_is_told() -> None:
    told = set(re.findall(r"`([A-Za-z_.0-9]+)`", GUIDE))
    missing = ({*used_names(), *public_names()} - ALIKE) - told
    assert not missing, f"docs/porting.md does not say what stands for {sorted(missing)}"


def test_nothing_is_told_that_nobody_asks_for() -> None:
    """A row of a call that is gone would be ported for nothing."""
    told = {
        name
        for name in re.findall(r"`([a-z]+\.[A-Za-z_0-9]+)`", GUIDE)
        if name.split(".")[0] in SYSTEM_MODULES
    }
    # Asked for by getattr, where a system may lack them.
    spelled = (ROOT / "studio/system/syscalls.py").read_text("utf-8")
    gone = {name for name in told - used_names() if f'"{name.partition(".")[2]}"' not in spelled}
    assert not gone


def test_every_test_that_is_named_is_there() -> None:
    named = set(re.findall(r"`((?:tests|installer)/[^`]*)`", GUIDE))
    assert len(named) > 40
    assert not [path for path in named if not (ROOT / path).exists()]


def test_every_row_names_what_proves_it() -> None:
    rows = [line for line in GUIDE.splitlines() if line.startswith("| ") and not line.startswith("| Linux")]
    assert len(rows) > 40
    for row in rows:
        cells = row.strip("|").split(" | ")
        assert len(cells) == 5, row
        assert "`tests/" in cells[4], row
