"""Generated, lock and vendored files, by name, first lines and .gitattributes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

from studio.engine.patterns import Pattern, PatternRefused, parse_pattern
from studio.engine.plan import Fact, Severity, Step

# What GitHub's linguist calls so, without what people write by hand as often: build/, external/, deps/.
_GENERATED_PATH = re.compile(
    r"(?:^|/)(?:[^/]+[.-]min\.(?:m?js|css)|[^/]+\.(?:[cm]?js|css|ts)\.map|[^/]+_pb2(?:_grpc)?\.pyi?"
    r"|[^/]+\.pb\.(?:go|cc|h)|[^/]+\.designer\.(?:cs|vb)|[^/]+\.(?:g|freezed)\.dart|\.pnp\.[^/]+|dist/.+)$",
    re.IGNORECASE,
)
LOCK_PATH = re.compile(
    r"(?:^|/)(?:[^/]+\.lock|[^/]+\.lockb|[^/]*\.lockfile|package-lock\.json|npm-shrinkwrap\.json|gems\.locked"
    r"|pnpm-lock\.yaml|go(?:\.work)?\.sum|packages\.lock\.json|pylock(?:\.[^/]+)?\.toml"
    r"|Package\.resolved|Cartfile\.resolved|\.terraform\.lock\.hcl)$"
)
_VENDORED_PATH = re.compile(
    r"(?:^|/)(?:node_modules|bower_components|_?vendor|vendored|third[_-]?party|3rd[_-]?party|Pods|Godeps"
    r"|Carthage|site-packages|\.yarn/(?:releases|plugins|cache))/",
    re.IGNORECASE,
)
_MARK = re.compile(
    rb"(?im)@generated\b|^\W*(?:this (?:file|code) (?:is|was) (?:auto-?|automatically )?generated\b"
    rb"|(?:code |auto-?|automatically )generated (?:by|from)\b.*)"
    rb"|generated\b[^\n]*\bdo not (?:edit|modify)|do not (?:edit|modify)\b[^\n]*generated"
)
_WORD = b"generated"
_HEAD_BYTES = 2048
_ATTRIBUTES = {"linguist-generated": "generated", "linguist-vendored": "vendored"}


def origin_facts(
    step: Step, base: bytes | None, result: bytes | None, attributes: Mapping[str, bool]
) -> Iterator[Fact]:
    """Yield facts on generated and vendored files.

    `attributes` are what .gitattributes says of the two, which overrides all else. A file that moves is what
    both its names say, and one with a mark what both sides say: a change can't make a file generated.
    """
    paths = {step.path, step.target}
    if attributes.get("vendored", all(map(_VENDORED_PATH.search, paths))):
        yield Fact("vendored", Severity.NOTE, "One of the files copied from other projects.")
    if "generated" in attributes:
        if attributes["generated"]:
            yield Fact("generated", Severity.NOTE, "According to .gitattributes, this file is generated.")
    elif all(map(LOCK_PATH.search, paths)):
        yield Fact(
            "generated", Severity.NOTE, "According to its name, a package manager generates this lock file."
        )
    elif all(map(_GENERATED_PATH.search, paths)):
        yield Fact("generated", Severity.NOTE, "According to its name, this file is generated.")
    elif (place := _find_mark(result)) is not None and (base is None or _find_mark(base) is not None):
        line = (result or b"").count(b"\n", 0, place) + 1
        message = "The file is marked as generated; changes may be lost."
        yield Fact("generated", Severity.NOTE, message, "result", line, 1)


def is_lock_file(path: str) -> bool:
    """Return whether a package manager writes a file of this name."""
    return LOCK_PATH.search(path) is not None


def _find_mark(data: bytes | None) -> int | None:
    head = (data or b"")[:_HEAD_BYTES]
    # Every such mark has the word; the expression alone takes 60 us for the head of a file without it.
    match = _MARK.search(head) if _WORD in head.lower() else None
    return match.start() if match is not None else None


# .gitattributes, as gitattributes(5) has it. Git's own reader is a process that takes 0.1 s to start.

AttributeRules = tuple[tuple[Pattern, Mapping[str, bool | None]], ...]
"""Patterns of one .gitattributes, with their effect; None cancels an earlier line."""


def attribute_rules(data: bytes) -> AttributeRules:
    """Return the rules of one file about generated and vendored files.

    A macro counts in the file that defines it.
    """
    macros: dict[str, list[str]] = {}
    rules: list[tuple[Pattern, Mapping[str, bool | None]]] = []
    for line in data.decode("utf-8", "replace").split("\n"):
        text, *words = _split_line(line) or ("",)
        if text.startswith("[attr]"):
            macros[text.removeprefix("[attr]")] = words
        elif values := dict(_values(each for word in words for each in (word, *macros.get(word, ())))):
            with suppress(PatternRefused):
                pattern = parse_pattern(text)
                if not pattern.negated and not pattern.only_folders:
                    rules.append((pattern, values))
    return tuple(rules)


def attributes_of(path: str, rules_in: Callable[[str], AttributeRules]) -> Mapping[str, bool]:
    """Return the attributes of a path; deeper folders override."""
    parts = path.split("/")
    found: dict[str, bool | None] = {}
    for depth in range(len(parts)):
        for pattern, values in rules_in("/".join(parts[:depth])):
            if _matches(pattern, parts[depth:]):
                found.update(values)
    return {kind: value for kind, value in found.items() if value is not None}


def _split_line(line: str) -> list[str]:
    """Return pattern and attributes; a pattern may be quoted."""
    line = line.strip(" \t\r")
    if line.startswith('"'):
        pattern, _, rest = line[1:].partition('"')
        return [pattern, *rest.split()]
    return [] if line.startswith("#") else line.split()


def _values(words: Iterable[str]) -> Iterator[tuple[str, bool | None]]:
    for word in words:
        name, _, value = word.lstrip("-!").partition("=")
        if kind := _ATTRIBUTES.get(name):
            yield kind, None if word.startswith("!") else not word.startswith("-") and value != "false"


def _matches(pattern: Pattern, names: list[str]) -> bool:
    """Return whether a pattern matches the path itself."""
    places = {0} if pattern.anchored else {len(names) - 1}
    for segment in pattern.segments:
        if segment is None:
            places = set(range(min(places, default=len(names)), len(names)))
        else:
            expression = re.compile(segment.expression, re.DOTALL)
            places = {at + 1 for at in places if at < len(names) and expression.fullmatch(names[at])}
    return len(names) in places
