"""Git's rules for what it ignores, from its own files and by our own matcher of patterns.

libgit2 has such rules, too, but throws away a pattern that takes back (`!`) where the same file holds
nothing to be taken back from: it would ignore what git does not.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from studio.engine.errors import NotAFile, StudioError
from studio.engine.limits import GIT_CONFIG_BYTES
from studio.engine.patterns import Pattern, PatternLists, PatternRefused, parse_pattern
from studio.engine.policy.git_locks import is_null_device
from studio.engine.root.foreign_file import read_foreign_file

_NAME: Final = ".gitignore"
_EVERYTHING: Final = ("*", "/*", "**", "/**", "**/*")
_SPECIAL: Final = re.compile(r"[\\*?\[\]]")


class IgnoreRules:
    """What rules say of paths beneath the top of a work tree, tracked or not; each file is read once."""

    def __init__(self, top: Path, general: Sequence[Path], *, ignore_case: bool) -> None:
        """`general` are files whose rules hold from the top on, the last decides. Raises as `matches`."""
        self._above = f"{top}/"
        self._ignore_case = ignore_case
        patterns = [pattern for file in general for pattern in self._read(file, "")]
        self._own: dict[str, list[Pattern]] = {}
        self._known = {"": _listed([*patterns, *self._own_of("")])}

    def matches(self, path: str, *, is_folder: bool) -> bool:
        """Whether rules leave out the path or a folder above it. Raises NotAFile, Refused, OSError: a file
        of rules can't be read."""
        lists = self._rules_in(path.rpartition("/")[0])[1]
        return lists.match(path, folder=is_folder) is not None

    def takes_all_in(self, folder: str) -> bool:
        """Whether a folder's own file leaves out all that is in it, whatever it is called, as tools write it
        into the caches they make; git leaves out the files then, and not the folder. A file that can't be
        read says nothing."""
        try:
            own = self._own_of(folder)
        except (StudioError, OSError):
            return False
        if not own:
            return False
        everything = {_beneath(folder, text) for text in _EVERYTHING}
        for pattern in reversed(own):
            if pattern.negated:
                return False
            if pattern.text.rstrip(" ") in everything:
                return True
        return False

    def _rules_in(self, folder: str) -> tuple[Sequence[Pattern], PatternLists]:
        """The rules for what lies in a folder: those above, and its own, which decide."""
        known = self._known.get(folder)
        if known is None:
            above = self._rules_in(folder.rpartition("/")[0])
            own = self._own_of(folder)
            known = above if not own else _listed([*above[0], *own])
            self._known[folder] = known
        return known

    def _own_of(self, folder: str) -> list[Pattern]:
        known = self._own.get(folder)
        if known is None:
            known = self._own[folder] = self._own_read(folder)
        return known

    def _own_read(self, folder: str) -> list[Pattern]:
        # No Path before there is a file: most folders have none, and one takes as long as the question.
        file = f"{self._above}{folder}/{_NAME}"
        try:
            kind = os.lstat(file).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return []
        if stat.S_ISLNK(kind) or stat.S_ISDIR(kind):  # git reads neither
            return []
        return list(self._read(Path(file), folder))

    def _read(self, file: Path, folder: str) -> Iterator[Pattern]:
        try:
            data = read_foreign_file(file, GIT_CONFIG_BYTES)
        except (FileNotFoundError, NotADirectoryError):
            return
        except NotAFile:
            if is_null_device(file):
                return
            raise
        for line in data.decode("utf-8-sig", "surrogateescape").split("\n"):
            text = line.removesuffix("\r")
            if text.startswith("#") or not text.strip(" "):
                continue
            try:
                yield parse_pattern(_beneath(folder, text), ignore_case=self._ignore_case)
            except PatternRefused:  # git holds it, and it matches nothing
                continue


def _listed(patterns: Sequence[Pattern]) -> tuple[Sequence[Pattern], PatternLists]:
    return patterns, PatternLists((patterns,))


def _beneath(folder: str, text: str) -> str:
    """A rule of a folder's file as one of the top's."""
    if not folder:
        return text
    taken_back = "!" if text.startswith("!") else ""
    rule = text.removeprefix("!")
    is_anchored = "/" in rule.rstrip(" ").removesuffix("/")
    where = _SPECIAL.sub(r"\\\g<0>", folder)
    return f"{taken_back}/{where}/{'' if is_anchored else '**/'}{rule.removeprefix('/')}"
