"""`studio connect` at a terminal: an agent's files get our entries, and lose them exactly."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from studio.doors.connect import EntryState, client_of, entry_states
from studio.doors.doctor import connectable_agents
from studio.extras.agents import ConnectionState
from studio.program.app_folders import project_key
from tests.doors.conftest import CommandLine, Said

CLAUDE, CODEX, GEMINI, QWEN = "claude-code", "codex", "gemini", "qwen"
SHELLS = ("/bin/sh", "/bin/dash", "/bin/bash")
SETTINGS = (
    '{\n\t// mine\n\t"model": "opus",\n\t"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": []}]}\n}\n'
)
STRICT = '{\n\t"model": "opus",\n\t"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": []}]}\n}\n'
CONFIG = '# mine\nmodel = "gpt-5.5"\r\n'

FILES = {
    CLAUDE: {
        ".claude/settings.json": STRICT,
        ".claude.json": '{"mcpServers": {"other": {"command": "x"}}}',
    },
    CODEX: {".codex/hooks.json": "{}", ".codex/config.toml": CONFIG},
    GEMINI: {".gemini/settings.json": SETTINGS.replace("PreToolUse", "BeforeTool")},
    QWEN: {".qwen/settings.json": '{"mcpServers": {"other": {"command": "x"}}}'},
}
IN_ONE_FILE = [(GEMINI, "BeforeTool", ".*"), (QWEN, "PreToolUse", "*")]


@pytest.fixture
def home(private_folders: Path) -> Path:
    """The home folder of the person, with each agent's files as they have them."""
    folder = private_folders / "home"
    for files in FILES.values():
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(text.encode())
    return folder


@pytest.fixture
def state() -> Path:
    return Path(os.environ["STUDIO_STATE_DIR"])


