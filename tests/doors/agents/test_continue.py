"""`studio agent continue`, and a stand-in for it that notes how it was started."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from studio.doors.agents.continue_cli import settings_with
from studio.doors.agents.server_process import AgentFailed
from studio.doors.connect import server_entry
from tests.doors.conftest import CommandLine

SETTINGS = "models:\n  - name: m\nmcpServers:\n  - name: other\n    command: x\nprompts: []\n"
STAND_IN = """#!{python}
import json, sys
from pathlib import Path
words = sys.argv[1:]
config = Path(words[words.index("--config") + 1])
mode = config.stat().st_mode & 0o777
noted = {{"cwd": str(Path.cwd()), "words": words, "config": json.loads(config.read_text()), "mode": mode}}
Path(__file__).with_name("noted").write_text(json.dumps(noted))
print("Done.")
sys.exit(int(words[-1] == "Fail."))
"""


@pytest.fixture
def noted(private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = private_folders / "programs"
    folder.mkdir()
    (folder / "cn").write_text(STAND_IN.format(python=sys.executable))
    (folder / "cn").chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    settings = private_folders / "home/.continue/config.yaml"
    settings.parent.mkdir()
    settings.write_text(SETTINGS)
    return folder / "noted"


def test_continue_is_given_our_server_alone_in_an_empty_folder(
    noted: Path, studio: CommandLine, project: Path
) -> None:
    assert studio("agent", "continue", "--", "Go", "on.").json == {"agent": "continue", "plans": []}
    found: dict[str, Any] = json.loads(noted.read_text())
    assert not Path(found["cwd"]).is_relative_to(project) and not Path(found["cwd"]).exists()
    assert found["words"][-2:] == ["--", "Go on."] and found["mode"] == 0o600
    excluded = {word for word in found["words"] if word.endswith("*")}
    assert len(excluded) == 26 and {"A*", "B*", "Z*"} <= excluded
    (server,) = found["config"].pop("mcpServers")
    assert found["config"] == {"models": [{"name": "m"}]}
    own: Any = server_entry()["args"]
    words = [*own, "--project", str(project), "--agent", "continue"]
    assert server["args"] == words and server["name"] == "studio"


def test_a_continue_that_fails_or_has_no_settings(
    noted: Path, studio: CommandLine, private_folders: Path
) -> None:
    assert studio("agent", "continue", "--", "Fail.").code == 1
    assert studio("agent", "continue").code == studio("agent", "continue", "--", "--auto").code == 2
    noted.unlink()
    settings = private_folders / "home/.continue/config.yaml"
    settings.write_text("a: [")
    assert studio("agent", "continue", "--", "Go on.").error["code"] == "agent.failed"
    settings.unlink()
    assert studio("agent", "continue", "--", "Go on.").error["code"] == "agent.no_settings"
    assert not noted.exists()


def test_settings_that_are_none_are_refused() -> None:
    for text in ("", "- a", "a: &x [*x"):
        with pytest.raises(AgentFailed):
            settings_with(text, {})
