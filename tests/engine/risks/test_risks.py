"""Facts for the reviewer: what hides in new text, and what else a step does."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from studio.doors import demo
from studio.engine.plan import Fact, Operation, Severity, Step, StepState
from studio.engine.risks import facts_of, secrets_in
from studio.journal.file_image import FileImage
from studio.limits import FACT_PLACES_UP_TO, LONG_LINE_CHARACTERS
from studio.names import is_hidden_character

RLO, LRI, PDI, ZWSP, ZWJ, LRM = "\u202e", "\u2066", "\u2069", "\u200b", "\u200d", "\u200e"
CYRILLIC_A = "\u0430"
RUSSIAN = "\u044d\u0442\u043e \u0441\u043e \u0437\u043d\u0430\u043a\u043e\u043c"


def image(data: bytes | None, mode: int = 0o644) -> FileImage | None:
    return None if data is None else FileImage("0" * 64, len(data), mode)


def facts(
    result: bytes | None,
    base: bytes | None = None,
    *,
    path: str = "src/a.py",
    mode: tuple[int, int] = (0o644, 0o644),
    setting: str | None = None,
) -> tuple[Fact, ...]:
    operation = Operation.CREATE if base is None else Operation.MODIFY
    step = Step(
        number=1,
        id="step",
        op=Operation.DELETE if result is None else operation,
        path=path,
        to=None,
        state=StepState.PENDING,
        base=image(base, mode[0]),
        result=image(result, mode[1]),
    )
    return facts_of(step, base, result, setting=setting)


def kinds(found: tuple[Fact, ...]) -> set[str]:
    return {fact.kind for fact in found}


def warnings(found: tuple[Fact, ...]) -> list[Fact]:
    return [fact for fact in found if fact.severity is not Severity.NOTE]


def only(found: tuple[Fact, ...]) -> Fact:
    assert len(found) == 1, found
    return found[0]


# Hidden characters ------------------------------------------------------------------------------------


def test_a_turning_control_is_a_danger_at_its_place() -> None:
    fact = only(facts(f"a = 1\nb = 2  # {RLO}{LRI} x {PDI}\n".encode()))
    assert (fact.kind, fact.severity) == ("bidi", Severity.DANGER)
    assert (fact.side, fact.line, fact.column) == ("result", 2, 10)
    assert "U+202E (right-to-left override)" in fact.message
    assert "another order" in fact.message


@pytest.mark.parametrize(
    ("character", "kind"),
    [
        (ZWSP, "invisible"),
        ("\u00ad", "invisible"),
        ("\u2060", "invisible"),
        ("\ufeff", "invisible"),
        ("\u3164", "invisible"),
        ("\u2800", "invisible"),
        ("\ufe0f", "invisible"),
        ("\U000e0041", "invisible"),
        (ZWJ, "invisible"),
        ("\u2028", "invisible"),
        (LRM, "bidi"),
        ("\u061c", "bidi"),
        ("\x1b", "control"),
        ("\x08", "control"),
        ("\x85", "control"),
        ("\r", "control"),
        ("\x0b", "control"),
    ],
)
def test_each_odd_character_in_code_is_a_warning(character: str, kind: str) -> None:
    fact = only(tuple(warnings(facts(f"na{character}me = 1\n".encode()))))
    assert (fact.kind, fact.line, fact.column) == (kind, 1, 3)
    assert f"U+{ord(character):04X}" in fact.message


@pytest.mark.parametrize(
    "text",
    [
        "plain = 'text'\twith tabs\n\x0c\nnext page\n",
        "windows = 1\r\nlines = 2\r\n",
        "family = '\U0001f468\u200d\U0001f469\u200d\U0001f467'\n",
        "heart = '\u2764\ufe0f\u200d\U0001f525' key = '1\ufe0f\u20e3'\n",
        "flag = '\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f'\n",
        "persian = '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'\n",
        f"hebrew = '\u05e9\u05dc\u05d5\u05dd{LRM} (shalom)'\n",
        "spinner = '\u2801\u2800\u2804'\n",
        "\ufeffstarts = 'with a byte order mark'\n",
        "german = 'Größe', french = 'déjà vu', japanese = '日本語', unit = '5 µs', delta = 'Δx'\n",
        f"russian = '{RUSSIAN}'\n",
        "greek = 'η σταθερά π'\n",
        "wide = '\uff2f\uff2b です'\n",
    ],
)
def test_ordinary_writing_is_left_alone(text: str) -> None:
    assert warnings(facts(text.encode())) == []


def test_a_mark_in_the_middle_is_no_start_of_file() -> None:
    assert "invisible" in kinds(facts("a\n\ufeffb\n".encode()))
    assert "invisible" in kinds(facts("a\n\ufeffb\n".encode(), b"a\n"))


def test_tags_without_a_flag_hide_text() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    fact = only(facts(f"# hello{hidden}\n".encode()))
    assert fact.severity is Severity.DANGER
    assert (fact.line, fact.column) == (1, 8)


def test_an_odd_space_is_a_note() -> None:
    fact = only(facts("price = '12\u00a0€'\n".encode()))
    assert (fact.kind, fact.severity, fact.column) == ("odd_space", Severity.NOTE, 12)


def test_places_count_in_the_decoded_text() -> None:
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        mark = b"" if encoding == "utf-8" else "\ufeff".encode(encoding)
        data = mark + f"ä\nöü{ZWSP}x\n".encode(encoding)
        fact = next(fact for fact in facts(data) if fact.kind == "invisible")
        assert (fact.line, fact.column) == (2, 3), encoding


def test_many_places_are_counted_not_listed() -> None:
    found = [fact for fact in facts(f"x{ZWSP}\n".encode() * 50) if fact.kind == "invisible"]
    assert len(found) == FACT_PLACES_UP_TO + 1
    assert found[-1].message == f"The same in {50 - FACT_PLACES_UP_TO} more places of this file."
    assert found[-1].line is None


def test_a_line_full_of_them_is_one_fact() -> None:
    fact = only(tuple(warnings(facts((ZWSP * 5000 + "\n").encode()))))
    assert (fact.line, fact.column) == (1, 1)


def test_every_hidden_character_that_can_stand_in_text_is_known() -> None:
    """The list here and the one for names must not drift apart; unassigned ones depend on the Unicode age."""
    missing = [
        f"U+{code:04X}"
        for code in range(0x110000)
        if not 0xD800 <= code < 0xE000
        and chr(code) not in "\t\n\x0c"
        and is_hidden_character(chr(code))
        and unicodedata.category(chr(code)) not in ("Cn", "Co")
        and kinds(facts(b"a" + chr(code).encode() + b"b\n")) == set()
    ]
    # Prefixes of numbers in Arabic, Syriac and Kaithi, and joiners of hieroglyphs and shorthand: all draw.
    drawn = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    drawn |= {*range(0x13430, 0x13440), *range(0x1BCA0, 0x1BCA4)}
    assert set(missing) <= {f"U+{code:04X}" for code in drawn}


# Look-alikes ------------------------------------------------------------------------------------------


def test_a_word_of_two_scripts_is_told_of() -> None:
    fact = only(facts(f"is_{CYRILLIC_A}dmin = True\n".encode()))
    assert (fact.kind, fact.severity, fact.line, fact.column) == ("mixed_script", Severity.WARNING, 1, 1)
    assert "U+0430 is Cyrillic and resembles “a”" in fact.message


def test_a_twin_of_a_word_in_the_file_is_told_of() -> None:
    twin = "\u0455\u0441\u043e\u0440\u0435"
    assert kinds(facts(f"scope = 1\n{twin} = 2\n".encode())) == {"confusable"}
    assert kinds(facts(f"{twin} = 2\n".encode(), b"scope = 1\n")) == {"confusable"}
    assert facts(f"{twin} = 2\n".encode()) == ()


def test_a_twin_in_prose_is_a_note() -> None:
    text = "cop = 1  # \u0441\u043e\u0440 \u0437\u0434\u0435\u0441\u044c\n"
    assert only(facts(text.encode())).severity is Severity.NOTE


def test_styled_letters_that_python_reads_as_plain_are_told_of() -> None:
    fact = only(facts("\U0001d41e\U0001d42f\U0001d41a\U0001d425(x)\n".encode()))
    assert "is parsed as “eval”" in fact.message
    assert only(facts("ev\uff41l(x)\n".encode())).kind == "confusable"


# Secrets ----------------------------------------------------------------------------------------------

RANDOM = "q7Rz2LmX9vKb4TnW8sYd3HcJ6pGf5AeU1oNi"


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAxGKd5l3Jv0eQ1r7bB4m9Zs2pT8yW\n", 1),
        ("key = '-----BEGIN PRIVATE KEY-----\\nMIIEowIBAAKCAQEAxGKd5l3Jv0eQ1r7bB4m9Zs2pT8yW'\n", 8),
        (f"Authorization: Bearer {RANDOM}\n", 23),
        (f"headers = {{'Authorization': 'Basic {RANDOM}'}}\n", 36),
        (f"k = 'sk-{RANDOM}'\n", 6),
        (f"k = 'ghp_{RANDOM}'\n", 6),
        (f"k = 'github_pat_{RANDOM}'\n", 6),
        (f"k = 'glpat-{RANDOM}'\n", 6),
        ("k = 'xoxb-" + "9183746250-kQzRtYpLmNwX'\n", 6),
        ("k = 'AKIA" + "Q3EGRZ7VY5NDXKLM'\n", 6),
        ("k = 'AIza" + (RANDOM[:35]) + "'\n", 6),
        (f"k = 'sk_live_{RANDOM}'\n", 6),
        (f"k = 'npm_{RANDOM}'\n", 6),
        (f"k = 'eyJ{RANDOM}.eyJ{RANDOM}.{RANDOM}'\n", 6),
        ("url = 'postgres://admin:" + "Xk29vbQ7@db.internal/x'\n", 25),
        (f"API_KEY={RANDOM}\n", 9),
        (f'  "secret_key": "{RANDOM}",\n', 18),
        (f"token: {RANDOM}\n", 8),
        (f"token = 'ghp_{RANDOM}'\n", 10),  # two forms, one secret
        ("db_password = 'v9#Lq!2xRt'\n", 16),
        ("PASSWORD=v9#Lq!2xRt\n", 10),
        ("export DB_PASSWORD=hunter2\n", 20),
        ('MYSQL_ROOT_PASSWORD="tulip garden"  # prod\n'.replace(" garden", "garden"), 22),
    ],
)
def test_each_form_of_secret_is_found(line: str, column: int) -> None:
    """Sensitive by content."""
    found = facts(b"first = 1\n" + line.encode())
    fact = only(found)
    assert fact.kind == "secret"
    assert (fact.line, fact.column) == (2, column)
    assert RANDOM not in fact.message
    assert "v9#Lq" not in fact.message


@pytest.mark.parametrize(
    "line",
    [
        "password = input('Password: ')",
        "password: str = ''",
        "PASSWORD=${PASSWORD}",
        "DB_PASSWORD=",
        "DB_PASSWORD=changeme",
        "DB_PASSWORD=$(pass show db)",
        "connect(PASSWORD=read_it(), user=1)",
        "mypassword=hunter2",
        "password = 'your-password-1A!'",
        "api_key = os.environ['API_KEY']",
        "api_key: 'xxxxxxxxxxxxxxxxxxxx1'",
        "token = Token.Name.Function.Magic1",
        "token_url = 'https://example.org/v1/token'",
        "'NextToken': 'q7Rz2LmX9vKb4TnW8sYd3HcJ6pGf5AeU1oNi'",
        '"AWS::ApiGateway::ApiKey": "48205d4ffd7feba3"',
        "key = 'AKIAIOSFODNN7EXAMPLE'",
        ".sk-toggleable__content-arrow-label { }",
        "-----BEGIN PRIVATE KEY-----",
        "url = 'https://user:password@example.org/'",
        "secret = hashlib.sha256(data).hexdigest()",
        "commit = '9f3c1b7a5d2e4f6081726354a9b8c7d6e5f40312'",
        "Authorization: Bearer <your token here>",
    ],
)
def test_ordinary_lines_hold_no_secret(line: str) -> None:
    assert facts(f"{line}\n".encode()) == ()


def test_secrets_in_neighbouring_lines_are_all_found_in_their_places() -> None:
    found = facts(f"API_KEY={RANDOM}\nexport API_KEY={RANDOM[::-1]}\n\nTOKEN={RANDOM}\n".encode())
    assert [(fact.line, fact.column) for fact in found] == [(1, 9), (2, 16), (4, 7)]


def test_secrets_are_found_in_any_text_with_their_ends() -> None:
    """For a value that is refused, and for a line of a log that is blotted out."""
    text = f"é AKIA{'Q3EGRZ7VY5NDXKLM'}, then\npassword = 'v9#Lq!2xRt'\nAPI_KEY={RANDOM}\nlast = 1\n"
    found = secrets_in(text)
    assert [text[secret.start : secret.end] for secret in found] == [
        "AKIA" + "Q3EGRZ7VY5NDXKLM",
        "v9#Lq!2xRt",
        RANDOM,
    ]
    assert [secret.what for secret in found] == ["an AWS access key", "a password", "a key or token"]
    assert secrets_in("password: str = ''\n") == secrets_in("") == secrets_in("\ud800") == ()


# The step as a whole ----------------------------------------------------------------------------------


def test_only_new_lines_are_searched() -> None:
    old = f"a = '{ZWSP}'\nb = 2\npassword = 'v9#Lq!2xRt'\n".encode()
    assert facts(old.replace(b"b = 2", b"b = 3"), old) == ()
    found = facts(old + f"c = '{ZWSP}'\n".encode(), old)
    assert [(fact.kind, fact.line) for fact in found] == [("invisible", 4)]


def test_a_delete_is_a_warning_and_its_text_is_not() -> None:
    step = Step(1, "s", Operation.DELETE, "a.py", None, StepState.PENDING, image(b"x"), None, removed=23)
    fact = only(facts_of(step, f"{RLO}\n".encode(), None))
    assert (fact.kind, fact.severity, fact.message) == (
        "delete",
        Severity.WARNING,
        "Deletes the file with 23 lines.",
    )
    folder = only(facts_of(replace(step, base=FileImage(None, 0, 0o755), removed=0), None, None))
    assert folder.severity is Severity.NOTE


def test_the_executable_bit_is_told_of() -> None:
    gained = only(facts(b"x\n", b"x\n", mode=(0o644, 0o755)))
    assert (gained.kind, gained.severity) == ("executable", Severity.WARNING)
    lost = only(facts(b"x\n", b"x\n", mode=(0o755, 0o644)))
    assert (lost.kind, lost.severity) == ("executable", Severity.NOTE)
    assert kinds(facts(b"x\n", mode=(0, 0o755))) == {"executable"}
    assert facts(b"x\n", b"y\n", mode=(0o755, 0o755)) == ()


@pytest.mark.parametrize(
    ("base", "result", "kind", "severity"),
    [
        (b"a\nb\n", b"a\r\nb\r\n", "line_ending_changed", Severity.WARNING),
        (b"a\nb\n", b"a\r\nb\n", "line_ending_changed", Severity.WARNING),
        (b"a\n", b"a", "final_newline_changed", Severity.NOTE),
        (b"a", b"a\n", "final_newline_changed", Severity.NOTE),
        (b"a\n", b"\xef\xbb\xbfa\n", "bom_changed", Severity.WARNING),
        ("ä\n".encode("cp1252"), "ä\n".encode(), "encoding_changed", Severity.WARNING),
        ("ä\n".encode(), "\ufeffä\n".encode("utf-16-le"), "encoding_changed", Severity.WARNING),
        (b"a\n", b"\x89PNG\r\n\x1a\n\x00", "binary", Severity.WARNING),
        (b"\x89PNG\r\n\x1a\n\x00", b"a\n", "binary", Severity.WARNING),
        (b"a\0", b"b\0", "binary", Severity.WARNING),
    ],
)
def test_changes_of_form_are_told_of(base: bytes, result: bytes, kind: str, severity: Severity) -> None:
    found = [fact for fact in facts(result, base) if fact.kind == kind]
    assert [fact.severity for fact in found] == [severity]


def test_the_first_letter_beyond_ascii_changes_no_form() -> None:
    assert facts("ä\n".encode(), b"a\n") == ()
    assert facts(b"a\n", b"") == ()


def test_the_setting_of_the_project_names_the_encoding() -> None:
    data = "price = 'ä'\n".encode("cp1252")
    assert kinds(facts(data)) == {"encoding_guessed"}
    assert facts(data, setting="windows-1252") == ()
    unmarked = f"ab{ZWSP}\n".encode("utf-16-le")
    assert kinds(facts(unmarked)) == {"binary"}
    assert only(facts(unmarked, b"a\0\n\0", setting="utf-16-le")).column == 3


@pytest.mark.parametrize(
    ("path", "content", "kind"),
    [
        ("web/app.min.js", b"x\n", "generated"),
        ("composer.lock", b"{}\n", "generated"),
        ("api_pb2.py", b"x = 1\n", "generated"),
        ("a.go", b"// Code generated by protoc. DO NOT EDIT.\n", "generated"),
        ("a.py", b"#!/usr/bin/env python\n# This file is automatically generated.\n", "generated"),
        ("third_party/zlib/a.c", b"x\n", "vendored"),
        ("src/_vendor/six.py", b"x\n", "vendored"),
        (f"docs/in{RLO}dex.md", b"x\n", "name_hidden"),
        ("docs/u\u0308bung.md", b"x\n", "name_spelling"),
    ],
)
def test_paths_and_heads_say_whose_file_it_is(path: str, content: bytes, kind: str) -> None:
    fact = only(facts(content, path=path))
    assert fact.kind == kind
    assert RLO not in fact.message


def test_size_is_told_of() -> None:
    step = Step(1, "s", Operation.CREATE, "a", None, StepState.PENDING, None, image(b"x\n"), added=5000)
    assert only(facts_of(step, None, b"x\n")).message == (
        "Changes 5,000 lines, more than a person can review at once."
    )
    assert "large" in kinds(facts(b"word\n" * 300_000))


def test_text_out_of_sight_is_told_of() -> None:
    aside = only(facts(b"x = 1\ny = 2;" + b" " * 200 + b"evil()\n"))
    assert (aside.kind, aside.line, aside.column) == ("far_right", 2, 207)
    assert facts(b"x = 1" + b" " * 200 + b"\n") == ()
    long = only(facts(b"short\n" + b"ab," * LONG_LINE_CHARACTERS + b"\n"))
    assert (long.kind, long.line) == ("long_line", 2)


def test_the_gravest_fact_comes_first() -> None:
    found = facts(f"a{RLO}\nb\u00a0c".encode(), b"x\n", mode=(0o644, 0o755))
    assert [fact.severity for fact in found] == [
        Severity.DANGER,
        Severity.WARNING,
        Severity.NOTE,
        Severity.NOTE,
    ]


def test_the_demo_shows_a_secret_and_hidden_characters() -> None:
    diff = next(each.text for each in demo.demo_submissions() if "gauge" in each.file_name).decode()
    added = "".join(
        line[1:] for line in diff.splitlines(keepends=True) if line[:1] == "+" and line[:3] != "+++"
    )
    assert {"secret", "bidi"} <= kinds(facts(added.encode()))


# Properties -------------------------------------------------------------------------------------------

odd_text = st.text(
    st.sampled_from(f"ab =\n\r\t'\"{RLO}{ZWSP}{ZWJ}{LRM}{CYRILLIC_A}\u00a0\ufe0f\u2764\U000e0041ä")
    | st.characters(codec="utf-8")
)
contents = st.binary(max_size=300) | odd_text.map(str.encode) | odd_text.map(lambda t: t.encode("utf-16"))


@given(base=st.none() | contents, result=st.none() | contents, path=st.text(min_size=1, max_size=30))
def test_no_content_breaks_the_search(base: bytes | None, result: bytes | None, path: str) -> None:
    found = facts(result, base, path=path)
    assert found == facts(result, base, path=path)
    lines = (result or b"").decode(
        "utf-16" if (result or b"").startswith(b"\xff\xfe") else "utf-8", "replace"
    )
    for fact in found:
        assert fact.message
        if fact.line is not None and fact.column is not None:
            assert fact.side == "result"
            assert 1 <= fact.line <= lines.count("\n") + 1
            assert fact.column >= 1


@given(
    before=st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), max_size=40),
    above=st.integers(0, 30),
    below=st.integers(0, 30),
    character=st.sampled_from("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069"),
)
def test_a_turning_control_is_found_wherever_it_hides(
    before: str, above: int, below: int, character: str
) -> None:
    base = b"same line\n" * (above + below)
    line = f"{before}{character} rest\n".encode()
    result = b"same line\n" * above + line + b"same line\n" * below
    bidi = [fact for fact in facts(result, base) if fact.kind == "bidi"]
    assert [(fact.line, fact.column) for fact in bidi] == [(above + 1, len(before) + 1)]


@given(text=st.text(st.characters(codec="ascii", categories=["L", "P", "Zs"], include_characters="\n")))
def test_plain_text_without_digits_raises_no_warning_but_length(text: str) -> None:
    assert {fact.kind for fact in warnings(facts(text.encode()))} <= {"far_right", "long_line"}