@pytest.fixture(autouse=True)
def programs(private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one folder in which programs are looked for: this machine's agents are not found."""
    folder = private_folders / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def contents(home: Path, name: str) -> dict[str, str]:
    return {file: (home / file).read_bytes().decode() for file in FILES[name]}


def connected(studio: CommandLine, name: str, *words: str) -> Said:
    said = studio.at_terminal("connect", name, *words, typed=f"{name}\n")
    assert said.code == 0, said
    return said


def test_claude_code_is_given_a_gate_and_tools(studio: CommandLine, home: Path, state: Path) -> None:
    said = connected(studio, CLAUDE)
    assert "claude-code" in said.terminal and "/.claude/settings.json\r\n" in said.terminal
    assert '"matcher": "*"' in said.err, "the change itself is shown"
    assert "Claude Code is not installed" in said.err
    assert said.json["done"] and said.json["agent"] == CLAUDE
    settings = (home / ".claude/settings.json").read_text()
    assert '\t"model": "opus"' in settings and '{"matcher": "Bash", "hooks": []}' in settings
    program = state / "hooks" / CLAUDE
    added = json.dumps(
        {
            "matcher": "*",
            "hooks": [
                {
                    "type": "command",
                    "command": str(program),
                    "args": [],
                    "timeout": 86400,
                    "onFailure": "block",
                }
            ],
        }
    )
    assert added in settings
    assert stat.S_IMODE(program.stat().st_mode) == 0o700 == stat.S_IMODE(program.parent.stat().st_mode)
    servers = json.loads((home / ".claude.json").read_text())["mcpServers"]
    assert servers["other"] == {"command": "x"}
    assert servers["studio"]["alwaysLoad"] is True and servers["studio"]["args"][-1] == "mcp"
    for file in said.json["files"]:
        assert Path(file["backup"]).is_relative_to(state) and file["diff"].startswith("diff --git")
        assert Path(file["backup"]).read_text() == FILES[CLAUDE][str(Path(file["path"]).relative_to(home))]


@pytest.mark.parametrize("place", ["versions/{}", "node_modules/@anthropic-ai/claude-code/bin/claude"])
def test_commands_in_skills_are_asked_for_where_claude_code_has_the_event(
    studio: CommandLine, home: Path, programs: Path, tmp_path: Path, place: str
) -> None:
    def install(version: str) -> None:
        program = tmp_path / place.format(version)
        program.parent.mkdir(parents=True, exist_ok=True)
        program.touch(0o755)
        package = {"name": "@anthropic-ai/claude-code", "version": version}
        (program.parents[1] / "package.json").write_text(json.dumps(package))
        (programs / "claude").unlink(missing_ok=True)
        (programs / "claude").symlink_to(program)

    install("2.1.331")
    connected(studio, CLAUDE)
    assert "PreSkillShellCommand" not in (home / ".claude/settings.json").read_text()
    install("2.1.332")
    connected(studio, CLAUDE)
    hooks = json.loads((home / ".claude/settings.json").read_text())["hooks"]
    assert hooks["PreSkillShellCommand"] == hooks["PreToolUse"][1:]
    whole = contents(home, CLAUDE)
    install("2.1.331")
    assert connectable_agents([])[0].state is ConnectionState.OUTDATED
    connected(studio, CLAUDE)
    assert "PreSkillShellCommand" not in (home / ".claude/settings.json").read_text()
    assert connectable_agents([])[0].state is ConnectionState.CONNECTED
    install("2.1.332")
    connected(studio, CLAUDE)
    assert contents(home, CLAUDE) == whole
    install("2.1.331")
    Path(os.environ["STUDIO_STATE_DIR"], "connections.json").unlink()
    connected(studio, CLAUDE, "--remove")
    settings = json.loads((home / ".claude/settings.json").read_text())
    assert settings["hooks"]["PreSkillShellCommand"] == [], "without a record, too"


def test_codex_is_given_a_hook_and_tools(studio: CommandLine, home: Path, state: Path) -> None:
    said = studio.at_terminal("connect", CODEX, typed=f"{CODEX}\n")
    assert said.code == 0 and said.json["done"] is False, "nobody could ask Codex whether it trusts the hook"
    assert any("not installed" in remark for remark in said.json["remarks"])
    hooks = json.loads((home / ".codex/hooks.json").read_text())["hooks"]["PreToolUse"]
    handler = {"type": "command", "command": f"exec {state / 'hooks' / CODEX}", "timeout": 86400}
    assert hooks == [{"matcher": ".*", "hooks": [handler]}]
    text = (home / ".codex/config.toml").read_bytes().decode()
    server = tomllib.loads(text)["mcp_servers"]["studio"]
    assert text.startswith(CONFIG) and server["default_tools_approval_mode"] == "approve"
    assert server["args"][-1] == "mcp" and server["env"]["STUDIO_STATE_DIR"] == str(state)


@pytest.mark.parametrize(("name", "event", "matcher"), IN_ONE_FILE)
def test_both_entries_may_stand_in_one_file(
    studio: CommandLine, home: Path, name: str, event: str, matcher: str
) -> None:
    state = os.environ["STUDIO_STATE_DIR"]
    said = connected(studio, name)
    ((path, text),) = FILES[name].items()
    (file,) = said.json["files"]
    assert (file["path"], Path(file["backup"]).read_text()) == (str(home / path), text)
    assert said.terminal.count("\r\n  effect ") == 2 and said.terminal.count("\r\n  changes ") == 1
    _, settings = load(home / path)
    group = settings["hooks"][event][-1]
    (handler,) = group["hooks"]
    assert (group["matcher"], handler["timeout"]) == (matcher, 86_400_000), "milliseconds"
    assert handler["command"].startswith(f'{state}/hooks/{name} "$PPID" || ')
    server = settings["mcpServers"]["studio"]
    assert (server["trust"], server["args"][-1], server["env"]["STUDIO_STATE_DIR"]) == (
        *(True, "mcp", state),
    )


@pytest.mark.parametrize("name", ["opencode.json", "opencode.jsonc"])
def test_opencode_is_given_a_plugin_and_tools(
    studio: CommandLine, home: Path, state: Path, name: str
) -> None:
    folder = Path(os.environ["XDG_CONFIG_HOME"], "opencode")
    settings, plugin = folder / name, folder / "plugins/exacta-studio.js"
    folder.mkdir(parents=True)
    before = '{\n  // mine\n  "mcp": {"other": {"type": "local", "command": ["x"]}}\n}\n'
    settings.write_text(before)
    (folder / "plugins").mkdir()
    (folder / "plugins/mine.js").write_text("mine\n")
    said = connected(studio, "opencode")
    assert [file["path"] for file in said.json["files"]] == [str(plugin), str(settings)]
    program = state / "hooks/opencode"
    assert f"const HOOK = {json.dumps(str(program))}\n" in plugin.read_text()
    text, document = load(settings)
    server = document["mcp"]["studio"]
    assert "// mine" in text and document["mcp"]["other"]["command"] == ["x"]
    assert (server["type"], server["command"][-1], server["enabled"]) == ("local", "mcp", True)
    assert server["environment"]["STUDIO_STATE_DIR"] == str(state)
    Path(f"{program}.loaded").write_text("1\n")
    connected(studio, "opencode", "--remove")
    assert settings.read_text() == before and not list((state / "hooks").iterdir())
    assert [file.name for file in (folder / "plugins").iterdir()] == ["mine.js"]


def test_continue_is_given_tools_and_no_gate(studio: CommandLine, home: Path, state: Path) -> None:
    """Without a gate it gets no hook program either; and a server that shares a word with ours is no ours."""
    settings = home / ".continue/config.yaml"
    said = studio.at_terminal("connect", "continue", typed="continue\n")
    assert (said.code, said.error["code"]) == (1, "connect.no_settings") and not settings.exists()
    settings.parent.mkdir()
    before = (
        "# mine\nname: l\nversion: 0.0.1\nmcpServers:\n  - name: other\n    args: [mcp]\n    command: x\n"
    )
    settings.write_text(before)
    said = connected(studio, "continue")
    assert any("may write without asking" in remark for remark in said.json["remarks"])
    assert settings.read_text().startswith(before) and not (state / "hooks").exists()
    loader: Any = YAML(typ="safe", pure=True)
    other, server = loader.load(settings)["mcpServers"]
    assert other["command"] == "x" and (server["name"], server["args"][-1]) == ("studio", "mcp")
    assert server["env"]["STUDIO_STATE_DIR"] == str(state)
    (gate,) = studio("doctor").json["gates"]
    assert (gate["agent"], gate["gate"], gate["proved"]) == ("continue", "none", False)
    assert studio("connect", "continue").json["done"], "a second time nothing changes"
    connected(studio, "continue", "--remove")
    assert settings.read_text() == before and studio("doctor").json["gates"] == []


CLINE_WAITS, QWEN_WAITS = 120, 60
"""Seconds, after which each does what its hook was asked for; nothing changes that."""


def waits_shorter(program: Path, name: str, client_waits: int) -> bool:
    """Whether a hook program says no before its client goes on: first for a person, then for our program."""
    person, looks, pause = (
        int(word)
        for pattern in (rf"hook {name} --timeout (\d+)", r"left=(\d+) pause=1\n", r"; pause=(\d+); done")
        for word in re.findall(pattern, program.read_text())
    )
    return person + 5 < 1 + (looks - 1) * pause < client_waits - 1  # the first look comes after a second


def test_qwens_hook_answers_before_qwen_goes_on(studio: CommandLine, home: Path, state: Path) -> None:
    """Its message bus gives up, whatever the hook's own limit is (0.24.4)."""
    connected(studio, QWEN)
    assert waits_shorter(state / "hooks/qwen", QWEN, QWEN_WAITS)


def test_cline_is_given_a_file_of_its_own_and_tools(studio: CommandLine, home: Path, state: Path) -> None:
    settings, hook = home / ".cline/data/settings/cline_mcp_settings.json", home / ".cline/hooks/PreToolUse"
    settings.parent.mkdir(parents=True)
    before = '{"mcpServers": {"other": {"command": "x"}}}'
    settings.write_text(before)
    said = connected(studio, "cline")
    assert [file["path"] for file in said.json["files"]] == [str(hook), str(settings)]
    assert stat.S_IMODE(hook.stat().st_mode) == 0o700
    program = state / "hooks/cline"
    assert f'\n{program} "$PPID" || echo ' in hook.read_text()
    servers = json.loads(settings.read_text())["mcpServers"]
    assert servers["other"] == {"command": "x"}
    assert (servers["studio"]["args"][-1], servers["studio"]["timeout"]) == ("mcp", 3600)
    assert waits_shorter(program, "cline", CLINE_WAITS)
    connected(studio, "cline", "--remove")
    assert settings.read_text() == before and not hook.exists()


@pytest.mark.parametrize("leads_to", ["nothing", "a file"])
def test_a_link_in_the_place_of_clines_hook_is_refused(
    studio: CommandLine, home: Path, state: Path, leads_to: str
) -> None:
    """It passes links over without a word."""
    hook = home / ".cline/hooks/PreToolUse"
    hook.parent.mkdir(parents=True)
    hook.symlink_to(home / leads_to)
    if leads_to == "a file":
        (home / leads_to).write_text("")
    said = studio.at_terminal("connect", "cline", typed="cline\n")
    code = "connect.file_is_link" if leads_to == "a file" else "file.dangling_link"
    assert (said.code, said.error["code"]) == (1, code)
    assert hook.is_symlink() and not (state / "hooks").exists()


def load(file: Path) -> tuple[str, dict[str, Any]]:
    """A file's text, and what it says without its comments and last commas."""
    text = file.read_text()
    return text, json.loads(re.sub(r"//.*|,(?=\s*[\]}])", "", text))


@pytest.mark.parametrize("name", [GEMINI, QWEN])
@pytest.mark.parametrize("hook", ["exit 0", "exit 1", "exit 2", "kill -9 $$", None])
def test_a_hook_that_fails_in_any_way_is_a_no_with_a_reason(
    studio: CommandLine, home: Path, state: Path, name: str, hook: str | None
) -> None:
    """These clients take a code without a word for a yes, and a hook that is killed, or missing."""
    connected(studio, name)
    ((path, _),) = FILES[name].items()
    group = next(iter(load(home / path)[1]["hooks"].values()))[-1]
    program = state / "hooks" / name
    if hook is None:
        program.unlink()
    else:
        program.write_text(f"#!/bin/sh\necho $1\n{hook}\n")
    done = subprocess.run(
        ["/bin/bash", "-c", group["hooks"][0]["command"]], capture_output=True, text=True, check=False
    )
    assert done.returncode == (0 if hook == "exit 0" else 2)
    assert (hook == "exit 0") == (not done.stderr)
    assert hook is None or int(done.stdout) == os.getpid(), "the client is named to it, not the shell"


@pytest.mark.parametrize("shell", SHELLS)
def test_no_shell_stays_between_codex_and_its_hook(
    studio: CommandLine, home: Path, state: Path, shell: str
) -> None:
    """Codex has the login shell run the entry: a hook below dash would wait on when Codex was killed."""
    studio.at_terminal("connect", CODEX, typed=f"{CODEX}\n")
    (hooks,) = json.loads((home / ".codex/hooks.json").read_text())["hooks"]["PreToolUse"]
    program = state / "hooks" / CODEX
    program.write_text("#!/bin/sh\necho $PPID\n")
    command = [shell, "-c", hooks["hooks"][0]["command"]]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert int(done.stdout) == os.getpid()


@pytest.mark.parametrize("name", FILES)
def test_what_was_put_there_is_taken_out_exactly(
    studio: CommandLine, home: Path, state: Path, name: str
) -> None:
    connected(studio, name)
    after = contents(home, name)
    assert after != FILES[name]
    again = studio("connect", name)
    assert (again.code, again.json["files"]) == (0, []), "a second time changes nothing, and asks nobody"
    assert contents(home, name) == after
    removed = connected(studio, name, "--remove")
    assert removed.json["done"] and len(removed.json["files"]) == len(FILES[name])
    assert contents(home, name) == FILES[name]
    assert not (state / "hooks" / name).exists()
    nothing = studio("connect", name, "--remove")
    assert (nothing.code, nothing.json["files"], nothing.json["done"]) == (0, [], True)


def test_codexs_toml_1_1_is_read(studio: CommandLine, home: Path) -> None:
    """Codex 0.171.0 reads it; the standard library does not up to Python 3.14."""
    config = home / ".codex/config.toml"
    before = (
        '[mcp_servers.docs]\nargs = ["\\x41\\e"]\nenv = {\n  A = "1", # one\n  B = "2",\n}\n[x]\nat = 07:32\n'
    )
    config.write_text(before)
    studio.at_terminal("connect", CODEX, typed=f"{CODEX}\n")
    assert config.read_text().startswith(f"{before}\n[mcp_servers.studio]\n")
    connected(studio, CODEX, "--remove")
    assert config.read_text() == before
    config.write_text(f"{before}wrong\n")
    said = studio("connect", CODEX)
    assert "line 9, column 6" in said.error["message"], "each thing is in the line in which it was"


@pytest.mark.parametrize("name", FILES)
def test_files_that_were_missing_are_missing_again(studio: CommandLine, home: Path, name: str) -> None:
    """So are the folders that were made; and what an agent has written anew counts by what it holds."""
    for file in FILES[name]:
        (home / file).unlink()
    folders = {(home / file).parent for file in FILES[name]} - {home}
    for folder in folders:
        folder.rmdir()
    assert "Type" in connected(studio, name).terminal
    assert all(contents(home, name).values())
    for file in (home / file for file in FILES[name] if file.endswith(".json")):
        file.write_text(json.dumps(json.loads(file.read_text()), indent=7))
    connected(studio, name, "--remove")
    assert not any((home / file).exists() for file in FILES[name])
    assert not any(folder.exists() for folder in folders)


@pytest.mark.parametrize("linked", ["file", "folder"])
def test_settings_in_a_repository_of_dotfiles_are_written_where_they_are(
    studio: CommandLine, home: Path, linked: str
) -> None:
    """GNU stow links the file, or the whole folder; the repository is no project that was opened here."""
    dotfiles, folder = home / "dotfiles", home / ".qwen"
    (dotfiles / ".git").mkdir(parents=True)
    (dotfiles / ".git/HEAD").write_text("ref: refs/heads/main\n")
    target = dotfiles / "qwen/settings.json"
    if linked == "file":
        target.parent.mkdir()
        (folder / "settings.json").rename(target)
        (folder / "settings.json").symlink_to(target)
    else:
        folder.rename(target.parent)
        folder.symlink_to(target.parent)
    before = target.read_bytes()
    said = connected(studio, QWEN)
    (shown,) = [line for line in said.terminal.split("\r\n") if line.startswith("  at ")]
    assert shown.endswith("home/dotfiles/qwen/settings.json")
    assert "mcpServers" in json.loads(target.read_text()) and target.read_bytes() != before
    connected(studio, QWEN, "--remove")
    assert target.read_bytes() == before and (folder / "settings.json").samefile(target)
    assert (folder.is_symlink(), (folder / "settings.json").is_symlink()) == (
        *(linked == "folder", linked == "file"),
    )
    Path(os.environ["STUDIO_STATE_DIR"], project_key(dotfiles)).mkdir(parents=True)
    said = studio.at_terminal("connect", QWEN, typed=f"{QWEN}\n")
    assert said.error["code"] == "file.in_project", "one that was opened here is written by its plans alone"


@pytest.mark.parametrize("typed", ["yes\n", "\n", "codex\n"])
def test_nothing_is_written_without_a_person(
    studio: CommandLine, home: Path, state: Path, typed: str
) -> None:
    """Who brings a configuration of their own is nobody."""
    Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml").write_text("review: {command_line: allow}\n")
    said = studio.at_terminal("connect", CLAUDE, typed=typed)
    assert (said.code, said.error["code"]) == (1, "needs_person")
    said = studio("connect", CLAUDE, stdin=b"claude-code\n")
    assert (said.code, said.error["code"]) == (1, "needs_person")
    assert contents(home, CLAUDE) == FILES[CLAUDE] and not (state / "hooks").exists()


def test_a_dry_run_shows_the_change_and_makes_none(studio: CommandLine, home: Path, state: Path) -> None:
    for words in ((), ("--remove",)):
        said = studio("connect", CLAUDE, "--dry-run", *words)
        assert (said.code, said.json["done"]) == (0, bool(words))
        assert [file["path"] for file in said.json["files"]] == (
            [] if words else [str(home / file) for file in FILES[CLAUDE]]
        )
    assert "+" in studio("connect", CLAUDE, "--dry-run", json=False).text
    assert contents(home, CLAUDE) == FILES[CLAUDE] and not state.joinpath("hooks").exists()


def test_the_entry_for_any_other_client_is_printed(studio: CommandLine, home: Path) -> None:
    said = studio("connect", "mcp")
    server = said.json["entry"]["mcpServers"]["studio"]
    assert (said.code, said.json["files"]) == (0, []) and server["args"][-1] == "mcp"
    assert json.loads(studio("connect", "mcp", json=False).text) == said.json["entry"]
    assert studio("connect", "mcp", "--remove").code == 2
    assert studio("connect", "nobody").code == 2


def test_the_clients_own_variables_say_where_its_files_are(
    studio: CommandLine, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path / "cli"))
    monkeypatch.setenv("QWEN_HOME", str(tmp_path / "coder"))
    monkeypatch.setenv("CLINE_DIR", str(tmp_path / "cline"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "c"))
    for name in (*FILES, "cline", "opencode"):
        connected(studio, name)
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("c*/**/*") if path.is_file()}
    assert found == {
        "claude/settings.json",
        "claude/.claude.json",
        "codex/hooks.json",
        "codex/config.toml",
        "cli/.gemini/settings.json",
        "coder/settings.json",
        "c/opencode/opencode.json",
        "c/opencode/plugins/exacta-studio.js",
        "cline/hooks/PreToolUse",
        "cline/data/settings/cline_mcp_settings.json",
    }
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    connected(studio, CLAUDE, "--remove")
    assert not (tmp_path / "claude").exists(), "where it was put is noted"
    assert contents(home, CLAUDE) == FILES[CLAUDE]


