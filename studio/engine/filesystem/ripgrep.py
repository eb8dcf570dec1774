"""Preselection of files that may match, by ripgrep where it is installed.

It returns only file names, for an expression that matches whenever Python's does: Python searches those files
again, so that the result is the same without ripgrep. Only an expression that Python can't finish on a file
without a match may be spared. Where ripgrep reports any error, its answer is not used.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio.engine.root import ProjectRoot
from studio.engine.system.child_process import check_handles

_NAME: Final = "rg.exe" if sys.platform == "win32" else "rg"
# All files of the project, regardless of ignore rules and the user's configuration, as raw bytes.
_OPTIONS: Final = (
    # A configuration file of ripgrep may name a program to run on each file (--pre).
    *("--no-config", "--no-ignore", "--hidden", "--text", "--encoding", "none"),
    *("--files-with-matches", "--null", "--color", "never"),
)
_FOUND, _NOTHING_FOUND = 0, 1


def find_ripgrep(root: Path) -> Path | None:
    """Return the ripgrep beside our Python or on PATH, else None.

    Never one inside the project itself.
    """
    for folder in (Path(sys.executable).parent, *_list_user_folders()):
        program = folder / _NAME
        with suppress(OSError):  # a folder of other users
            if program.is_file() and os.access(program, os.X_OK):
                resolved = program.resolve()
                if not (resolved.is_relative_to(root) or program.is_relative_to(root)):
                    return program
    return None


def _list_user_folders() -> Iterator[Path]:
    for text in os.environ.get("PATH", "").split(os.pathsep):
        folder = Path(text)
        if text and folder.is_absolute():  # others would depend on the current directory
            yield folder


def candidates(
    program: Path,
    root: ProjectRoot,
    folder: str,
    expression: str,
    *,
    name_ends: Sequence[str] = (),
    ignore_case: bool = False,
) -> list[str] | None:
    """Return the files beneath `folder` with a matching line, unsorted.

    With `name_ends` only files whose names end with one of these. None where ripgrep failed on a file or does
    not accept the expression. Nothing was opened beneath the root's handle: the caller must do that.
    """
    option = "--iglob" if ignore_case else "--glob"
    globs = [word for end in name_ends for word in (option, f"*{end}")]
    above = f"./{folder}/" if folder else "./"
    check_handles()
    done = subprocess.run(
        [program, *_OPTIONS, *globs, "--regexp", expression, "--", above],
        cwd=_open_folder_path(root),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode not in (_FOUND, _NOTHING_FOUND) or done.stderr:
        return None
    return [os.fsdecode(path).removeprefix("./") for path in done.stdout.split(b"\0")[:-1]]


def _open_folder_path(root: ProjectRoot) -> str | Path:
    """Return a path to the open folder, even if it was renamed.

    Only Linux has one.
    """
    return f"/proc/self/fd/{root.handle}" if sys.platform == "linux" else root.path
