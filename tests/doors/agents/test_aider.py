"""`studio agent aider`, and a stand-in for aider that notes what its model says as aider does."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from studio.doors.agents.aider import draft_of, files_root, last_reply
from studio.engine.plan import PlanState
from studio.engine.policy import PolicyLimits
from studio.workspace import Workspace
from tests.doors.conftest import CommandLine

SAID = "notes.txt\n```\n<<<<<<< SEARCH\nbeta\n=======\nother\n>>>>>>> REPLACE\n```"
STAND_IN = """#!{python}
import json, sys
from pathlib import Path
words = sys.argv[1:]
here = Path(__file__)
here.with_name("words").write_text(json.dumps([str(Path.cwd()), *words]))
here.with_name("message").write_text(Path(words[words.index("--message-file") + 1]).read_text())
said = here.with_name("said").read_text()
history = "TO LLM 2026-11-23T14:46:03\\nUSER hi\\nLLM RESPONSE 2026-11-23T14:46:03\\n"
history += "".join(f"ASSISTANT {{line}}\\n" for line in said.splitlines())
Path(words[words.index("--llm-history-file") + 1]).write_text(history)
print("Tokens: few")
sys.exit(int(here.with_name("code").read_text()))
"""


@pytest.fixture
def aider(private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = private_folders / "programs"
    folder.mkdir()
    (folder / "aider").write_text(STAND_IN.format(python=sys.executable))
    (folder / "aider").chmod(0o700)
    (folder / "said").write_text(SAID)
    (folder / "code").write_text("0")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def test_aider_is_let_talk_in_an_empty_folder_and_given_no_command_of_its_own(
    aider: Path, studio: CommandLine, workspace: Workspace, project: Path
) -> None:
    (project / "notes.txt").write_text("alpha\n")
    said = studio("agent", "aider", "--", "--model", "m", "--file", "notes.txt", "/run", "touch", "made")
    assert (said.code, len(said.json["plans"])) == (0, 1)
    (plan,) = workspace.proposer.plans()
    assert (plan.agent, plan.state) == ("aider", PlanState.INVALID), "what it replaces is not there"
    cwd, *words = (aider / "words").read_text().strip('[]"').split('", "')
    assert not Path(cwd).exists() and not Path(cwd).is_relative_to(project)
    assert words[:4] == ["--model", "m", "--file", str(project / "notes.txt")]
    assert words[words.index("--chat-mode") + 1] == "ask" and "--no-git" in words
    message = (aider / "message").read_text()
    assert message.startswith("Answer") and message.endswith("/run touch made")


def test_a_reply_without_changes_is_no_plan_and_a_failed_aider_neither(
    aider: Path, studio: CommandLine, workspace: Workspace
) -> None:
    (aider / "said").write_text("Nothing to do.")
    assert studio("agent", "aider", "--", "Go on.").json["plans"] == []
    (aider / "said").write_text(SAID)
    (aider / "code").write_text("3")
    said = studio("agent", "aider", "--", "Go on.")
    assert said.error["code"] == "agent.failed" and "it ended with 3" in said.error["message"]
    assert not workspace.proposer.plans()


@pytest.mark.parametrize("words", [[], ["--yes-always", "Go"], ["--file", "/etc/passwd", "Go"]])
def test_words_that_aider_is_not_given(aider: Path, studio: CommandLine, words: list[str]) -> None:
    assert studio("agent", "aider", "--", *words).code == 2
    assert not (aider / "words").exists()


def test_the_last_thing_that_a_model_said_counts() -> None:
    first = "LLM RESPONSE 1\nASSISTANT first\nTO LLM 2\nUSER LLM RESPONSE\n"
    assert (
        last_reply(f"{first}LLM RESPONSE 2\nASSISTANT a\nASSISTANT \nASSISTANT ASSISTANT b\n\n")
        == "a\n\nASSISTANT b"
    )
    assert last_reply("") == last_reply("TO LLM 1\nUSER x\n") == ""


def test_paths_are_those_from_the_folder_that_holds_all_files(tmp_path: Path) -> None:
    files = [tmp_path / "sub/notes.txt"]
    assert files_root(tmp_path, []) == tmp_path and files_root(tmp_path, files) == tmp_path / "sub"
    assert files_root(tmp_path, [*files, tmp_path / "a"]) == tmp_path
    draft = draft_of(SAID, tmp_path, files, PolicyLimits())
    assert draft is not None and [step.path for step in draft.steps] == ["sub/notes.txt"]
