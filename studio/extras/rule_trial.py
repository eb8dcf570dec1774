"""Preview of files that a new access rule would lock or unlock.

It runs in a process of its own, which caches a project's files, and the verdicts on them, between requests.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from pathlib import Path

from msgspec import Struct, field

from studio.engine.config import Config, Setting, read_value
from studio.engine.config.schema import FINAL_DENIES, PROJECT_FOLDERS, SettingKey, SettingKind
from studio.engine.patterns import PatternLists, parse_pattern
from studio.engine.policy import Policy
from studio.limits import OPENED_FILES_UP_TO, TOUCHED_FILES_UP_TO
from studio.values import Value

ListFiles = Callable[[Path], Iterable[str]]


class RuleBase(Value):
    """Effective rules of a project: its settings, and project-specific locks.

    See `Policy`.
    """

    root: Path
    settings: tuple[Setting, ...]
    locked_paths: tuple[str, ...] = ()
    locked_names: tuple[str, ...] = ()
    programs: tuple[tuple[str, str], ...] = ()
    tracked_folders: frozenset[str] = frozenset()

    def read_entry(self, key: str, text: str) -> tuple[Setting, ...]:
        """Return the settings of one more entry in a list. Raises ConfigRefused."""
        entry = {"project": str(self.root), "path": text} if key == PROJECT_FOLDERS else text
        return read_value(key, [entry])

    def policy(self, added: Sequence[Setting] = ()) -> Policy:
        """Return the policy with these settings added."""
        config = Config(settings=(*self.settings, *added), root=self.root)
        arguments = self.locked_paths, self.locked_names, self.programs
        return config.policy(*arguments, lambda: self.tracked_folders)


class TouchedFile(Value):
    """A file that a rule matches or affects, with its verdicts.

    `was_allowed` is the current verdict, `is_allowed` the one with the rule.
    """

    path: str
    was_allowed: bool
    is_allowed: bool


class RuleTrial(Value):
    """Effect of a rule on `total` files.

    It matches `matched` of them; `closed` are files that can't be changed any more, `opened` ones that can be
    from now on. `files` are the first of them, changed ones first.
    """

    total: int
    matched: int
    closed: int
    opened: int
    files: tuple[TouchedFile, ...]


Folders = Mapping[str, Sequence[tuple[str, str, str]]]
"""Files by folder path: path, name, and lower-case name."""


def _group_by_folder(paths: Iterable[str]) -> Folders:
    folders: dict[str, list[tuple[str, str, str]]] = {}
    for path in paths:
        above, _, name = path.rpartition("/")
        folders.setdefault(above, []).append((path, name, name.lower()))
    return folders


class _CachedFiles(Struct):
    """Cached files of a project, with the verdicts of `base` so far."""

    paths: tuple[str, ...]
    folders: Folders
    base: RuleBase
    policy: Policy
    allowed: dict[str, bool] = field(default_factory=dict[str, bool])

    def is_allowed(self, path: str) -> bool:
        """Return whether a file may be changed now."""
        found = self.allowed.get(path)
        if found is None:
            found = self.allowed[path] = self.policy.check(path, exists=True).allowed
        return found


_file_lists: dict[Path, _CachedFiles] = {}
"""Cache by root, for one project at a time."""


def try_rule(list_files: ListFiles, base: RuleBase, key: str, text: str, *, again: bool = False) -> RuleTrial:
    """Return the effect of one more entry in a list of rules.

    `again` lists the project again. Raises ConfigRefused where the text is no valid entry, OSError where the
    project can't be listed.
    """
    added = base.read_entry(key, text)
    cached = _list_files_cached(list_files, base, again=again)
    policy, is_final = base.policy(added), added[0].key in FINAL_DENIES
    matched = frozenset(_match_files(cached, added[0]))
    changed: list[TouchedFile] = []
    same: list[TouchedFile] = []
    closed = opened = 0
    for path in cached.paths if _denies_the_rest(added[0]) else matched:
        was_allowed = cached.is_allowed(path)
        now = not is_final and policy.check(path, exists=True).allowed
        closed, opened = closed + (was_allowed and not now), opened + (now and not was_allowed)
        if was_allowed != now:
            changed.append(TouchedFile(path, was_allowed, now))
        elif path in matched:
            same.append(TouchedFile(path, was_allowed, now))
    up_to = OPENED_FILES_UP_TO if key == PROJECT_FOLDERS else TOUCHED_FILES_UP_TO
    first = nsmallest(up_to, changed, key=_sort_key)
    first += nsmallest(TOUCHED_FILES_UP_TO - len(first), same, key=_sort_key)
    return RuleTrial(len(cached.paths), len(matched), closed, opened, tuple(first))


def _list_files_cached(list_files: ListFiles, base: RuleBase, *, again: bool) -> _CachedFiles:
    cached = _file_lists.get(base.root)
    if cached is None or again:
        paths = tuple(list_files(base.root))
        cached = _CachedFiles(paths, _group_by_folder(paths), base, base.policy())
    elif cached.base != base:
        cached = _CachedFiles(cached.paths, cached.folders, base, base.policy())
    _file_lists.clear()
    _file_lists[base.root] = cached
    return cached


def _denies_the_rest(setting: Setting) -> bool:
    """Return whether the rule denies what it does not match."""
    row = SettingKey.find(setting.key)
    return row is not None and row.name.startswith("allowed_")


def _match_files(cached: _CachedFiles, setting: Setting) -> Iterator[str]:
    """Return the files that an entry matches."""
    row = SettingKey.find(setting.key)
    kind = row.kind if row is not None else SettingKind.PATTERNS
    if kind is SettingKind.PROJECT_FOLDERS and isinstance(setting.value, tuple):
        beneath = f"{setting.value[1]}/"
        return (path for path in cached.paths if path.startswith(beneath))
    text = setting.value[0] if isinstance(setting.value, tuple) else str(setting.value)
    if kind is SettingKind.EXTENSIONS:
        ends = text.casefold()
        return (path for path in cached.paths if path.casefold().endswith(ends))
    if kind is SettingKind.ALLOWED_FOLDERS:
        folder = os.path.normpath(text)
        return (path for path in cached.paths if folder == "." or path.startswith(f"{folder}/"))
    is_allow = row is not None and row.name == "allow"
    return _match_by_folder(cached.folders, text, ignore_case=not is_allow)


def _match_by_folder(folders: Folders, text: str, *, ignore_case: bool) -> Iterator[str]:
    """Yield the matching paths by folder, so that mismatches are cheap."""
    lists = PatternLists([[parse_pattern(text, ignore_case=ignore_case)]])
    for above, files in folders.items():
        folder = lists.folder(above)
        speaks, near, is_held = folder.speaks, folder.steps.speaks, folder.held is not None
        for path, name, lowered in files:
            if speaks(lowered) is None and (near is None or near(lowered) is None):
                if is_held:
                    yield path
            elif lists.match_in(folder, name) is not None:
                yield path


def _sort_key(file: TouchedFile) -> tuple[int, str]:
    return file.path.count("/"), file.path
