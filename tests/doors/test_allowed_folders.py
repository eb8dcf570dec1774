"""A folder that is denied by default is opened by a person alone, in one project, as it was shown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine, set_configuration, set_review

FILES = ("obj/a.txt", "obj/bin/b.txt", "obj/key.pem", "obj/secrets/c", "other/obj/d.txt")


@pytest.fixture(autouse=True)
def denied_files(project: Path) -> None:
    for path in FILES:
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text("one\n")


def own_file() -> Path:
    return Path(os.environ["STUDIO_CONFIG_DIR"]) / "config.yaml"


def open_paths(studio: CommandLine) -> list[str]:
    return [each["path"] for each in studio("check", *FILES).json["verdicts"] if each["allowed"]]


def change(path: str) -> dict[str, Any]:
    return {"op": "modify", "path": path, "content": "two\n"}


def test_the_refusal_names_a_command_that_only_a_person_can_run(studio: CommandLine, project: Path) -> None:
    (step,) = studio.submit(change("obj/a.txt"))["steps"]
    hint = step["problems"][0]["hint"]
    assert hint.endswith("ask the user to allow the folder obj.")
    for review in ("ask", "allow", "off"):
        set_review(review)
        said = studio("config", "allow", "obj", stdin=b"obj\n")
        assert (said.code, said.error["code"]) == (1, "needs_person"), review
    set_review("ask")
    before = own_file().read_bytes()
    assert studio.at_terminal("config", "allow", "obj", typed="obi\n").error["code"] == "needs_person"
    assert own_file().read_bytes() == before
    assert open_paths(studio) == []


def test_what_was_shown_is_open_in_this_project_alone(studio: CommandLine, project: Path) -> None:
    rules = (project / "studio.yaml").read_bytes()
    set_configuration("# mine\nlimits: {steps: 5}  # enough")
    done = studio.at_terminal("config", "allow", f"{project}/.//obj/", typed="obj\n")
    assert done.code == 0 and done.json["opened"] == 2
    shown = [line.split()[-1] for line in done.terminal.splitlines() if line.lstrip().startswith("opens")]
    assert shown == ["obj/a.txt", "obj/bin/b.txt"] == open_paths(studio)
    text = own_file().read_text()
    assert text.startswith("# mine\n") and "limits: {steps: 5}  # enough" in text
    assert (project / "studio.yaml").read_bytes() == rules
    set_configuration(text.replace(str(project), str(project.parent)))
    assert open_paths(studio) == [], "the entry names another project"
    set_configuration(f"{text}\nreview: {{command_line: allow}}")
    plan = studio.submit(change("obj/a.txt"))["plan"]
    assert studio("approve", plan, "--apply").code == 0
    assert (project / "obj/a.txt").read_text() == "two\n"
    again = studio("config", "allow", "obj")
    assert (again.code, again.json["opened"]) == (0, 0), "nothing is left to decide"


@pytest.mark.parametrize("folder", [".git", ".claude", "secrets", "obj/secrets", "..", "/etc", "."])
def test_what_is_locked_or_secret_is_no_folder_to_allow(studio: CommandLine, folder: str) -> None:
    said = studio.at_terminal("config", "allow", folder, typed=f"{folder}\n")
    assert (said.code, said.error["code"]) in ((1, "config.value"), (2, "usage"))
    assert "to confirm" not in said.terminal


def test_a_folder_that_a_rule_denies_is_not_opened(studio: CommandLine, project: Path) -> None:
    (project / "studio.yaml").write_text("file_rules: {deny: [obj/]}\n")
    said = studio.at_terminal("config", "allow", "obj", typed="obj\n")
    assert said.error["code"] == "policy.denied" and "studio.yaml" in said.error["hint"]
    assert "to confirm" not in said.terminal


def test_a_folder_that_holds_nothing_yet_is_allowed(studio: CommandLine) -> None:
    done = studio.at_terminal("config", "allow", "new/obj", typed="new/obj\n")
    assert (done.code, done.json["opened"]) == (0, 0) and "no file yet" in done.terminal
    (step,) = studio.submit({"op": "create", "path": "new/obj/a", "content": "a\n"})["steps"]
    assert step["problems"] == []


def test_the_folder_is_named_with_allow_alone(studio: CommandLine) -> None:
    for words in (("allow",), ("trust", "obj")):
        assert studio("config", *words).error["code"] == "usage"
