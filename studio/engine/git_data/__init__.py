"""What git knows of the user's project, read by one process of ours that may hang and be ended (design 7)."""

from studio.engine.git_data.answers import CommittedLines, GitBlame, Head, HeldObject, is_usual
from studio.engine.git_data.reader import GitData

__all__ = ["CommittedLines", "GitBlame", "GitData", "Head", "HeldObject", "is_usual"]
