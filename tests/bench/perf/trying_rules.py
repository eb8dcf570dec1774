"""Which files of 50,000 a rule would touch, as it is typed, against pathspec matching that pattern alone."""

from __future__ import annotations

import time
from pathlib import Path

from pathspec import GitIgnoreSpec

from studio.engine.config import from_values
from studio.extras.rule_trial import RuleBase, try_rule
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.ruling import PATHS, real_paths

TARGET = 1.0
PATTERNS = ("*.pyi", "tests/", "**/__init__.py", "part1/**/*.so", "[a-c]*.txt")


def _trial(folder: Path, pairs: int) -> Comparison:
    paths = real_paths(PATHS)
    base = RuleBase(folder, from_values(folder, {}).settings)
    matched: list[int] = []

    def ask(pattern: str) -> int:
        return try_rule(lambda _root: paths, base, "file_rules.deny", pattern).matched

    for pattern in PATTERNS:
        ask(pattern)  # what may be changed now is known from the first letter on

    def ours() -> float:
        started = time.perf_counter()
        found = [ask(pattern) for pattern in PATTERNS]
        taken = (time.perf_counter() - started) * 1000 / len(PATTERNS)
        matched[:] = found
        return taken

    def peer() -> float:
        started = time.perf_counter()
        specs = map(GitIgnoreSpec.from_lines, ([each] for each in PATTERNS))
        found = [sum(map(bool, map(spec.match_file, paths))) for spec in specs]
        taken = (time.perf_counter() - started) * 1000 / len(PATTERNS)
        assert any(found)
        return taken

    mine, other = compare(ours, peer, pairs)
    assert any(matched)
    return Comparison(
        "try_rule, one pattern, its counts and list, files known",
        "pathspec GitIgnoreSpec.match_file of that pattern, its default backend",
        mine,
        other,
        TARGET,
    )


RULE_TRIAL = Benchmark("rule-trial", f"a rule tried on {PATHS} files while it is typed", _trial)
