"""Policy that answers path checks by the rules of all levels."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Final

from studio.engine.errors import InvalidPath
from studio.engine.limits import HUNKS_UP_TO, OWN_STEPS_UP_TO, PATH_BYTES
from studio.engine.names import (
    CONFIGURATION_NAME,
    folded,
    is_configuration_alias,
    is_git_alias,
    parse_name,
    show_name,
    windows_spellings,
)
from studio.engine.patterns import (
    Folder,
    Pattern,
    PatternList,
    PatternLists,
    Speaks,
    folder_text,
    literal_pattern,
    parse_pattern,
)
from studio.engine.policy import hints
from studio.engine.policy.tables import DANGER, DEFAULT_DENY, LOCKED, OPENED_BY_GIT, SECRET
from studio.engine.policy.values import PathVerdict, PolicyLimits, RuleSet

_FOLDERS_UP_TO: Final = 100_000

_ODD_NAMES: Final = "|".join(
    (
        # Other than printable ASCII, a backslash, a colon; a dot or a space at the end; the empty name.
        r"[ -9;-\[\]-~]*+(?:(?!\Z)|(?<=[. ]))",
        r"\Z",
        # A device on Windows.
        r"(?:con(?:(?:in|out)\$)?|prn|aux|nul|(?:com|lpt)[1-9]) *(?:\.|\Z)",
        # Another spelling of .git, or of our own names.
        r"\.git\Z|git~|studio~|studio\.yaml\Z",
    )
)
"""Regular expression of lower-case names that need the full check.

`parse_name` may refuse them, or they may be an alias; all others are certainly neither.
"""


@dataclass(frozen=True, slots=True)
class _Ruling:
    """Decision of a pattern; `why` follows the path in the verdict's reason."""

    allowed: bool
    rule: str
    level: str
    why: str
    hint: str = ""


@dataclass(slots=True, eq=False)
class _Known:
    """Cached decision for ordinary names in a folder with an ordinary path.

    `speaks` and `speaks_here` are the folder's tests for names that a pattern may match; `quiet` is the
    cached entry for subfolders whose names match none.
    """

    ruling: _Ruling
    folder: Folder
    speaks: Speaks
    speaks_here: Speaks | None
    quiet: _Known | None = None


@dataclass(slots=True, eq=False)
class _KnownFolders:
    """Cache by path.

    A full dictionary is replaced, never emptied, since other threads read it.
    """

    by_path: dict[str, _Known]


_MAY_BE_GITS: Final = "git's configuration can't be read, and may say that git runs or reads this file"
_OPENED: Final = "may be changed: its folder is allowed in this project."
_INSIDE = _Ruling(True, "inside the root", "default", "may be changed: it lies inside the project.")


