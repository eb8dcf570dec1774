"""All risk facts about a step, most severe first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

from studio.engine.diff import FileDiff
from studio.engine.plan import KINDS_ABOUT_BYTES, Fact, Severity, Step
from studio.engine.risks.added_lines import Run, added_runs
from studio.engine.risks.characters import character_facts
from studio.engine.risks.credentials import secret_facts
from studio.engine.risks.lookalikes import lookalike_facts
from studio.engine.risks.naming import length_facts, name_facts, twin_facts
from studio.engine.risks.origin import LOCK_PATH, origin_facts
from studio.engine.risks.placeholders import placeholder_facts
from studio.engine.risks.shape import form_facts, step_facts
from studio.engine.risks.target import (
    NOTHING_KNOWN,
    TargetContext,
    git_configuration_facts,
    target_facts,
)
from studio.limits import FACT_PLACES_COUNTED, FACT_PLACES_UP_TO, LONG_LINE_CHARACTERS
from studio.text import Forms, detect_forms

KINDS = KINDS_ABOUT_BYTES | frozenset(
    "attributes_lost generated hard_link name_hidden name_lookalike name_spelling name_twin open_in_editor"
    " owner_lost path_length privileged read_only vendored".split()
)
"""All kinds of fact made here; others are added when proposing."""

_FEWEST_BLANKS = 150
_FAR_RIGHT = re.compile(r"(?m)\S[^\S\n]{150,}(?=\S)|^[^\S\n]{250,}(?=\S)")
_GRAVITY = {Severity.DANGER: 0, Severity.WARNING: 1, Severity.NOTE: 2}


def facts_of(
    step: Step,
    base: bytes | None,
    result: bytes | None,
    *,
    setting: str | None = None,
    forms: Forms | None = None,
    diff: FileDiff | None = None,
    around: TargetContext = NOTHING_KNOWN,
) -> tuple[Fact, ...]:
    """Return all facts about a step, most severe first.

    Places are in the result. `base` and `result` are the files' bytes (None: does not exist), `setting` the
    encoding that the project configures for the path, `around` what was found on disk. `forms` (how both are
    text) and `diff` may be passed if computed before. Only lines that the step adds or changes are searched.
    Never raises for any content.
    """
    facts = [
        *byte_facts(step, base, result, setting=setting, forms=forms, diff=diff),
        *origin_facts(step, base, result, around.origin),
        *target_facts(step, around),
        *name_facts(step.target),
        *twin_facts(step, around.beside),
        *length_facts(step, around.root),
    ]
    return tuple(sorted(facts, key=lambda fact: _GRAVITY[fact.severity]))


def byte_facts(
    step: Step,
    base: bytes | None,
    result: bytes | None,
    *,
    setting: str | None = None,
    forms: Forms | None = None,
    diff: FileDiff | None = None,
) -> Iterator[Fact]:
    """Yield the facts of KINDS_ABOUT_BYTES, which need no disk."""
    forms = forms or detect_forms(base, result, setting)
    yield from step_facts(step)
    yield from form_facts(base, result, forms, setting, step.target)
    if result is not None:
        runs = tuple(added_runs(base, result, forms, setting, diff=diff))
        yield from _limit_facts(git_configuration_facts(base, result))
        yield from _limit_facts(character_facts(runs))
        yield from _limit_facts(lookalike_facts(runs, base or b"", result))
        yield from _limit_facts(secret_facts(runs))
        if base:
            yield from _limit_facts(placeholder_facts(runs, base, setting, step.removed))
        yield from _limit_facts(_yield_hidden_facts(runs))
        if LOCK_PATH.search(step.target):
            from studio.engine.risks.lock_files import lock_facts

            yield from lock_facts(step.target, base, result)


def _yield_hidden_facts(runs: Iterable[Run]) -> Iterator[Fact]:
    """Yield facts on text that is easily missed.

    It is far to the right behind blanks, or in a very long line.
    """
    for run in runs:
        # The expression takes 340 us for 5 KB; most texts have no line that is long enough for it.
        if max(map(len, run.text.split("\n"))) <= _FEWEST_BLANKS:
            continue
        for match in _FAR_RIGHT.finditer(run.text):
            line, column = run.position(match.end())
            message = "Text starts far to the right, after many spaces."
            yield Fact("far_right", Severity.WARNING, message, "result", line, column)
        for index, (start, end) in enumerate(pairwise(run.starts)):
            if end - start > LONG_LINE_CHARACTERS:
                message = f"This line is {end - start:,} characters long; its end is easily missed."
                yield Fact("long_line", Severity.WARNING, message, "result", run.first_line + index, 1)


def _limit_facts(facts: Iterable[Fact]) -> Iterator[Fact]:
    """Yield each kind's first places, then a count of the others."""
    seen: dict[str, int] = {}
    worst: dict[str, Severity] = {}
    for fact in islice(facts, FACT_PLACES_COUNTED):
        seen[fact.kind] = seen.get(fact.kind, 0) + 1
        if seen[fact.kind] <= FACT_PLACES_UP_TO:
            yield fact
        elif fact.kind not in worst or _GRAVITY[fact.severity] < _GRAVITY[worst[fact.kind]]:
            worst[fact.kind] = fact.severity
    for kind, severity in worst.items():
        more = seen[kind] - FACT_PLACES_UP_TO
        places = "place" if more == 1 else "places"
        at_least = "at least " if sum(seen.values()) == FACT_PLACES_COUNTED else ""
        yield Fact(kind, severity, f"The same in {at_least}{more} more {places} of this file.", "result")
