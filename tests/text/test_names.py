"""The strict parser of proposed paths, safe display, twins of a name.

The parsers of the other doors are tried in test_door_names.py.
"""

from __future__ import annotations

import posixpath
import unicodedata

import pytest
from hypothesis import example, given, strategies as st

from studio.errors import InvalidPath
from studio.limits import PATH_BYTES
from studio.names import (
    caseless,
    folded,
    is_configuration_alias,
    is_git_alias,
    is_hidden_character,
    is_reserved,
    normalized,
    parse_name,
    show_name,
    windows_spellings,
)

ANY_TEXT = st.text(st.characters(), max_size=40) | st.text("./\\: aCON\x00\ud800\u202e~", max_size=20)


def code_of(text: str) -> str:
    with pytest.raises(InvalidPath) as refused:
        parse_name(text)
    return refused.value.code


REFUSED = {
    "": "name.empty",
    "\udc80": "name.not_utf8",
    "a\ud800b": "name.not_utf8",
    "a\x00b": "name.control",
    "nul\x00/../../../etc/passwd": "name.control",
    "a\nb": "name.control",
    "a\x1b[2Jb": "name.control",
    "a\x7f": "name.control",
    "a\x85b": "name.control",
    "//server/share": "name.unc",
    "\\\\server\\share": "name.unc",
    "\\\\?\\C:\\x": "name.unc",
    "//": "name.unc",
    "/": "name.absolute",
    "/etc/passwd": "name.absolute",
    "/proc/self/root/..": "name.absolute",
    "C:x": "name.drive",
    "c:\\x": "name.drive",
    "C:/x": "name.drive",
    "..\\evil": "name.backslash",
    "a\\..\\..\\b": "name.backslash",
    "\\evil": "name.backslash",
    "a\\b": "name.backslash",
    "f.txt:stream": "name.stream",
    "dir/f.txt::$DATA": "name.stream",
    "..": "name.climbs",
    "../x": "name.climbs",
    "a/..": "name.climbs",
    "a/../b": "name.climbs",
    "a/../../x": "name.climbs",
    ".": "name.dot",
    "./a": "name.dot",
    "a/./b": "name.dot",
    "a//b": "name.empty_component",
    "a/": "name.empty_component",
    "CON": "name.reserved",
    "con.txt": "name.reserved",
    "src/aux.c": "name.reserved",
    "NUL.": "name.reserved",
    "nul ": "name.reserved",
    "CON .txt": "name.reserved",
    "Lpt9.tar.gz": "name.reserved",
    "COM\u00b9": "name.reserved",
    "lpt\u00b3.log": "name.reserved",
    "CONIN$": "name.reserved",
    "conout$.x": "name.reserved",
    "x.": "name.trailing_dot_or_space",
    "x ": "name.trailing_dot_or_space",
    ".env.": "name.trailing_dot_or_space",
    "a /b": "name.trailing_dot_or_space",
    "...": "name.trailing_dot_or_space",
    ".. ": "name.trailing_dot_or_space",
    "a" * 256: "name.too_long",
    "\u00e9" * 128: "name.too_long",
    "/".join(["a"] * 65): "name.too_deep",
    "/".join(["a" * 200] * 21): "name.too_long",
    "../" * 30_000: "name.too_long",
    "C:" + "\x00" * 70_000: "name.too_long",
}

TAKEN = [
    "a",
    "src/main.py",
    "a..b.md",
    "..a",
    "-rf",
    "--force/x",
    ".gitignore",
    ".github/workflows/x.yml",
    "with space/and 'quotes' \"too\"",
    "what?.md",
    "*.py",
    "~/x",
    "$HOME",
    "%2e%2e/x",
    "console.py",
    "com.py",
    "com10",
    "con-fig",
    "aux_",
    "CONTRIBUTING.md",
    "\u30c6\u30b9\u30c8/\u00fc.txt",
    "e\u0301",
    "a" * 255,
    "\u00e9" * 127,
    "/".join(["a"] * 64),
    "#x",
    "[a]",
]


ON_WINDOWS = {"name.drive", "name.backslash", "name.stream", "name.reserved", "name.trailing_dot_or_space"}
NOT_ON_WINDOWS_ALONE = ("CON/" + "a" * 256, "x:/..", "a\\b/", "aux.c/\x00", "./nul", "a//b:c", "/aux")


