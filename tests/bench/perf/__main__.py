"""`python -m tests.perf NAME [PAIRS]` runs one benchmark; without a name it lists them.

Exit code 1 when a target is missed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.bench.perf.benchmarks import BENCHMARKS
from tests.bench.perf.comparison import FEWEST_PAIRS, statement
from tests.bench.perf.processes import NotInstalledError, environment


def main(words: list[str]) -> int:
    known = {benchmark.name: benchmark for benchmark in BENCHMARKS}
    if not words:
        for benchmark in BENCHMARKS:
            print(f"{benchmark.name:10} {benchmark.what}")
        return 0
    name, wish = words[0], words[1] if len(words) > 1 else str(FEWEST_PAIRS)
    if name not in known or not wish.isdecimal() or len(words) > 2:
        print(f"usage: python -m tests.perf [{' | '.join(known)}] [PAIRS]", file=sys.stderr)
        return 2
    pairs = max(FEWEST_PAIRS, int(wish))
    with tempfile.TemporaryDirectory(prefix="studio-perf-") as folder:
        os.environ.update(environment(Path(folder)))
        try:
            comparison = known[name].measure(Path(folder), pairs)
        except NotInstalledError as error:
            print(error, file=sys.stderr)
            return 2
    print(statement(known[name], comparison))
    return 1 if comparison.verdict == "missed" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
