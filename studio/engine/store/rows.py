"""Conversion of plans, steps and decisions to database rows and back.

JSON is used only for what is never searched.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast

from msgspec.structs import asdict, replace

from studio.engine.plan import (
    Decision,
    Dismissal,
    Effect,
    Fact,
    HunkChoice,
    HunkRange,
    LineComment,
    Operation,
    Part,
    PersonSource,
    Plan,
    PlanState,
    Problem,
    Severity,
    Step,
    StepState,
    Verdict,
)
from studio.engine.store import values
from studio.journal.file_image import FileImage, time_text
from studio.system.chunks import ranges

_LONG_HUNKS = 1_000_000
HUNKS_PART = 64 * 1024
"""Characters of a hunk list that are parsed at once."""

_NONE = "[]"
"""Text of an empty list, the usual case, which skips JSON."""

_HUNK = [int] * 5

_KEPT_IMAGES = 16_384

_NO_CHOICE = "{}"
"""Text of empty choices, the usual case."""

STEP_COLUMNS = (
    "plan_id number id op path target state base result added removed hunks problems facts reason "
    "made_folders undoes unit revised"
).split()
REBASE_COLUMNS = "plan_id number made base result added removed hunks facts".split()
DECISION_COLUMNS = (
    "plan_id number verdict who made words base_sha256 decided_sha256 choices edited root_identity "
    "policy_fingerprint comments seen folder"
).split()


def now() -> datetime:
    return datetime.now(UTC)


def path_bytes(path: str | None) -> bytes | None:
    """Encode a path as bytes.

    A refused path may be valid in no encoding.
    """
    return None if path is None else path.encode("utf-8", "surrogatepass")


def rebase_row(plan_id: str, step: Step) -> tuple[object, ...]:
    return (
        plan_id,
        step.number,
        time_text(now()),
        image_text(step.base),
        image_text(step.result),
        step.added,
        step.removed,
        _format_hunks(step),
        _format_facts(step),
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
        image_text(step.base),
        image_text(step.result),
        step.added,
        step.removed,
        _format_hunks(step),
        problems_text(step.problems),
        _format_facts(step),
        step.reason,
        json.dumps(step.made_folders) if step.made_folders else _NONE,
        step.undoes,
        step.unit,
        time_text(step.revised) if step.revised is not None else None,
    )


def step_of(
    row: sqlite3.Row, decision: Decision | None, rebase: sqlite3.Row | None = None, recontext: str = ""
) -> Step:
    """Build a step; `rebase` is its latest row of rebases.

    Raises ValueError.
    """
    seen = rebase if rebase is not None else row
    op, to = values.enum_value(Operation, row, "op"), values.optional(values.path, row, "target")
    base, result = image_of(row, "base"), image_of(row, "result")
    state = values.enum_value(StepState, row, "state")
    if state is not StepState.INVALID:
        _check_sides(op, to, base, result)
    return Step(
        number=values.count(row, "number"),
        id=values.text(row, "id"),
        op=op,
        path=values.path(row, "path"),
        to=to,
        state=state,
        base=base if rebase is None else image_of(rebase, "base"),
        result=result if rebase is None else image_of(rebase, "result"),
        added=values.count(seen, "added"),
        removed=values.count(seen, "removed"),
        hunks=_parse_decided_hunks(values.text(seen, "hunks"), decision),
        problems=problems_of(row["problems"]),
        facts=_parse_facts(seen["facts"]),
        reason=values.text(row, "reason"),
        made_folders=folders_of(row["made_folders"]),
        undoes=values.optional(values.text, row, "undoes"),
        unit=values.optional(values.text, row, "unit"),
        part=values.optional(values.count, row, "part"),
        revised=values.optional(values.moment, row, "revised"),
        decision=decision,
        rebased_from=None if rebase is None else Effect(values.path(row, "path"), base, result),
        recontext=recontext,
    )


def _check_sides(op: Operation, to: str | None, base: FileImage | None, result: FileImage | None) -> None:
    """Raise ValueError where a step lacks a side that its operation needs.

    The gateway relies on these.
    """
    needs_base = op not in (Operation.CREATE, Operation.MKDIR)
    needs_result = op is not Operation.DELETE
    if (base is None) is needs_base or (result is None) is needs_result or (to is None) is op.has_target:
        raise ValueError(f"a {op.value} can't have these sides")


def folders_of(text: object) -> tuple[str, ...]:
    if text == _NONE:
        return ()
    found = values.json_list(text, "made_folders")
    return tuple(values.text({"made_folders": folder}, "made_folders") for folder in found)


def hunks_of(text: str) -> tuple[HunkRange, ...]:
    """Parse a step's hunks as proposed.

    Raises ValueError.
    """
    return _parse_decided_hunks(text, None)


def _parse_decided_hunks(text: str, decision: Decision | None) -> tuple[HunkRange, ...]:
    """Parse a step's hunks, each with the part that was approved."""
    everything = decision is None or decision.verdict is Verdict.APPROVE
    read = _read_hunks if len(text) <= _LONG_HUNKS else _read_many_hunks
    hunks = read(text, everything)
    if decision is None or not decision.choices:
        return hunks
    chosen = decision.choices
    return tuple(replace(hunk, chosen=chosen.get(hunk.hunk, everything)) for hunk in hunks)


