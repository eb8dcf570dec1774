"""Settings that turn an agent's hooks off: found in the user's files and in a project's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from studio.doors.connect import carry_out, client_of, hooks_off, plan_connection
from studio.doors.connect.clients import identity
from studio.engine.errors import Refused

OFF: dict[str, list[tuple[dict[str, Any], str]]] = {
    "claude-code": [({"disableAllHooks": True}, "disableAllHooks")],
    "gemini": [
        ({"hooksConfig": {"enabled": False}}, "hooksConfig.enabled"),
        ({"hooksConfig": {"disabled": ["other", "OURS"]}}, "hooksConfig.disabled"),
    ],
    "qwen": [({"disableAllHooks": True}, "disableAllHooks")],
}
CASES = [(name, settings, switch) for name, each in OFF.items() for settings, switch in each]
ON = {"disableAllHooks": False, "hooksConfig": {"enabled": True, "disabled": ["other"]}}


@pytest.mark.usefixtures("private_folders")
@pytest.mark.parametrize("place", ["user", "project"])
@pytest.mark.parametrize(("name", "settings", "switch"), CASES)
def test_one_line_in_a_file_does(
    name: str, settings: dict[str, Any], switch: str, place: str, tmp_path: Path
) -> None:
    client = client_of(name)
    carry_out(plan_connection(client))
    own = client.entries[0]
    file = own.path if place == "user" else tmp_path / own.path.parent.name / own.path.name
    file.parent.mkdir(exist_ok=True)
    before = json.loads(file.read_bytes()) if file.exists() else {}
    text = json.dumps(settings).replace('"OURS"', json.dumps(identity(own.value)[0]))
    for said, expected in ((json.loads(text), f"{file} says {switch}"), (ON, "")):
        file.write_text(json.dumps({**before, **said}))
        assert hooks_off(client, [tmp_path]) == expected
    file.write_text("{")
    with pytest.raises(Refused, match="can't be read"):
        hooks_off(client, [tmp_path])


@pytest.mark.usefixtures("private_folders")
def test_in_a_folder_that_is_not_trusted_gemini_cli_asks_no_hook(tmp_path: Path) -> None:
    """What is said of the nearest folder counts."""
    client = client_of("gemini")
    file = client.entries[0].path.with_name("trustedFolders.json")
    file.parent.mkdir(parents=True)
    project = tmp_path / "deep/project"
    none, yes = "DO_NOT_TRUST", "TRUST_FOLDER"
    for said, is_off in (
        ({}, False),
        ({str(project): none}, True),
        ({str(tmp_path): none}, True),
        ({str(tmp_path): none, str(project): yes}, False),
        ({str(tmp_path): yes, str(project): none}, True),
    ):
        file.write_text(json.dumps(said))
        assert hooks_off(client, [project]) == (f"{file} says DO_NOT_TRUST" if is_off else "")


@pytest.mark.usefixtures("private_folders")
def test_codex_has_none() -> None:
    assert hooks_off(client_of("codex"), [Path("/")]) == ""