@pytest.mark.parametrize("text", [*REFUSED, *NOT_ON_WINDOWS_ALONE])
def test_a_name_that_is_there_is_refused_for_what_holds_everywhere(text: str) -> None:
    """Devices, colons, backslashes and ends are Windows' business; all else has the code that it has."""
    is_on_windows = REFUSED.get(text) in ON_WINDOWS or text.startswith("\\\\")
    if is_on_windows and text not in NOT_ON_WINDOWS_ALONE:
        assert parse_name(text, exists=True) == text and is_reserved(text)
        return
    with pytest.raises(InvalidPath) as refused:
        parse_name(text, exists=True)
    assert refused.value.code == REFUSED.get(text, refused.value.code)
    assert refused.value.code not in ON_WINDOWS and not is_reserved(text)


@pytest.mark.parametrize("text", [text for text, code in REFUSED.items() if code in ON_WINDOWS])
def test_the_refusal_of_a_reserved_name_mentions_files_that_have_it(text: str) -> None:
    with pytest.raises(InvalidPath) as refused:
        parse_name(text)
    assert refused.value.hint.endswith("; on Linux a file that already has it can be changed.")


@pytest.mark.parametrize(
    ("path", "spellings"),
    [
        ("a/b", ()),
        ("aux.c", ()),
        (".git::$INDEX_ALLOCATION/config", (".git/config",)),
        ("a/.git. /x", ("a/.git/x",)),
        ("a\\.git\\config", ("a/.git/config",)),
        ("C:.git", ("C", ".git")),
        ("B::Deparse.3pm", ("B",)),
        ("...", ()),
    ],
)
def test_what_windows_would_read(path: str, spellings: tuple[str, ...]) -> None:
    assert windows_spellings(path) == spellings


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("./a.py", "a.py"),
        ("././a.py", "a.py"),
        (".//a.py", "a.py"),
        ("a//b/./c.py", "a/b/c.py"),
        ("/p//a/./b", "/p/a/b"),
        ("a./b", "a./b"),
        ("./../a", "../a"),
        ("a/./../b", "a/../b"),
        ("//a/./b", "//a/./b"),
        ("a/", "a/"),
        ("a//", "a/"),
        ("./a//b/", "a/b/"),
        ("a//..", "a/.."),
        ("///", "///"),
        ("./.", "./."),
        ("./", "./"),
        ("/", "/"),
        ("", ""),
    ],
)
def test_single_dots_and_doubled_slashes_are_left_out(text: str, path: str) -> None:
    assert normalized(text) == path


@given(ANY_TEXT | st.lists(st.sampled_from(["a", "..", ".", "", ".git", "b."]), max_size=8).map("/".join))
def test_normalizing_is_idempotent_and_agrees_with_the_standard_library(text: str) -> None:
    path = normalized(text)
    assert normalized(path) == path
    assert text.split("/").count("..") == path.split("/").count("..")
    assert posixpath.normpath(path) == posixpath.normpath(text)
    try:
        taken = parse_name(path, exists=True)
    except InvalidPath:
        return
    assert taken == posixpath.normpath(text) and not text.startswith("/")


@pytest.mark.parametrize(("text", "code"), REFUSED.items())
def test_refused_names_have_one_code(text: str, code: str) -> None:
    assert code_of(text) == code


@pytest.mark.parametrize("text", TAKEN)
def test_odd_but_harmless_names_are_taken_as_given(text: str) -> None:
    assert parse_name(text) == text


def test_a_refusal_says_what_and_what_to_do_with_the_name_escaped() -> None:
    with pytest.raises(InvalidPath) as refused:
        parse_name("a/\x1b]0;gone\x07")
    error = refused.value
    assert error.message == "The path a/\\x1b]0;gone\\x07 contains a control character."
    assert error.hint == "Leave out NUL, line ends and other controls."
    assert error.path == "a/\x1b]0;gone\x07"


def test_a_huge_name_makes_a_short_message() -> None:
    with pytest.raises(InvalidPath) as refused:
        parse_name("x" * 1_000_000)
    assert len(str(refused.value)) < 400


