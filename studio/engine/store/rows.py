"""Plans, steps and decisions as rows, and back. JSON only for what is never searched for."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from studio.engine.plan import (
    Decision,
    Fact,
    FileImage,
    HunkChoice,
    HunkRange,
    LineComment,
    Operation,
    PersonSource,
    Plan,
    PlanState,
    Problem,
    Proposed,
    Severity,
    Step,
    StepState,
    Verdict,
)
from studio.engine.portions import ranges

_LONG_HUNKS = 1_000_000
HUNKS_PART = 64 * 1024
"""Characters of hunks that are kept for a few steps only, and that are parsed at once."""

_NONE = "[]"
"""What most lists are; it need not be read as JSON, nor written as such."""

_NO_CHOICE = "{}"
"""What most choices are."""

STEP_COLUMNS = (
    "plan_id number id op path target state base result added removed hunks problems facts reason "
    "made_folders undoes"
).split()
REBASE_COLUMNS = "plan_id number made base result added removed hunks facts".split()
DECISION_COLUMNS = (
    "plan_id number verdict who made words base_sha256 decided_sha256 choices edited root_identity "
    "policy_fingerprint comments seen folder"
).split()


def now() -> datetime:
    return datetime.now(UTC)


def time_text(moment: datetime) -> str:
    """UTC ISO-8601 with milliseconds and Z (C29)."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def time_of(text: str) -> datetime:
    return datetime.fromisoformat(text)


def path_bytes(path: str | None) -> bytes | None:
    """Paths are stored as bytes: a refused one may hold what no encoding allows."""
    return None if path is None else path.encode("utf-8", "surrogatepass")


def path_text(stored: bytes | None) -> str | None:
    return None if stored is None else stored.decode("utf-8", "surrogatepass")


def rebase_row(plan_id: str, step: Step) -> tuple[object, ...]:
    return (
        plan_id,
        step.number,
        time_text(now()),
        _image_text(step.base),
        _image_text(step.result),
        step.added,
        step.removed,
        _hunks_text(step),
        _facts_text(step),
    )


def step_row(plan_id: str, step: Step) -> tuple[object, ...]:
    return (
        plan_id,
        step.number,
        step.id,
        step.op.value,
        path_bytes(step.path),
        path_bytes(step.to),
        step.state.value,
        _image_text(step.base),
        _image_text(step.result),
        step.added,
        step.removed,
        _hunks_text(step),
        problems_text(step.problems),
        _facts_text(step),
        step.reason,
        json.dumps(step.made_folders) if step.made_folders else _NONE,
        step.undoes,
    )


def step_of(
    row: sqlite3.Row, decision: Decision | None, rebase: sqlite3.Row | None = None, recontext: str = ""
) -> Step:
    """A step with the decision on it; `rebase` is its last row of rebases."""
    seen = rebase if rebase is not None else row
    return Step(
        number=row["number"],
        id=row["id"],
        op=Operation(row["op"]),
        path=path_text(row["path"]) or "",
        to=path_text(row["target"]),
        state=StepState(row["state"]),
        base=_image_of(seen["base"]),
        result=_image_of(seen["result"]),
        added=seen["added"],
        removed=seen["removed"],
        hunks=_decided_hunks(seen["hunks"], decision),
        problems=problems_of(row["problems"]),
        facts=_facts_of(seen["facts"]),
        reason=row["reason"],
        made_folders=() if row["made_folders"] == _NONE else tuple(json.loads(row["made_folders"])),
        undoes=row["undoes"],
        decision=decision,
        rebased_from=None if rebase is None else Proposed(_image_of(row["base"]), _image_of(row["result"])),
        recontext=recontext,
    )


def _decided_hunks(text: str, decision: Decision | None) -> tuple[HunkRange, ...]:
    """A step's hunks, each with what goes in of it."""
    everything = decision is None or decision.verdict is Verdict.APPROVE
    read = _read_hunks if len(text) <= _LONG_HUNKS else _read_many_hunks
    hunks = read(text, everything)
    if decision is None or not decision.choices:
        return hunks
    chosen = decision.choices
    return tuple(replace(hunk, chosen=chosen.get(hunk.hunk, everything)) for hunk in hunks)


def _hunks_of(text: str, everything: bool) -> tuple[HunkRange, ...]:
    """Read in parts: another thread waits as long as the parser takes for one text."""
    hunks: list[HunkRange] = []
    start, last = 1, len(text) - 1
    while start < last:
        cut = text.find("], [", start + HUNKS_PART, last)
        end = last if cut < 0 else cut + 1
        hunks += [HunkRange(*hunk, chosen=everything) for hunk in json.loads(f"[{text[start:end]}]")]
        start = end + len(", ")
    return tuple(hunks)


