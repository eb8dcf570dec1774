"""A project folder whose name is no UTF-8 and would recolour a terminal: every command, and the window."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, Said, plan_text, set_review

NAME = b"caf\xe9\x1b[31m"
SHOWN = r"caf\udce9\x1b[31m"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / os.fsdecode(NAME)
    folder.mkdir()
    (folder / "studio.yaml").write_text("file_rules: {allow: ['bin/']}\n")
    (folder / "a.txt").write_text("old\n")
    return folder


@pytest.fixture
def odd(project: Path) -> CommandLine:
    return CommandLine(project, here=True)


def checked(said: Said, *, is_json: bool) -> Said:
    """Nothing internal, nothing a terminal obeys, nothing that is no UTF-8; JSON that every reader takes."""
    assert said.code in (0, 1, 3, 4), (said.out, said.err)
    printed = said.out.decode() + said.err + said.terminal
    assert "\x1b" not in printed and "Traceback" not in printed
    if is_json:
        json.dumps(said.json, ensure_ascii=False).encode()
    return said


@pytest.mark.parametrize("is_json", [True, False])
def test_every_command_works_in_it(odd: CommandLine, is_json: bool, tmp_path: Path) -> None:
    set_review("allow")
    step = {"op": "modify", "path": "a.txt", "content": "new\n"}
    plan = checked(odd("submit", stdin=plan_text(step)), is_json=True).json["plan"]
    commands = """plans; show PLAN --diff --reply; check a.txt; config show; config trust;
        approve PLAN; apply PLAN; history; journal; journal --verify; journal --export FILE;
        rollback PLAN --dry-run; rollback PLAN;
        withdraw PLAN; recover; plans --project HERE; plans --project HERE/missing; submit HERE/missing"""
    words = {"PLAN": plan, "FILE": str(tmp_path / "export")}
    for command in commands.split(";"):
        asked = [words.get(word, word).replace("HERE", str(odd.project)) for word in command.split()]
        said = checked(odd(*asked, json=is_json), is_json=is_json)
        assert said.code == (1 if "withdraw" in asked else 4 if "missing" in command else 0), said
        if command.strip() == "apply PLAN":
            assert (odd.project / "a.txt").read_text() == "new\n"
    shown = odd("config", "show").json["project"]["path"]
    assert Path(shown).name == "caf\\udce9\x1b[31m", "exact in JSON, but for what no JSON can hold"
    assert checked(odd("forget", json=is_json), is_json=is_json).code == 0


def test_a_person_types_its_name_as_it_is_shown(odd: CommandLine) -> None:
    refused = odd.at_terminal("config", "trust", typed="caf\n")
    assert refused.code == 1 and f"Type {SHOWN} to confirm" in refused.terminal
    done = odd.at_terminal("config", "trust", typed=f"{SHOWN}\n")
    assert done.code == 0, done.out
    assert odd("check", "bin/tool.txt").code == 0, "what it widens counts"


def test_notices_and_refusals_name_it_without_what_a_terminal_obeys(odd: CommandLine) -> None:
    assert odd("plans").code == 0
    odd.project.rename(odd.project.with_name("aside"))
    odd.project.mkdir()
    (odd.project / "studio.yaml").write_text("schema_version: 1\n")
    for is_json in (True, False):
        said = checked(odd("submit", stdin=plan_text(), json=is_json, cwd=odd.project), is_json=False)
        printed = (said.text + said.err).replace("\\\\", "\\")
        assert SHOWN in said.err and SHOWN in printed, "the notice, and the refusal"


def test_a_rule_of_the_project_speaks_to_no_terminal(odd: CommandLine) -> None:
    (odd.project / "studio.yaml").write_text('file_rules: {deny: ["[b\\e]*"]}\n')
    assert odd("check", "b.txt").json["verdicts"][0]["rule"] == "[b\x1b]*"
    for words in (["check", "b.txt"], ["config", "show"]):
        checked(odd(*words, json=False), is_json=False)


def test_words_that_are_no_utf8_are_taken(odd: CommandLine) -> None:
    odd_word = os.fsdecode(b"\xff\x1b[1m")
    step = {"op": "modify", "path": "a.txt", "content": "new\n"}
    plan = checked(
        odd("submit", "--title", odd_word, "--agent", odd_word, stdin=plan_text(step)), is_json=True
    )
    assert plan.json["title"] == "\N{REPLACEMENT CHARACTER}\x1b[1m"
    for words in (["show", odd_word * 4], ["check", odd_word], ["submit", odd_word]):
        checked(odd(*words), is_json=True)
        checked(odd(*words, json=False), is_json=False)


@pytest.mark.process
def test_the_window_opens_it(odd: CommandLine) -> None:
    step = {"op": "modify", "path": "a.txt", "content": "new\n"}
    odd("submit", stdin=plan_text(step))
    said = checked(odd("--smoke", "--project", odd.project, json=False, prefix=("env",)), is_json=False)
    shown = json.loads(said.out)
    assert (shown["plans"], shown["diff_rows"]) == (1, 2) and shown["tree_rows"] > 0, (shown, said.err)