def edit(file: Path, change: Callable[[Any], None]) -> None:
    """As a client does it, which writes the whole file anew."""
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document, indent=4))


def test_what_somebody_changed_is_noticed_and_mended(
    studio: CommandLine, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".claude/settings.json").write_text("{}")
    connected(studio, CLAUDE)
    settings, servers = home / ".claude/settings.json", home / ".claude.json"
    assert set(entry_states(client_of(CLAUDE))) == {EntryState.THERE}
    edit(settings, lambda it: it["hooks"]["PreToolUse"][0]["hooks"][0].pop("onFailure"))
    edit(servers, lambda it: it["mcpServers"].pop("studio"))
    assert entry_states(client_of(CLAUDE)) == (EntryState.CHANGED, EntryState.MISSING)
    remarks = studio("connect", CLAUDE, "--dry-run").json["remarks"]
    assert sum("was changed or removed" in remark for remark in remarks) == 2
    connected(studio, CLAUDE)
    assert set(entry_states(client_of(CLAUDE))) == {EntryState.THERE}
    edit(settings, lambda it: it["hooks"]["PreToolUse"].append({"matcher": "Edit", "hooks": []}))
    edit(settings, lambda it: it.update(theirs=1))
    connected(studio, CLAUDE, "--remove")
    assert json.loads(settings.read_text()) == {
        "hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": []}]},
        "theirs": 1,
    }


