"""Codex' trust in our hook, set and asked for through its own server: a stand-in that speaks as it does."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.doors.doctor import gate_statuses
from studio.ui.window.gate_indicator import GateIndicator
from tests.doors.conftest import CommandLine, Said

STAND_IN = """#!{python}
import json, os, sys
from pathlib import Path
home = Path(os.environ["HOME"], ".codex")
log = open(Path(__file__).with_name("log"), "a")
how = "{how}"
for line in sys.stdin:
    log.write(line)
    log.flush()
    asked = json.loads(line)
    if how == "ends":
        sys.exit(3)
    if "id" not in asked:
        continue
    print(json.dumps({{"method": "configWarning", "params": {{}}}}))
    print("no JSON")
    result = {{}}
    if asked["method"] == "hooks/list":
        group = json.loads((home / "hooks.json").read_text())["hooks"]["PreToolUse"][0]
        handler, key = group["hooks"][0], f"{{home}}/hooks.json:pre_tool_use:0:0"
        trusted = how in ("trusts", "remembers") and key in (home / "config.toml").read_text()
        status = "trusted" if trusted else "untrusted"
        hook = {{"key": key, "command": handler["command"], "currentHash": "sha256:ab"}}
        hook["trustStatus"] = status
        result = {{"data": [{{"cwd": "/", "hooks": [] if how == "knows none" else [hook]}}]}}
    if asked["method"] == "config/batchWrite":
        if how == "refuses":
            print(json.dumps({{"id": asked["id"], "error": {{"code": -32600}}}}), flush=True)
            continue
        (edit,) = asked["params"]["edits"]
        text = (home / "config.toml").read_text()
        if edit["value"] is None and how == "remembers":
            print(json.dumps({{"id": asked["id"], "error": {{"code": -32600}}}}), flush=True)
            continue
        elif edit["value"] is None and edit["keyPath"] == "hooks.state":
            text = text.replace("\\n[hooks.state]\\n", "")
        elif edit["value"] is None:
            before, _, rest = text.partition(f"\\n[{{edit['keyPath']}}]\\n")
            text = before + "\\n[hooks.state]\\n" + rest.partition("\\n")[2]
        else:
            ((key, value),) = edit["value"].items()
            text += f'\\n[hooks.state."{{key}}"]\\ntrusted_hash = "{{value["trusted_hash"]}}"\\n'
        (home / "config.toml").write_text(text)
    if asked["method"] == "config/read":
        result = {{"config": {{"hooks": {{"PreToolUse": []}}}}}}
    print(json.dumps({{"id": asked["id"], "result": result}}), flush=True)
"""


@pytest.fixture
def codex(private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where its program is put, and the one folder in which programs are looked for."""
    folder = private_folders / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    (private_folders / "home" / ".codex").mkdir()
    (private_folders / "home" / ".codex" / "config.toml").write_text("a = 1\n")
    return folder / "codex"


def install(codex: Path, how: str) -> None:
    codex.write_text(STAND_IN.format(python=sys.executable, how=how))
    codex.chmod(0o700)


def connect(studio: CommandLine, *words: str) -> Said:
    return studio.at_terminal("connect", "codex", *words, typed="codex\n")


def asked(codex: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in codex.with_name("log").read_text().splitlines()]


def test_trust_is_set_and_asked_for_again(studio: CommandLine, codex: Path, private_folders: Path) -> None:
    install(codex, "trusts")
    said = connect(studio)
    assert (said.code, said.json["done"]) == (0, True)
    assert not any("Codex" in remark for remark in said.json["remarks"])
    assert "will trust the hook" in said.terminal
    methods = ["initialize", "initialized", "hooks/list", "config/batchWrite", "hooks/list"]
    assert [message["method"] for message in asked(codex)] == methods
    (edit,) = asked(codex)[3]["params"]["edits"]
    assert edit["keyPath"] == "hooks.state" and edit["mergeStrategy"] == "upsert"
    assert list(edit["value"].values()) == [{"trusted_hash": "sha256:ab"}]
    config = private_folders / "home" / ".codex" / "config.toml"
    text = config.read_text()
    again = studio("connect", "codex")
    assert (again.code, again.json["done"], config.read_text()) == (0, True, text), "nobody need be asked"
    said = connect(studio, "--remove")
    assert said.json["done"] and "will no longer trust the hook" in said.terminal
    assert config.read_text() == "a = 1\n", "of its trust nothing stays"


