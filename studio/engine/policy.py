"""What may be proposed: file rules, locked paths and limits, each answer with rule, level and reason.

The order for a path is that of contract 8: name (inside the root), locked, user deny, user allow,
defaults, else allowed. A gate that cannot decide says no.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from studio.engine.limits import FILE_BYTES, PATH_DEPTH, SEGMENT_BYTES, STEPS_UP_TO
from studio.engine.names import (
    CONFIGURATION_NAME,
    NameRefused,
    folded,
    is_configuration_alias,
    is_git_alias,
    parse_name,
    show_name,
)
from studio.engine.patterns import PatternList

DEFAULT_DENY: Final = (
    ("bin/", "build output"),
    ("obj/", "build output"),
    ("packages/", "a package folder"),
    ("node_modules/", "a package folder"),
    (".*/", "a hidden folder"),
    ("secrets/", "a folder of secrets"),
    (".env", "a file of secrets"),
    (".env.*", "a file of secrets"),
    ("*.key", "a key"),
    ("*.pem", "a key"),
    ("*.pfx", "a key"),
    ("*.p12", "a key"),
    ("*.exe", "a program"),
    ("*.dll", "a program"),
    ("*.so", "a program"),
    ("*.dylib", "a program"),
)
"""Denied unless a user rule allows it: the union of seeds 2 and 3 (R33, R36, C44)."""

LOCKED: Final = (
    (".claude", "configuration of an agent"),
    (".codex", "configuration of an agent"),
    (".gemini", "configuration of an agent"),
    (".cursor", "configuration of an agent"),
    (".mcp.json", "configuration of an agent"),
    ("**/.vscode/settings.json", "configuration that an editor runs"),
    ("**/.vscode/tasks.json", "configuration that an editor runs"),
    ("**/.vscode/launch.json", "configuration that an editor runs"),
    (".idea", "configuration that an editor runs"),
    (".husky", "a folder of git hooks"),
    (".githooks", "a folder of git hooks"),
    (".exacta-*", "a temporary file of Exacta Studio"),
)
"""Never proposed, whatever rules say, at any depth; beside `.git` and `studio.yaml` (contract 8)."""

DANGER: Final = (
    ("**/.github/workflows/", "runs on the build servers"),
    (".gitlab-ci.yml", "runs on the build servers"),
    (".circleci/", "runs on the build servers"),
    (".buildkite/", "runs on the build servers"),
    (".travis.yml", "runs on the build servers"),
    (".drone.yml", "runs on the build servers"),
    ("azure-pipelines.yml", "runs on the build servers"),
    ("bitbucket-pipelines.yml", "runs on the build servers"),
    ("appveyor.yml", "runs on the build servers"),
    ("Jenkinsfile", "runs on the build servers"),
    ("Makefile", "says what the build runs"),
    ("GNUmakefile", "says what the build runs"),
    ("pyproject.toml", "says what the build runs"),
    ("setup.py", "runs when the package is installed"),
    ("package.json", "says what the build runs"),
    ("conftest.py", "runs with every test"),
    (".pre-commit-config.yaml", "runs with every commit"),
    (".envrc", "runs when the folder is entered"),
    ("AGENTS.md", "instructs agents"),
    ("CLAUDE.md", "instructs agents"),
    ("*.pth", "runs at every start of Python"),
)
"""Allowed, but shown as a danger: files that something else runs or obeys (contract 8)."""


@dataclass(frozen=True, slots=True)
class PathVerdict:
    """The answer on one path.

    `rule` is the pattern or the name of the check that decided, `level` where it comes from: "name",
    "locked", "default" or a level of the configuration ("user", "project", ...). `reason` is one sentence.
    """

    path: str
    allowed: bool
    rule: str
    level: str
    reason: str


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The file rules of one level of the configuration, in the order of its file."""

    level: str
    deny: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PolicyLimits:
    """The limits a user may set: `segment` and `file_bytes` in bytes, `depth` in segments."""

    segment: int = SEGMENT_BYTES
    depth: int = PATH_DEPTH
    file_bytes: int = FILE_BYTES
    steps: int = STEPS_UP_TO


