"""What may be proposed: file rules, locked paths and limits, each answer with rule, level and reason.

The order for a path is that of contract 8: name (inside the root), locked, user deny, user allow,
defaults, else allowed; of what is allowed only the kinds of files that may be touched at all (C9). Two
defaults end at folders of which git's HEAD has files. A gate that cannot decide says no.
"""

from studio.engine.policy.built_in import BUILT_IN, BuiltInRule
from studio.engine.policy.rules import Policy, folder_to_allow, may_be_opened, why_never_allowed
from studio.engine.policy.tables import DANGER, DEFAULT_DENY, LOCKED, OPENED_BY_GIT
from studio.engine.policy.values import PathVerdict, PolicyLimits, RuleSet, check_hunks, check_steps

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
    "check_hunks",
    "check_steps",
    "folder_to_allow",
    "may_be_opened",
    "why_never_allowed",
]
