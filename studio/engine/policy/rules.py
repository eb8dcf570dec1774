"""Policy class: allow or deny verdicts on paths, limits, and rule fingerprints."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, cached_property
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

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
from studio.errors import AccessDenied, InvalidPath, Refused
from studio.limits import (
    FILE_BYTES,
    HUNKS_UP_TO,
    OWN_STEPS_UP_TO,
    PATH_BYTES,
    PATH_DEPTH,
    SEGMENT_BYTES,
    STEPS_UP_TO,
)
from studio.names import (
    CONFIGURATION_NAME,
    folded,
    is_configuration_alias,
    is_git_alias,
    parse_name,
    show_name,
    windows_spellings,
)
from studio.values import Value

# Values of a policy: rule sets, limits and verdicts.


class PathVerdict(Value):
    """Answer on one path; a person's verdict on a step is `Verdict`.

    `rule` is the pattern or the name of the check that decided, `level` where it comes from: "name",
    "locked", "default" or a level of the configuration ("user", "project", ...). `reason` is one sentence.
    `hint` is what to do about a path that is not allowed.
    """

    path: str
    allowed: bool
    rule: str
    level: str
    reason: str
    hint: str = ""

    def denial(self) -> AccessDenied:
        """Return the error for a verdict that denies."""
        return AccessDenied(
            "policy.denied",
            f"{self.reason.rstrip('.')} (rule {show_name(self.rule)}, {self.level}).",
            self.hint or "Exclude this file.",
            path=self.path,
        )


class RuleSet(Value):
    """File rules of one configuration level, in the order of its file.

    `secrets` are denied as the defaults are: an allow rule opens them. In `opened` folders the defaults don't
    apply, except those on secrets. If not empty, `extensions` (".md") are the only ones that files may have,
    and `folders` the only places for them.
    """

    level: str
    deny: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()


class PolicyLimits(Value):
    """Limits that a user may set.

    `segment` and `file_bytes` are in bytes, `depth` is in segments. `file_bytes_level` is the level that set
    the largest size of a file.
    """

    segment: int = SEGMENT_BYTES
    depth: int = PATH_DEPTH
    file_bytes: int = FILE_BYTES
    steps: int = STEPS_UP_TO
    file_bytes_level: str = "default"
    hunks: int = HUNKS_UP_TO
    own_steps: int = OWN_STEPS_UP_TO

    def check_steps(self, count: int, *, is_own: bool = False) -> None:
        """Check the number of steps of a plan.

        Raises Refused above the limit. `is_own`: a plan that studio generates from a folder, which has a
        limit of its own.
        """
        limit, key = (self.own_steps, "own_steps") if is_own else (self.steps, "steps")
        if count > limit:
            raise Refused(
                "plan.too_many_steps",
                f"The plan has {count:,} steps; the limit is {limit:,}.",
                f"Propose it in parts, or raise limits.{key} in the user configuration.",
            )

    def check_hunks(self, count: int) -> None:
        """Check the number of hunks of a plan's text.

        Raises Refused above the limit.
        """
        if count > self.hunks:
            raise Refused(
                "plan.too_many_hunks",
                f"The plan has more than {self.hunks} hunks, the limit of one plan.",
                "Propose it in parts, or raise limits.hunks in the user configuration.",
            )


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


class _Ruling(Value):
    """Decision of a pattern; `why` follows the path in the verdict's reason."""

    allowed: bool
    rule: str
    level: str
    why: str
    hint: str = ""


class _CachedFolder(Struct, eq=False):
    """Cached decision for ordinary names in a folder with an ordinary path.

    `speaks` and `may_match_here` are the folder's tests for names that a pattern may match; `quiet` is the
    cached entry for subfolders whose names match none.
    """

    ruling: _Ruling
    folder: Folder
    speaks: Speaks
    may_match_here: Speaks | None
    quiet: _CachedFolder | None = None


class _FolderCache(Struct, eq=False):
    """Cache by path.

    A full dictionary is replaced, never emptied, since other threads read it.
    """

    by_path: dict[str, _CachedFolder]


_MAY_BE_GITS: Final = "git's configuration can't be read, so git may run or read this file"
_OPENED: Final = "may be changed: its folder is allowed in this project."
_INSIDE = _Ruling(True, "inside the root", "default", "may be changed: it is inside the project.")