@dataclass(frozen=True)
class Policy:
    """What proposals may touch; equal policy keys give equal fingerprints.

    `encodings` are pairs (pattern, encoding), first match wins. `locked_paths` are folders and files below
    the root that are locked in this project alone: git hooks, our own folders; `locked_names` are patterns
    that are locked because git's configuration can't be read. `programs` are pairs of a path below the root
    and the git variable whose command names it. `tracked_folders` returns the folders below the root that
    match `OPENED_BY_GIT` and of which git's HEAD has files; it is called only where one of these rules
    denies. `is_opened`: these rules are excluded.
    """

    rules: tuple[RuleSet, ...] = ()
    limits: PolicyLimits = field(default_factory=PolicyLimits)
    encodings: tuple[tuple[str, str], ...] = ()
    locked_paths: tuple[str, ...] = field(default=(), compare=False)
    locked_names: tuple[str, ...] = field(default=(), compare=False)
    programs: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    tracked_folders: Callable[[], Collection[str]] = field(default=tuple, compare=False)
    is_opened: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        """Parse all patterns at once, so that checks never fail.

        Raises PatternRefused.
        """
        _ = self._lists, self._encoding_patterns

    def check(self, path: str, *, folder: bool = False, exists: bool = False) -> PathVerdict:
        """Return the verdict on whether a proposal may touch a path.

        Never raises. `folder` says that the path is one. A denied folder denies everything beneath it; deny
        rules match every spelling that some file system takes for the same name, allow rules exactly.
        `exists`: an entry has exactly this name, so that names reserved by Windows are not refused. All other
        rules apply to it, and to the name that Windows would read instead.
        """
        verdict = self.by_rules(path, folder=folder, exists=exists)
        if verdict.allowed:
            return verdict
        opened = self._opened(path, folder=folder) if _is_for_git(verdict) else ()
        if not opened and _ends_at_allowed(verdict):
            return replace(verdict, hint=hints.of_default(folder_to_allow(path, folder=folder)))
        if not opened:
            return verdict
        inside = self._beneath_opened.check(path, folder=folder, exists=exists)
        if not inside.allowed:
            return inside
        why = f"may be changed: git's HEAD has files in {show_name(opened[-1])}."
        return _verdict(path, _Ruling(True, verdict.rule, verdict.level, why))

    def opened_folders(self, path: str, *, folder: bool = False) -> tuple[str, ...]:
        """Return the parent folders that only git's HEAD keeps open."""
        is_denied = _is_for_git(self.by_rules(path, folder=folder, exists=True))
        return self._opened(path, folder=folder) if is_denied else ()

    def _opened(self, path: str, *, folder: bool) -> tuple[str, ...]:
        """Return such folders for a path that `OPENED_BY_GIT` denies.

        None where one of them is not open.
        """
        wanted, tracked = tuple(folders_to_open(path, folder=folder)), self.tracked_folders()
        return wanted if all(each in tracked for each in wanted) else ()

    def by_rules(self, path: str, *, folder: bool, exists: bool) -> PathVerdict:
        """Return the answer without git's HEAD and without a folder to allow.

        Never raises.
        """
        above, slash, name = path.rpartition("/")
        known = self._known_folders.by_path.get(above) or self._know(above)
        if known is None or folder or (slash and not above):
            return self._judge(path, folder=folder, exists=exists)
        lowered = name.lower()
        near = known.speaks_here
        if known.speaks(lowered) is None and (near is None or near(lowered) is None):
            # Such a name matches no pattern: it has its folder's answer.
            ruling = known.ruling
            if self._filters and ruling.allowed:
                return self._filtered(path, ruling, is_folder=False)
            reason = f"{path} {ruling.why}"
            return PathVerdict(path, ruling.allowed, ruling.rule, ruling.level, reason, ruling.hint)
        if self._lists.is_unusual(name):
            return self._judge(path, folder=folder, exists=exists)
        ruling = self._ruling(self._lists.match_in(known.folder, name))
        if self._filters and ruling.allowed:
            return self._filtered(path, ruling, is_folder=False)
        return _verdict(path, ruling)

    def check_size(self, path: str, size: int) -> PathVerdict | None:
        """Return a denial if a file of `size` bytes exceeds the limit."""
        limit, level = self.limits.file_bytes, self.limits.file_bytes_level
        if size <= limit:
            return None
        why = f"{size} bytes are more than the limit of {limit}"
        return _denied(path, "limits.file_bytes", level, why, hints.of_limit("file_bytes", level))

    def danger(self, path: str) -> str | None:
        """Return a sentence if other programs run or obey this file."""
        dangers, reasons = _dangers()
        found = dangers.match(path)
        if found is not None:
            return f"{show_name(path)} {reasons[found.text]}."
        variable = self._programs.get(folded(path))
        if variable is None:
            return None
        return f"{show_name(path)} is named by a command in git's configuration ({show_name(variable)})."

    def encoding_for(self, path: str) -> str | None:
        """Return the configured encoding for a path, or None."""
        for patterns, encoding in self._encoding_patterns:
            if patterns.match(path):
                return encoding
        return None

    def fingerprint_for(self, paths: Iterable[str], *, folder: bool = False) -> str:
        """Return the SHA-256 (hex) that decisions on these paths are bound to.

        It covers the policy and the folders that git's HEAD opens.
        """
        opened = sorted({each for path in paths for each in self.opened_folders(path, folder=folder)})
        if not opened:  # also decisions of versions that did not read HEAD
            return self.fingerprint
        text = json.dumps([self.fingerprint, opened], separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) over the canonical JSON of the policy keys."""
        levels = [
            {
                "level": rules.level,
                "deny": rules.deny,
                "allow": rules.allow,
                "secrets": rules.secrets,
                "extensions": rules.extensions,
                "folders": rules.folders,
                # Absent without any, as before the key existed: older decisions stay valid.
                **({"opened": rules.opened} if rules.opened else {}),
            }
            for rules in self.rules
        ]
        keys = {
            "file_rules": [level for level in levels if any(level[key] for key in level if key != "level")],
            "limits": {
                "segment": self.limits.segment,
                "depth": self.limits.depth,
                "file_bytes": self.limits.file_bytes,
                "steps": self.limits.steps,
                # Absent at the default, as before the limit existed: older decisions stay valid.
                **({"hunks": self.limits.hunks} if self.limits.hunks != HUNKS_UP_TO else {}),
                **({"own_steps": self.limits.own_steps} if self.limits.own_steps != OWN_STEPS_UP_TO else {}),
            },
            "encodings": self.encodings,
        }
        text = json.dumps(keys, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def _lists(self) -> PatternLists:
        return PatternLists(
            [[pattern for pattern, _ in chapter] for chapter in self._chapters],
            odd_names=f"{_ODD_NAMES}|.{{{self.limits.segment + 1}}}",
        )

    @cached_property
    def _chapters(self) -> tuple[tuple[tuple[Pattern, _Ruling], ...], ...]:
        """The lists in order of precedence, each pattern with its decision."""
        denies = (
            _chapter(
                rules.deny,
                _Ruling(False, "", rules.level, "is denied: a rule denies it.", hints.of_deny(rules.level)),
            )
            for rules in self.rules
        )
        allows = (
            tuple(
                (parse_pattern(text), _Ruling(True, text, rules.level, "may be changed: a rule allows it."))
                for text in rules.allow
            )
            for rules in self.rules
        )
        secrets = (
            _chapter(rules.secrets, _by_default("a folder of secrets", rules.level)) for rules in self.rules
        )
        opened = (
            tuple(
                (parse_pattern(folder_text(path)), _Ruling(True, f"{path}/", rules.level, _OPENED))
                for path in rules.opened
            )
            for rules in self.rules
        )
        here = tuple(
            (literal_pattern(path), _locked("git or Exacta Studio use it", path))
            for path in self.locked_paths
        )
        unread = _chapter(self.locked_names, _locked(_MAY_BE_GITS))
        # Locked paths come first, so that no level can allow them; the defaults last, which an allow rule
        # opens.
        defaults = _UNOPENED_DENY if self.is_opened else _DEFAULT_DENY
        return (_LOCKED, here, unread, *denies, *allows, *secrets, _SECRET_DENY, *opened, defaults)

    @cached_property
    def _beneath_opened(self) -> Policy:
        return replace(self, is_opened=True)

    @cached_property
    def _rulings(self) -> dict[Pattern, _Ruling]:
        return {pattern: ruling for chapter in self._chapters for pattern, ruling in chapter}

    @cached_property
    def _known_folders(self) -> _KnownFolders:
        return _KnownFolders({"": self._known(self._lists.root)})

    @cached_property
    def _encoding_patterns(self) -> tuple[tuple[PatternList, str], ...]:
        return tuple((PatternList([pattern]), encoding) for pattern, encoding in self.encodings)

    @cached_property
    def _programs(self) -> dict[str, str]:
        return {folded(path): variable for path, variable in self.programs}

    @cached_property
    def _filters(self) -> tuple[RuleSet, ...]:
        return tuple(rules for rules in self.rules if rules.extensions or rules.folders)

    def _judge(self, path: str, *, folder: bool, exists: bool) -> PathVerdict:
        """Return the uncached answer for any text."""
        limits = self.limits
        try:
            parse_name(path, exists=exists, segment_bytes=limits.segment, depth=limits.depth)
        except InvalidPath as error:
            return PathVerdict(path, False, error.code, "name", str(error), error.hint)
        ruling = _INSIDE
        for spelling in (*windows_spellings(path), path) if exists else (path,):
            for segment in spelling.split("/"):
                if is_git_alias(segment):
                    return _denied(path, ".git", "locked", "it belongs to git", hints.LOCKED)
                if is_configuration_alias(segment):
                    why = "it is the configuration of Exacta Studio"
                    return _denied(path, CONFIGURATION_NAME, "locked", why, hints.LOCKED)
            ruling = self._ruling(self._lists.match(spelling, folder=folder))
            if not ruling.allowed:
                return _verdict(path, ruling)
        if self._filters and ruling.allowed:
            return self._filtered(path, ruling, is_folder=folder)
        return _verdict(path, ruling)

    def _know(self, folder: str) -> _Known | None:
        """Return the cache entry of an ordinary folder, else None."""
        if folder.startswith("/"):
            return None
        if folder.count("/") + 2 > self.limits.depth or len(folder) + self.limits.segment >= PATH_BYTES:
            return None
        known_folders = self._known_folders.by_path
        if len(known_folders) >= _FOLDERS_UP_TO:
            known_folders = self._known_folders.by_path = {"": known_folders[""]}
        above, missing = folder, list[str]()
        while above not in known_folders:
            above, _, name = above.rpartition("/")
            missing.append(name)
        known = known_folders[above]
        for name in reversed(missing):
            lowered = name.lower()
            near = known.speaks_here
            if known.speaks(lowered) is None and (near is None or near(lowered) is None):
                if known.quiet is None:
                    known.quiet = self._known(self._lists.quiet(known.folder))
                known = known.quiet
            elif self._lists.is_unusual(name):
                return None
            else:
                known = self._known(self._lists.child(known.folder, name))
            above = f"{above}/{name}" if above else name
            known_folders[above] = known
        return known

    def _known(self, folder: Folder) -> _Known:
        return _Known(self._ruling(folder.held), folder, folder.speaks, folder.steps.speaks)

    def _ruling(self, pattern: Pattern | None) -> _Ruling:
        return _INSIDE if pattern is None else self._rulings[pattern]

    def _filtered(self, path: str, ruling: _Ruling, *, is_folder: bool) -> PathVerdict:
        """Apply the lists of allowed folders and file types.

        Every level must let the path through.
        """
        name = path.rpartition("/")[2]
        for rules in self._filters:
            if rules.folders and not any(f"{path}/".startswith(f"{folder}/") for folder in rules.folders):
                wanted = ", ".join(map(show_name, rules.folders))
                hint = hints.of_list("allowed_directories", rules.level)
                why = f"it lies outside of {wanted}"
                return _denied(path, "allowed_directories", rules.level, why, hint)
            if is_folder or not rules.extensions:
                continue
            if not any(name.endswith(ending) and name != ending for ending in rules.extensions):
                wanted = ", ".join(rules.extensions)
                hint = hints.of_list("allowed_extensions", rules.level)
                why = f"only {wanted} files are allowed"
                return _denied(path, "allowed_extensions", rules.level, why, hint)
        return _verdict(path, ruling)


def _verdict(path: str, ruling: _Ruling) -> PathVerdict:
    reason = f"{show_name(path)} {ruling.why}"
    return PathVerdict(path, ruling.allowed, ruling.rule, ruling.level, reason, ruling.hint)


def _is_for_git(answer: PathVerdict | _Ruling) -> bool:
    """Return whether a denial is one that files in HEAD lift."""
    return not answer.allowed and answer.level == "default" and answer.rule in OPENED_BY_GIT


def _denied(path: str, rule: str, level: str, why: str, hint: str) -> PathVerdict:
    return _verdict(path, _Ruling(False, rule, level, f"is denied: {why}.", hint))


def _locked(why: str, rule: str = "") -> _Ruling:
    return _Ruling(False, rule, "locked", f"is denied: {why}.", hints.LOCKED)


def _by_default(what: str, level: str = "default") -> _Ruling:
    return _Ruling(False, "", level, f"is denied: it counts as {what}, and no rule allows it.", hints.DEFAULT)


def _chapter(texts: Iterable[str], ruling: _Ruling) -> tuple[tuple[Pattern, _Ruling], ...]:
    """Parse patterns that deny in every spelling, each with its decision."""
    return tuple((parse_pattern(text, ignore_case=True), replace(ruling, rule=text)) for text in texts)


_LOCKED = tuple(entry for text, what in LOCKED for entry in _chapter([text], _locked(f"it is {what}")))
_SECRET_DENY, _DEFAULT_DENY = (
    tuple(
        entry
        for text, what in DEFAULT_DENY
        if (text in SECRET) is is_secret
        for entry in _chapter([text], _by_default(what))
    )
    for is_secret in (True, False)
)
_UNOPENED_DENY = tuple((pattern, ruling) for pattern, ruling in _DEFAULT_DENY if not _is_for_git(ruling))


@cache
def _built_in() -> Policy:
    return Policy()


def why_never_allowed(folder: str) -> str:
    """Return why a folder can't be allowed by its path.

    "" if it can. It is locked, holds secrets, or is no valid path.
    """
    verdict = _built_in().check(folder, folder=True, exists=True)
    return "" if verdict.allowed or _ends_at_allowed(verdict) else verdict.reason.rstrip(".")


def folder_to_allow(path: str, *, folder: bool = False) -> str | None:
    """Return the folder that a person can allow for a path.

    `folder`: the path is one. It is the topmost that a built-in rule denies, or the one around a denied
    program. None where the path is locked or secret, denied by no built-in rule, or a program in the root.
    """
    denied = _built_in().by_rules(path, folder=folder, exists=True)
    if denied.allowed or not _ends_at_allowed(denied):
        return None
    names = path.split("/")
    above = ("/".join(names[:count]) for count in range(1, len(names) + folder))
    topmost = (each for each in above if not _built_in().by_rules(each, folder=True, exists=True).allowed)
    return next(topmost, path.rpartition("/")[0] or None)


def _ends_at_allowed(denied: PathVerdict) -> bool:
    """Return whether a folder allowed by a person lifts a denial."""
    return denied.level == "default" and denied.rule not in SECRET


@cache
def _dangers() -> tuple[PatternList, dict[str, str]]:
    """Return the danger patterns with their reasons, built on first use.

    That takes a tenth of a short command's time, and most need none.
    """
    reasons = dict(DANGER)
    return PatternList(reasons, ignore_case=True), reasons


_NAMES = PatternList(OPENED_BY_GIT, ignore_case=True)


def may_be_opened(name: str) -> bool:
    """Return whether git's HEAD decides on folders of this name."""
    return _NAMES.match(name, folder=True) is not None


def folders_to_open(path: str, *, folder: bool) -> Iterator[str]:
    """Yield each folder on a path that only git's HEAD can open.

    `folder`: the path itself is one.
    """
    parts = path.split("/")
    for count, name in enumerate(parts[: None if folder else -1], start=1):
        if may_be_opened(name):
            yield "/".join(parts[:count])
