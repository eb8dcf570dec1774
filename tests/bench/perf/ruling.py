"""The rules asked about many real paths, against pathspec's GitIgnoreSpec with the same patterns."""

from __future__ import annotations

import time
from importlib.metadata import distributions
from itertools import count, islice
from pathlib import Path

from pathspec import GitIgnoreSpec

from studio.engine.policy import DEFAULT_DENY, Policy, RuleSet
from tests.bench.perf.comparison import Benchmark, Comparison, compare

PATHS = 50_000
TARGET = 0.25
USER_RULES = """
*.py[cod] __pycache__/ /build /dist/* !/dist/keep.txt *.log !important.log logs/**/*.tmp **/cache/
docs/_build/ *.orig !.env.example src/**/generated/*.ts *~ [Tt]humbs.db *.sw[a-p] /a/*/c vendor/**
tests/output/ *.retry coverage.xml
""".split()


def real_paths(wanted: int) -> list[str]:
    """Names of the files of every installed package, again below other folders until there are enough."""
    names = sorted(
        {
            str(path)
            for distribution in distributions()
            for path in distribution.files or ()
            if ".." not in path.parts and not path.is_absolute()
        }
    )
    copies = (f"part{number}/{name}" for number in count() for name in names)
    return list(islice(copies, wanted))


def _policy(_folder: Path, pairs: int) -> Comparison:
    paths = real_paths(PATHS)
    rules = (RuleSet("user", deny=tuple(USER_RULES)),)
    patterns = [*(pattern for pattern, _ in DEFAULT_DENY), *USER_RULES]
    denied: list[int] = []

    def ours() -> float:
        started = time.perf_counter()
        policy = Policy(rules)
        verdicts = [policy.check(path) for path in paths]
        taken = (time.perf_counter() - started) * 1000
        denied.append(sum(not verdict.allowed for verdict in verdicts))
        return taken

    def peer() -> float:
        started = time.perf_counter()
        spec = GitIgnoreSpec.from_lines(patterns)
        matches = [spec.match_file(path) for path in paths]
        taken = (time.perf_counter() - started) * 1000
        assert any(matches) and not all(matches)
        return taken

    mine, other = compare(ours, peer, pairs)
    assert 0 < denied[0] < len(paths)
    return Comparison(
        "Policy.check, whole verdicts, nothing cached before",
        "pathspec GitIgnoreSpec.match_file, its default backend",
        mine,
        other,
        TARGET,
    )


POLICY = Benchmark("policy", f"the rules asked about {PATHS} paths", _policy)
