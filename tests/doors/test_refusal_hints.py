"""A refusal tells what helps, on the command line as an agent reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine, set_configuration


def problem(studio: CommandLine, path: str, **more: Any) -> dict[str, Any]:
    plan = studio.submit({"op": "create", "path": path, "content": "x\n", **more})
    return plan["steps"][0]["problems"][0]


@pytest.mark.parametrize("path", [".git/config", ".cursor/rules.md", "studio.yaml", "deep/.husky/pre-push"])
def test_nobody_is_asked_to_allow_what_is_locked(studio: CommandLine, path: str) -> None:
    found = problem(studio, path)
    assert (found["code"], found["hint"]) == ("policy.denied", "Exclude this file; no rule can allow it.")
    (verdict,) = studio("check", path).json["verdicts"]
    assert (verdict["level"], verdict["hint"]) == ("locked", found["hint"])


def test_a_deny_names_the_file_that_has_it(studio: CommandLine, project: Path) -> None:
    (project / "studio.yaml").write_text("file_rules: {deny: [gen/]}\n")
    set_configuration("file_rules: {deny: [own/]}")
    assert problem(studio, "gen/a")["hint"].endswith("removes the rule from studio.yaml.")
    assert problem(studio, "own/a")["hint"].endswith("removes the rule from the user configuration.")
    assert problem(studio, "obj/a")["hint"].endswith("ask the user to allow the folder obj.")
    assert problem(studio, "a.key")["hint"].endswith("ask the user to allow it in the user configuration.")


def test_the_command_line_adds_the_command_to_a_hint(studio: CommandLine, project: Path) -> None:
    """For an error and for a problem; the engine does not know which door shows them."""
    assert studio("show", "12345678").error["hint"] == "Check its id."
    assert studio("show", "12345678", json=False).err.endswith("Check its id. Run: studio plans\n")
    printed = studio("submit", stdin=b"Only in new: b.txt\n", json=False)
    assert "Run: studio submit --tree DIR --delete" in printed.text + printed.err
    plan = studio.submit({"op": "create", "path": "obj/a b/c", "content": "x\n"})
    assert "Run: studio config allow obj\n" in studio("show", plan["plan"], json=False).text


@pytest.mark.parametrize(
    ("target", "path", "expected"),
    [
        (
            "real",
            "link/a.txt",
            (
                "link is reached through a link, which leads to real.",
                "Specify real instead; links are never followed.",
            ),
        ),
        (
            "real/a.txt",
            "link",
            (
                "through a link, which leads to real/a.txt.",
                "Specify real/a.txt instead; links are never followed.",
            ),
        ),
        ("../../etc", "link/passwd", ("which leads to ../../etc.", "its link leads out of the folder.")),
        ("/etc", "link/passwd", ("which leads to /etc.", "Specify the real file; links are never followed.")),
        (
            ".",
            "link",
            (
                "link is reached through a link, which leads to",
                "Specify the real file; links are never followed.",
            ),
        ),
    ],
)
def test_a_link_is_refused_with_where_it_leads(
    studio: CommandLine, project: Path, target: str, path: str, expected: tuple[str, str]
) -> None:
    (project / "real").mkdir()
    (project / "real/a.txt").write_text("a\n")
    (project / "link").symlink_to(target)
    found = problem(studio, path, op="modify")
    message, hint = expected
    assert found["code"] == "path.link"
    assert message in found["message"] and found["hint"].endswith(hint)


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("aprove", "1234abcd", "--apply"), "studio approve"),
        (("--project", ".", "rolback"), "studio rollback"),
        (("fs", "raed", "a.txt"), "Did you mean read?"),
        (("config", "shwo"), "Did you mean show?"),
    ],
)
def test_a_misspelt_command_names_the_nearest_one(
    studio: CommandLine, words: tuple[str, ...], near: str
) -> None:
    said = studio(*words)
    assert said.code in (2, 4) and near in said.error["hint"]


def test_a_file_that_is_called_almost_like_a_command_is_a_file(studio: CommandLine, project: Path) -> None:
    (project / "shows").write_text("x\n")
    said = studio("shows", "--nothing")
    assert said.error["code"] == "usage" and "Did you mean" not in said.error["hint"]
