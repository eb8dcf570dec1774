"""`python -m tests.opened_paths [--paths N] [--seed S] [--quiet]` compares what two builds deny.

The older one, before git's HEAD decided on `bin/` and `packages/`, is taken from the history. Both answer for
the same generated paths in projects whose git data differ. Prints the paths that opened, by project and rule,
and those that closed; exit code 1 where a path opened of which HEAD has no files or that another rule denied,
or where one is denied still that had to open.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

from tests.lab.opened_paths.comparison import Difference, ask, compare, on_ordinary_names
from tests.lab.opened_paths.paths import paths
from tests.lab.opened_paths.repositories import MAKERS, NOT_READ, folders_with_files, make_all
from tests.tools.older_builds import check_out

ROOT = Path(__file__).parents[3]
BEFORE = "55ba95a0"
_PAIRS = 200_000


def main(words: list[str]) -> int:
    each = -(-_PAIRS // len(MAKERS))
    parser = argparse.ArgumentParser(prog="python -m tests.opened_paths")
    parser.add_argument("--paths", type=int, default=each, help="in each project (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quiet", action="store_true", help="numbers alone")
    given = parser.parse_args(words)
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="exacta-opened-") as folder:
        differences = _compared(Path(folder), given.paths, given.seed)
    for name, found in differences.items():
        print(f"{name}: {found.pairs:,} paths, {len(found.opened):,} opened, {len(found.closed):,} closed")
        _list("opened", {} if given.quiet else found.opened)
        _list("closed", found.closed)
        _list("must not open", dict.fromkeys(found.unexplained, ""))
        _list("had to open", dict.fromkeys(found.missing, ""))
    wrong = sum(len(found.unexplained) + len(found.missing) for found in differences.values())
    pairs = sum(found.pairs for found in differences.values())
    opened = sum(len(found.opened) for found in differences.values())
    closed = sum(len(found.closed) for found in differences.values())
    seconds = time.monotonic() - start
    print(
        f"{pairs:,} pairs in {len(differences)} projects, seed {given.seed}, {seconds:.0f} s: "
        f"{opened:,} opened, {closed:,} closed, {wrong:,} wrong"
    )
    return 1 if wrong else 0


def _compared(folder: Path, count: int, seed: int) -> dict[str, Difference]:
    roots = make_all(folder)
    asked = paths(count, seed)
    ordinary = list(dict.fromkeys([*asked, *map(on_ordinary_names, asked)]))
    build = check_out(BEFORE, folder / "build", "studio")
    # Two processes, of which each answers for seconds: as many as the smallest machine has cores.
    with ThreadPoolExecutor() as together:
        before = together.submit(ask, build, roots.values(), ordinary, folder / "before")
        after = together.submit(ask, ROOT, roots.values(), asked, folder / "after")
    differences = dict[str, Difference]()
    for (name, root), old, new in zip(roots.items(), before.result(), after.result(), strict=True):
        answers = dict(zip(ordinary, old, strict=True))
        in_head = frozenset[str]() if name in NOT_READ else folders_with_files(root)
        differences[name] = compare(asked, [answers[path] for path in asked], new, answers, in_head)
    return differences


def _list(title: str, found: Mapping[str, str]) -> None:
    """Print paths with the rule that denies them, grouped by it; a name that is no text in escapes."""
    by_rule = sorted(found.items(), key=lambda each: (each[1], each[0]))
    for rule, group in groupby(by_rule, key=lambda each: each[1]):
        print(f"  {title}{f', {rule}' if rule else ''}:")
        for path, _ in group:
            print(f"    {path!a}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
