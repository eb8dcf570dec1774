"""The parsers of the doors that are not proposals: branch, protocol and tools; and Windows' own spelling.

Judged against rules written here a second time.
"""

from __future__ import annotations

import ntpath
import posixpath
from pathlib import PurePath, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import example, given, strategies as st

from studio.errors import FaultKind, InvalidPath, PathOverLimit, PathTooLong, PathTraversal
from studio.limits import WINDOWS_LONG_PATH_UNITS, WINDOWS_PATH_UNITS
from studio.names import parse_branch, parse_lexical, parse_name, parse_tool
from studio.text.windows_paths import windows_path

ANY_TEXT = st.text(st.characters(), max_size=40) | st.text("./\\: aCON\x00\ud800\u202e~", max_size=20)
SEGMENTS = st.lists(st.sampled_from(["a", "b", " c ", "d.", "..x", "..", ".", ""]), max_size=8)

LEXICAL = {
    "": "",
    "/": "",
    ".": "",
    "./": "",
    "a/..": "",
    "a": "a",
    "/a": "a",
    "//a//b/": "a/b",
    "///a": "a",
    "./a/./b/.": "a/b",
    "a/../b": "b",
    "a/b/../../c": "c",
    "/etc/passwd": "etc/passwd",
    " a ": " a ",
    "a /b.": "a /b.",
    "...": "...",
    "..a/b..": "..a/b..",
    "-rf": "-rf",
    "*": "*",
}


@pytest.mark.parametrize(("text", "path"), LEXICAL.items())
def test_our_own_code_writes_slashes_and_dots_as_it_likes(text: str, path: str) -> None:
    """Nothing is ever trimmed."""
    assert parse_lexical(text) == path


@pytest.mark.parametrize(
    "text", ["..", "../x", "/..", "/../x", "a/../..", "a/../../x", "a/../../a", "./../a"]
)
def test_what_climbs_out_is_an_error_and_never_bent(text: str) -> None:
    """Also where a later segment would come back."""
    with pytest.raises(PathTraversal) as refused:
        parse_lexical(text)
    assert refused.value.code == "name.escapes"
    assert refused.value.registry == "SEC-001"
    assert refused.value.fault is FaultKind.INVALID_PATH


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nul\x00/../../../etc/passwd", "name.control"),
        ("a\nb", "name.control"),
        ("a\x7f", "name.control"),
        ("a\udc80", "name.not_utf8"),
        ("a\\..\\..\\b", "name.backslash"),
        ("\\\\server\\share", "name.unc"),
        ("C:/x", "name.drive"),
        ("a:b", "name.drive"),
        ("ab:c", "name.stream"),
        ("a/CON", "name.reserved"),
        ("./aux.c", "name.reserved"),
        ("COM\u00b9", "name.reserved"),
    ],
)
def test_what_leads_elsewhere_on_some_system_is_refused_for_our_own_code_too(text: str, code: str) -> None:
    with pytest.raises(InvalidPath) as refused:
        parse_lexical(text)
    assert refused.value.code == code


def test_limits_hold_for_what_remains() -> None:
    """A limit counts the path as it is used, not as it was written."""
    assert parse_lexical("a/b/../c", depth=2) == "a/c"
    with pytest.raises(PathOverLimit):
        parse_lexical("a/b/c", depth=2)
    with pytest.raises(PathOverLimit):
        parse_lexical("abcd", segment_bytes=3)
    with pytest.raises(PathOverLimit):
        parse_lexical("/".join(["a" * 200] * 21))


@given(SEGMENTS.map("/".join))
@example("a/../../a")
def test_lexical_agrees_with_a_second_reading(text: str) -> None:
    """The standard library's normalisation clamps at the root; the depth on the way says what it hides."""
    depths = [0]
    for segment in text.split("/"):
        depths.append(depths[-1] + {"..": -1, ".": 0, "": 0}.get(segment, 1))
    if min(depths) < 0:
        with pytest.raises(PathTraversal):
            parse_lexical(text)
    else:
        assert parse_lexical(text) == posixpath.normpath("/" + text).lstrip("/")


@given(ANY_TEXT)
def test_lexical_is_stable_and_stays_inside(text: str) -> None:
    try:
        path = parse_lexical(text)
    except InvalidPath:
        return
    assert parse_lexical(path) == path
    assert not path.startswith("/") and not set(path.split("/")) & {".", ".."}
    assert "//" not in path and "\x00" not in path


@given(ANY_TEXT)
def test_what_is_strict_is_lexical_and_branch_as_it_stands(text: str) -> None:
    """One resolver: every parser hands it the same path for a name that all of them take."""
    try:
        strict = parse_name(text)
    except InvalidPath:
        return
    assert parse_lexical(strict) == parse_branch(strict) == parse_branch(f"/{strict}") == strict