@dataclass(frozen=True)
class Policy:
    """What proposals may touch. Equal policy keys have equal fingerprints.

    `encodings` are pairs (pattern, encoding), first match wins. `locked_paths` are folders and files
    below the root that are locked in this project alone: hooks of git, our own folders.
    """

    rules: tuple[RuleSet, ...] = ()
    limits: PolicyLimits = PolicyLimits()
    encodings: tuple[tuple[str, str], ...] = ()
    locked_paths: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        """Read all patterns at once: a policy that exists can answer. Raises PatternRefused."""
        _ = self._levels, self._encoding_patterns

    def check(self, path: str, *, folder: bool = False) -> PathVerdict:
        """Whether a proposal may touch `path`; `folder` says that it is one. Never raises.

        A denied folder denies everything beneath it; deny rules match every spelling that some file
        system takes for the same name, allow rules exactly (C5, R32, R41).
        """
        try:
            parse_name(path, segment_bytes=self.limits.segment, depth=self.limits.depth)
        except NameRefused as error:
            return PathVerdict(path, allowed=False, rule=error.code, level="name", reason=str(error))
        locked = self._locked(path, folder=folder)
        if locked is not None:
            return locked
        for rules, deny, _ in self._levels:
            found = deny.match(path, folder=folder)
            if found:
                return self._denied(path, found.text, rules.level, "a rule denies it")
        for rules, _, allow in self._levels:
            found = allow.match(path, folder=folder)
            if found:
                return PathVerdict(
                    path,
                    allowed=True,
                    rule=found.text,
                    level=rules.level,
                    reason=f"{show_name(path)} may be changed: a rule allows it.",
                )
        found = _DEFAULT_DENY.match(path, folder=folder)
        if found:
            return self._denied(
                path,
                found.text,
                "default",
                f"it counts as {_DEFAULT_REASONS[found.text]}, and no rule allows it",
            )
        return PathVerdict(
            path,
            allowed=True,
            rule="inside the root",
            level="default",
            reason=f"{show_name(path)} may be changed: it lies inside the project.",
        )

    def check_size(self, path: str, size: int) -> PathVerdict | None:
        """A denying verdict if a file of `size` bytes is over the limit, else None (R36)."""
        if size <= self.limits.file_bytes:
            return None
        return self._denied(
            path,
            "limits.file_bytes",
            "default" if self.limits.file_bytes == FILE_BYTES else "limits",
            f"{size} bytes are more than the limit of {self.limits.file_bytes}",
        )

    def danger(self, path: str) -> str | None:
        """One sentence if something else runs or obeys this file (contract 8), else None."""
        found = _DANGER.match(path)
        return f"{show_name(path)} {_DANGER_REASONS[found.text]}." if found else None

    def encoding_for(self, path: str) -> str | None:
        """The encoding that the configuration names for a path, None if it names none (R162)."""
        for patterns, encoding in self._encoding_patterns:
            if patterns.match(path):
                return encoding
        return None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256, hex, over the canonical JSON of the policy keys: what decisions are bound to."""
        keys = {
            "file_rules": [
                {"level": rules.level, "deny": rules.deny, "allow": rules.allow}
                for rules in self.rules
                if rules.deny or rules.allow
            ],
            "limits": {
                "segment": self.limits.segment,
                "depth": self.limits.depth,
                "file_bytes": self.limits.file_bytes,
                "steps": self.limits.steps,
            },
            "encodings": self.encodings,
        }
        text = json.dumps(keys, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def _levels(self) -> tuple[tuple[RuleSet, PatternList, PatternList], ...]:
        return tuple(
            (rules, PatternList(rules.deny, ignore_case=True), PatternList(rules.allow))
            for rules in self.rules
        )

    @cached_property
    def _encoding_patterns(self) -> tuple[tuple[PatternList, str], ...]:
        return tuple((PatternList([pattern]), encoding) for pattern, encoding in self.encodings)

    @cached_property
    def _locked_keys(self) -> tuple[str, ...]:
        return tuple(folded(path) for path in self.locked_paths)

    def _locked(self, path: str, *, folder: bool) -> PathVerdict | None:
        for segment in path.split("/") if _may_be_alias(path) else ():
            if is_git_alias(segment):
                return self._denied(path, ".git", "locked", "it belongs to git")
            if is_configuration_alias(segment):
                return self._denied(
                    path, CONFIGURATION_NAME, "locked", "it is the configuration of Exacta Studio"
                )
        found = _LOCKED.match(path, folder=folder)
        if found:
            return self._denied(path, found.text, "locked", f"it is {_LOCKED_REASONS[found.text]}")
        if self._locked_keys:
            key = folded(path)
            for locked, locked_key in zip(self.locked_paths, self._locked_keys, strict=True):
                if key == locked_key or key.startswith(f"{locked_key}/"):
                    return self._denied(path, locked, "locked", "git or Exacta Studio use it")
        return None

    @staticmethod
    def _denied(path: str, rule: str, level: str, why: str) -> PathVerdict:
        return PathVerdict(
            path, allowed=False, rule=rule, level=level, reason=f"{show_name(path)} is denied: {why}."
        )


def _may_be_alias(path: str) -> bool:
    """Whether a segment may be another spelling of `.git` or `studio.yaml`; quick, and never wrongly no."""
    lowered = path.lower()
    return not path.isascii() or "git" in lowered or "studio" in lowered


def _patterns(table: Iterable[tuple[str, str]]) -> tuple[PatternList, dict[str, str]]:
    reasons = dict(table)
    return PatternList(reasons, ignore_case=True), reasons


_DEFAULT_DENY, _DEFAULT_REASONS = _patterns(DEFAULT_DENY)
_LOCKED, _LOCKED_REASONS = _patterns(LOCKED)
_DANGER, _DANGER_REASONS = _patterns(DANGER)
