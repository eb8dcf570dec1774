"""Regular-expression search through many files or contents, with ripgrep and child processes.

Matches have the first match of each line, sorted by path and line number. Files come sorted, so that a search
can stop at its limit. Searches that may take long run in child processes; a fast expression over few files,
or contents in memory, is not worth one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

from studio.engine.disk.temporary_names import without_temporary
from studio.engine.filesystem.globbing import Glob
from studio.engine.filesystem.grep_pattern import Expression
from studio.engine.filesystem.grep_text import Line
from studio.engine.filesystem.grep_worker import Answer, Job, search_contents, search_files
from studio.engine.filesystem.grep_workers import SEARCH_SECONDS, Batch, shared_workers
from studio.engine.root import ProjectRoot, Unseen
from studio.errors import AccessDenied
from studio.names import show_name
from studio.system.child_process import check_handles
from studio.system.os_errors import failure
from studio.values import Value

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


_FILES_OF_A_BATCH = 256
_FILES_OF_A_SLOW_BATCH = 64
_CONTENT_BYTES_OF_A_BATCH = 4 * 1024 * 1024
_FEW_FILES = 64


class Search(Value):
    """Expression and files of a search.

    `glob` matches paths below the folder searched; `skip` gets paths below the root and excludes files.
    """

    expression: Expression
    glob: Glob | None
    limit: int
    skip: Callable[[str], bool] | None = None

    def filter_paths(self, paths: Iterable[str]) -> list[str]:
        """Return the paths that are not excluded."""
        skip = self.skip
        return list(paths) if skip is None else [path for path in paths if not skip(path)]


class Lines(Value):
    """Matching lines with the paths of their files, sorted, and unreadable entries."""

    lines: tuple[tuple[str, Line], ...]
    unseen: tuple[Unseen, ...] = ()


# A literal in 245 MB takes ripgrep 0.23 s, and two processes of ours 0.40.
def find_candidate_files(root: ProjectRoot, folder: str, search: Search) -> list[str] | None:
    """Return the files beneath `folder` that may match, by ripgrep, sorted.

    None where there is no ripgrep, or it can't search for the expression.
    """
    roughly = search.expression.roughly
    program = find_ripgrep(root.path) if roughly is not None else None
    if roughly is None or program is None:
        return None
    glob = search.glob
    paths = candidates(
        program,
        root,
        folder,
        roughly,
        name_ends=glob.name_ends if glob else (),
        ignore_case=glob is not None and glob.ignore_case,
    )
    if paths is None:
        return None
    if glob is not None:
        start = len(folder) + 1 if folder else 0
        paths = [path for path in paths if glob.matches(path[start:])]
    return sorted(without_temporary(search.filter_paths(paths)))


def search_beneath(root: ProjectRoot, paths: Sequence[str], search: Search, *, likely: bool = False) -> Lines:
    """Search files beneath the root, given by sorted paths.

    `likely` says that most will match. A file that was deleted meanwhile has no matches; one that may not be
    read, or whose name is not UTF-8, is unseen. Raises SearchTooSlow, or FileError when the disk fails.
    """
    expression, limit = search.expression, search.limit
    if expression.is_simple and (likely or len(paths) <= _FEW_FILES):
        job = _build_job(expression, paths, limit)
        return _merge_answers([(job, search_files(root.handle, job))], limit)
    size = _FILES_OF_A_BATCH if expression.is_simple else _FILES_OF_A_SLOW_BATCH
    batches = (
        Batch(_build_job(expression, paths[at : at + size], limit, root=root.place, identity=root.identity))
        for at in range(0, len(paths), size)
    )
    return _merge_answers(shared_workers().search(batches, limit), limit)


def search_texts(files: Iterable[tuple[str, bytes]], search: Search) -> Lines:
    """Search contents in memory, sorted by path. Raises SearchTooSlow."""
    expression, limit = search.expression, search.limit
    batches = _make_batches(files, expression, limit)
    if not expression.is_simple:
        return _merge_answers(shared_workers().search(batches, limit), limit)
    left = limit
    answers: list[tuple[Job, Answer]] = []
    for batch in batches:
        answer = search_contents(batch.job, batch.contents)
        answers.append((batch.job, answer))
        left -= sum(len(lines) for _, lines in answer["found"])
        if left <= 0:
            break
    return _merge_answers(answers, limit)


def merged(parts: Iterable[Lines], limit: int) -> Lines:
    """Merge results of searches through different files with one `limit`."""
    listed = tuple(parts)
    lines = sorted(line for part in listed for line in part.lines)[:limit]
    unseen = sorted((entry for part in listed for entry in part.unseen), key=lambda entry: entry.path)
    return Lines(tuple(lines), tuple(unseen))


def _build_job(
    expression: Expression,
    paths: Sequence[str],
    limit: int,
    *,
    root: str = "",
    identity: str = "",
    sizes: Sequence[int] = (),
) -> Job:
    return Job(
        expression=expression.text,
        root=root,
        identity=identity,
        paths=list(paths),
        sizes=list(sizes),
        limit=limit,
        seconds=int(SEARCH_SECONDS * 2) + 1,
    )


def _make_batches(files: Iterable[tuple[str, bytes]], expression: Expression, limit: int) -> Iterator[Batch]:
    rest = iter(files)
    while listed := list(islice(_skip_large(rest, _CONTENT_BYTES_OF_A_BATCH), _FILES_OF_A_SLOW_BATCH)):
        contents = tuple(content for _, content in listed)
        paths = [path for path, _ in listed]
        yield Batch(
            _build_job(expression, paths, limit, sizes=[len(content) for content in contents]), contents
        )


def _skip_large(files: Iterator[tuple[str, bytes]], size: int) -> Iterator[tuple[str, bytes]]:
    for path, content in files:
        yield path, content
        size -= len(content)
        if size <= 0:
            return


def _merge_answers(answers: Iterable[tuple[Job, Answer]], limit: int) -> Lines:
    lines: list[tuple[str, Line]] = []
    unseen: list[Unseen] = []
    for job, answer in answers:
        paths = job["paths"]
        if answer["root_errno"]:
            raise failure(_error(answer["root_errno"]), "The search ended", it="the root folder")
        unseen += (_unreadable_file(paths[number], code) for number, code in answer["errors"])
        unseen += (_name_not_text(paths[number]) for number in answer["unnamed"])
        for number, matching in answer["found"]:
            # A line from another process is a list after JSON decoding.
            lines += ((paths[number], (at, text, start, end)) for at, text, start, end in matching)
    return Lines(tuple(lines[:limit]), tuple(sorted(unseen, key=lambda entry: entry.path)))


def _name_not_text(path: str) -> Unseen:
    return Unseen(path, f"{show_name(path)} has matches, but its name is not UTF-8.")


def _unreadable_file(path: str, code: int) -> Unseen:
    """Return the entry for a file that may not be read.

    Raises FileError when the disk failed: its content is unknown then.
    """
    error = failure(_error(code), f"{show_name(path)} was not searched", it="it", path=path)
    if isinstance(error, AccessDenied):
        return Unseen(path, error.message)
    raise error


def _error(code: int) -> OSError:
    return OSError(code, os.strerror(code))