class Policy(Value, eq=False, dict=True):
    """What proposals may touch; equal policy keys give equal fingerprints.

    `encodings` are pairs (pattern, encoding), first match wins. `locked_paths` are folders and files below
    the root that are locked in this project alone: git hooks, our own folders; `locked_names` are patterns
    that are locked because git's configuration can't be read. `programs` are pairs of a path below the root
    and the git variable whose command names it. `tracked_folders` returns the folders below the root that
    match `OPENED_BY_GIT` and of which git's HEAD has files; it is called only where one of these rules
    denies. `is_opened`: these rules are excluded.
    """

    rules: tuple[RuleSet, ...] = ()
    limits: PolicyLimits = PolicyLimits()
    encodings: tuple[tuple[str, str], ...] = ()
    locked_paths: tuple[str, ...] = ()
    locked_names: tuple[str, ...] = ()
    programs: tuple[tuple[str, str], ...] = ()
    tracked_folders: Callable[[], Collection[str]] = tuple
    is_opened: bool = False

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
        open_folders = self._open_folders(path, folder=folder) if _is_for_git(verdict) else ()
        if not open_folders and _is_liftable(verdict):
            return replace(verdict, hint=hints.default_hint(folder_to_allow(path, folder=folder)))
        if not open_folders:
            return verdict
        inner_verdict = self._inside_open_folders.check(path, folder=folder, exists=exists)
        if not inner_verdict.allowed:
            return inner_verdict
        cause = f"may be changed: git's HEAD has files in {show_name(open_folders[-1])}."
        return _verdict(path, _Ruling(True, verdict.rule, verdict.level, cause))

    def filter_ordinary(self, path: str, names: Collection[str]) -> Collection[str]:
        """Return names in the folder `path` that are allowed as it is.

        None of them needs `check`; the others may be allowed, too.
        """
        cached = self._folder_cache.by_path.get(path) or self._cache_folder(path)
        if cached is None or self._filters or not cached.ruling.allowed:
            return ()
        speaks, near_match = cached.speaks, cached.may_match_here
        return {
            name
            for name in names
            if speaks(lower_name := name.lower()) is None
            and (near_match is None or near_match(lower_name) is None)
        }

    def opened_folders(self, path: str, *, folder: bool = False) -> tuple[str, ...]:
        """Return the parent folders that only git's HEAD keeps open."""
        is_denied = _is_for_git(self.by_rules(path, folder=folder, exists=True))
        return self._open_folders(path, folder=folder) if is_denied else ()

    def _open_folders(self, path: str, *, folder: bool) -> tuple[str, ...]:
        """Return such folders for a path that `OPENED_BY_GIT` denies.

        None where one of them is not open.
        """
        folders, tracked_folders = tuple(folders_to_open(path, folder=folder)), self.tracked_folders()
        return folders if all(each in tracked_folders for each in folders) else ()

    def by_rules(self, path: str, *, folder: bool, exists: bool) -> PathVerdict:
        """Return the answer without git's HEAD and without a folder to allow.

        Never raises.
        """
        parent, slash, name = path.rpartition("/")
        cached = self._folder_cache.by_path.get(parent) or self._cache_folder(parent)
        if cached is None or (slash and not parent):
            return self._check_uncached(path, folder=folder, exists=exists)
        lower_name = name.lower()
        near_match = cached.may_match_here
        if cached.speaks(lower_name) is None and (near_match is None or near_match(lower_name) is None):
            # Such a name matches no pattern: it has its folder's answer.
            ruling = cached.ruling
            if self._filters and ruling.allowed:
                return self._apply_filters(path, ruling, is_folder=folder)
            reason = f"{path} {ruling.why}"
            return PathVerdict(path, ruling.allowed, ruling.rule, ruling.level, reason, ruling.hint)
        if folder or self._lists.is_unusual(name):
            return self._check_uncached(path, folder=folder, exists=exists)
        ruling = self._ruling(self._lists.match_in(cached.folder, name))
        if self._filters and ruling.allowed:
            return self._apply_filters(path, ruling, is_folder=False)
        return _verdict(path, ruling)

    def check_size(self, path: str, size: int) -> PathVerdict | None:
        """Return a denial if a file of `size` bytes exceeds the limit."""
        limit, level = self.limits.file_bytes, self.limits.file_bytes_level
        if size <= limit:
            return None
        cause = f"{size} bytes are more than the limit of {limit}"
        return _denial(path, "limits.file_bytes", level, cause, hints.limit_hint("file_bytes", level))

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
        open_folders = sorted({each for path in paths for each in self.opened_folders(path, folder=folder)})
        if not open_folders:  # also decisions of versions that did not read HEAD
            return self.fingerprint
        text = json.dumps([self.fingerprint, open_folders], separators=(",", ":"), ensure_ascii=True)
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
                _Ruling(False, "", rules.level, "is denied: a rule denies it.", hints.deny_hint(rules.level)),
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
            _chapter(rules.secrets, _default_ruling("a folder of secrets", rules.level))
            for rules in self.rules
        )
        opening_rules = (
            tuple(
                (parse_pattern(folder_text(path)), _Ruling(True, f"{path}/", rules.level, _OPENED))
                for path in rules.opened
            )
            for rules in self.rules
        )
        locked_here = tuple(
            (literal_pattern(path), _locked_ruling("it is used by git or Exacta Studio", path))
            for path in self.locked_paths
        )
        locked_names = _chapter(self.locked_names, _locked_ruling(_MAY_BE_GITS))
        # Locked paths come first, so that no level can allow them; the defaults last, which an allow rule
        # opens.
        defaults = _UNOPENED_DENY if self.is_opened else _DEFAULT_DENY
        return (
            _LOCKED,
            locked_here,
            locked_names,
            *denies,
            *allows,
            *secrets,
            _SECRET_DENY,
            *opening_rules,
            defaults,
        )

    @cached_property
    def _inside_open_folders(self) -> Policy:
        return replace(self, is_opened=True)

    @cached_property
    def _rulings(self) -> dict[Pattern, _Ruling]:
        return {pattern: ruling for chapter in self._chapters for pattern, ruling in chapter}

    @cached_property
    def _folder_cache(self) -> _FolderCache:
        return _FolderCache({"": self._build_cached(self._lists.root)})

    @cached_property
    def _encoding_patterns(self) -> tuple[tuple[PatternList, str], ...]:
        return tuple((PatternList([pattern]), encoding) for pattern, encoding in self.encodings)

    @cached_property
    def _programs(self) -> dict[str, str]:
        return {folded(path): variable for path, variable in self.programs}

    @cached_property
    def _filters(self) -> tuple[RuleSet, ...]:
        return tuple(rules for rules in self.rules if rules.extensions or rules.folders)

    def _check_uncached(self, path: str, *, folder: bool, exists: bool) -> PathVerdict:
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
                    return _denial(path, ".git", "locked", "it belongs to git", hints.LOCKED)
                if is_configuration_alias(segment):
                    cause = "it is the configuration of Exacta Studio"
                    return _denial(path, CONFIGURATION_NAME, "locked", cause, hints.LOCKED)
            ruling = self._ruling(self._lists.match(spelling, folder=folder))
            if not ruling.allowed:
                return _verdict(path, ruling)
        if self._filters and ruling.allowed:
            return self._apply_filters(path, ruling, is_folder=folder)
        return _verdict(path, ruling)

    def _cache_folder(self, folder: str) -> _CachedFolder | None:
        """Return the cache entry of an ordinary folder, else None."""
        if folder.startswith("/"):
            return None
        if folder.count("/") + 2 > self.limits.depth or len(folder) + self.limits.segment >= PATH_BYTES:
            return None
        known_folders = self._folder_cache.by_path
        if len(known_folders) >= _FOLDERS_UP_TO:
            known_folders = self._folder_cache.by_path = {"": known_folders[""]}
        parent, missing = folder, list[str]()
        while parent not in known_folders:
            parent, _, name = parent.rpartition("/")
            missing.append(name)
        cached = known_folders[parent]
        for name in reversed(missing):
            lower_name = name.lower()
            near_match = cached.may_match_here
            if cached.speaks(lower_name) is None and (near_match is None or near_match(lower_name) is None):
                if cached.quiet is None:
                    cached.quiet = self._build_cached(self._lists.quiet(cached.folder))
                cached = cached.quiet
            elif self._lists.is_unusual(name):
                return None
            else:
                cached = self._build_cached(self._lists.child(cached.folder, name))
            parent = f"{parent}/{name}" if parent else name
            known_folders[parent] = cached
        return cached

    def _build_cached(self, folder: Folder) -> _CachedFolder:
        return _CachedFolder(self._ruling(folder.held), folder, folder.speaks, folder.steps.speaks)

    def _ruling(self, pattern: Pattern | None) -> _Ruling:
        return _INSIDE if pattern is None else self._rulings[pattern]

    def _apply_filters(self, path: str, ruling: _Ruling, *, is_folder: bool) -> PathVerdict:
        """Apply the lists of allowed folders and file types.

        Every level must let the path through.
        """
        name = path.rpartition("/")[2]
        for rules in self._filters:
            if rules.folders and not any(f"{path}/".startswith(f"{folder}/") for folder in rules.folders):
                allowed = ", ".join(map(show_name, rules.folders))
                hint = hints.list_hint("allowed_directories", rules.level)
                cause = f"it is outside {allowed}"
                return _denial(path, "allowed_directories", rules.level, cause, hint)
            if is_folder or not rules.extensions:
                continue
            if not any(name.endswith(ending) and name != ending for ending in rules.extensions):
                allowed = ", ".join(rules.extensions)
                hint = hints.list_hint("allowed_extensions", rules.level)
                cause = f"only {allowed} files are allowed"
                return _denial(path, "allowed_extensions", rules.level, cause, hint)
        return _verdict(path, ruling)


