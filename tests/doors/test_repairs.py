"""`studio submit --repair`: what would fit with one named repair is reported, and proposed on request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine

HEAD = "--- a/a.txt\n+++ b/a.txt\n"


def diff(body: str, header: str = "@@ -1,3 +1,3 @@") -> bytes:
    return f"{HEAD}{header}\n{body}".encode()


CASES = {
    "trailing-blanks": (
        b"one  \ntwo\nthree\n",
        diff(" one\n-two\n+2\n three\n"),
        "blanks at the ends of lines, at line 1 of the file",
        b"one  \n2\nthree\n",
    ),
    "counts": (
        b"one\ntwo\nthree\n",
        diff(" one\n-two\n+2\n three\n", "@@ -1,2 +1,2 @@"),
        "wrong numbers in the headers of hunks, at line 3 of the text",
        b"one\n2\nthree\n",
    ),
}
"""Of a file and a text that is refused for it: the repair by its words, and the bytes that come of it."""


def refusals(document: dict[str, Any]) -> list[dict[str, Any]]:
    """All that is said against a plan, of the whole and of its steps."""
    return [*document["problems"], *(problem for step in document["steps"] for problem in step["problems"])]


@pytest.mark.usefixtures("allow_review")
@pytest.mark.parametrize(("base", "text", "sentence", "result"), CASES.values(), ids=CASES)
def test_a_repair_is_told_and_made_only_where_it_is_asked_for(
    *, studio: CommandLine, project: Path, base: bytes, text: bytes, sentence: str, result: bytes
) -> None:
    file = project / "a.txt"
    file.write_bytes(base)
    refused = studio("submit", stdin=text)
    assert (refused.code, refused.json["state"]) == (1, "invalid")
    (hint,) = [told["hint"] for told in refusals(refused.json) if "option repair" in told["hint"]]
    assert f"one repair: {sentence}" in hint and "Submit it with the option repair." in hint
    repaired = studio("submit", "--repair", stdin=text)
    assert repaired.code == 0 and repaired.json["plan"] != refused.json["plan"]
    (step,) = repaired.json["steps"]
    (fact,) = [fact for fact in step["facts"] if fact["kind"] == "repaired"]
    assert fact["severity"] == "warning" and sentence in fact["message"]
    assert file.read_bytes() == base
    assert studio("approve", repaired.json["plan"], "--apply").code == 0
    assert file.read_bytes() == result


UNREPAIRED = {
    "for two places": (b"one \ntwo\none \ntwo\none \n", diff(" one\n-two\n+2\n one\n")),
    "a second time": (b"one \ntwo\nthree\n", diff(" one\n-two\n+2\n three\n", "@@ -1,2 +1,2 @@")),
}


@pytest.mark.parametrize(("base", "text"), UNREPAIRED.values(), ids=UNREPAIRED)
def test_what_is_not_repaired_is_refused_without_a_word_of_it(
    studio: CommandLine, project: Path, base: bytes, text: bytes
) -> None:
    (project / "a.txt").write_bytes(base)
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
