"""A diff as a tool writes it, from `studio submit` to the bytes on disk; see also tests/formats."""

from __future__ import annotations

from pathlib import Path

from tests.doors.conftest import CommandLine
from tests.formats.test_diffs_of_tools import HUNK, MAIL, NEW, OLD


def test_a_patch_in_a_mail_is_written_to_the_byte_with_its_message(
    studio: CommandLine, project: Path, allow_review: None
) -> None:
    """Latin-1: no text around it is UTF-8 either."""
    (project / "src").mkdir()
    (project / "src/f.txt").write_bytes(OLD)
    said = studio("submit", stdin=MAIL % HUNK)
    assert said.code == 0, said.text
    assert studio("show", said.json["plan"]).json["message"] == "Shout\n\nIt was too quiet."
    assert studio("approve", said.json["plan"], "--apply").code == 0
    assert (project / "src/f.txt").read_bytes() == NEW


def test_another_form_is_refused_as_what_it_is(studio: CommandLine) -> None:
    (problem,) = studio("submit", stdin=b"2c2\n< t\n---\n> T\n").json["problems"]
    assert problem["code"] == "diff.ed_format" and problem["hint"]