@pytest.mark.parametrize(
    ("text", "path"), [("a/b", "a/b"), ("/a/b", "a/b"), ("/config.json", "config.json"), ("/", "")]
)
def test_a_slash_before_a_branch_path_means_the_root(text: str, path: str) -> None:
    assert parse_branch(text) == path


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "name.empty"),
        ("foo//bar", "name.empty_component"),
        ("/foo//bar", "name.empty_component"),
        ("//a", "name.unc"),
        ("/a/", "name.empty_component"),
        ("/..", "name.climbs"),
        ("/a/../b", "name.climbs"),
        ("/./a", "name.dot"),
        ("/C:/x", "name.stream"),
        ("/con", "name.reserved"),
        ("/a\x00", "name.control"),
        ("/a\\b", "name.backslash"),
        ("/a ", "name.trailing_dot_or_space"),
    ],
)
def test_the_rest_of_a_branch_path_is_strict(text: str, code: str) -> None:
    with pytest.raises(InvalidPath) as refused:
        parse_branch(text)
    assert refused.value.code == code
    assert refused.value.path == text


POSIX_ROOTS = (PurePosixPath("/proj"), PurePosixPath("/proj/inner"), PurePosixPath("/other"))
WINDOWS_ROOTS = (PureWindowsPath("C:/proj"), PureWindowsPath("//server/share/proj"))


@pytest.mark.parametrize(
    ("text", "root", "path"),
    [
        ("a/b", "/proj", "a/b"),
        ("/proj/a/b", "/proj", "a/b"),
        ("/proj", "/proj", ""),
        ("/proj/", "/proj", ""),
        ("/proj/inner/x", "/proj/inner", "x"),
        ("/proj/innermost", "/proj", "innermost"),
        ("/other/x", "/other", "x"),
    ],
)
def test_an_absolute_tool_path_inside_a_root_becomes_relative(text: str, root: str, path: str) -> None:
    """Of nested roots the innermost."""
    assert parse_tool(text, POSIX_ROOTS) == (PurePosixPath(root), path)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("/proj-evil/a", "name.outside"),
        ("/projx", "name.outside"),
        ("/pro", "name.outside"),
        ("/", "name.outside"),
        ("/etc/passwd", "name.outside"),
        ("/Proj/a", "name.outside"),
        ("//proj/a", "name.outside"),
        ("/x/../proj/a", "name.outside"),
        ("/proj/../etc/passwd", "name.climbs"),
        ("/proj/a/../b", "name.climbs"),
        ("/proj//a", "name.empty_component"),
        ("/proj/./a", "name.dot"),
        ("/proj/a\x00b", "name.control"),
        ("/proj/con", "name.reserved"),
        ("../x", "name.climbs"),
        ("", "name.empty"),
    ],
)
def test_other_tool_paths_are_refused(text: str, code: str) -> None:
    """A sibling whose name begins like the root is outside."""
    with pytest.raises(InvalidPath) as refused:
        parse_tool(text, POSIX_ROOTS)
    assert refused.value.code == code


def test_the_case_of_a_root_counts_as_the_volume_says() -> None:
    assert parse_tool("/PROJ/Src/a", POSIX_ROOTS, folds_case=True) == (POSIX_ROOTS[0], "Src/a")
    composed, decomposed = PurePosixPath("/\u00e9"), "/e\u0301/x"
    assert parse_tool(decomposed, [composed], folds_case=True) == (composed, "x")
    with pytest.raises(InvalidPath):
        parse_tool(decomposed, [composed])


@pytest.mark.parametrize(
    ("text", "root", "path"),
    [
        ("C:\\proj\\src\\a.cs", 0, "src/a.cs"),
        ("c:/PROJ/src/a.cs", 0, "src/a.cs"),
        ("\\\\server\\share\\proj\\a", 1, "a"),
        ("src/a.cs", 0, "src/a.cs"),
    ],
)
def test_windows_roots_take_both_slashes_and_any_case(text: str, root: int, path: str) -> None:
    assert parse_tool(text, WINDOWS_ROOTS) == (WINDOWS_ROOTS[root], path)


@pytest.mark.parametrize(
    "text",
    [
        "C:\\proj-evil\\a",
        "D:\\proj\\a",
        "\\\\?\\C:\\proj\\a",
        "\\\\.\\C:\\proj\\a",
        "\\\\server\\share\\other",
        "C:proj\\a",
        "C:\\proj\\..\\a",
        "C:\\proj\\con.txt",
        "C:\\proj\\a::$DATA",
        "\\proj\\a",
        "a\\b",
    ],
)
def test_windows_escapes_are_refused(text: str) -> None:
    with pytest.raises(InvalidPath):
        parse_tool(text, WINDOWS_ROOTS)


