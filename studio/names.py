"""Validation of file paths, and comparison keys for case-insensitive file systems.

Nothing here accesses a disk. Doubled slashes and single dots of a path are normalised; anything else in an
untrusted path is exact or refused. That a path does not lead outside is ensured again by the handles of
`root`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePath, PureWindowsPath
from typing import Final

from studio.errors import (
    InvalidPath,
    PathOverLimit,
    PathTraversal,
    StudioError,
    is_hidden_character,
    show_lines,
    show_name,
)
from studio.limits import PATH_BYTES, PATH_DEPTH, SEGMENT_BYTES, SHOWN_NAME_CHARACTERS

__all__ = [
    "CONFIGURATION_NAME",
    "caseless",
    "folded",
    "is_configuration_alias",
    "is_git_alias",
    "is_hidden_character",
    "is_reserved",
    "normalized",
    "parse_branch",
    "parse_existing",
    "parse_lexical",
    "parse_name",
    "parse_tool",
    "show_lines",
    "show_name",
    "windows_spellings",
]


CONFIGURATION_NAME: Final = "studio.yaml"


"""Name of the project's own configuration file, at the root."""


# Windows equates the superscript digits with the plain ones.
_RESERVED = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [f"{device}{digit}" for device in ("COM", "LPT") for digit in "123456789\u00b9\u00b2\u00b3"]
)


# Characters that HFS+ ignores when it compares names.
_IGNORABLE = dict.fromkeys([*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])


_GIT_SHORT_NAME = re.compile(r"git~[0-9]+")


_CONFIGURATION_SHORT_NAME = re.compile(r"studio~[0-9]+\.yam")


_RELATIVE = "Name the file relative to the root folder."


_IF_THERE = "; on Linux a file that already has it can be changed."


_ON_WINDOWS = frozenset({"name.drive", "name.backslash", "name.stream"})


# The order is guaranteed: one input, one code.
_PathRule = tuple[str, re.Pattern[str], str, str]


_PATH_RULES: tuple[_PathRule, ...] = tuple(
    (code, re.compile(broken, re.DOTALL), reason, hint)
    for code, broken, reason, hint in (
        ("name.not_utf8", ".*[\ud800-\udfff]", "is not UTF-8", "Names are UTF-8 text."),
        (
            "name.control",
            ".*[\x00-\x1f\x7f-\x9f]",
            "contains a control character",
            "Leave out NUL, line ends and other controls.",
        ),
        ("name.unc", r"//|\\\\", "names a network share", _RELATIVE),
        ("name.absolute", "/", "is absolute", _RELATIVE),
        ("name.drive", "[A-Za-z]:", "names a drive", f"{_RELATIVE[:-1]}{_IF_THERE}"),
        (
            "name.backslash",
            r".*\\",
            "contains a backslash",
            f"Separate folders with forward slashes{_IF_THERE}",
        ),
        (
            "name.stream",
            ".*:",
            "contains a colon, which names a stream on Windows",
            f"Choose a name without a colon{_IF_THERE}",
        ),
    )
)


_SHARE = re.compile("//")


# The rules that remain for a name that an entry on a disk with POSIX names already has.
_PATH_RULES_IF_THERE = tuple(
    (code, _SHARE if code == "name.unc" else broken, reason, hint)
    for code, broken, reason, hint in _PATH_RULES
    if code not in _ON_WINDOWS
)


_RULES_BENEATH_ROOT = {
    exists: tuple(rule for rule in rules if rule[0] != "name.absolute")
    for exists, rules in ((False, _PATH_RULES), (True, _PATH_RULES_IF_THERE))
}


# Two slashes at the start name a network share only on Windows; our own code does not mean one by them.
_LEXICAL_RULES = {
    False: tuple(
        (code, re.compile(r"\\\\"), reason, hint) if code == "name.unc" else (code, broken, reason, hint)
        for code, broken, reason, hint in _RULES_BENEATH_ROOT[False]
    ),
    True: tuple(rule for rule in _RULES_BENEATH_ROOT[True] if rule[0] != "name.unc"),
}


_SEGMENT_RULES = (
    ("name.empty_component", "", "has an empty segment", "Write single slashes, and none at the end."),
    ("name.climbs", "..", 'climbs with ".."', "Name the file from the root folder downwards."),
    ("name.dot", ".", 'has a segment "."', 'Leave out "./".'),
)


_CLASSES = {
    "name.climbs": PathTraversal,
    "name.escapes": PathTraversal,
    "name.too_deep": PathOverLimit,
    "name.too_long": PathOverLimit,
}


