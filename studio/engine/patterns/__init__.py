"""The one matcher of file rules: patterns as in .gitignore, on paths below the project root (C35, C45).

A list is read as git reads it: the last pattern that matches decides, `!` takes back, a matched folder
holds everything beneath and nothing takes that back. Differences to git, all on purpose: a leading `./`
is dropped, a pattern that could never match is refused instead of ignored, characters count where git
counts bytes, and `**` beside other characters is always a plain star, as git's manual says.

pathspec 1.1.1 reads neither `[[:alpha:]]` nor `[a\\]]` as git does.
"""

from studio.engine.patterns.matching import ODD_NAMES, Folder, PatternList, PatternLists, Speaks
from studio.engine.patterns.reading import (
    Pattern,
    PatternRefused,
    folder_text,
    literal_pattern,
    parse_pattern,
)

__all__ = [
    "ODD_NAMES",
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
