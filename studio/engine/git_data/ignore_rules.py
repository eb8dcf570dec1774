"""Evaluation of git's ignore files with our own pattern matcher.

libgit2 evaluates them, too, but drops a negated pattern (`!`) where the same file has nothing that it
negates: it would ignore what git does not.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from studio.engine.patterns import Pattern, PatternLists, PatternRefused, parse_pattern
from studio.engine.policy.git_locks import is_null_device
from studio.engine.root.foreign_file import read_foreign_file
from studio.errors import NotAFile, StudioError
from studio.limits import GIT_CONFIG_BYTES

_NAME: Final = ".gitignore"
_EVERYTHING: Final = ("*", "/*", "**", "/**", "**/*")
_SPECIAL: Final = re.compile(r"[\\*?\[\]]")


class IgnoreRules:
    """Ignore rules for a work tree; each file is read once.

    Whether a path is tracked makes no difference here.
    """

    def __init__(self, top: Path, general: Sequence[Path], *, ignore_case: bool) -> None:
        """Read the `general` files, whose rules apply from the top on.

        The last one decides. Raises as `matches`.
        """
        self._general_rules = f"{top}/"
        self._ignore_case = ignore_case
        patterns = [pattern for file in general for pattern in self._read(file, "")]
        self._cached_own_rules: dict[str, list[Pattern]] = {}
        self._cached_rules = {"": _listed([*patterns, *self._own_rules("")])}

    def matches(self, path: str, *, is_folder: bool) -> bool:
        """Return whether the rules ignore a path or a folder above it.

        Raises NotAFile, Refused, OSError where a rules file can't be read.
        """
        lists = self._rules_in(path.rpartition("/")[0])[1]
        return lists.match(path, folder=is_folder) is not None

    def ignores_all_within(self, folder: str) -> bool:
        """Return whether a folder's own rules ignore everything in it.

        Tools write such a file into the caches they make; git then ignores the files, and not the folder. A
        file that can't be read counts as empty.
        """
        try:
            own_rules = self._own_rules(folder)
        except (StudioError, OSError):
            return False
        if not own_rules:
            return False
        everything = {_anchored_rule(folder, text) for text in _EVERYTHING}
        for pattern in reversed(own_rules):
            if pattern.negated:
                return False
            if pattern.text.rstrip(" ") in everything:
                return True
        return False

    def _rules_in(self, folder: str) -> tuple[Sequence[Pattern], PatternLists]:
        """Return the rules for a folder's entries; its own come last."""
        cached = self._cached_rules.get(folder)
        if cached is None:
            parent_rules = self._rules_in(folder.rpartition("/")[0])
            own_rules = self._own_rules(folder)
            cached = parent_rules if not own_rules else _listed([*parent_rules[0], *own_rules])
            self._cached_rules[folder] = cached
        return cached

    def _own_rules(self, folder: str) -> list[Pattern]:
        cached = self._cached_own_rules.get(folder)
        if cached is None:
            cached = self._cached_own_rules[folder] = self._read_own_rules(folder)
        return cached

    def _read_own_rules(self, folder: str) -> list[Pattern]:
        # No Path before a file is found: most folders have none, and making one takes as long as the lstat.
        file = f"{self._general_rules}{folder}/{_NAME}"
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
                yield parse_pattern(_anchored_rule(folder, text), ignore_case=self._ignore_case)
            except PatternRefused:  # git keeps it, and it matches nothing
                continue


def _listed(patterns: Sequence[Pattern]) -> tuple[Sequence[Pattern], PatternLists]:
    return patterns, PatternLists((patterns,))


def _anchored_rule(folder: str, text: str) -> str:
    """Rewrite a rule of a folder's file for the top folder."""
    if not folder:
        return text
    negation = "!" if text.startswith("!") else ""
    rule = text.removeprefix("!")
    is_anchored = "/" in rule.rstrip(" ").removesuffix("/")
    prefix = _SPECIAL.sub(r"\\\g<0>", folder)
    return f"{negation}/{prefix}/{'' if is_anchored else '**/'}{rule.removeprefix('/')}"