_LOOKED_AT_CHARACTERS: Final = 16 * PATH_BYTES


"""Length limit above which a text is refused before any rule runs."""


# Not pathvalidate: 3.3.1 accepts "..", "C:x" and "CON .txt" as file names.
def parse_name(
    text: str, *, exists: bool = False, segment_bytes: int = SEGMENT_BYTES, depth: int = PATH_DEPTH
) -> str:
    """Validate a path in the engine's own form, and return it.

    The path is relative to the project root, with forward slashes; `normalized` converts other spellings to
    that form. `segment_bytes` counts UTF-8 bytes, `depth` segments. The checks run in a fixed order, first
    over the whole path, then segment by segment from the left, so that one input always has one answer on
    every system. ".." is refused also where it would stay inside: "a/../b" is another file than "b" where "a"
    is a link. `exists` skips what only Windows reserves, for a name that an entry on a disk with POSIX names
    has: see `ReservedNames`. Raises InvalidPath, whose `code` names the rule (`name.climbs`, `name.absolute`,
    ...).
    """
    if not text:
        raise InvalidPath("name.empty", "A path is empty.", "Name a file inside the root folder.", path=text)
    _check_text(text, _PATH_RULES_IF_THERE if exists else _PATH_RULES)
    _check_segments(text, text, segment_bytes, depth, exists=exists)
    return text


def normalized(text: str) -> str:
    """Return a path without single dots and doubled slashes.

    "..", the root and a last slash are kept. Equals `os.path.normpath` for every path without "..", whatever
    links it passes: "a/../b" may be another file than "b" where "a" is a link, so ".." is not resolved. Two
    slashes at the start name a share.
    """
    if not ("./" in text or "//" in text) or text.startswith("//") or len(text) > _LOOKED_AT_CHARACTERS:
        return text
    first, *segments = text.split("/")
    parts = [segment for segment in segments[:-1] if segment not in ("", ".")]
    parts = [*([] if first == "." else [first]), *parts, segments[-1]]
    return text if segments[-1] == "." or parts in ([""], ["", ""]) else "/".join(parts)


def is_reserved(text: str) -> bool:
    """Return whether a path is refused only for names reserved by Windows.

    Those are devices, colons, backslashes, and dots and spaces at an end.
    """
    return not _is_taken(text, exists=False) and _is_taken(text, exists=True)


def _is_taken(text: str, *, exists: bool) -> bool:
    try:
        parse_name(text, exists=exists)
    except InvalidPath:
        return False
    return True


def windows_spellings(path: str) -> tuple[str, ...]:
    """Return other paths that Windows may read for a path.

    It drops streams, drive and trailing dots and spaces.
    """
    plain = path.replace("\\", "/")
    beyond_drive = plain[2:] if re.match("[A-Za-z]:", plain) else plain
    found: list[str] = []
    for text in dict.fromkeys((plain, beyond_drive)):
        segments = (segment.partition(":")[0].rstrip(" .") for segment in text.split("/"))
        found.append("/".join(segment for segment in segments if segment))
    return tuple(text for text in dict.fromkeys(found) if text and text != path)


def parse_branch(
    text: str, *, exists: bool = False, segment_bytes: int = SEGMENT_BYTES, depth: int = PATH_DEPTH
) -> str:
    """Validate a path of a branch entry, where "/" is the root.

    As `parse_name`, but "/x" means x beneath the root. Returns the path relative to the root, "" for the root
    itself. Empty segments and ".." are refused. Raises InvalidPath.
    """
    if text == "/":
        return ""
    if not text.startswith("/") or text.startswith("//"):
        return parse_name(text, exists=exists, segment_bytes=segment_bytes, depth=depth)
    _check_text(text, _RULES_BENEATH_ROOT[exists])
    _check_segments(text, text[1:], segment_bytes, depth, exists=exists)
    return text[1:]


def parse_lexical(
    text: str, *, exists: bool = False, segment_bytes: int = SEGMENT_BYTES, depth: int = PATH_DEPTH
) -> str:
    """Normalise a path of our own code for every backend.

    "" is the root. A leading slash, "//" and "." are dropped, ".." removes the segment before. Raises
    PathTraversal where that would leave the root, also when later segments would return, and InvalidPath for
    what may lead outside on some system: NUL and other controls, backslashes, colons, device names, what is
    not UTF-8. Spaces and dots at an end belong to the name. `exists` as for `parse_name`.
    """
    _check_text(text, _LEXICAL_RULES[exists])
    segments: list[str] = []
    for segment in text.split("/"):
        if segment == "..":
            if not segments:
                raise _invalid_path(
                    text, "name.escapes", 'climbs out of the root folder with ".."', _RELATIVE
                )
            segments.pop()
        elif segment not in ("", "."):
            segments.append(segment)
    path = "/".join(segments)
    _check_size(text, path, len(segments), depth)
    for segment in segments:
        if not exists:
            _check_device(text, segment)
        _check_segment_size(text, segment, segment_bytes)
    return path