@given(st.sampled_from(["/proj", "/proj-evil", "/other", "/proj/inner", "", "/PROJ"]), SEGMENTS.map("/".join))
def test_a_tool_path_means_what_the_standard_library_says(start: str, rest: str) -> None:
    """The second judge: an accepted absolute path, normalised, is root plus relative path."""
    text = f"{start}/{rest}"
    try:
        root, path = parse_tool(text, POSIX_ROOTS)
    except InvalidPath:
        return
    assert posixpath.normpath(text) == posixpath.normpath(posixpath.join(root, path))
    assert PurePath(posixpath.normpath(text)).is_relative_to(root)


DRIVE = PureWindowsPath("C:/files/proj")
SHARE = PureWindowsPath("//server/share/proj")


def test_windows_spelling() -> None:
    """Separators, and the folder before."""
    assert windows_path(DRIVE, "src/main.cs") == "C:\\files\\proj\\src\\main.cs"
    assert windows_path(SHARE, "a") == "\\\\server\\share\\proj\\a"


def spelled(root: PureWindowsPath, units: int, name: str = "x") -> str:
    """A path that makes the whole one exactly that long."""
    left = units - len(str(root)) - 1
    parts = [name * 100] * (left // 101)
    rest = left - 101 * len(parts)
    return "/".join([*parts, name * rest] if rest else [*parts[:-1], name * 99, name])


@pytest.mark.parametrize("units", [247, 248, WINDOWS_PATH_UNITS, WINDOWS_PATH_UNITS + 1, 1000])
def test_long_windows_paths_carry_the_prefix_near_the_limit(units: int) -> None:
    """259 is MAX_PATH without its final zero."""
    path = spelled(DRIVE, units)
    plain = ntpath.join(str(DRIVE), path.replace("/", "\\"))
    assert len(plain) == units
    assert windows_path(DRIVE, path) == (plain if units < 248 else f"\\\\?\\{plain}")
    if units <= WINDOWS_PATH_UNITS:
        assert windows_path(DRIVE, path, use_long_paths=False) == plain
    else:
        with pytest.raises(PathTooLong) as refused:
            windows_path(DRIVE, path, use_long_paths=False)
        assert refused.value.fault is FaultKind.PATH_TOO_LONG


def test_a_long_path_on_a_share_has_its_own_prefix() -> None:
    assert windows_path(SHARE, spelled(SHARE, 300)).startswith("\\\\?\\UNC\\server\\share\\proj\\x")


def test_the_longest_windows_path() -> None:
    """32,767 units with the final zero are the end, prefix and all; a pair of surrogates counts two."""
    for over, refused in ((0, False), (1, True)):
        length = WINDOWS_LONG_PATH_UNITS - 4 - len("C:\\") - len("\\a") + over
        root = PureWindowsPath("C:/" + "/".join(["r" * 99] * (length // 100) + ["r" * (length % 100)]))
        if refused:
            with pytest.raises(PathTooLong):
                windows_path(root, "a")
        else:
            assert len(windows_path(root, "a")) == WINDOWS_LONG_PATH_UNITS
    wide = "\U0001f600" * 60
    assert windows_path(DRIVE, f"{wide}/{wide}").startswith("\\\\?\\")


@pytest.mark.parametrize(
    "path",
    [
        "con.txt",
        "a/NUL",
        "LPT\u00b2.x",
        "a.",
        "a ",
        "../x",
        "a\\b",
        "C:/x",
        "a:b",
        "",
        "/x",
        "a?",
        'a"b',
        "a|b",
        "<a>",
        "*",
    ],
)
def test_names_windows_does_not_take(path: str) -> None:
    with pytest.raises(InvalidPath):
        windows_path(DRIVE, path)


@pytest.mark.parametrize("root", ["proj", "C:proj", "/proj", "\\\\?\\C:\\proj", "\\\\.\\pipe\\x"])
def test_a_windows_root_is_a_folder_of_a_drive_or_share(root: str) -> None:
    with pytest.raises(InvalidPath):
        windows_path(PureWindowsPath(root), "a")


@given(ANY_TEXT)
def test_windows_reads_its_spelling_as_the_same_path(path: str) -> None:
    """Verified under the root, by the standard library's own rules for Windows."""
    try:
        whole = windows_path(DRIVE, path)
    except (InvalidPath, PathTooLong):
        return
    assert ntpath.normpath(whole) == whole
    assert PureWindowsPath(whole).relative_to(DRIVE).as_posix() == path
