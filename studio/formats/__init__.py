"""Parsers of texts that propose changes: each returns a draft plan.

They are pure functions.
"""

from studio.late_names import late_modules

# Not typing.TYPE_CHECKING: see studio.doors.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from studio.formats import (
        apply_patch,
        count_checks,
        detect,
        folding,
        limits,
        reply_text,
        submission,
        tool_calls,
    )

__all__ = [
    "apply_patch",
    "count_checks",
    "detect",
    "folding",
    "limits",
    "reply_text",
    "submission",
    "tool_calls",
]

__getattr__ = late_modules(__name__, __all__)