def parse_tool(
    text: str,
    roots: Iterable[PurePath],
    *,
    exists: bool = False,
    folds_case: bool = False,
    segment_bytes: int = SEGMENT_BYTES,
    depth: int = PATH_DEPTH,
) -> tuple[PurePath, str]:
    """Validate a path of a tool operation against the allowed roots.

    It is relative to the first root, or absolute inside one of the roots. Returns that root and the path
    beneath it, "" for the root itself; of nested roots the innermost. At least one root is given, and all are
    absolute. They are compared segment by segment, so that a sibling with a longer name is outside, ignoring
    case and composition where the volume `folds_case` or the root is one of Windows. What follows the root is
    as strict as `parse_name`, and `exists` means the same, but has no effect on a root of Windows. Raises
    InvalidPath.
    """
    allowed = tuple(roots)
    on_windows = isinstance(allowed[0], PureWindowsPath)
    exists = exists and not on_windows
    if not (text.startswith("/") or (on_windows and re.match(r"[A-Za-z]:[\\/]|\\", text))):
        return allowed[0], parse_name(text, exists=exists, segment_bytes=segment_bytes, depth=depth)
    parts = (text.replace("\\", "/") if on_windows else text).split("/")
    found: tuple[PurePath, list[str]] | None = None
    for root in allowed:
        segments = root.as_posix().rstrip("/").split("/")
        inside = _starts_with(parts, segments, folds_case=folds_case or on_windows)
        if inside and (found is None or len(segments) > len(parts) - len(found[1])):
            found = root, parts[len(segments) :]
    if found is None:
        raise _invalid_path(
            text, "name.outside", "is outside the root folder and the allowed folders", _RELATIVE
        )
    root, path = found[0], "/".join(found[1])
    if path:
        _check_text(path, _RULES_BENEATH_ROOT[exists])
        _check_segments(text, path, segment_bytes, depth, exists=exists)
    return root, path


def parse_existing(parse: Callable[[bool], str], has: Callable[[str], bool]) -> str:
    """Return a parsed path, accepting names reserved by Windows that exist.

    `has` returns whether there is an entry of that name. `parse` is one of the parsers here, called with its
    `exists`. Raises InvalidPath.
    """
    try:
        return parse(False)
    except InvalidPath:
        with suppress(StudioError, OSError):
            found = parse(True)
            if has(found):
                return found
        raise


def _starts_with(parts: list[str], segments: list[str], *, folds_case: bool) -> bool:
    start = parts[: len(segments)]
    if folds_case:
        return [caseless(segment) for segment in start] == [caseless(segment) for segment in segments]
    return start == segments


def _check_text(text: str, rules: Iterable[_PathRule]) -> None:
    if len(text) > _LOOKED_AT_CHARACTERS:
        raise _too_long(text)
    for code, broken, reason, hint in rules:
        if broken.match(text):
            raise _invalid_path(text, code, reason, hint)


def _check_segments(text: str, path: str, segment_bytes: int, depth: int, *, exists: bool) -> None:
    """Check each segment; `path` is `text` without an optional leading slash."""
    segments = path.split("/")
    _check_size(text, path, len(segments), depth)
    for segment in segments:
        for code, named, reason, hint in _SEGMENT_RULES:
            if segment == named:
                raise _invalid_path(text, code, reason, hint)
        if not exists:
            _check_device(text, segment)
        if segment[-1] in ". " and not exists:
            raise _invalid_path(
                text,
                "name.trailing_dot_or_space",
                "has a segment that ends with a dot or a space, which Windows leaves out",
                f"Choose a name that means one file on every system{_IF_THERE}",
            )
        _check_segment_size(text, segment, segment_bytes)


def _check_size(text: str, path: str, count: int, depth: int) -> None:
    if count > depth:
        raise _invalid_path(
            text,
            "name.too_deep",
            f"has {count} segments; the limit is {depth}",
            "Put the file less deep, or raise limits: depth in the user configuration.",
        )
    if len(path.encode()) > PATH_BYTES:
        raise _too_long(text)


