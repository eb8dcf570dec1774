"""`python -m tests.fuzz NAME SECONDS` looks for failing examples of one target, or of `all` in small rounds;
without a name it lists them.

Exit code 1 when one is found; it is printed, small, with the words that try it again.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable

from hypothesis import HealthCheck, settings

from tests.lab.fuzz.targets import TARGETS

EXAMPLES_PER_ROUND = 500
_OF_ALL = 20
"""Examples of a property in each round over all of them: a first round takes about a minute."""


def main(words: list[str]) -> int:
    if not words:
        for name, properties in TARGETS.items():
            print(f"{name:14} {len(properties)} properties")
        return 0
    if len(words) != 2 or words[0] not in (*TARGETS, "all") or not words[1].isdecimal():
        print(f"usage: python -m tests.fuzz [{' | '.join(TARGETS)} | all] SECONDS", file=sys.stderr)
        return 2
    return fuzz(words[0], int(words[1]))


def fuzz(name: str, seconds: int) -> int:
    """Try the properties of a target in turns until the time is over, or one fails; in folders of its own."""
    with tempfile.TemporaryDirectory(prefix="studio-fuzz-") as private:
        for variable in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR"):
            os.environ[variable] = private
        return _fuzz(name, seconds)


def _fuzz(name: str, seconds: int) -> int:
    is_all = name == "all"
    examples_per_round = _OF_ALL if is_all else EXAMPLES_PER_ROUND
    # Loaded before the properties are: they take over what is set when they are made.
    settings.register_profile(
        "fuzz",
        max_examples=examples_per_round,
        deadline=None,
        database=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("fuzz")
    targets = TARGETS.values() if is_all else [TARGETS[name]]
    properties = [_load(each) for target in targets for each in target]
    until = time.monotonic() + seconds
    rounds = 0
    while rounds < 1 or time.monotonic() < until:
        for check in properties:
            if rounds and time.monotonic() >= until:
                break
            try:
                check()
            except Exception:
                traceback.print_exc()
                print(f"{name}: failed in round {rounds + 1}", file=sys.stderr)
                return 1
        rounds += 1
    examples = rounds * len(properties) * examples_per_round
    print(f"{name}: {len(properties)} properties, {rounds} rounds, up to {examples} examples: all held")
    return 0


def _load(place: str) -> Callable[[], None]:
    module, _, function = place.partition(":")
    return getattr(importlib.import_module(module), function)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