def test_configured_limits_narrow() -> None:
    assert parse_name("abcd/ef", segment_bytes=4, depth=2) == "abcd/ef"
    with pytest.raises(InvalidPath, match="limit is 3"):
        parse_name("abcd", segment_bytes=3)
    with pytest.raises(InvalidPath, match="limit is 2"):
        parse_name("a/b/c", depth=2)


@given(ANY_TEXT)
@example("a/\u0130")
def test_what_is_taken_stays_inside_on_every_system(text: str) -> None:
    """Judged by rules written here a second time, on the text alone."""
    try:
        assert parse_name(text) == text
    except InvalidPath as refused:
        assert refused.code.startswith("name.")
        assert not any(is_hidden_character(character) for character in refused.message)
        return
    assert text.encode()
    segments = text.replace("\\", "/").split("/")
    assert not set(segments) & {"", ".", ".."}
    assert all(segment == segment.rstrip(" .") for segment in segments)
    assert ":" not in text
    assert not any(unicodedata.category(character) == "Cc" for character in text)
    assert len(text.encode()) <= PATH_BYTES


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain/name \u00fc.txt", "plain/name \u00fc.txt"),
        ("a\tb\r\n", "a\\tb\\r\\n"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\x85", "\\u0085"),
        ("gpj.\u202eexe", "gpj.\\u202eexe"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("a\u00a0b\u3000", "a\\u00a0b\\u3000"),
        ("\u3164\u2800\u115f", "\\u3164\\u2800\\u115f"),
        ("a\ufe0f\U000e0101\U000e0041", "a\\ufe0f\\U000e0101\\U000e0041"),
        ("bad\udcff", "bad\\udcff"),
        ("\u2028\u2029", "\\u2028\\u2029"),
    ],
)
def test_hidden_characters_are_shown(text: str, shown: str) -> None:
    assert show_name(text) == shown


@given(st.text(st.characters()))
def test_shown_names_hide_nothing(text: str) -> None:
    shown = show_name(text)
    shown.encode()
    assert not any(is_hidden_character(character) for character in shown)
    if not any(is_hidden_character(character) for character in text):
        assert shown == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("README.md", "readme.MD"),
        ("\u00e9", "e\u0301"),
        ("\u212a", "k"),
        ("stra\u00dfe", "STRASSE"),
        ("a./b. .", "a/b"),
        (".env ", ".ENV"),
        ("a\u200cb", "ab"),
        ("\u0130", "i\u0307"),
    ],
)
def test_twins_have_one_key(one: str, other: str) -> None:
    assert folded(one) == folded(other)


def test_different_names_have_different_keys() -> None:
    assert len({folded(name) for name in ("a/b", "ab", "a.b", "a", "b", ".a", "a b")}) == 7
    assert folded("..") == ".."


@given(st.text(st.characters(exclude_categories=("Cs",))))
@example("\u1fb4")
@example("\u0345\u0399")
def test_keys_are_stable(text: str) -> None:
    assert folded(folded(text)) == folded(text)
    assert caseless(caseless(text)) == caseless(text)
    for form in ("NFC", "NFD"):
        assert folded(unicodedata.normalize(form, text)) == folded(text)


@pytest.mark.parametrize(
    "segment",
    [
        *[".git", ".GIT", ".Git.", ".git ", ".git . .", "git~1", "GIT~1", "git~2"],
        *[".git:x", ".git::$INDEX_ALLOCATION", ".g\u200cit", "\ufeff.git", ".gi\u202et\u206f"],
    ],
)
def test_spellings_of_git(segment: str) -> None:
    assert is_git_alias(segment)


@pytest.mark.parametrize(
    "segment", [".gitignore", "git", ".git2", "git~", "a.git", ".github", "git~x", ".gi t"]
)
def test_other_names_are_not_git(segment: str) -> None:
    assert not is_git_alias(segment)


@pytest.mark.parametrize(
    "segment",
    ["studio.yaml", "Studio.YAML", "studio.yaml.", "studio.yaml::$DATA", "STUDIO~1.YAM", "stu\u200ddio.yaml"],
)
def test_spellings_of_the_configuration(segment: str) -> None:
    assert is_configuration_alias(segment)


def test_other_names_are_not_the_configuration() -> None:
    assert not any(map(is_configuration_alias, ["studio.yml", "my-studio.yaml", "studio", "studio~1.txt"]))