def _verdict(path: str, ruling: _Ruling) -> PathVerdict:
    reason = f"{show_name(path)} {ruling.why}"
    return PathVerdict(path, ruling.allowed, ruling.rule, ruling.level, reason, ruling.hint)


def _is_for_git(answer: PathVerdict | _Ruling) -> bool:
    """Return whether a denial is one that files in HEAD lift."""
    return not answer.allowed and answer.level == "default" and answer.rule in OPENED_BY_GIT


def _denial(path: str, rule: str, level: str, cause: str, hint: str) -> PathVerdict:
    return _verdict(path, _Ruling(False, rule, level, f"is denied: {cause}.", hint))


def _locked_ruling(cause: str, rule: str = "") -> _Ruling:
    return _Ruling(False, rule, "locked", f"is denied: {cause}.", hints.LOCKED)


def _default_ruling(what: str, level: str = "default") -> _Ruling:
    return _Ruling(False, "", level, f"is denied: it is {what}, and no rule allows it.", hints.DEFAULT)


def _chapter(texts: Iterable[str], ruling: _Ruling) -> tuple[tuple[Pattern, _Ruling], ...]:
    """Parse patterns that deny in every spelling, each with its decision."""
    return tuple((parse_pattern(text, ignore_case=True), replace(ruling, rule=text)) for text in texts)