def _parse_hunks(text: str, everything: bool) -> tuple[HunkRange, ...]:
    """Parse hunks in parts, as the parser blocks other threads."""
    hunks: list[HunkRange] = []
    start, last = 1, len(text) - 1
    while start < last:
        cut = text.find("], [", start + HUNKS_PART, last)
        end = last if cut < 0 else cut + 1
        part = values.json_list(f"[{text[start:end]}]", "hunks")
        hunks += [HunkRange(*_check_hunk(hunk), chosen=everything) for hunk in part]
        start = end + len(", ")
    return tuple(hunks)


def _check_hunk(hunk: Any) -> list[int]:
    if type(hunk) is not list or [type(number) for number in cast("list[Any]", hunk)] != _HUNK:
        raise ValueError("“hunks” holds something that is no hunk")
    numbers = cast("list[int]", hunk)
    values.checked_count(min(numbers), "hunks")
    values.checked_count(max(numbers), "hunks")
    return numbers


# The same plans are read often, and identical hunk objects need no comparison.
_read_hunks = lru_cache(4096)(_parse_hunks)
_read_many_hunks = lru_cache(2)(_parse_hunks)


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
        _format_choices(decision.choices),
        decision.edited,
        decision.root_identity,
        decision.policy_fingerprint,
        _format_comments(decision.comments),
        decision.seen.value if decision.seen is not None else None,
        os.fsencode(decision.folder) if decision.folder is not None else None,
    )


def decision_of(row: sqlite3.Row) -> Decision:
    """Build a decision from its row.

    Raises ValueError.
    """
    return Decision(
        verdict=values.enum_value(Verdict, row, "verdict"),
        who=values.text(row, "who"),
        when=values.moment(row, "made"),
        text=values.text(row, "words"),
        base_sha256=values.optional(values.content_hash, row, "base_sha256"),
        decided_sha256=values.optional(values.content_hash, row, "decided_sha256"),
        choices=_parse_choices(row["choices"]),
        edited=bool(values.count(row, "edited")),
        root_identity=values.text(row, "root_identity"),
        policy_fingerprint=values.text(row, "policy_fingerprint"),
        comments=_parse_comments(row["comments"]),
        seen=values.enum_value(PersonSource, row, "seen") if row["seen"] is not None else None,
        folder=folder_of(row["folder"]) if row["folder"] is not None else None,
    )


def folder_of(stored: object) -> Path:
    """Decode a stored folder path.

    Raises ValueError.
    """
    if type(stored) is not bytes or not stored:
        raise ValueError("“folder” holds no path")
    return Path(os.fsdecode(stored))


def plan_of(
    row: sqlite3.Row, steps: tuple[Step, ...], parts: tuple[Part, ...], dismissal: Dismissal | None
) -> Plan:
    """Build a plan from its row, steps and parts.

    Raises ValueError.
    """
    return Plan(
        id=values.text(row, "id"),
        version=values.count(row, "version"),
        title=values.text(row, "title"),
        agent=values.text(row, "agent"),
        state=values.enum_value(PlanState, row, "state"),
        created=values.moment(row, "created"),
        steps=steps,
        problems=problems_of(row["problems"]),
        format=values.text(row, "format"),
        rolls_back=values.optional(values.text, row, "rolls_back"),
        restores=values.optional(values.text, row, "restores"),
        reviews=values.optional(values.text, row, "reviews"),
        applied=values.optional(values.moment, row, "applied"),
        discarded=values.optional(values.moment, row, "discarded"),
        discarded_by=values.optional(values.text, row, "discarded_by"),
        discarded_seen=values.optional(partial(values.enum_value, PersonSource), row, "discarded_seen"),
        dismissal=dismissal,
        session=values.optional(values.text, row, "session"),
        message=values.text(row, "message"),
        parts=parts,
        waits=values.count(row, "waits") > 0,
    )