def test_without_its_record_an_entry_is_known_and_taken_out(
    studio: CommandLine, home: Path, state: Path
) -> None:
    """As after a crash between the file and the record of it."""
    connected(studio, CLAUDE)
    (state / "connections.json").unlink()
    assert studio("connect", CLAUDE).json["files"] == []
    connected(studio, CLAUDE, "--remove")
    assert contents(home, CLAUDE) == FILES[CLAUDE]


def test_one_of_two_entries_in_a_file_is_mended_alone(studio: CommandLine, home: Path) -> None:
    file = home / ".qwen/settings.json"
    connected(studio, QWEN)
    whole = json.loads(file.read_text())
    edit(file, lambda it: it["hooks"]["PreToolUse"].clear())
    assert entry_states(client_of(QWEN)) == (EntryState.MISSING, EntryState.THERE)
    connected(studio, QWEN)
    assert json.loads(file.read_text()) == whole
    edit(file, lambda it: it.update(theirs=1))
    connected(studio, QWEN, "--remove")
    left = {"mcpServers": {"other": {"command": "x"}}, "hooks": {"PreToolUse": []}, "theirs": 1}
    assert json.loads(file.read_text()) == left


def test_an_entry_of_another_version_is_renewed(
    studio: CommandLine, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected(studio, CODEX)
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert set(entry_states(client_of(CODEX))) == {EntryState.THERE}, "nobody changed it"
    (file,) = connected(studio, CODEX).json["files"]
    assert "-env = " in file["diff"] and "XDG_RUNTIME_DIR" not in (home / ".codex/config.toml").read_text()
    connected(studio, CODEX, "--remove")
    assert contents(home, CODEX) == FILES[CODEX]


@pytest.mark.parametrize(("name", "file"), [(CLAUDE, ".claude.json"), (CODEX, ".codex/config.toml")])
def test_somebody_elses_server_of_our_name_is_not_replaced(
    studio: CommandLine, home: Path, state: Path, name: str, file: str
) -> None:
    text = '[mcp_servers.studio]\ncommand = "theirs"\n'
    if name == CLAUDE:
        text = '{"mcpServers": {"studio": {"command": "theirs"}}}'
    (home / file).write_text(text)
    before = contents(home, name)
    said = studio.at_terminal("connect", name, typed=f"{name}\n")
    assert (said.code, said.error["code"]) == (1, "connect.name_taken")
    assert file in said.error["message"] and contents(home, name) == before
    assert studio("connect", name, "--remove").json["files"] == []
    assert contents(home, name) == before and not (state / "hooks").exists()


def test_what_changed_while_the_person_was_asked_is_not_written_over(
    studio: CommandLine, home: Path, state: Path
) -> None:
    file = home / ".claude/settings.json"
    said = studio.at_terminal(
        "connect", CLAUDE, typed="claude-code\n", meanwhile=lambda: file.write_text('{"model": "sonnet"}')
    )
    assert (said.code, said.error["code"]) == (3, "file.changed")
    assert file.read_text() == '{"model": "sonnet"}' and not (state / "hooks").exists()
    assert (home / ".claude.json").read_text() == FILES[CLAUDE][".claude.json"]


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "[]", '{"hooks": []}', "{", "\xff"])
def test_a_file_that_cant_be_read_is_refused_with_its_place(
    studio: CommandLine, home: Path, text: str
) -> None:
    file = home / ".claude/settings.json"
    file.write_bytes(text.encode("latin-1"))
    said = studio.at_terminal("connect", CLAUDE, typed="claude-code\n")
    assert (said.code, said.error["code"]) == (1, "connect.unreadable")
    assert "settings.json" in said.error["message"] and "line 1, column" in said.error["message"]
    assert file.read_bytes() == text.encode("latin-1")


