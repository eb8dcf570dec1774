"""What a policy is made of, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from studio.engine.errors import Refused
from studio.engine.limits import (
    FILE_BYTES,
    HUNKS_UP_TO,
    OWN_STEPS_UP_TO,
    PATH_DEPTH,
    SEGMENT_BYTES,
    STEPS_UP_TO,
)


@dataclass(frozen=True, slots=True)
class PathVerdict:
    """The answer on one path; `Verdict` is a person's word on a step.

    `rule` is the pattern or the name of the check that decided, `level` where it comes from: "name",
    "locked", "default" or a level of the configuration ("user", "project", ...). `reason` is one sentence.
    `hint` is what to do about a path that is not allowed.
    """

    path: str
    allowed: bool
    rule: str
    level: str
    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The file rules of one level of the configuration, in the order of its file.

    `secrets` are denied as the defaults are: an allow opens them. `opened` are folders in which the defaults
    end that are about no secret. If there are any, `extensions` (".md") are the only ones that files may
    have, and `folders` the only places where they may lie.
    """

    level: str
    deny: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PolicyLimits:
    """The limits a user may set: `segment` and `file_bytes` in bytes, `depth` in segments.

    `file_bytes_level` is the level that set the largest size of a file.
    """

    segment: int = SEGMENT_BYTES
    depth: int = PATH_DEPTH
    file_bytes: int = FILE_BYTES
    steps: int = STEPS_UP_TO
    file_bytes_level: str = field(default="default", compare=False)
    hunks: int = HUNKS_UP_TO
    own_steps: int = OWN_STEPS_UP_TO


def check_steps(limits: PolicyLimits, steps: int, *, is_own: bool = False) -> None:
    """Raises Refused where a plan would have more steps than one may have; `is_own`: one that studio makes
    of a folder (contract 8)."""
    limit, key = (limits.own_steps, "own_steps") if is_own else (limits.steps, "steps")
    if steps > limit:
        raise Refused(
            "plan.too_many_steps",
            f"The plan has {steps} steps; the limit is {limit}.",
            f"Propose it in parts, or raise limits: {key} in the user configuration.",
        )


def check_hunks(limits: PolicyLimits, hunks: int) -> None:
    """Raises Refused where the text of a plan has more hunks than one may have."""
    if hunks > limits.hunks:
        raise Refused(
            "plan.too_many_hunks",
            f"The plan has more than {limits.hunks} hunks, the limit of one plan.",
            "Propose it in parts, or raise limits: hunks in the user configuration.",
        )