def problems_text(problems: tuple[Problem, ...]) -> str:
    return json.dumps([_problem_fields(problem) for problem in problems]) if problems else _NONE


def problems_of(text: object) -> tuple[Problem, ...]:
    if text == _NONE:
        return ()
    found = values.json_list(text, "problems")
    return values.build_value(
        "problems", lambda: tuple(Problem(**_check_fields(problem)) for problem in found)
    )


def _parse_facts(text: object) -> tuple[Fact, ...]:
    if text == _NONE:
        return ()
    found = values.json_list(text, "facts")
    return values.build_value("facts", lambda: tuple(Fact(**_check_fields(fact)) for fact in found))


def _parse_comments(text: object) -> tuple[LineComment, ...]:
    if text == _NONE:
        return ()
    found = values.json_list(text, "comments")
    return values.build_value("comments", lambda: tuple(_build_comment(*comment) for comment in found))


def _build_comment(side: object, line: object, words: object) -> LineComment:
    read = {"side": side, "words": words}
    return LineComment(
        values.text(read, "side"), values.checked_count(line, "line"), values.text(read, "words")
    )


def _parse_choices(text: object) -> Mapping[int, HunkChoice]:
    if text == _NO_CHOICE:
        return {}
    found = values.json_object(text, "choices")
    return values.build_value(
        "choices",
        lambda: {
            int(hunk): choice if isinstance(choice, bool) else _parse_lines(choice)
            for hunk, choice in found.items()
        },
    )


def _parse_lines(numbers: list[int]) -> frozenset[int]:
    return frozenset(values.checked_count(number, "choices") for number in numbers)


def _format_hunks(step: Step) -> str:
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


def _format_facts(step: Step) -> str:
    return json.dumps([_to_fields(fact) for fact in step.facts]) if step.facts else _NONE


def _format_comments(comments: Sequence[LineComment]) -> str:
    if not comments:
        return _NONE
    return json.dumps([[comment.side, comment.line, comment.text] for comment in comments])


def _format_choices(choices: Mapping[int, HunkChoice]) -> str:
    if not choices:
        return _NO_CHOICE
    return json.dumps({str(hunk): _format_choice(choice) for hunk, choice in choices.items()})


def _format_choice(choice: HunkChoice) -> bool | list[int]:
    return choice if isinstance(choice, bool) else sorted(choice)


def image_text(image: FileImage | None) -> str | None:
    """Serialize one side of a step or of an observed change."""
    return None if image is None else json.dumps([image.sha256, image.size, image.mode])


def image_of(row: values.Columns, column: str) -> FileImage | None:
    """Parse what `image_text` returned.

    Raises ValueError.
    """
    return None if row[column] is None else _parse_image(row[column], column)


# Cached: images are read again after each decision, a third of the time for a plan of 800 files.
@lru_cache(_KEPT_IMAGES)
def _parse_image(text: object, column: str) -> FileImage:
    found = values.json_list(text, column)
    return values.build_value(column, lambda: _build_image(*found))


def _build_image(sha256: object, size: object, mode: object) -> FileImage:
    digest = None if sha256 is None else values.checked_hash(sha256, "sha256")
    bits = values.checked_count(mode, "mode")
    is_link = digest is not None and bits == stat.S_IFLNK
    return FileImage(digest, values.checked_count(size, "size"), bits if is_link else bits & 0o7777)


def _to_fields(value: Problem | Fact) -> dict[str, Any]:
    return {**asdict(value), "severity": value.severity.value}


def _problem_fields(problem: Problem) -> dict[str, Any]:
    plain = _to_fields(problem)
    if problem.count == 1:
        del plain["count"]  # rows of older versions lack it, too
    return plain


def _check_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Check the types of a problem's or fact's fields.

    Raises ValueError, KeyError or the like.
    """
    for name, value in fields.items():
        if name in ("line", "column", "count"):
            if value is not None:
                values.checked_count(value, name)
        elif value is not None or name != "side":
            values.text(fields, name)
    return {**fields, "severity": Severity(fields["severity"])}