@pytest.mark.parametrize(
    ("name", "path", "read"),
    [
        (CLAUDE, ".claude/settings.json", {"mark"}),
        ("cline", ".cline/data/settings/cline_mcp_settings.json", set[str]()),
        (CODEX, ".codex/hooks.json", set[str]()),
        (GEMINI, ".gemini/settings.json", {"line", "block"}),
        ("opencode", "../config/opencode/opencode.json", {"line", "block", "comma", "mark"}),
        (QWEN, ".qwen/settings.json", {"line", "block", "mark"}),
    ],
)
def test_a_client_is_left_no_json_that_it_does_not_read(
    studio: CommandLine, home: Path, name: str, path: str, read: set[str]
) -> None:
    """Most drop such a file whole, our entry with it, and some without a word."""
    file = home / path
    file.parent.mkdir(parents=True, exist_ok=True)
    for extra, text, place in (
        ("line", '{\n  "a": "// [1,]" // mine\n}\n', "line 2, column 18"),
        ("block", '{"a": [] /* " */}\n', "line 1, column 10"),
        ("comma", '{"a": [\n  1,\n]}\n', "line 2, column 4"),
        ("mark", "\ufeff{}\n", "line 1, column 1"),
    ):
        file.write_text(text, encoding="utf-8")
        said = studio("connect", name, "--dry-run")
        assert (said.code == 0) == (extra in read), (extra, said)
        if extra not in read:
            assert said.error["code"] == "connect.unreadable"
            assert file.name in said.error["message"] and place in said.error["message"]
        assert file.read_text(encoding="utf-8") == text
    file.write_text("{}\n")
    connected(studio, name)
    plain = file.read_text()
    for extra, text in (
        ("line", f"{plain}// mine\n"),
        ("block", f"/* mine */ {plain}"),
        ("comma", f"{plain.rstrip()[:-1].rstrip()},\n}}\n"),
        ("mark", f"\ufeff{plain}"),
    ):
        file.write_text(text, encoding="utf-8")
        said = studio("connect", name, "--remove", "--dry-run")
        assert (said.code == 0) == (extra in read), (extra, said)
        assert extra in read or said.error["code"] == "connect.unreadable"