_LOCKED = tuple(entry for text, what in LOCKED for entry in _chapter([text], _locked_ruling(f"it is {what}")))
_SECRET_DENY, _DEFAULT_DENY = (
    tuple(
        entry
        for text, what in DEFAULT_DENY
        if (text in SECRET) is is_secret
        for entry in _chapter([text], _default_ruling(what))
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
    return "" if verdict.allowed or _is_liftable(verdict) else verdict.reason.rstrip(".")


def folder_to_allow(path: str, *, folder: bool = False) -> str | None:
    """Return the folder that a person can allow for a path.

    `folder`: the path is one. It is the topmost that a built-in rule denies, or the one around a denied
    program. None where the path is locked or secret, denied by no built-in rule, or a program in the root.
    """
    verdict = _built_in().by_rules(path, folder=folder, exists=True)
    if verdict.allowed or not _is_liftable(verdict):
        return None
    names = path.split("/")
    parents = ("/".join(names[:count]) for count in range(1, len(names) + folder))
    denied_folders = (
        each for each in parents if not _built_in().by_rules(each, folder=True, exists=True).allowed
    )
    return next(denied_folders, path.rpartition("/")[0] or None)


def _is_liftable(verdict: PathVerdict) -> bool:
    """Return whether a folder allowed by a person lifts a denial."""
    return verdict.level == "default" and verdict.rule not in SECRET


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
