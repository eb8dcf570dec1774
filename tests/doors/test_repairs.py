"""`studio submit --repair`: what would fit with one named repair is told, and proposed where it is asked for
(contract 2, 9)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine

HEAD = "--- a/a.txt\n+++ b/a.txt\n"


def diff(body: str, header: str = "@@ -1,3 +1,3 @@") -> bytes:
    return f"{HEAD}{header}\n{body}".encode()


def edit(old: str, new: str) -> bytes:
    step = {"op": "modify", "path": "a.txt", "edits": [{"old": old, "new": new}]}
    return json.dumps({"title": "Edit", "steps": [step]}).encode()


@dataclass(frozen=True)
class Case:
    """A file, a text that is refused for it, the repair by its words, and the bytes that come of it."""

    base: bytes
    text: bytes
    told: str
    result: bytes


CASES = {
    "trailing-blanks": Case(
        b"one  \ntwo\nthree\n",
        diff(" one\n-two\n+2\n three\n"),
        "blanks at the ends of lines, at line 1 of the file",
        b"one  \n2\nthree\n",
    ),
    "tabs": Case(
        b"a:\n\tone\n\ttwo\n",
        diff(" a:\n     one\n-    two\n+\t2\n"),
        "tabs and the blanks they look like, at lines 2, 3 of the file",
        b"a:\n\tone\n\t2\n",
    ),
    "quotes": Case(
        b'say("a")\ntwo\nthree\n',
        diff(" say(\u201ca\u201d)\n-two\n+2\n three\n"),
        "typographic quotes, dashes or blanks, at line 1 of the file",
        b'say("a")\n2\nthree\n',
    ),
    "line-ends": Case(
        b"one\ntwo\nthree\n",
        diff(" one\r\n-two\r\n+2\r\n three\r\n"),
        "line ends",
        b"one\n2\nthree\n",
    ),
    "end-mark": Case(
        b"one\ntwo\nthree",
        diff(" one\n-two\n+2\n three\n"),
        "the mark for no newline at the end of the file, at line 3 of the file",
        b"one\n2\nthree",
    ),
    "crlf-file": Case(
        b"one \r\ntwo\r\nthree\r\n",
        diff(" one\n-two\n+2\n three\n"),
        "blanks at the ends of lines, at line 1 of the file",
        b"one \r\n2\r\nthree\r\n",
    ),
    "edit-trailing-blanks": Case(
        b"one \ntwo\nthree\n",
        edit("one\ntwo\n", "one\n2\n"),
        "blanks at the ends of lines",
        b"one \n2\nthree\n",
    ),
    "edit-empty-line": Case(
        b"one\n  \ntwo\n",
        edit("one\n\n", "one\n"),
        "blanks at the ends of lines, at line 1 of the file",
        b"one\ntwo\n",
    ),
    "edit-tabs": Case(
        b"\tone\n\ttwo\n",
        edit("        one\n        two\n", "        one\n\t2\n"),
        "tabs and the blanks they look like, at line 1 of the file",
        b"\tone\n\t2\n",
    ),
    "edit-quotes": Case(
        b"x = f('a') + 1\n", edit("f(\u2018a\u2019)", "g()"), "typographic quotes", b"x = g() + 1\n"
    ),
    "edit-line-ends": Case(b"one\ntwo\n", edit("one\r\ntwo", "1\r\n2"), "line ends", b"1\n2\n"),
    "counts": Case(
        b"one\ntwo\nthree\n",
        diff(" one\n-two\n+2\n three\n", "@@ -1,2 +1,2 @@"),
        "wrong numbers in the headers of hunks, at line 3 of the text",
        b"one\n2\nthree\n",
    ),
    "empty-line": Case(
        b"one\n\nthree\n",
        diff(" one\n\n-three\n+3\n"),
        "the blank that empty lines of a hunk have lost, at line 5 of the text",
        b"one\n\n3\n",
    ),
    "first-blanks": Case(
        b"one:\n    two\nthree\n",
        diff("one:\n    two\n-three\n+3\n"),
        "the first blank that all unchanged lines have lost, at lines 4, 5 of the text",
        b"one:\n    two\n3\n",
    ),
    "quoted": Case(
        b"one\ntwo\nthree\n",
        b"".join(b"> " + line for line in diff(" one\n-two\n+2\n three\n").splitlines(keepends=True)),
        "the mark “>” before every line",
        b"one\n2\nthree\n",
    ),
    "quoted-blocks": Case(
        b"one\ntwo\nthree\n",
        b"> a.txt\n> <<<<<<< SEARCH\n> two\n> =======\n> 2\n> >>>>>>> REPLACE\n",
        "the mark “>” before every line",
        b"one\n2\nthree\n",
    ),
    "prompt": Case(
        b"one\ntwo\nthree\n",
        b"".join(b"$ " + line for line in diff(" one\n-two\n+2\n three\n").splitlines(keepends=True)),
        "the mark “$” before every line",
        b"one\n2\nthree\n",
    ),
}


def refusals(document: dict[str, Any]) -> list[dict[str, Any]]:
    """All that is said against a plan, of the whole and of its steps."""
    return [*document["problems"], *(problem for step in document["steps"] for problem in step["problems"])]


@pytest.mark.usefixtures("allow_review")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_repair_is_told_and_made_only_where_it_is_asked_for(
    studio: CommandLine, project: Path, case: Case
) -> None:
    file = project / "a.txt"
    file.write_bytes(case.base)
    refused = studio("submit", stdin=case.text)
    assert (refused.code, refused.json["state"]) == (1, "invalid")
    (hint,) = [told["hint"] for told in refusals(refused.json) if "option repair" in told["hint"]]
    assert f"one repair: {case.told}" in hint and "Submit it with the option repair." in hint
    repaired = studio("submit", "--repair", stdin=case.text)
    assert repaired.code == 0 and repaired.json["plan"] != refused.json["plan"]
    (step,) = repaired.json["steps"]
    (fact,) = [fact for fact in step["facts"] if fact["kind"] == "repaired"]
    assert fact["severity"] == "warning" and case.told in fact["message"]
    assert file.read_bytes() == case.base
    assert studio("approve", repaired.json["plan"], "--apply").code == 0
    assert file.read_bytes() == case.result


UNREPAIRED = {
    "two places": (b"one \ntwo\none \ntwo\none \n", diff(" one\n-two\n+2\n one\n", "@@ -1,3 +1,3 @@")),
    "another line": (b"zero\none \ntwo\nthree\n", diff(" one\n-two\n+2\n three\n")),
    "two repairs": (b'one \n"two"\nthree\n', diff(" one\n-\u201ctwo\u201d\n+2\n three\n")),
    "either of two repairs": (b"one \t\ntwo\nthree\n", diff(" one     \n-two\n+2\n three\n")),
    "a changed last line": (b"one\ntwo\nthree", diff(" one\n two\n-three\n+3\n")),
    "mixed line ends": (b"one\r\ntwo\nthree\n", diff(" one\n-two\n+2\n three\n")),
    "a line end that no line has before it": (b'\n"\n', edit("\n\n\u201c\n", "\u201c")),
    "edit at two places": (b"one \ntwo\none \ntwo\n", edit("one\ntwo\n", "x")),
    "perhaps cut off": (b"one\ntwo\nthree\n", diff(" one\n-two\n+2\n", "@@ -1,9 +1,9 @@")),
    "perhaps another file": (
        b"one\ntwo\nthree\n",
        diff(" one\n-two\n+2\n three\n--- a/b.txt\n+++ b/b.txt\n", "@@ -1,2 +1,2 @@"),
    ),
    "wrong counts and a lost blank": (b"one\n\nthree\n", diff(" one\n\n-three\n+3\n", "@@ -1,9 +1,9 @@")),
    "a quoted diff that lost a blank": (
        b"one\n\nthree\n",
        b"".join(b"> " + line for line in diff(" one\n\n-three\n+3\n").splitlines(keepends=True)),
    ),
}


@pytest.mark.parametrize("case", UNREPAIRED.values(), ids=UNREPAIRED)
def test_what_needs_a_guess_or_two_is_no_repair(
    studio: CommandLine, project: Path, case: tuple[bytes, bytes]
) -> None:
    (project / "a.txt").write_bytes(case[0])
    refused = studio("submit", "--repair", stdin=case[1])
    assert (refused.code, refused.json["state"]) == (1, "invalid")
    assert not [told for told in refusals(refused.json) if "option repair" in told["hint"]]


def test_a_text_that_was_repaired_is_not_repaired_again(studio: CommandLine, project: Path) -> None:
    (project / "a.txt").write_bytes(b"one \ntwo\nthree\n")
    text = diff(" one\n-two\n+2\n three\n", "@@ -1,2 +1,2 @@")
    refused = studio("submit", "--repair", stdin=text)
    assert (refused.code, refused.json["state"]) == (1, "invalid")
    assert not [told for told in refusals(refused.json) if "option repair" in told["hint"]]


def test_what_fits_is_not_touched(studio: CommandLine, project: Path) -> None:
    (project / "a.txt").write_bytes(b"one\ntwo\nthree\n")
    (step,) = studio("submit", "--repair", stdin=diff(" one\n-two\n+2\n three\n")).json["steps"]
    assert not [fact for fact in step["facts"] if fact["kind"] == "repaired"]


def test_the_reply_to_the_agent_names_the_repair(studio: CommandLine, project: Path) -> None:
    (project / "a.txt").write_bytes(b"one \ntwo\nthree\n")
    plan = studio("submit", stdin=diff(" one\n-two\n+2\n three\n")).json["plan"]
    said = studio("show", plan, "--reply", json=False).text
    assert "It would fit with one repair: blanks at the ends of lines, at line 1 of the file." in said


def test_after_two_failures_a_repair_is_still_told_and_taken(studio: CommandLine, project: Path) -> None:
    (project / "a.txt").write_bytes(b"one \ntwo\nthree\n")
    text = diff(" one\n-two\n+2\n three\n")
    for _ in range(3):
        refused = studio("submit", stdin=text)
        assert refused.code == 1
        assert any("would fit with one repair" in told["hint"] for told in refusals(refused.json))
    assert studio("submit", "--repair", stdin=text).code == 0


def test_a_folder_takes_no_repair(studio: CommandLine, project: Path) -> None:
    assert studio("submit", "--tree", str(project), "--repair").code == 2