def test_a_file_in_a_project_is_not_written(studio: CommandLine, home: Path, project: Path) -> None:
    """Also where the agent's own variable leads there, and by a link."""
    file = home / ".claude/settings.json"
    file.unlink()
    (project / "settings.json").write_text("{}")
    file.symlink_to(project / "settings.json")
    said = studio.at_terminal("connect", CLAUDE, typed="claude-code\n")
    assert (said.code, said.error["code"]) == (1, "file.in_project")
    assert (project / "settings.json").read_text() == "{}"
    assert studio("connect", CLAUDE, "--dry-run").json["files"][0]["path"] == str(file)


@pytest.mark.parametrize(
    "damage", ['{"schema": 2}', '{"schema": 1, "written": [3]}', "path", "keys", "depth"]
)
def test_a_damaged_record_is_told(studio: CommandLine, home: Path, state: Path, damage: str) -> None:
    record = state / "connections.json"
    if not damage.startswith("{"):
        assert studio.at_terminal("connect", CLAUDE, typed=f"{CLAUDE}\n").code == 0
        document = json.loads(record.read_bytes())
        document["written"][0][damage] = [[]]
        damage = json.dumps(document)
    record.write_text(damage)
    said = studio("connect", CLAUDE, "--dry-run")
    assert (said.code, said.error["code"]) == (1, "connect.record")
