"""The rules of all levels as one policy, asked about paths."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Final

from studio.engine.errors import InvalidPath, Refused
from studio.engine.limits import (
    FILE_BYTES,
    HUNKS_UP_TO,
    OWN_STEPS_UP_TO,
    PATH_BYTES,
    PATH_DEPTH,
    SEGMENT_BYTES,
    STEPS_UP_TO,
)
from studio.engine.names import (
    CONFIGURATION_NAME,
    folded,
    is_configuration_alias,
    is_git_alias,
    parse_name,
    show_name,
)
from studio.engine.patterns import (
    Folder,
    Pattern,
    PatternList,
    PatternLists,
    Speaks,
    literal_pattern,
    parse_pattern,
)
from studio.engine.policy import hints
from studio.engine.policy.tables import DANGER, DEFAULT_DENY, LOCKED, OPENED_BY_GIT
from studio.engine.policy.tracked_folders import folders_to_open

_FOLDERS_UP_TO: Final = 100_000

_ODD_NAMES: Final = "|".join(
    (
        # Other than printable ASCII, a backslash, a colon; a dot or a space at the end; nothing at all.
        r"[ -9;-\[\]-~]*+(?:(?!\Z)|(?<=[. ]))",
        r"\Z",
        # A device on Windows.
        r"(?:con(?:(?:in|out)\$)?|prn|aux|nul|(?:com|lpt)[1-9]) *(?:\.|\Z)",
        # Git's or ours in another spelling.
        r"\.git\Z|git~|studio~|studio\.yaml\Z",
    )
)
"""Lower-case names that `parse_name` may refuse or that may be an alias; all others surely are neither."""


@dataclass(frozen=True, slots=True)
class PathVerdict:
    """The answer on one path; `Verdict` is a person's word on a step.

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


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The file rules of one level of the configuration, in the order of its file.

    `secrets` are denied as the defaults are: an allow opens them. If there are any, `extensions` (".md")
    are the only ones that files may have, and `folders` the only places where they may lie.
    """

    level: str
    deny: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PolicyLimits:
    """The limits a user may set: `segment` and `file_bytes` in bytes, `depth` in segments.

    `file_bytes_level` is the level that set the largest size of a file.
    """

    segment: int = SEGMENT_BYTES
    depth: int = PATH_DEPTH
    file_bytes: int = FILE_BYTES
    steps: int = STEPS_UP_TO
    file_bytes_level: str = field(default="default", compare=False)
    hunks: int = HUNKS_UP_TO
    own_steps: int = OWN_STEPS_UP_TO


def check_steps(limits: PolicyLimits, steps: int, *, is_own: bool = False) -> None:
    """Raises Refused where a plan would have more steps than one may have; `is_own`: one that studio makes
    of a folder (contract 8)."""
    limit, key = (limits.own_steps, "own_steps") if is_own else (limits.steps, "steps")
    if steps > limit:
        raise Refused(
            "plan.too_many_steps",
            f"The plan has {steps} steps; the limit is {limit}.",
            f"Propose it in parts, or raise limits: {key} in the user configuration.",
        )


def check_hunks(limits: PolicyLimits, hunks: int) -> None:
    """Raises Refused where the text of a plan has more hunks than one may have."""
    if hunks > limits.hunks:
        raise Refused(
            "plan.too_many_hunks",
            f"The plan has more than {limits.hunks} hunks, the limit of one plan.",
            "Propose it in parts, or raise limits: hunks in the user configuration.",
        )


@dataclass(frozen=True, slots=True)
class _Ruling:
    """What a pattern decides; `why` follows the path in the verdict's reason, `hint` is the verdict's."""

    allowed: bool
    rule: str
    level: str
    why: str
    hint: str = ""


@dataclass(slots=True, eq=False)
class _Known:
    """A folder with good names alone on its way: the answer for names in it of which nothing speaks.

    `speaks` and `speaks_here` are those of the folder; `quiet` is what is known of the folders in it of whose
    names nothing speaks, once there is one.
    """

    ruling: _Ruling
    folder: Folder
    speaks: Speaks
    speaks_here: Speaks | None
    quiet: _Known | None = None


@dataclass(slots=True, eq=False)
class _KnownFolders:
    """What is known by path. A full dictionary is replaced, never emptied: other threads look into it."""

    by_path: dict[str, _Known]


_MAY_BE_GITS: Final = "git's configuration can't be read, and may say that git runs or reads this file"
_INSIDE = _Ruling(True, "inside the root", "default", "may be changed: it lies inside the project.")


@dataclass(frozen=True)
class Policy:
    """What proposals may touch. Equal policy keys have equal fingerprints.

    `encodings` are pairs (pattern, encoding), first match wins. `locked_paths` are folders and files
    below the root that are locked in this project alone: hooks of git, our own folders; `locked_names` are
    patterns that are locked because git's configuration can't be read. `programs` are pairs of a path below
    the root and the variable of git's configuration whose command names it. `tracked_folders` returns the
    folders below the root that `OPENED_BY_GIT` names and of which git's HEAD has files; it is called only
    where one of these rules denies. `is_opened`: these rules are left out.
    """

    rules: tuple[RuleSet, ...] = ()
    limits: PolicyLimits = PolicyLimits()
    encodings: tuple[tuple[str, str], ...] = ()
    locked_paths: tuple[str, ...] = field(default=(), compare=False)
    locked_names: tuple[str, ...] = field(default=(), compare=False)
    programs: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    tracked_folders: Callable[[], Collection[str]] = field(default=tuple, compare=False)
    is_opened: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        """Read all patterns at once: a policy that exists can answer. Raises PatternRefused."""
        _ = self._lists, self._encoding_patterns

    def check(self, path: str, *, folder: bool = False) -> PathVerdict:
        """Whether a proposal may touch `path`; `folder` says that it is one. Never raises.

        A denied folder denies everything beneath it; deny rules match every spelling that some file
        system takes for the same name, allow rules exactly (C5, R32, R41).
        """
        verdict = self._by_rules(path, folder=folder)
        if verdict.allowed or not _is_for_git(verdict):
            return verdict
        opened = self._opened(path, folder=folder)
        if not opened:
            return verdict
        inside = self._beneath_opened.check(path, folder=folder)
        if not inside.allowed:
            return inside
        why = f"may be changed: git's HEAD has files in {show_name(opened[-1])}."
        return _verdict(path, _Ruling(True, verdict.rule, verdict.level, why))

    def opened_folders(self, path: str, *, folder: bool = False) -> tuple[str, ...]:
        """Return the folders on the way to a path that are open only because git's HEAD has files there."""
        is_denied = _is_for_git(self._by_rules(path, folder=folder))
        return self._opened(path, folder=folder) if is_denied else ()

    def _opened(self, path: str, *, folder: bool) -> tuple[str, ...]:
        """The same for a path that such a rule denies; none where one of them is not open."""
        wanted, tracked = tuple(folders_to_open(path, folder=folder)), self.tracked_folders()
        return wanted if all(each in tracked for each in wanted) else ()

    def _by_rules(self, path: str, *, folder: bool) -> PathVerdict:
        """The answer without git's HEAD."""
        above, slash, name = path.rpartition("/")
        known = self._known_folders.by_path.get(above) or self._know(above)
        if known is None or folder or (slash and not above):
            return self._judge(path, folder=folder)
        lowered = name.lower()
        near = known.speaks_here
        if known.speaks(lowered) is None and (near is None or near(lowered) is None):
            # Nothing speaks of such a name: it has its folder's answer.
            ruling = known.ruling
            if self._filters and ruling.allowed:
                return self._filtered(path, ruling, is_folder=False)
            reason = f"{path} {ruling.why}"
            return PathVerdict(path, ruling.allowed, ruling.rule, ruling.level, reason, ruling.hint)
        if self._lists.is_odd(name):
            return self._judge(path, folder=folder)
        ruling = self._ruling(self._lists.match_in(known.folder, name))
        if self._filters and ruling.allowed:
            return self._filtered(path, ruling, is_folder=False)
        return _verdict(path, ruling)

    def check_size(self, path: str, size: int, *, at_most: int | None = None) -> PathVerdict | None:
        """A denying verdict if a file of `size` bytes is over the limit, else None (R36).

        `at_most` is a caller's own limit in bytes; it lowers the policy's and never raises it (C16).
        """
        own = at_most is not None and at_most < self.limits.file_bytes
        limit = at_most if own and at_most is not None else self.limits.file_bytes
        if size <= limit:
            return None
        rule, level = ("max_size", "call") if own else ("limits.file_bytes", self.limits.file_bytes_level)
        hint = hints.of_call(rule) if own else hints.of_limit("file_bytes", level)
        return _denied(path, rule, level, f"{size} bytes are more than the limit of {limit}", hint)

    def danger(self, path: str) -> str | None:
        """One sentence if something else runs or obeys this file (contract 8), else None."""
        dangers, reasons = _dangers()
        found = dangers.match(path)
        if found is not None:
            return f"{show_name(path)} {reasons[found.text]}."
        variable = self._programs.get(folded(path))
        if variable is None:
            return None
        return f"{show_name(path)} is named by a command in git's configuration ({show_name(variable)})."

    def encoding_for(self, path: str) -> str | None:
        """The encoding that the configuration names for a path, None if it names none (R162)."""
        for patterns, encoding in self._encoding_patterns:
            if patterns.match(path):
                return encoding
        return None

    def fingerprint_for(self, paths: Iterable[str], *, folder: bool = False) -> str:
        """SHA-256, hex: what a decision on these paths is bound to, the policy and what git's HEAD opens."""
        opened = sorted({each for path in paths for each in self.opened_folders(path, folder=folder)})
        if not opened:  # also the decisions of builds that asked no HEAD
            return self.fingerprint
        text = json.dumps([self.fingerprint, opened], separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256, hex, over the canonical JSON of the policy keys."""
        levels = [
            {
                "level": rules.level,
                "deny": rules.deny,
                "allow": rules.allow,
                "secrets": rules.secrets,
                "extensions": rules.extensions,
                "folders": rules.folders,
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
                # Left out as it was before there was such a limit: decisions of that time still count.
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
        """The lists of patterns in the order in which they count, each pattern with what it decides."""
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
        here = tuple(
            (literal_pattern(path), _locked("git or Exacta Studio use it", path))
            for path in self.locked_paths
        )
        unread = _chapter(self.locked_names, _locked(_MAY_BE_GITS))
        # What is locked comes first, so that no level can allow it; the defaults last, which an allow opens.
        defaults = _UNOPENED_DENY if self.is_opened else _DEFAULT_DENY
        return (_LOCKED, here, unread, *denies, *allows, *secrets, defaults)

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

    def _judge(self, path: str, *, folder: bool) -> PathVerdict:
        """The answer from the beginning, for any text."""
        try:
            parse_name(path, segment_bytes=self.limits.segment, depth=self.limits.depth)
        except InvalidPath as error:
            return PathVerdict(path, False, error.code, "name", str(error), error.hint)
        for segment in path.split("/"):
            if is_git_alias(segment):
                return _denied(path, ".git", "locked", "it belongs to git", hints.LOCKED)
            if is_configuration_alias(segment):
                why = "it is the configuration of Exacta Studio"
                return _denied(path, CONFIGURATION_NAME, "locked", why, hints.LOCKED)
        ruling = self._ruling(self._lists.match(path, folder=folder))
        if self._filters and ruling.allowed:
            return self._filtered(path, ruling, is_folder=folder)
        return _verdict(path, ruling)

    def _know(self, folder: str) -> _Known | None:
        """What to say of quiet names in a folder that has only good names on its way, else None."""
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
            elif self._lists.is_odd(name):
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
        """Last of all, only the folders and kinds of files that every level lets through (R37, C9, C10)."""
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
    """Whether a built-in rule denies that ends where git's HEAD has files."""
    return not answer.allowed and answer.level == "default" and answer.rule in OPENED_BY_GIT


def _denied(path: str, rule: str, level: str, why: str, hint: str) -> PathVerdict:
    return _verdict(path, _Ruling(False, rule, level, f"is denied: {why}.", hint))


def _locked(why: str, rule: str = "") -> _Ruling:
    return _Ruling(False, rule, "locked", f"is denied: {why}.", hints.LOCKED)


def _by_default(what: str, level: str = "default") -> _Ruling:
    return _Ruling(False, "", level, f"is denied: it counts as {what}, and no rule allows it.", hints.DEFAULT)


def _chapter(texts: Iterable[str], ruling: _Ruling) -> tuple[tuple[Pattern, _Ruling], ...]:
    """Patterns that deny in every spelling, with the ruling of each."""
    return tuple((parse_pattern(text, ignore_case=True), replace(ruling, rule=text)) for text in texts)


_LOCKED = tuple(entry for text, what in LOCKED for entry in _chapter([text], _locked(f"it is {what}")))
_DEFAULT_DENY = tuple(entry for text, what in DEFAULT_DENY for entry in _chapter([text], _by_default(what)))
_UNOPENED_DENY = tuple((pattern, ruling) for pattern, ruling in _DEFAULT_DENY if not _is_for_git(ruling))


@cache
def _dangers() -> tuple[PatternList, dict[str, str]]:
    """Made once somebody asks: a tenth of a short command's time, and most ask nothing of the kind."""
    reasons = dict(DANGER)
    return PatternList(reasons, ignore_case=True), reasons