def test_trust_that_stays_is_told(studio: CommandLine, codex: Path) -> None:
    install(codex, "remembers")
    assert connect(studio).json["done"]
    said = connect(studio, "--remove")
    assert (said.code, said.json["done"]) == (1, False)
    assert any("could not be removed" in remark for remark in said.json["remarks"])


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("distrusts", "does not trust the hook and skips it"),
        ("knows none", "does not list the hook"),
        ("refuses", "did not report whether it trusts the hook: it refused config/batchWrite"),
        ("ends", "did not report whether it trusts the hook: it ended"),
    ],
)
def test_a_hook_that_is_not_trusted_is_no_gate_and_told(
    studio: CommandLine, codex: Path, how: str, why: str
) -> None:
    install(codex, how)
    said = connect(studio)
    assert (said.code, said.json.get("done")) == (1, False), said
    assert any(why in remark for remark in said.json["remarks"]) and why in said.err
    later = studio("connect", "codex")
    assert (later.code, later.error["code"]) == (1, "needs_person"), "trust is a person's"
    install(codex, "trusts")
    said = connect(studio)
    assert (said.code, said.json["done"], said.json["files"]) == (0, True, [])


def test_a_program_that_cant_be_started_is_told(studio: CommandLine, codex: Path) -> None:
    codex.write_text("#!/no/such/interpreter\n")
    codex.chmod(0o700)
    said = connect(studio)
    assert (said.code, said.json.get("done")) == (1, False), said
    assert any("did not report" in remark for remark in said.json["remarks"])


def test_a_dry_run_starts_nothing(studio: CommandLine, codex: Path) -> None:
    install(codex, "trusts")
    assert studio("connect", "codex", "--dry-run").code == 0
    assert not codex.with_name("log").exists()


def test_codex_itself_is_asked_once_a_minute_and_where_its_settings_change(
    studio: CommandLine, codex: Path, project: Path, private_folders: Path, qtbot: QtBot
) -> None:
    """A program that writes before our entry takes its trust away; no file says so."""
    install(codex, "trusts")
    assert studio.at_terminal("connect", "codex", typed="codex\n").code == 0
    codex.with_name("log").unlink()
    gate_indicator = GateIndicator()
    qtbot.addWidget(gate_indicator)
    gate_indicator.set_gates(gate_statuses([]))
    assert not codex.with_name("log").exists(), "without a project nobody is asked"
    for _ in range(3):
        gate_indicator.set_gates(gate_statuses([project]))
        assert gate_indicator.words() == "Not verified"
    (listed,) = (each for each in asked(codex) if each["method"] == "hooks/list")
    assert listed["params"] == {"cwds": [str(project)]}
    (private_folders / "home/.codex/config.toml").write_text("a = 1\n")
    gate_indicator.set_gates(gate_statuses([project]))
    assert (
        gate_indicator.words() == "Not protected"
        and "does not trust the hook" in gate_indicator.accessibleDescription()
    )
    (gate,) = studio("doctor").json["gates"]
    assert (gate["gate"], gate["reason"], gate["file"]) == ("none", "hook_untrusted", "")
    install(codex, "ends")
    (private_folders / "home/.codex/config.toml").write_text("b = 1\n")
    (standing,) = gate_statuses([project])
    assert not standing.proved and not standing.reason and "did not report" in standing.why
