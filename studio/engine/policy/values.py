"""Values of a policy: rule sets, limits and verdicts."""

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
    """Answer on one path; a person's verdict on a step is `Verdict`.

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
    """File rules of one configuration level, in the order of its file.

    `secrets` are denied as the defaults are: an allow rule opens them. In `opened` folders the defaults don't
    apply, except those on secrets. If not empty, `extensions` (".md") are the only ones that files may have,
    and `folders` the only places for them.
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
    """Limits that a user may set.

    `segment` and `file_bytes` are in bytes, `depth` is in segments. `file_bytes_level` is the level that set
    the largest size of a file.
    """

    segment: int = SEGMENT_BYTES
    depth: int = PATH_DEPTH
    file_bytes: int = FILE_BYTES
    steps: int = STEPS_UP_TO
    file_bytes_level: str = field(default="default", compare=False)
    hunks: int = HUNKS_UP_TO
    own_steps: int = OWN_STEPS_UP_TO


def check_steps(limits: PolicyLimits, steps: int, *, is_own: bool = False) -> None:
    """Check the number of steps of a plan.

    Raises Refused above the limit. `is_own`: a plan that studio generates from a folder, which has a limit of
    its own.
    """
    limit, key = (limits.own_steps, "own_steps") if is_own else (limits.steps, "steps")
    if steps > limit:
        raise Refused(
            "plan.too_many_steps",
            f"The plan has {steps} steps; the limit is {limit}.",
            f"Propose it in parts, or raise limits: {key} in the user configuration.",
        )


def check_hunks(limits: PolicyLimits, hunks: int) -> None:
    """Check the number of hunks of a plan's text.

    Raises Refused above the limit.
    """
    if hunks > limits.hunks:
        raise Refused(
            "plan.too_many_hunks",
            f"The plan has more than {limits.hunks} hunks, the limit of one plan.",
            "Propose it in parts, or raise limits: hunks in the user configuration.",
        )
