"""Copies of the checkout in which code is watched or damaged, run by a user who can harm nobody's files."""

from __future__ import annotations

import ast
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.lab.mutants.mutants import Mutant, functions_of
from tests.lab.mutants.reaching import FOLDER

CHECKOUT = Path(__file__).parents[3]
ROOMS = (
    "studio/engine/disk",
    "studio/engine/apply/gateway.py",
    "studio/engine/apply/recovery.py",
    "studio/engine/root",
    "studio/engine/policy",
    "studio/engine/diff",
    "studio/extras/diff_view",
    "studio/engine/store",
)
"""Where a fault loses or reveals somebody's files."""

TESTS = ("tests/engine", "tests/formats", "tests/doors", "tests/faults")
ALL_TESTS = (*TESTS, "tests/ui", "tests/journeys")
_PARTS = ("studio", "tests", "resources", "typings", "installer", "pyproject.toml", "README.md")
_NUMBER = re.compile(rb"[0-9.]+")
_NOBODY = 65534
_POWERLESS = (
    ("setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", "--inh-caps=-all"),
    # Where the Python lies in root's own home, nobody else can start it.
    ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--securebits=+noroot"),
)
_WATCH = "from tests.lab.mutants.reaching import reached as _reached\n"


def modules(root: Path, rooms: Sequence[str] = ROOMS) -> list[str]:
    """List the files of the rooms, beneath `root`."""
    found = [
        path
        for room in rooms
        for path in ([root / room] if room.endswith(".py") else root.joinpath(room).rglob("*.py"))
    ]
    return sorted(path.relative_to(root).as_posix() for path in found)


@cache
def powerless() -> tuple[str, ...]:
    """The words before a command that take root's rights from it; none where it has none."""
    if os.geteuid() != 0:
        return ()
    # Copies lie in the temporary folder, which may be one that only root gets into.
    start = (
        "import os, subprocess, sys; os.stat(os.path.join(sys.argv[1], '.')); "
        "subprocess.check_call([sys.executable, '-c', ''])"
    )
    for prefix in _POWERLESS:
        if (
            subprocess.run(
                [*prefix, sys.executable, "-c", start, tempfile.gettempdir()],
                capture_output=True,
                check=False,
            ).returncode
            == 0
        ):
            return prefix
    raise SystemExit("Damaged code is not run with root's rights, and they can't be put down here.")


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy; `folder` holds it and all that its tests write."""

    folder: Path

    @classmethod
    def make(cls) -> Copy:
        folder = Path(tempfile.mkdtemp(prefix="exacta-mutants-"))
        for part in _PARTS:
            source = CHECKOUT / part
            if source.is_dir():
                shutil.copytree(
                    source, folder / "checkout" / part, ignore=shutil.ignore_patterns("__pycache__")
                )
            else:
                shutil.copy(source, folder / "checkout" / part)
        for name in ("home", "written", "found"):
            (folder / name).mkdir()
        if powerless()[1:2] == _POWERLESS[0][1:2]:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, _NOBODY, _NOBODY)
        return cls(folder)

    @property
    def checkout(self) -> Path:
        return self.folder / "checkout"

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def watch(self, rooms: Sequence[str] = ROOMS) -> list[tuple[str, str]]:
        """Have every function of the rooms tell who reaches it; returns the functions by their numbers."""
        functions: list[tuple[str, str]] = []
        for file in modules(self.checkout, rooms):
            path = self.checkout / file
            lines = path.read_text().splitlines(keepends=True)
            tree = ast.parse("".join(lines))
            added: dict[int, str] = {}
            for name, node in functions_of(tree):
                first = node.body[1] if _has_docstring(node) and len(node.body) > 1 else node.body[0]
                if not lines[first.lineno - 1][: first.col_offset].strip():
                    indent = " " * first.col_offset
                    added[_first_line(first)] = f"{indent}_reached({len(functions)})\n"
                    functions.append((file, name))
            start = next((n for n in tree.body if not _comes_first(n)), None)
            if start is not None:
                added[_first_line(start)] = _WATCH + added.get(_first_line(start), "")
            path.write_text("".join(added.get(number, "") + line for number, line in enumerate(lines, 1)))
        return functions

    def damage(self, mutant: Mutant, moment: int) -> None:
        """Change the file; `moment` is its time, which must be another one for every change of a file."""
        path = self.checkout / mutant.file
        path.write_bytes(mutant.applied(path.read_bytes()))
        os.utime(path, (moment, moment))

    def mend(self, mutant: Mutant, moment: int) -> None:
        path = self.checkout / mutant.file
        path.write_bytes((CHECKOUT / mutant.file).read_bytes())
        os.utime(path, (moment, moment))

    def test(self, words: Sequence[str], seconds: float) -> int | None:
        """Run pytest to its end; its exit code, None where it took more than so many seconds."""
        written = self.folder / "written"
        environment = {
            **os.environ,
            "HOME": str(self.folder / "home"),
            "PYTHONPATH": str(self.checkout),
            "QT_QPA_PLATFORM": "offscreen",
            "TMPDIR": str(written),
            FOLDER: str(self.folder / "found"),
        }
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            f"--basetemp={written / 't'}",
        ]
        with (self.folder / "output").open("wb") as output:
            running = subprocess.Popen(
                [*powerless(), *command, *words],
                cwd=self.checkout,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            return running.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()

    def told(self) -> str:
        """What the last run of pytest printed."""
        return (self.folder / "output").read_text(errors="replace")

    def failed_test(self) -> str:
        """Return the first test that failed in the last run of pytest, or its last line."""
        failed = re.search(r"^(?:FAILED|ERROR) (tests/.*?)(?: - |$)", self.told(), re.MULTILINE)
        return failed[1] if failed else self.told().rstrip().rpartition("\n")[2]

    def found(self, kind: str) -> Iterator[tuple[str, str]]:
        """What the watched tests remembered: a number and the name of a test."""
        for file in sorted((self.folder / "found").glob(f"*.{kind}")):
            for line in file.read_bytes().splitlines():
                number, _, test = line.partition(b" ")
                if _NUMBER.fullmatch(number):  # tests also kill processes that are just writing a line
                    yield number.decode(), test.decode("utf-8", "replace")


def _has_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)


def _comes_first(node: ast.stmt) -> bool:
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])
