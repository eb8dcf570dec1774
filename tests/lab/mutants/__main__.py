"""`python -m tests.mutants [COUNT] [OPTIONS]`: damage code, see whether tests notice.

A seeded sample of small changes to the rooms where a fault loses files. First all tests run once in a
watched copy, which tells which of them reach which function. Then each change is made in a copy, and the
tests that reach its function run, the quickest first, until one fails. What none notices is printed: as
equal, where `equal.txt` says why it changes nothing, else as a hole. Exit code 1 where there is one.

Two states of the tests are compared with `--all --sample FILE`: the first run writes the names of its mutants
there, the other one, in another checkout, tries the same. Each needs a `--reach` of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue

from tests.lab.mutants.copies import ALL_TESTS, CHECKOUT, ROOMS, TESTS, Copy, modules
from tests.lab.mutants.mutants import Mutant, mutants_of

_COPIES = 2
_SECONDS_PER_MUTANT = 40.0
"""How long the chosen tests take together when nothing is damaged."""
_SECONDS_TO_WATCH = 3 * 3600
_EQUAL = Path(__file__).with_name("equal.txt")
_FIRST_MOMENT = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Reach:
    """Which tests reach a function, and the seconds that each takes."""

    tests: Mapping[tuple[str, str], frozenset[str]]
    seconds: Mapping[str, float]

    @classmethod
    def read(cls, file: Path) -> Reach:
        """What `write` kept of an earlier run over the same code."""
        kept = json.loads(file.read_text())
        return cls(
            {(name, function): frozenset(tests) for name, function, tests in kept["tests"]}, kept["seconds"]
        )

    def write(self, file: Path) -> None:
        tests = [[*key, sorted(reaching)] for key, reaching in self.tests.items()]
        file.write_text(json.dumps({"tests": tests, "seconds": dict(self.seconds)}))

    def chosen(self, mutant: Mutant) -> list[str]:
        """The tests for a mutant, the quickest first, within the time for one."""
        reaching = self.tests.get((mutant.file, mutant.function), frozenset()) & self.seconds.keys()
        chosen, left = [], _SECONDS_PER_MUTANT
        for test in sorted(reaching, key=lambda test: (self.seconds[test], test)):
            left -= self.seconds[test]
            if left < 0 and chosen:
                break
            chosen.append(test)
        return chosen


def watch(rooms: Sequence[str], tested: Sequence[str]) -> Reach:
    """Run the tests once in a watched copy."""
    copy = Copy.make()
    try:
        functions = copy.watch(rooms)
        words = ["-p", "tests.lab.mutants.watching", "--numprocesses", str(_COPIES), *tested]
        if copy.test(words, _SECONDS_TO_WATCH) not in {0, 1}:
            raise SystemExit((copy.folder / "output").read_text())
        print((copy.folder / "output").read_text().rstrip().rpartition("\n")[2], flush=True)
        tests: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for number, test in copy.found("reached"):
            tests[functions[int(number)]].add(test)
        seconds = {test: float(number) for number, test in copy.found("times")}
        return Reach({key: frozenset(each) for key, each in tests.items()}, seconds)
    finally:
        copy.remove()


def read_equal() -> dict[str, str]:
    """What is known to change nothing: the mutant's name, and why."""
    entries = [line for line in _EQUAL.read_text().splitlines() if line and not line.startswith("#")]
    return {name: why for name, _, why in (entry.partition(" | ") for entry in entries)}


def try_all(mutants: Sequence[Mutant], reach: Reach, until: float) -> dict[Mutant, str]:
    """Damage the code in every way; what came of each: killed, endless, survived, unreached."""
    waiting: Queue[tuple[int, Mutant]] = Queue()
    for numbered in enumerate(mutants):
        waiting.put(numbered)
    outcomes: dict[Mutant, str] = {}

    def work() -> None:
        copy = Copy.make()
        try:
            while time.monotonic() < until:
                try:
                    number, mutant = waiting.get_nowait()
                except Empty:
                    return
                outcomes[mutant] = outcome = _try(copy, mutant, reach.chosen(mutant), number)
                by = f" | {copy.failed_test()}" if outcome == "killed" else ""
                print(f"{len(outcomes):4}/{len(mutants)} {outcome:9} {mutant.name[:160]}{by}", flush=True)
        finally:
            copy.remove()

    workers = [threading.Thread(target=work) for _ in range(_COPIES)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return outcomes


def _try(copy: Copy, mutant: Mutant, tests: Sequence[str], number: int) -> str:
    if not tests:
        return "unreached"
    listed = copy.folder / "chosen"
    listed.write_text("".join(f"{test}\n" for test in tests))
    copy.damage(mutant, _FIRST_MOMENT + 2 * number)
    try:
        code = copy.test(["-x", "--timeout=60", f"@{listed}"], 6 * _SECONDS_PER_MUTANT)
    finally:
        copy.mend(mutant, _FIRST_MOMENT + 2 * number + 1)
    return {0: "survived", None: "endless"}.get(code, "killed")


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("count", type=int, nargs="?", default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--only", default="", help="a part of the mutants' names")
    parser.add_argument("--reach", type=Path, help="keep what the watched run found, or use what is there")
    parser.add_argument("--all", action="store_true", help="functions of all of studio, and windows' tests")
    parser.add_argument("--sample", type=Path, help="keep the names of the mutants, or try those there")
    arguments = parser.parse_args(words)
    until = time.monotonic() + arguments.minutes * 60
    rooms, tested = (("studio",), ALL_TESTS) if arguments.all else (ROOMS, TESTS)
    found = [mutant for file in modules(CHECKOUT, rooms) for mutant in mutants_of(CHECKOUT, file)]
    asked = [mutant for mutant in found if arguments.only in mutant.name]
    sample = random.Random(arguments.seed).sample(asked, min(arguments.count, len(asked)))
    names: Path | None = arguments.sample
    if names is not None and names.exists():
        listed = names.read_text().splitlines()
        sample = [mutant for mutant in found if mutant.name in listed]
        print(f"{len(listed) - len(sample)} mutants of {names} are not in this code", flush=True)
    elif names is not None:
        names.write_text("".join(f"{mutant.name}\n" for mutant in sample))
    print(f"{len(sample)} of {len(found)} mutants, seed {arguments.seed}", flush=True)
    kept: Path | None = arguments.reach
    reach = Reach.read(kept) if kept is not None and kept.exists() else watch(rooms, tested)
    if kept is not None:
        reach.write(kept)
    outcomes = try_all(sample, reach, until)
    return report(sample, outcomes)


def report(sample: Sequence[Mutant], outcomes: Mapping[Mutant, str]) -> int:
    """Print what came of it; 1 where a hole is left or a mutant was not tried."""
    equal = read_equal()
    alive = [mutant for mutant in sample if outcomes.get(mutant) in {"survived", "unreached"}]
    holes = [mutant for mutant in alive if mutant.name not in equal]
    for mutant in alive:
        kind = "equal" if mutant.name in equal else "hole"
        why = equal.get(mutant.name) or f"line {mutant.line}, {outcomes[mutant]}"
        print(f"{kind:5} {mutant.name} | {why}")
    killed = len(outcomes) - len(alive)
    print(
        f"{killed} of {len(sample)} killed, {len(alive) - len(holes)} equal, {len(holes)} holes, "
        f"{len(sample) - len(outcomes)} not tried for want of time"
    )
    return 1 if holes or len(outcomes) < len(sample) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
