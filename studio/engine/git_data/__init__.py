"""Reading of the project's git data, by a killable child process."""

from studio.engine.git_data.reader import GitData
from studio.engine.git_data.value_types import CommittedLines, GitBlame, Head, HeldObject, is_usual

__all__ = ["CommittedLines", "GitBlame", "GitData", "Head", "HeldObject", "is_usual"]
