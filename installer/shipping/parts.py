"""The commit that each part of a release is made from, what came of it, and the table at the end."""

from __future__ import annotations

import re
import subprocess
import textwrap
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from environments import ROOT
from system_packages import Problem, captured, run_quietly, say

WIDTH = 110
PAGES = Path("resources", "site")
"""Where the documentation is laid in the tree of a release, so that every package takes it along."""


class State(Enum):
    BUILT = "built"
    TESTED = "tested"
    UNTRIED = "not tried"
    FAILED = "failed"


class Unavailable(Problem):
    """A tool or right that this machine lacks, with the remedy: the part is not tried, and did not fail."""


@dataclass(frozen=True)
class Outcome:
    """One line: what, how far it came, what was found or why not, and the file it made."""

    what: str
    state: State
    words: str = ""
    file: Path | None = None


def attempt(
    what: str, do: Callable[[], str | list[Outcome]], file: Path | None = None, state: State = State.TESTED
) -> list[Outcome]:
    """Do what returns lines, or the words of one; return a line also for what it raises."""
    try:
        found = do()
    except Unavailable as reason:
        state, found = State.UNTRIED, str(reason)
    except (Problem, OSError, subprocess.SubprocessError) as problem:
        state, found = State.FAILED, str(problem)
    except Exception as error:  # a fault of ours
        traceback.print_exc()
        state, found = State.FAILED, f"{type(error).__name__}: {error}"
    if not isinstance(found, str):
        return found
    if state in (State.FAILED, State.UNTRIED):
        say(f"{what}: {state.value}: {found}")
    return [Outcome(what, state, found, file)]


def attempts(
    tries: Iterable[tuple[str, Callable[[], str], Path | None]], state: State = State.TESTED
) -> list[Outcome]:
    """Attempt each of these: what it is, what to do, and the file that it is about."""
    lines: list[Outcome] = []
    for what, do, file in tries:
        say(f"{what} …")
        lines += attempt(what, do, file, state)
    return lines


def has_failed(outcomes: Sequence[Outcome]) -> bool:
    return any(each.state is State.FAILED for each in outcomes)


def table(outcomes: Sequence[Outcome]) -> str:
    """Return lines of four columns; the last one is wrapped."""
    rows = [("what", "state", "size", "words")]
    rows += [(each.what, each.state.value, _size(each.file), each.words) for each in outcomes]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    indent = " " * (sum(widths) + 2 * len(widths))
    text = ""
    for what, state, size, words in rows:
        lead = f"{what:<{widths[0]}}  {state:<{widths[1]}}  {size:>{widths[2]}}  "
        wrapped = (textwrap.wrap(each, max(30, WIDTH - len(indent))) for each in words.splitlines())
        lines = f"\n{indent}".join(line for paragraph in wrapped for line in paragraph)
        text += f"{lead}{lines}".rstrip() + "\n"
    return text


def _size(file: Path | None) -> str:
    size = file.stat().st_size if file is not None and file.exists() else None
    if size is None:
        return ""
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size / 1000:.1f} kB"


@dataclass(frozen=True)
class Source:
    """A commit's files in a folder, and when it was made, in seconds: the only time that packages hold."""

    folder: Path
    version: str
    commit: str
    epoch: int


def lay_out(revision: str, folder: Path) -> Source:
    """Write the files of a tag or commit into a folder. Raises Problem where there is no such one."""
    commit = _git("rev-parse", "--verify", f"{revision}^{{commit}}")
    epoch = int(_git("show", "--no-patch", "--format=%ct", commit))
    archive = folder.with_suffix(".tar")
    _git("archive", f"--output={archive}", commit)
    folder.mkdir()
    run_quietly(["tar", "-x", "-C", folder, "-f", archive])
    init = (folder / "studio" / "__init__.py").read_text("utf-8")
    (version,) = re.findall(r'^__version__ = "(.+)"$', init, re.MULTILINE)
    return Source(folder, version, commit, epoch)


def check_out_is(tree: Source) -> None:
    """Raise Problem unless the checkout, whose scripts and lock are used, is this commit unchanged."""
    head = _git("rev-parse", "HEAD")
    if head != tree.commit:
        raise Problem(
            f"The checkout is at commit {head[:12]}, and the tag at {tree.commit[:12]}: a release is made by "
            "the scripts of its tag. Check the tag out, then run the command again."
        )
    if uncommitted():
        raise Problem(
            "The checkout holds changes that are not committed, and a release is made by the scripts of its "
            "tag. Commit them and tag that, or put them aside (git stash --include-untracked)."
        )


def uncommitted() -> bool:
    """Whether the checkout holds anything that is not committed."""
    return bool(_git("status", "--porcelain", "--untracked-files=normal"))


def _git(*words: str) -> str:
    # A checkout may belong to another user than the one who builds, as in a container: it is read only.
    done = captured(["git", "-C", ROOT, "-c", f"safe.directory={ROOT}", *words])
    if done.returncode:
        raise Problem(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()