def _check_segment_size(text: str, segment: str, segment_bytes: int) -> None:
    if len(segment.encode()) > segment_bytes:
        raise _invalid_path(
            text,
            "name.too_long",
            f"has a segment of {len(segment.encode())} bytes; the limit is {segment_bytes}",
            "Choose a shorter name.",
        )


def _check_device(text: str, segment: str) -> None:
    if segment.partition(".")[0].rstrip(" ").upper() in _RESERVED:
        raise _invalid_path(
            text,
            "name.reserved",
            f'has a segment "{_shorten(segment)}", which is a device on Windows',
            f"Choose another name{_IF_THERE}",
        )


def _too_long(text: str) -> InvalidPath:
    return _invalid_path(
        text, "name.too_long", f"is longer than {PATH_BYTES} bytes", "Choose shorter names on the way."
    )


def _invalid_path(text: str, code: str, reason: str, hint: str) -> InvalidPath:
    return _CLASSES.get(code, InvalidPath)(code, f"The path {_shorten(text)} {reason}.", hint, path=text)


def _shorten(text: str) -> str:
    cut = text if len(text) <= SHOWN_NAME_CHARACTERS else f"{text[:SHOWN_NAME_CHARACTERS]}…"
    return show_name(cut)


def folded(text: str) -> str:
    """Return a key equal for spellings that some file system equates.

    It covers case, Unicode composition, the characters HFS+ ignores, and the dots and spaces that Windows
    trims from the end of each segment. Idempotent; never for display, never for opening a file.
    """
    key = caseless(text)
    if "." not in key and " " not in key:
        return key
    return "/".join(segment.rstrip(" .") or segment for segment in key.split("/"))


def caseless(text: str) -> str:
    """Return the character part of `folded`: case, composition, ignorables of HFS+."""
    if text.isascii():
        return text.lower()
    bare = text.translate(_IGNORABLE)
    once = unicodedata.normalize("NFD", unicodedata.normalize("NFD", bare).casefold())
    # A second round covers the few characters that decompose only after their case is folded.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", once.casefold()).casefold())


def is_git_alias(segment: str) -> bool:
    """Return whether some file system takes this segment for `.git`.

    By case, trailing dots and spaces, a stream, the Windows short name, or characters that HFS+ ignores.
    """
    name = _to_windows_spelling(segment)
    return name == ".git" or _GIT_SHORT_NAME.fullmatch(name) is not None


def is_configuration_alias(segment: str) -> bool:
    """Return whether some file system takes this segment for `studio.yaml`."""
    name = _to_windows_spelling(segment)
    return name == CONFIGURATION_NAME or _CONFIGURATION_SHORT_NAME.fullmatch(name) is not None


def _to_windows_spelling(segment: str) -> str:
    return folded(segment.partition(":")[0])


def project_path(path: str, roots: Sequence[Path], cwd: str = "") -> str:
    """Return a path relative to the project, or absolute if outside.

    A relative path counts from `cwd`, where that is absolute, else from the project. `roots` are names of the
    project's folder; another link to it is the same folder. The engine refuses an absolute path that is
    returned, and a relative one with "..".
    """
    absolute = path = normalized(path)
    if not path.startswith("/"):
        if not path or not cwd.startswith("/"):
            return path
        absolute = normalized(f"{cwd.rstrip('/')}/{path}")
    try:
        _, beneath = parse_tool(absolute, roots, exists=True)
    except InvalidPath:
        return _resolve_beneath_link(absolute, roots) or absolute
    return beneath or path


def is_in_project(folder: str, project: Path) -> bool:
    """Return whether an absolute folder is in the project, through any link."""
    return not project_path(f"{folder.rstrip('/')}/x", (project,)).startswith("/")


def _resolve_beneath_link(absolute: str, roots: Sequence[Path]) -> str:
    parts = absolute.split("/")
    if len(absolute) > PATH_BYTES or any(part in ("", ".", "..") for part in parts[1:]):
        return ""
    for count in range(len(parts) - 1, 1, -1):
        folder = "/".join(parts[:count])
        if any(_is_same(folder, root) for root in roots):
            return "/".join(parts[count:])
    return ""


def _is_same(folder: str, root: Path) -> bool:
    try:
        return Path(folder).samefile(root)
    except (OSError, ValueError):
        return False


def nearest_word(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that a misspelt one resembles most, if any."""
    from difflib import get_close_matches  # most words are spelled correctly

    return next(iter(get_close_matches(word, list(known), 1)), None)
