"""Log of steps that the project's rules refused, one line each."""

from __future__ import annotations

from studio.engine.limits import SHOWN_NAME_CHARACTERS
from studio.engine.names import show_name
from studio.engine.plan import Plan, Problem
from studio.engine.system.log_file import LOGGER

_RULES = ("name.", "policy.")
"""Code prefixes for names that leave the project, and for policy denials."""
_PLACES = frozenset(
    {
        "file.submodule",
        "file.symlink",
        "path.configuration",
        "path.git",
        "path.link",
        "path.locked",
        "path.not_plain",
        "path.outside",
        "path.root",
    }
)


def log_refusals(plan: Plan) -> None:
    """Log the steps that were refused for their paths.

    A line names the plan, the step, the rule's code, the path with hidden characters escaped, and the reason,
    but no content, because logs hold none. A log that can't be written raises nothing and stops nothing.
    """
    for step in plan.steps:
        refused = next((problem for problem in step.problems if _is_rule(problem)), None)
        if refused is not None:
            path = step.path if step.to is None else f"{step.path} -> {step.to}"
            LOGGER.info(
                "refused plan=%s step=%d rule=%s path=%s reason=%s",
                plan.id,
                step.number,
                refused.code,
                _show_path(path),
                show_name(refused.message),
            )


def _is_rule(problem: Problem) -> bool:
    return problem.code.startswith(_RULES) or problem.code in _PLACES


def _show_path(path: str) -> str:
    shown = show_name(path)
    return shown if len(shown) <= SHOWN_NAME_CHARACTERS else f"{shown[:SHOWN_NAME_CHARACTERS]}…"
