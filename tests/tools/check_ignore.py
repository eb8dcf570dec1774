"""`python -m tests.tools.check_ignore [PATHS]` holds patterns against `git check-ignore` on real paths.

Paths are the names in the archive of a large release and of every installed package; pattern lists are the
.gitignore files of that archive, and lists made of their lines and of parts of the paths, with negations.
Prints paths, lists, answers and differences; exit code 1 on any difference or below 20,000 paths.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from studio.engine.patterns import PatternList, PatternRefused, parse_pattern
from studio.names import parse_name
from tests.tools.packages import archive, members

FEWEST_PATHS = 20_000
_MADE_LISTS = 40
_ANSWERS_EACH = 4_000
_ARCHIVE = "ansible-11.1.0.tar.gz"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was compared: distinct paths, lists, answers, and those where git says something else."""

    paths: int
    lists: int
    answers: int
    ignored: int
    differences: tuple[str, ...]


def compare(lists: Iterable[Sequence[str]], paths: Sequence[str], repository: Path) -> Outcome:
    """Ask both about every path under every list. `repository` is an empty folder, made a repository."""
    _git(repository, "init", "--quiet")
    given = b"\0".join(path.encode() for path in paths)
    differences: list[str] = []
    count = ignored = 0
    for patterns in lists:
        (repository / ".gitignore").write_text("".join(f"{pattern}\n" for pattern in patterns))
        said = _git(repository, "check-ignore", "--no-index", "--stdin", "-z", given=given)
        theirs = {path.decode() for path in said.split(b"\0") if path}
        matcher = PatternList(patterns)
        ours = {path for path in paths if matcher.match(path)}
        differences += [f"{path}: {list(patterns)}" for path in sorted(ours ^ theirs)]
        count += 1
        ignored += len(theirs)
    return Outcome(len(set(paths)), count, count * len(paths), ignored, tuple(differences))


def installed_paths() -> list[str]:
    """Names of the files of every installed package."""
    found = {str(path) for package in distributions() for path in package.files or () if _is_fine(str(path))}
    return sorted(found)


def taken(lines: Iterable[str]) -> list[str]:
    """The lines of a .gitignore that are patterns for both: no comments, none that could never match."""
    return [line for line in lines if line.strip() and not line.startswith("#") and _is_taken(line)]


def made_lists(real: Sequence[str], paths: Sequence[str], choose: random.Random) -> Iterator[list[str]]:
    """Endless lists of real lines and of parts of paths, some taken back again."""
    while True:
        lines = choose.sample(real, min(len(real), 8)) if real else []
        for path in choose.sample(paths, 6):
            parts = path.split("/")
            name = parts[-1]
            lines += [
                choose.choice(
                    [
                        "/".join(parts[: choose.randint(1, len(parts))]),
                        f"{choose.choice(parts)}/",
                        f"**/{name}",
                        f"*{name[choose.randrange(len(name)) :]}",
                        f"{parts[0]}/**/{name}",
                        f"/{parts[0]}/*/",
                        f"{name[:1]}*",
                    ]
                ),
                f"!{choose.choice([name, choose.choice(parts), f'{parts[0]}/', f'**/{name[:2]}*'])}",
            ]
        choose.shuffle(lines)
        yield taken(lines)


def main(words: list[str]) -> int:
    wanted = int(words[0]) if words and words[0].isdecimal() else sys.maxsize
    names, real = _read_archive(archive(_ARCHIVE))
    paths = sorted({*names, *installed_paths()})
    choose = random.Random(20)
    if len(paths) > wanted:
        paths = sorted(choose.sample(paths, wanted))
    lines = sorted({line for patterns in real for line in patterns})
    made = made_lists(lines, paths, choose)
    # Every list meets a part of the paths, and every path several lists.
    lists = [*real, *(next(made) for _ in range(_MADE_LISTS))]
    every = _together(
        compare([patterns], choose.sample(paths, min(len(paths), _ANSWERS_EACH)), folder)
        for patterns in lists
        for folder in _folders()
    )
    whole = _together(compare([next(made) for _ in range(3)], paths, folder) for folder in _folders())
    total = _together([every, whole])
    negated = sum(any(line.startswith("!") for line in patterns) for patterns in lists)
    print(f"{len(paths)} paths, {total.lists} pattern lists ({len(real)} of real files, {negated} take back)")
    print(f"{total.answers} answers, {total.ignored} of them ignored, {len(total.differences)} differences")
    for difference in total.differences[:20]:
        print(f"  {difference}")
    return 1 if total.differences or len(paths) < FEWEST_PATHS else 0


def _together(outcomes: Iterable[Outcome]) -> Outcome:
    found = list(outcomes)
    return Outcome(
        max(outcome.paths for outcome in found),
        sum(outcome.lists for outcome in found),
        sum(outcome.answers for outcome in found),
        sum(outcome.ignored for outcome in found),
        tuple(difference for outcome in found for difference in outcome.differences),
    )


def _folders() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="studio-check-ignore-") as folder:
        yield Path(folder)


def _read_archive(file: Path) -> tuple[list[str], list[list[str]]]:
    """The names of the files, and the patterns of each different .gitignore among them."""
    names: list[str] = []
    lists: dict[bytes, list[str]] = {}
    for name, data in members(file):
        if not _is_fine(name):
            continue
        names.append(name)
        if name.endswith(".gitignore"):
            lists[data] = taken(data.decode("utf-8", "replace").splitlines())
    return names, [patterns for patterns in lists.values() if patterns]


def _is_fine(path: str) -> bool:
    """Whether both take the path at all: git looks at no path beneath .git, and reads .gitignore itself."""
    parts = path.split("/")
    try:
        parse_name(path)
    except ValueError:
        return False
    return ".git" not in parts


def _is_taken(text: str) -> bool:
    try:
        parse_pattern(text)
    except PatternRefused:
        return False
    return not text.removeprefix("!").startswith("./")


def _git(folder: Path, *words: str, given: bytes = b"") -> bytes:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    variables |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(folder), *words]
    done = subprocess.run(command, input=given, capture_output=True, check=False, env=variables)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
