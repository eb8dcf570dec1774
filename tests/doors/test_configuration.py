"""`config`: every value with its level and file; only a person trusts the project's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.config.schema import SETTINGS
from tests.doors.conftest import CommandLine, set_review

WIDENS = "schema_version: 1\nfile_rules: {allow: ['bin/']}\nlimits: {steps: 7}\n"


@pytest.fixture(autouse=True)
def widening(project: Path) -> None:
    (project / "studio.yaml").write_text(WIDENS)


def is_allowed(studio: CommandLine) -> bool:
    return studio("check", "bin/tool.sh").json["verdicts"][0]["allowed"]


def test_every_setting_knows_its_level_and_place(studio: CommandLine) -> None:
    """What waits for trust is told apart."""
    shown = studio("config").json
    assert studio("config", "show").json == shown
    (steps,) = (setting for setting in shown["settings"] if setting["key"] == "limits.steps")
    assert (steps["value"], steps["level"], steps["line"]) == (7, "project", 3)
    assert not any(setting["key"] == "file_rules.allow" for setting in shown["settings"])
    (waiting,) = shown["project_file"]["waiting"]
    assert (waiting["key"], waiting["value"]) == ("file_rules.allow", "bin/")
    assert "limits.steps = 7  (project, " in studio("config", json=False).text


def test_only_a_person_trusts_and_only_these_bytes(studio: CommandLine, project: Path) -> None:
    said = studio("config", "trust", stdin=b"project\n")
    assert (said.code, said.error["code"]) == (1, "needs_person")
    assert studio.at_terminal("config", "trust", typed="projekt\n").error["code"] == "needs_person"
    assert not is_allowed(studio)

    done = studio.at_terminal("config", "trust", typed="project\n")
    assert done.code == 0
    assert "file_rules.allow = bin/" in done.terminal, "what it allows is said before"
    assert is_allowed(studio)
    file = studio("config").json["project_file"]
    assert file == {"sha256": done.json["trusted"], "trusted": True, "waiting": []}
    assert studio("config", "trust").code == 0, "there is nothing more to decide"

    (project / "studio.yaml").write_text(WIDENS + "\n")
    assert not is_allowed(studio)


def test_what_waits_for_trust_is_named_until_it_is_trusted(studio: CommandLine) -> None:
    waits = "without effect until you trust the file"
    assert waits in studio("check", "a").err
    assert waits in studio("config", "trust", stdin=b"project\n").err, "nobody was there to trust it"
    set_review("allow")
    done = studio("config", "trust")
    assert done.code == 0 and waits not in done.err
    assert waits not in studio("check", "a").err


def test_a_variable_that_is_not_put_in_asks_for_no_trust(studio: CommandLine, project: Path) -> None:
    """The file can't be trusted by a command, since no project is opened with it."""
    (project / "studio.yaml").write_text("file_rules: {deny: ['${HOME}/x']}\n")
    for words in (("check", "a"), ("config", "trust")):
        error = studio(*words).error
        assert (error["code"], error["hint"]) == ("config.untrusted_expansion", "Write the value itself.")


def test_without_a_file_there_is_nothing_to_trust(studio: CommandLine, project: Path) -> None:
    set_review("allow")
    (project / "studio.yaml").unlink()
    said = studio("config", "trust", "--project", project)
    assert (said.code, said.error["code"]) == (4, "config.no_file")
    assert studio("config", "--project", project).json["project_file"] is None


def test_why_this_folder_is_the_project_is_said(studio: CommandLine, project: Path) -> None:
    deep = project / "a" / "b"
    deep.mkdir(parents=True)
    said = studio("plans", cwd=deep)
    assert f"the project is {project}, the nearest folder with studio.yaml." in said.err
    assert "the project is" not in studio("plans").err, "it is the folder one stands in"
    shown = studio("config", "show", cwd=deep).json["project"]
    assert shown == {"path": str(project), "reason": "the nearest folder with studio.yaml"}
    named = studio("config", "--project", project, json=False).text
    assert named.startswith(f"project = {project}  (the given folder)")
    (project / "studio.yaml").unlink()
    assert studio("config", cwd=deep).json["project"] == {"path": str(deep), "reason": "the current folder"}


def test_the_schema_says_of_each_key_what_it_means(studio: CommandLine) -> None:
    printed = studio("config", "schema").json["keys"]
    assert [entry["key"] for entry in printed] == [
        *(each.key for each in SETTINGS),
        *(alias for each in SETTINGS for alias in each.aliases),
    ]
    for entry in printed:
        assert entry["title"]
        assert entry["means"].endswith(".")
        assert entry["kind"]
