"""Reading of the project's git data, by a killable child process."""

from studio.engine.git_data.answers import CommittedLines, GitBlame, Head, HeldObject, is_usual
from studio.engine.git_data.reader import GitData

__all__ = ["CommittedLines", "GitBlame", "GitData", "Head", "HeldObject", "is_usual"]