# The same plans are read again and again, and equal hunks that are the same need no comparing.
_read_hunks = lru_cache(4096)(_hunks_of)
_read_many_hunks = lru_cache(2)(_hunks_of)


def decision_row(plan_id: str, number: int, decision: Decision) -> tuple[object, ...]:
    return (
        plan_id,
        number,
        decision.verdict.value,
        decision.who,
        time_text(decision.when),
        decision.text,
        decision.base_sha256,
        decision.decided_sha256,
        _choices_text(decision.choices),
        decision.edited,
        decision.root_identity,
        decision.policy_fingerprint,
        _comments_text(decision.comments),
        decision.seen.value if decision.seen is not None else None,
        os.fsencode(decision.folder) if decision.folder is not None else None,
    )


def decision_of(row: sqlite3.Row) -> Decision:
    choices: Mapping[str, bool | list[int]] = (
        {} if row["choices"] == _NO_CHOICE else json.loads(row["choices"])
    )
    return Decision(
        verdict=Verdict(row["verdict"]),
        who=row["who"],
        when=time_of(row["made"]),
        text=row["words"],
        base_sha256=row["base_sha256"],
        decided_sha256=row["decided_sha256"],
        choices={
            int(hunk): choice if isinstance(choice, bool) else frozenset(choice)
            for hunk, choice in choices.items()
        },
        edited=bool(row["edited"]),
        root_identity=row["root_identity"],
        policy_fingerprint=row["policy_fingerprint"],
        comments=_comments_of(row["comments"]),
        seen=PersonSource(row["seen"]) if row["seen"] is not None else None,
        folder=Path(os.fsdecode(row["folder"])) if row["folder"] is not None else None,
    )


def plan_of(row: sqlite3.Row, steps: tuple[Step, ...]) -> Plan:
    return Plan(
        id=row["id"],
        version=row["version"],
        title=row["title"],
        agent=row["agent"],
        state=PlanState(row["state"]),
        created=time_of(row["created"]),
        steps=steps,
        problems=problems_of(row["problems"]),
        format=row["format"],
        rolls_back=row["rolls_back"],
        applied=time_of(row["applied"]) if row["applied"] else None,
        discarded=time_of(row["discarded"]) if row["discarded"] else None,
    )


def problems_text(problems: tuple[Problem, ...]) -> str:
    return json.dumps([_plain(problem) for problem in problems]) if problems else _NONE


def problems_of(text: str) -> tuple[Problem, ...]:
    if text == _NONE:
        return ()
    return tuple(Problem(**_with_severity(problem)) for problem in json.loads(text))


def _facts_of(text: str) -> tuple[Fact, ...]:
    if text == _NONE:
        return ()
    return tuple(Fact(**_with_severity(fact)) for fact in json.loads(text))


def _comments_of(text: str) -> tuple[LineComment, ...]:
    if text == _NONE:
        return ()
    return tuple(LineComment(*comment) for comment in json.loads(text))


def _hunks_text(step: Step) -> str:
    parts = [
        json.dumps(
            [
                [hunk.hunk, hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines]
                for hunk in step.hunks[start:stop]
            ]
        )[1:-1]
        for start, stop in ranges(0, len(step.hunks))
    ]
    return f"[{', '.join(parts)}]"


def _facts_text(step: Step) -> str:
    return json.dumps([_plain(fact) for fact in step.facts]) if step.facts else _NONE


def _comments_text(comments: Sequence[LineComment]) -> str:
    if not comments:
        return _NONE
    return json.dumps([[comment.side, comment.line, comment.text] for comment in comments])


def _choices_text(choices: Mapping[int, HunkChoice]) -> str:
    if not choices:
        return _NO_CHOICE
    return json.dumps({str(hunk): _choice_value(choice) for hunk, choice in choices.items()})


def _choice_value(choice: HunkChoice) -> bool | list[int]:
    return choice if isinstance(choice, bool) else sorted(choice)


def _image_text(image: FileImage | None) -> str | None:
    return None if image is None else json.dumps([image.sha256, image.size, image.mode])


def _image_of(text: str | None) -> FileImage | None:
    return None if text is None else FileImage(*json.loads(text))


def _plain(value: Problem | Fact) -> dict[str, Any]:
    return {**asdict(value), "severity": value.severity.value}


def _with_severity(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "severity": Severity(fields["severity"])}
