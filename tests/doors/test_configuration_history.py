"""The example of each shape that a configuration had in the history is read today.

What was renamed since is read under both names. What has no effect any more is named: tools write nowhere
at once.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, set_configuration

DATA = Path(__file__).parents[1] / "data" / "configurations.yaml"
EXAMPLES = DATA.read_text(encoding="utf-8").split("--- # ")[1:]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.split()[3])
def test_the_example_of_then_is_read(studio: CommandLine, project: Path, example: str) -> None:
    text = example.partition("\n")[2]
    set_configuration(text)
    said = studio("config", "show")
    has_no_effect = ["write: true has no effect"] if "write: true" in text else []
    assert (said.code, len(said.json["warnings"])) == (0, len(has_no_effect))
    assert all(words in warning for words, warning in zip(has_no_effect, said.json["warnings"], strict=True))
    settings = {each["key"]: each for each in said.json["settings"]}
    assert settings["file_rules.deny"]["level"] == "user" and "generated/" in str(settings["file_rules.deny"])
    own = [key for key, each in settings.items() if each["level"] == "user"]
    assert len(own) >= text.count(": ") // 3, "most of what it says counts"
    denied = studio("check", "generated/x.py").json
    assert "generated/" in json.dumps(denied)


def test_a_key_that_nobody_knows_is_named_with_the_one_that_was_meant(studio: CommandLine) -> None:
    set_configuration("limits: {file_byte: 5}")
    said = studio("config", "show")
    assert "file_byte" in json.dumps(said.json) and "file_bytes" in json.dumps(said.json)
