"""Every way in which a file switches a gate off: what the doctor and the window's lamp say of it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from pytestqt.qtbot import QtBot

from studio.doors.cli.main import run
from studio.doors.clients import client
from studio.doors.clients.client import identity
from studio.doors.connect import carry_out, client_of, plan_connection
from studio.doors.doctor import fingerprint_of, gate_statuses, store_proof
from studio.extras.agents import Gate, GateStatus
from studio.ui.window.gate_indicator import GateIndicator

OFF, MOVED, UNTRUSTED = "hooks_off", "settings_moved", "folder_untrusted"
ALL_OFF: Final = {"disableAllHooks": True}
MANAGED = "etc/claude-code/managed-settings.json"
# By client: a file, what is added to it, and the kind of reason. HERE is the project, OURS our hook.
WAYS: Final[dict[str, list[tuple[str, Any, str]]]] = {
    "claude-code": [
        ("home/.claude/settings.json", ALL_OFF, OFF),
        ("home/.claude/settings.json", {"env": {"CLAUDE_CONFIG_DIR": "/elsewhere"}}, MOVED),
        ("home/.claude/settings.json", {"env": {"CLAUDE_CODE_SIMPLE": "1"}}, OFF),
        ("project/.claude/settings.json", ALL_OFF, OFF),
        ("project/.claude/settings.json", {"env": {"CLAUDE_CODE_SAFE_MODE": "true"}}, OFF),
        ("project/.claude/settings.local.json", ALL_OFF, OFF),
        ("project/deep/down/.claude/settings.json", ALL_OFF, OFF),
        ("above/.claude/settings.json", ALL_OFF, OFF),
        ("main/.claude/settings.local.json", ALL_OFF, OFF),
        (MANAGED, ALL_OFF, OFF),
        (MANAGED, {"allowManagedHooksOnly": True}, OFF),
        (MANAGED, {"strictPluginOnlyCustomization": ["skills", "hooks"]}, OFF),
        ("etc/claude-code/managed-settings.d/10-own.json", ALL_OFF, OFF),
    ],
    "cline": [
        ("project/.env", "CLINE_DIR=/elsewhere\n", MOVED),
        ("project/deep/.env", "A=1\nexport CLINE_HOOKS_DIR = '/elsewhere'\n", MOVED),
        ("project/.env.local", "CLINE_DIR=/elsewhere\n", MOVED),
        ("above/.env.development", "CLINE_DIR=/elsewhere\n", MOVED),
        ("project/.env.production.local", "CLINE_DIR=/elsewhere\n", MOVED),
    ],
    "codex": [
        ("home/.codex/config.toml", "[features]\nhooks = false\n", OFF),
        ("home/.codex/work.config.toml", "[features]\nhooks = false\n", OFF),
        ("project/.codex/config.toml", "features = { codex_hooks = false }\n", OFF),
        ("project/deep/.codex/config.toml", "[features]\nhooks = false\n", OFF),
        ("etc/codex/config.toml", "[features]\nhooks = false\n", OFF),
        ("etc/codex/managed_config.toml", "[features]\nhooks = false\n", OFF),
        ("etc/codex/requirements.toml", "allow_managed_hooks_only = true\n", OFF),
    ],
    "gemini": [
        ("home/.gemini/settings.json", {"hooksConfig": {"enabled": False}}, OFF),
        ("project/.gemini/settings.json", {"hooksConfig": {"disabled": ["other", "OURS"]}}, OFF),
        ("project/deep/.gemini/settings.json", {"hooksConfig": {"enabled": False}}, OFF),
        ("etc/gemini-cli/settings.json", {"hooksConfig": {"enabled": False}}, OFF),
        ("etc/gemini-cli/system-defaults.json", {"hooksConfig": {"enabled": False}}, OFF),
        ("project/.gemini/settings.json", {"hooks": []}, OFF),
        ("etc/gemini-cli/settings.json", {"hooks": None}, OFF),
        ("project/.env", "GEMINI_RESTRICTED_MODE=true\n", UNTRUSTED),
        ("home/.gemini/.env", "GEMINI_CLI_TRUST_WORKSPACE=false\n", UNTRUSTED),
        ("home/.gemini/.env", "GEMINI_CLI_HOME=/elsewhere\n", MOVED),
        ("project/.gemini/.env", 'GEMINI_CLI_SYSTEM_SETTINGS_PATH="/elsewhere"\n', MOVED),
        ("above/.env", "GEMINI_CLI_HOME=/elsewhere\n", MOVED),
        ("home/.gemini/trustedFolders.json", {"HERE": "DO_NOT_TRUST"}, UNTRUSTED),
        ("home/.gemini/trustedFolders.json", {"ABOVE": "DO_NOT_TRUST"}, UNTRUSTED),
        ("home/.gemini/trustedFolders.json", {"HERE/deep": "DO_NOT_TRUST"}, UNTRUSTED),
    ],
    "qwen": [
        ("home/.qwen/settings.json", ALL_OFF, OFF),
        ("home/.qwen/settings.json", {"tools": {"executionSandbox": {"filesystem": "read-only"}}}, OFF),
        ("etc/qwen-code/settings.json", {"tools": {"executionSandbox": {"network": "open"}}}, OFF),
        ("home/.qwen/settings.json", {"env": {"QWEN_CODE_SIMPLE": "1"}}, OFF),
        ("home/.qwen/.env", "QWEN_HOME=/elsewhere\n", MOVED),
        ("project/.qwen/settings.json", ALL_OFF, OFF),
        ("project/.env", "QWEN_CODE_SAFE_MODE=1\n", OFF),
        ("etc/qwen-code/settings.json", ALL_OFF, OFF),
        ("etc/qwen-code/system-defaults.json", ALL_OFF, OFF),
    ],
}
# What leaves a gate as it is.
ON: Final[dict[str, list[tuple[str, Any]]]] = {
    "claude-code": [
        ("project/.claude/settings.json", {"disableAllHooks": False, "allowManagedHooksOnly": True}),
        ("project/node_modules/it/.claude/settings.json", ALL_OFF),
        ("home/.claude/settings.json", {"env": {"CLAUDE_CODE_SIMPLE": "0", "CLAUDE_CONFIG_DIR": ""}}),
    ],
    "cline": [
        ("project/.env.example", "CLINE_DIR=/elsewhere\n"),
        ("project/.env", "# CLINE_DIR=/elsewhere\nNOT_CLINE_DIR=1\n"),
    ],
    "codex": [("project/.codex/config.toml", "[features]\nhooks = true\n")],
    "gemini": [
        ("project/.gemini/settings.json", {"hooksConfig": {"enabled": True, "disabled": ["other"]}}),
        ("project/.gemini/settings.json", {"hooks": {"BeforeTool": []}}),
        ("home/.gemini/.env", "GEMINI_CLI_TRUST_WORKSPACE=true\n"),
        ("home/.gemini/trustedFolders.json", {"ABOVE": "DO_NOT_TRUST", "HERE": "TRUST_FOLDER"}),
    ],
    "qwen": [
        ("project/.qwen/settings.json", {"disableAllHooks": False}),
        ("project/.qwen/settings.json", {"tools": {"executionSandbox": {"network": "open"}}}),
    ],
}


@pytest.fixture
def places(private_folders: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Where the first part of a file's name leads; the project is a linked worktree."""
    main, linked = private_folders / "main", private_folders / "linked"
    for words in (
        ["init", "-q", main],
        ["-C", main, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a"],
        ["-C", main, "worktree", "add", "-q", linked],
    ):
        subprocess.run(["git", *words], check=True)
    (linked / ".git").rename(project / ".git")
    monkeypatch.setattr(client, "SYSTEM", private_folders / "etc")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir(project)
    folders = {"project": project, "above": project.parent, "main": main}
    return {**folders, **{name: private_folders / name for name in ("home", "etc")}}


def write(places: dict[str, Path], name: str, content: Any, ours: str) -> tuple[Path, bytes | None]:
    """Add this to a file; returns it, and what it held."""
    first, _, rest = name.partition("/")
    file = places[first] / rest
    before = file.read_bytes() if file.exists() else None
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        file.write_text(content + (before or b"").decode())
    else:
        words = {"OURS": ours, "HERE": str(places["project"]), "ABOVE": str(places["above"])}
        text = json.dumps(content)
        for word, meaning in words.items():
            text = text.replace(f'"{word}', json.dumps(meaning)[:-1])
        file.write_text(json.dumps({**json.loads(before or b"{}"), **json.loads(text)}))
    return file, before


@pytest.mark.parametrize("name", list(WAYS))
def test_a_file_that_switches_a_gate_off_is_named(
    name: str, places: dict[str, Path], qtbot: QtBot, capfd: pytest.CaptureFixture[str]
) -> None:
    connected = client_of(name)
    carry_out(plan_connection(connected))
    ours = identity(connected.entries[0].value)[0]
    gate_indicator = GateIndicator()
    qtbot.addWidget(gate_indicator)

    def said() -> dict[str, Any]:
        capfd.readouterr()
        assert run(["--json", "doctor"]) == 1
        (gate,) = json.loads(capfd.readouterr().out)["gates"]
        gate_indicator.set_gates(gate_statuses([places["project"]]))
        assert gate["why"] in gate_indicator.accessibleDescription()
        return gate

    rows = [*WAYS[name], *((file, content, "") for file, content in ON[name])]
    for row in rows:
        path, content, reason = row
        file, before = write(places, path, content, ours)
        gate = said()
        if reason:
            assert (gate["gate"], gate["reason"], gate["file"]) == ("none", reason, str(file)), row
            assert str(file) in gate["why"], row
            assert (gate_indicator.words(), gate_indicator.detail()) == ("Not protected", str(file)), row
            keys = content.split("=") if isinstance(content, str) else content
            assert not any(key.strip() in gate["why"] for key in keys if len(key) > 9 and "/" not in key), row
        else:
            assert "not tested yet" in gate["why"] and "reason" not in gate, row
            assert gate_indicator.words() == "Not verified", row
        if before is None:
            file.unlink()
        else:
            file.write_bytes(before)
    settings = next(path for path, _, _ in rows if path.startswith("project"))
    if not settings.endswith(".env"):
        write(places, settings, "{", ours)
        assert "can't be read" in said()["why"]
    write(places, *WAYS[name][0][:2], ours)
    capfd.readouterr()
    assert run(["doctor"]) == 1
    assert f"NOT  {name} is not protected. " in capfd.readouterr().out


def test_an_entry_beside_ours_in_settings_of_the_system_ends_a_proof(places: dict[str, Path]) -> None:
    connected = client_of("claude-code")
    carry_out(plan_connection(connected))
    proof = GateStatus("claude-code", Gate.CLOSED, True, "It wrote in no way.")
    store_proof(proof, fingerprint_of(connected))
    assert gate_statuses([places["project"]]) == (proof,)
    write(places, MANAGED, {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}}, "")
    assert not gate_statuses([places["project"]])[0].proved
