"""Reading of the project's git data, by a killable child process."""

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.engine.git_data.reader import GitData
    from studio.engine.git_data.value_types import (
        ChangedFile,
        CommittedLines,
        GitBlame,
        Head,
        HeldObject,
        ObjectContents,
        is_usual,
    )

__all__ = [
    "ChangedFile",
    "CommittedLines",
    "GitBlame",
    "GitData",
    "Head",
    "HeldObject",
    "ObjectContents",
    "is_usual",
]

__getattr__ = late_names(
    __name__,
    {
        "studio.engine.git_data.reader": "GitData",
        "studio.engine.git_data.value_types": (
            "ChangedFile CommittedLines GitBlame Head HeldObject ObjectContents is_usual"
        ),
    },
)
