"""Policy for agents' proposed file changes: path rules, locked paths, limits.

Each answer has its rule, level and reason. The order for a path: valid name inside the root, locked, user
deny, user allow, defaults, else allowed; lists of allowed file types are applied last. Two defaults don't
apply in folders in which git's HEAD has files. A check that can't decide denies.
"""

from studio.engine.policy.rules import (
    PathVerdict,
    Policy,
    PolicyLimits,
    RuleSet,
    folder_to_allow,
    may_be_opened,
    why_never_allowed,
)
from studio.engine.policy.tables import BUILT_IN, DANGER, DEFAULT_DENY, LOCKED, OPENED_BY_GIT, BuiltInRule

__all__ = [
    "BUILT_IN",
    "DANGER",
    "DEFAULT_DENY",
    "LOCKED",
    "OPENED_BY_GIT",
    "BuiltInRule",
    "PathVerdict",
    "Policy",
    "PolicyLimits",
    "RuleSet",
    "folder_to_allow",
    "may_be_opened",
    "why_never_allowed",
]
