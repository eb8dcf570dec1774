"""What may be proposed: file rules, locked paths and limits, each answer with rule, level and reason.

The order for a path is that of contract 8: name (inside the root), locked, user deny, user allow,
defaults, else allowed; of what is allowed only the kinds of files that may be touched at all (C9). A gate
that cannot decide says no.
"""

from studio.engine.policy.rules import PathVerdict, Policy, PolicyLimits, RuleSet, check_hunks, check_steps
from studio.engine.policy.tables import DANGER, DEFAULT_DENY, LOCKED

__all__ = [
    "DANGER",
    "DEFAULT_DENY",
    "LOCKED",
    "PathVerdict",
    "Policy",
    "PolicyLimits",
    "RuleSet",
    "check_hunks",
    "check_steps",
]
