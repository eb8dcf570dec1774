"""No text makes the search slow, and none hides one thing behind much of another (T: hostile input)."""

from __future__ import annotations

import time

import pytest

from studio.engine.plan import Fact, Operation, Severity, Step, StepState
from studio.engine.risks import facts_of
from studio.journal.file_image import FileImage

RLO, ZWSP, ZWJ = "\u202e", "\u200b", "\u200d"
KEY = "ghp_q7Rz2LmX9vKb4TnW8sYd3HcJ6pGf5AeU1oNi"
SMALL, TIMES = 10_000, 16
"""Sixteen times the text takes sixteen times as long; a search that backtracks takes 256 times."""

FLOODS: dict[str, str] = {
    "one word": "x",
    "underscores": "_",
    "blanks": " ",
    "words and many blanks": "a" + " " * 200,
    "line ends": "\n",
    "lone returns": "\r",
    "marker": "password",
    "marker and sign": "password=",
    "marker and quote": "token='",
    "marker and blanks": "token:   ",
    "addresses": "http://example.org:",
    "half addresses": "a://b:",
    "token starts": "eyJaaaaaaaaaaaa.",
    "key headers": "-----BEGIN PRIVATE KEY-----",
    "half key headers": "-----BEGIN AAAA ",
    "key and line ends": "-----BEGIN PRIVATE KEY-----\\n",
    "logins": "authorization: bearer ",
    "colons": "::",
    "per cent": "%(a)",
    "zero-width": ZWSP,
    "zero-width in words": f"a{ZWSP}",
    "joiners at home": f"\u00e9{ZWJ}\u00e9",
    "marks": "\u200e",
    "tags": "\U000e0041",
    "flags": "\U0001f3f4\U000e0067\U000e0062",
    "foreign words": "\u00e9 ",
    "mixed words": "\u0430b ",
    "styled words": "\U0001d41ab ",
}


def search(text: str) -> tuple[Fact, ...]:
    data = text.encode()
    step = Step(
        1,
        "id",
        Operation.CREATE,
        "a.py",
        None,
        StepState.PENDING,
        None,
        FileImage("0" * 64, len(data), 0o644),
    )
    return facts_of(step, None, data)


def cost(text: str) -> float:
    """Seconds of this process's own time."""
    started = time.process_time()
    search(text)
    return time.process_time() - started


@pytest.mark.parametrize("flood", sorted(FLOODS))
def test_the_search_grows_with_the_text_and_no_faster(flood: str) -> None:
    unit = FLOODS[flood]
    few = unit * (SMALL // len(unit)) + "token"
    many = unit * (SMALL * TIMES // len(unit)) + "token"
    limit = 5 * TIMES * (min(cost(few) for _ in range(3)) + 0.0002)
    assert any(cost(many) < limit for _ in range(3)), "the first that is quick enough tells it"


@pytest.mark.parametrize(
    ("flood", "hidden", "kind"),
    [
        (f"\u00e9{ZWJ}\u00e9" * 2000, RLO, "bidi"),
        (ZWSP * 2000, RLO, "bidi"),
        ("a\u00a0" * 2000, "\U000e0041", "invisible"),
        ("\u2764\ufe0f" * 2000, ZWSP, "invisible"),
        ("token = x; " * 20_000, KEY, "secret"),
        ("password='a' " * 20_000, f"token = '{KEY[4:]}'", "secret"),
        ("x" * 200_000 + " ", KEY, "secret"),
        ("\u0435\u0442\u043e " * 500, "p\u0430ypal", "mixed_script"),
    ],
)
def test_what_is_harmless_hides_nothing_behind_it(flood: str, hidden: str, kind: str) -> None:
    found = [fact for fact in search(f"first\n{flood}{hidden} end\n") if fact.kind == kind]
    gravest = [fact for fact in found if fact.severity is not Severity.NOTE]
    assert gravest, found
    assert {fact.line for fact in gravest} == {2}
    alone = [fact for fact in search(f"first\n{hidden} end\n") if fact.kind == kind]
    assert gravest[0].severity is alone[0].severity


def test_places_in_a_very_long_line_count_from_its_start() -> None:
    for before in ("x" * 100_000 + " ", "\u00e9" * 50_000 + " ", "token " * 10_000, "\u65e5" * 33_333 + " "):
        (fact,) = [fact for fact in search(f"a\n{before}{KEY}\n") if fact.kind == "secret"]
        assert (fact.line, fact.column) == (2, len(before) + 1)


def test_more_excused_characters_than_any_writing_has_are_not_excused() -> None:
    family = f"\U0001f468{ZWJ}\U0001f469"
    assert "invisible" not in {fact.kind for fact in search(f"{family * 1000}\n")}
    assert "invisible" in {fact.kind for fact in search(f"{family * 10_001}\n")}


def test_selectors_hide_no_text_behind_one_emoji() -> None:
    """Variation selectors can carry a byte each; only the first one after a character chooses its look."""
    smuggled = "".join(chr(0xE0100 + byte) for byte in b"obey")
    for text in (f"\U0001f600{smuggled}", f"\u65e5{smuggled}", "\u2764\ufe0f\ufe0f\ufe0f"):
        assert "invisible" in {fact.kind for fact in search(f"{text}\n")}
    for text in ("\u845b\U000e0100", "\u2764\ufe0f"):
        assert "invisible" not in {fact.kind for fact in search(f"{text}\n")}
