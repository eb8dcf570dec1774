r"""Parser and matcher of .gitignore-style patterns used by all file rules.

A list is read as git reads it: the last pattern that matches decides, `!` negates, a matched folder includes
everything beneath and nothing in there can be re-included. Deliberate differences to git: a leading `./` is
dropped, a pattern that could never match is refused instead of ignored, characters count where git counts
bytes, and `**` beside other characters is always a plain star, as git's manual says. A bare folder name
matches at any depth below the root; folders above the root never count.
pathspec 1.1.1 reads neither `[[:alpha:]]` nor `[a\]]` as git does.
"""

from studio.engine.patterns.matching import UNUSUAL_NAMES, Folder, PatternList, PatternLists, Speaks
from studio.engine.patterns.pattern_parser import (
    Pattern,
    PatternRefused,
    folder_text,
    literal_pattern,
    parse_pattern,
)

__all__ = [
    "UNUSUAL_NAMES",
    "Folder",
    "Pattern",
    "PatternList",
    "PatternLists",
    "PatternRefused",
    "Speaks",
    "folder_text",
    "literal_pattern",
    "parse_pattern",
]
