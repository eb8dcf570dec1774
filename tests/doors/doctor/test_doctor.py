"""`studio doctor` proves a gate with the client itself, and what it proved counts until something changes."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from studio.doors.cli.main import run
from studio.doors.connect import CLIENTS, client_of
from studio.doors.doctor import TRIED_CLIENTS, Attempt, gate_proof
from studio.doors.doctor.trial import Tried
from studio.extras import sandbox
from studio.extras.sandbox import SandboxRefused
from tests.doors.conftest import AT_TERMINAL, CommandLine, Said
from tests.doors.doctor import stand_in
from tests.lab.agents.cache import fetched, needed
from tests.tools.sandboxed import UNSEEN, is_unseen, opened

STAND_IN = Path(__file__).with_name("stand_in.py")
CLAUDE, CODEX = "claude-code", "codex"

Install = Callable[[str], Path]


@pytest.fixture
def install(programs: Path) -> Install:
    """Puts the stand-in there, as a client that takes failures in some way."""

    def install(way: str) -> Path:
        program = programs / "claude"
        program.write_text(f"#!{sys.executable}\n{STAND_IN.read_text()}")
        program.chmod(stat.S_IRWXU)
        (programs / "way").write_text(way)
        return program

    return install


def connect(studio: CommandLine, agent: str = CLAUDE) -> None:
    assert studio.at_terminal("connect", agent, typed=f"{agent}\n").code == 0


def gate_of(document: dict[str, Any]) -> dict[str, Any]:
    (gate,) = document["gates"]
    return gate


@pytest.mark.parametrize(
    ("way", "gate", "why"),
    [
        ("closed", "closed", "wrote nothing in any failure we tested"),
        ("open", "open on failure", "the hook program itself is missing"),
        ("deaf", "none", "despite our denial"),
    ],
)
def test_a_gate_is_worth_what_its_client_does(
    studio: CommandLine, install: Install, way: str, gate: str, why: str
) -> None:
    install(way)
    code = 0 if gate == "closed" else 1
    connect(studio)
    before = gate_of(studio("doctor").json)
    assert (before["proved"], before.get("when")) == (False, None)
    proved = studio("doctor", CLAUDE)
    said = gate_of(proved.json)
    assert (proved.code, said["gate"], said["proved"]) == (code, gate, True) and why in said["why"]
    assert said["version"] == "9.9.9 (stand-in)"
    whole = studio("doctor")
    assert (gate_of(whole.json), whole.code) == (said, code), "it is kept"
    assert said["settings"] == "empty home"
    line = studio("doctor", json=False).text
    state = "not protected" if gate == "none" else f"{gate}, verified"
    assert f"is {state}. {said['why']} Tested {said['when']} in an empty home." in line


def test_a_program_hears_of_each_try_beside_the_document(studio: CommandLine, install: Install) -> None:
    install("open")
    connect(studio)
    proved = studio("doctor", CLAUDE)
    told = [json.loads(line) for line in proved.err.splitlines()]
    assert [each["attempt"] for each in told] == [attempt.value for attempt in Attempt]
    assert {each["event"] for each in told} == {"tried"} and len(proved.json["gates"]) == 1
    assert [each["gated"] for each in told] == [False] + [True] * (len(told) - 1)
    written = {each["attempt"] for each in told if each["written"]}
    assert Attempt.NO_GATE.value in written and Attempt.HOOK_MISSING.value in written
    assert Attempt.ANSWERS_NO.value not in written


def test_a_client_that_never_tries_proves_nothing(studio: CommandLine, install: Install) -> None:
    install("idle")
    connect(studio)
    proved = studio("doctor", CLAUDE)
    assert (proved.code, gate_of(proved.json)["proved"]) == (1, False)


def test_a_client_that_is_updated_meanwhile_is_not_proved(studio: CommandLine, install: Install) -> None:
    """What was tried is not there any more."""
    install("renewed")
    connect(studio)
    tried = studio("doctor", CLAUDE)
    said = gate_of(tried.json)
    assert (tried.code, said["proved"]) == (1, False) and "changed since the test" in said["why"]
    assert not gate_of(studio("doctor").json)["proved"]


OWN = (CLAUDE, "--own-settings")


@pytest.fixture
def own_home(
    studio: CommandLine, install: Install, private_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The home of a person who has Claude Code connected, logged in, and set up in more ways."""
    home = private_folders / "home"
    (home / ".claude/hooks").mkdir(parents=True)
    (home / ".claude/hooks/mine.sh").write_text("#!/bin/sh\n")
    (home / ".claude/settings.json").write_text(stand_in.SETTINGS)
    (home / ".claude/.credentials.json").write_text('{"token": "secret"}')
    (home / ".claude.json").write_text('{"primaryApiKey": "secret", "mcpServers": {}}')
    connect(studio)
    (home / ".claude.json").write_text('{"primaryApiKey": "secret", "mcpServers": {}}')
    # Of /tmp the sandbox shows nothing.
    (home / "bin").mkdir()
    for file in install("own").parent.iterdir():
        file.rename(home / "bin" / file.name)
    monkeypatch.setenv("PATH", f"{home / 'bin'}:{os.environ['PATH']}")
    return home


@pytest.fixture
def tried_own(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Proves the gate with the user's settings in this process: it takes longer than a command may here."""

    def tried_own(agent: str = CLAUDE, *words: str) -> Said:
        code = run(["--json", "doctor", agent, "--own-settings", *words])
        out, err = capsys.readouterr()
        return Said(code, out.encode(), err)

    return tried_own


def test_a_person_is_shown_what_is_started_with_their_settings(
    studio: CommandLine, own_home: Path, tmp_path: Path
) -> None:
    (tmp_path / "tried").mkdir()
    opened(tmp_path / "tried").close()
    unasked = studio("doctor", *OWN)
    refused = studio.at_terminal("doctor", *OWN, typed="no\n")
    for said in (unasked, refused):
        assert said.error["code"] == "needs_person" and "tried" not in said.err
    shown = "".join(refused.terminal.split())
    assert "bypassPermissions--settings" in shown and "http://127.0.0.1:PORT" in shown
    assert "~/.claude/settings.json" in refused.terminal and ".credentials" not in refused.terminal


def test_at_a_terminal_the_users_settings_are_asked_for_unless_an_empty_home_is_wanted(
    studio: CommandLine, own_home: Path
) -> None:
    def shown(*words: str) -> str:
        """What appears on a terminal that is all three streams, where nobody types a name."""
        master, slave = pty.openpty()
        command = [sys.executable, "-c", AT_TERMINAL, str(slave), "doctor", *words]
        with subprocess.Popen(
            command, cwd=studio.project, stdin=slave, stdout=slave, stderr=slave, pass_fds=(slave,),
            start_new_session=True,
        ):  # fmt: skip
            os.close(slave)
            found = b""
            with suppress(OSError):  # how Linux says that the other side is closed
                while part := os.read(master, 4096):
                    found += part
                    if b"to confirm: " in part:
                        os.write(master, b"no\n")
        os.close(master)
        return found.decode()

    asked, unasked = shown(CLAUDE), shown(CLAUDE, "--empty-home")
    assert "copies of your settings" in asked or "with your own settings" in asked  # without a sandbox
    assert "doctor claude-code --empty-home" in asked and "is not protected" not in asked
    assert "to confirm" not in unasked and "in an empty home" in unasked


def test_a_gate_is_proved_with_its_users_settings(
    studio: CommandLine, own_home: Path, tried_own: Callable[..., Said], tmp_path: Path
) -> None:
    """In the sandbox, with copies: nothing of the user's changes, and no login is in it."""
    if is_unseen():
        pytest.skip(UNSEEN)
    (tmp_path / "tried").mkdir()
    opened(tmp_path / "tried").close()
    before = {path: path.read_bytes() for path in own_home.rglob("*") if path.is_file()}
    proved = tried_own(CLAUDE, "--yes")
    said = gate_of(proved.json)
    assert (said["gate"], said["proved"], said["settings"]) == ("closed", True, "own"), said
    assert len(proved.err.splitlines()) == len(Attempt)
    assert {path: path.read_bytes() for path in own_home.rglob("*") if path.is_file()} == before
    assert "with your own settings" in studio("doctor", json=False).text
    # A hook of the user's that says no to all: then our gate is not what kept it from writing.
    mine = own_home / ".claude/hooks/mine.sh"
    mine.write_text("#!/bin/sh\nexit 2\n")
    mine.chmod(stat.S_IRWXU)
    settings = own_home / ".claude/settings.json"
    document = json.loads(settings.read_text())
    document["hooks"]["PreToolUse"].insert(0, {"matcher": "*", "hooks": [{"command": str(mine)}]})
    settings.write_text(json.dumps(document))
    said = gate_of(tried_own(CLAUDE, "--yes").json)
    assert not said["proved"] and "even without a gate" in said["why"]


@pytest.mark.parametrize("reason", ["address", "unreadable", "no sandbox", "elsewhere"])
def test_what_can_not_be_tried_with_its_users_settings_is_not_started(
    studio: CommandLine,
    own_home: Path,
    tried_own: Callable[..., Said],
    monkeypatch: pytest.MonkeyPatch,
    reason: str,
) -> None:
    """Nor is anybody asked first."""
    system = own_home.with_name("claude-code")
    managed = {"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}}
    system.mkdir()
    monkeypatch.setattr("studio.doors.clients.client.SYSTEM", system.parent)
    match reason:
        case "address":
            (system / "managed-settings.json").write_text(json.dumps(managed))
        case "unreadable":
            (system / "managed-settings.d").mkdir()
            (system / "managed-settings.d/1.json").write_text("{")
        case "no sandbox":
            refused = SandboxRefused("sandbox.none", "This system gives us no name space.", "")
            monkeypatch.setattr(sandbox, "Sandbox", Mock(side_effect=refused))
        case _:
            elsewhere = own_home.with_name("elsewhere")
            monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(elsewhere))
            connect(studio)
    said = tried_own()
    assert said.error["code"] == "doctor.untestable" and "could not be tested" in said.error["message"]
    named = {"address": "managed-settings.json", "unreadable": "1.json", "no sandbox": "name space"}
    assert named.get(reason, "elsewhere/settings.json") in said.error["message"]
    assert '"tried"' not in said.err
    why = gate_of(studio("doctor").json)["why"]
    assert ("1.json" if reason == "unreadable" else "not tested yet") in why


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (f"echo '{json.dumps({'was_written': False, 'message': '', 'ended': True})}'; echo late", ""),
        ("echo a warning; kill -SEGV $$", 'signal 11 without a result; its last line was "a warning".'),
    ],
)
def test_a_result_is_found_before_other_lines_and_its_absence_is_explained(
    own_home: Path, tried_own: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    if is_unseen():
        pytest.skip(UNSEEN)
    (folder := own_home.with_name("tried")).mkdir()
    opened(folder).close()  # skips where no sandbox can be had
    monkeypatch.setattr("studio.doors.doctor.user_settings_trial.words_of", lambda _: ("sh", "-c", script))
    tried = tried_own(CLAUDE, "--yes")
    assert tried.error["message"].endswith(words) if words else "error" not in tried.json


@pytest.mark.parametrize(
    ("agent", "path", "text"),
    [
        (CODEX, "etc/codex/managed_config.toml", ""),
        (CODEX, "home/.codex/config.toml", 'profile = "mine"\n'),
        ("gemini", "etc/gemini-cli/settings.json", '{"security": {"auth": {"selectedType": "vertex-ai"}}}'),
        ("opencode", "etc/opencode/opencode.json", '{"enabled_providers": ["mine"]}'),
    ],
)
def test_settings_that_choose_another_model_are_named(
    studio: CommandLine,
    programs: Path,
    tried_own: Callable[..., Said],
    monkeypatch: pytest.MonkeyPatch,
    *,
    agent: str,
    path: str,
    text: str,
) -> None:
    home = Path.home()
    monkeypatch.setattr("studio.doors.clients.client.SYSTEM", home.with_name("etc"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    connect(studio, agent)
    (programs / client_of(agent).program).touch(stat.S_IRWXU)
    (file := home.parent / path).parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + (file.read_text() if file.exists() else ""))
    said = tried_own(agent)
    assert said.error["code"] == "doctor.untestable" and str(file) in said.error["message"]


@contextmanager
def changed(file: Path, old: str, new: str) -> Iterator[None]:
    """A file with other words in it, and afterwards as it was, with its time."""
    before, status = file.read_bytes(), file.stat()
    assert old in before.decode()
    file.write_bytes(before.replace(old.encode(), new.encode(), 1))
    yield
    file.write_bytes(before)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_a_proof_touches_nothing_and_counts_until_something_changes(
    studio: CommandLine, install: Install, private_folders: Path, project: Path
) -> None:
    """The client works in a home and a project of its own: no plan is left, no file of the user's changes."""
    program, home = install("closed"), private_folders / "home"
    connect(studio)
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    there = sorted(project.iterdir())
    assert studio("doctor", CLAUDE).code == 0
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
    assert studio("plans").json == {"plans": []} and studio("sessions").json == {"sessions": []}
    assert sorted(project.iterdir()) == there
    hook = Path(os.environ["STUDIO_STATE_DIR"], "hooks", CLAUDE)
    settings = home / ".claude/settings.json"
    for file, old, new in (
        (program, "stand-in", "newer one"),
        (hook, "#!/bin/sh", "#!/bin/bash"),
        (settings, "86400", "5"),
    ):
        with changed(file, old, new):
            said = studio("doctor")
            assert said.code == 1 and not gate_of(said.json)["proved"], file
            if file == settings:
                assert studio("doctor", CLAUDE).error["code"] == "doctor.not_connected"
        assert studio("doctor").code == 0, file


@pytest.mark.parametrize("damage", ["{", '{"hooks": 3}'])
def test_a_configuration_that_can_not_be_read_is_told_of_connected_agents_alone(
    studio: CommandLine, install: Install, private_folders: Path, damage: str
) -> None:
    """Nobody is warned of an agent that has nothing to do with us."""
    install("closed")
    settings = private_folders / "home/.claude/settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(damage)
    said = studio("doctor")
    assert (said.code, said.json["gates"]) == (0, [])
    settings.write_text("{}")
    connect(studio)
    settings.write_text(damage)
    said = studio("doctor")
    gate = gate_of(said.json)
    assert (said.code, gate["proved"]) == (1, False) and "settings.json" in gate["why"]


def test_an_entry_that_somebody_took_out_is_no_gate(
    studio: CommandLine, install: Install, private_folders: Path
) -> None:
    """An agent that writes into its own configuration is not taken for one that is not connected."""
    install("closed")
    connect(studio)
    (private_folders / "home/.claude/settings.json").write_text("{}")
    said = studio("doctor")
    gate = gate_of(said.json)
    assert (said.code, gate["gate"], gate["proved"]) == (1, "none", False)
    assert "was removed from" in gate["why"] and f"studio connect {CLAUDE}" in gate["why"]
    connect(studio)
    assert "not tested yet" in gate_of(studio("doctor").json)["why"]
    assert studio.at_terminal("connect", CLAUDE, "--remove", typed=f"{CLAUDE}\n").code == 0
    said = studio("doctor")
    assert (said.code, said.json["gates"]) == (0, [])


def test_a_proof_counts_with_the_settings_that_it_was_made_with(
    studio: CommandLine, install: Install, private_folders: Path
) -> None:
    install("closed")
    connect(studio)
    settings = private_folders / "home/.claude/settings.json"
    before = settings.read_text()
    assert gate_of(studio("doctor", CLAUDE).json)["proved"]
    # Of another tool: it may change what ours is asked for.
    other = {"matcher": "*", "hooks": [{"type": "command", "command": "other"}]}
    said = json.loads(before)
    said["hooks"]["PreToolUse"].insert(0, other)
    for changed_to in ({**json.loads(before), "disableAllHooks": False}, said):
        settings.write_text(json.dumps(changed_to))
        gate = gate_of(studio("doctor").json)
        assert not gate["proved"] and "changed since the test" in gate["why"]
    settings.write_text(before)
    assert gate_of(studio("doctor").json)["proved"]
    settings.write_text(json.dumps({"disableAllHooks": True, **json.loads(before)}))
    tried = studio("doctor", CLAUDE)
    assert (tried.code, gate_of(tried.json)["gate"]) == (1, "none"), "the trial was in another home"


def test_a_record_that_can_not_be_read_leaves_no_agent_unsaid(studio: CommandLine, install: Install) -> None:
    install("closed")
    connect(studio)
    Path(os.environ["STUDIO_STATE_DIR"], "connections.json").write_text("damaged")
    said = studio("doctor")
    assert said.code == 1 and not any(gate["proved"] for gate in said.json["gates"])
    assert "connections.json" in gate_of({"gates": said.json["gates"][:1]})["why"]


def test_what_can_not_be_proved_is_a_sentence(studio: CommandLine, install: Install, programs: Path) -> None:
    said = studio("doctor", CLAUDE)
    assert (said.code, said.error["code"]) == (4, "doctor.no_client")
    install("closed")
    assert studio("doctor", CLAUDE).error["code"] == "doctor.not_connected"
    assert studio("doctor", "nobody").code == 2
    connect(studio)
    (programs / "claude").write_text("#!/nowhere/at/all\n")
    assert studio("doctor", CLAUDE).error["code"] == "doctor.no_start"


def test_the_program_is_looked_at_part_by_part(studio: CommandLine, project: Path) -> None:
    said = studio("doctor")
    assert said.code == 0 and said.json["ok"] and said.json["gates"] == [] and said.json["bell"]
    checks = {check["check"]: check["ok"] for check in said.json["checks"]}
    assert checks["python"] and checks["project"] and checks["state folder"]
    assert checks["unidiff"] and checks["pygit2"]
    ways = [check["message"] for check in said.json["checks"] if check["check"].startswith("sandbox: ")]
    assert len(ways) == 3 and all("tried to write outside" in way or way.startswith("Not ") for way in ways)
    (project / "studio.yaml").write_text("limits: {steps: many}\n")
    broken = studio("doctor")
    (bad,) = [check for check in broken.json["checks"] if not check["ok"]]
    assert broken.code == 1 and bad["check"] == "project" and "studio.yaml" in bad["message"]


def test_every_agent_that_can_be_connected_can_be_tried() -> None:
    assert set(TRIED_CLIENTS) == {name for name in CLIENTS if not client_of(name).no_gate}


@pytest.mark.parametrize("loads", [True, False])
def test_a_plugin_that_is_not_loaded_is_no_gate(studio: CommandLine, programs: Path, loads: bool) -> None:
    """What the plugin says as it is loaded is gone before opencode is started for that."""
    beacon = Path(os.environ["STUDIO_STATE_DIR"], "hooks/opencode.loaded")
    program = programs / "opencode"
    says = f"[ \"$1 $2\" = 'debug config' ] && echo 1 > '{beacon}'" if loads else "exit 0"
    program.write_text(f"#!/bin/sh\n{says}\n")
    program.chmod(stat.S_IRWXU)
    connect(studio, "opencode")
    beacon.write_text("1\n")
    said = gate_of(studio("doctor", "opencode").json)
    if loads:
        assert not said["proved"] and "wrote nothing even without a gate" in said["why"]
    else:
        assert (said["gate"], said["proved"]) == ("none", True) and "ignored our entry" in said["why"]


def test_an_agent_without_a_gate_is_not_tried(
    studio: CommandLine, programs: Path, private_folders: Path
) -> None:
    program = programs / "cn"
    program.write_text("#!/bin/sh\n")
    program.chmod(stat.S_IRWXU)
    settings = private_folders / "home/.continue/config.yaml"
    settings.parent.mkdir()
    settings.write_text("name: l\n")
    connect(studio, "continue")
    said = studio("doctor", "continue")
    assert (said.code, said.error["code"]) == (1, "doctor.no_gate")


KILLED = "what it starts as its hook is killed"
REAL = {
    CLAUDE: ("closed", "The client wrote nothing in any failure we tested."),
    CODEX: (
        "open on failure",
        f"The client writes when the hook program itself is missing, {KILLED}.",
    ),
}


@pytest.mark.parametrize(("agent", "goes_on"), [("qwen", 60), ("cline", 120), (CLAUDE, 0)])
def test_a_try_is_longer_than_its_client_waits(
    monkeypatch: pytest.MonkeyPatch, agent: str, goes_on: int
) -> None:
    """A client that goes on by itself writes within the try: the hook program gives up as it is set up."""
    tries: list[float] = []

    def try_in_empty_home(_client: object, _entry: object, _folder: Path, *, seconds: float) -> Tried:
        tries.append(seconds)
        return Tried(was_written=len(tries) == 1, message="no", ended=True)

    monkeypatch.setattr(gate_proof, "try_in_empty_home", try_in_empty_home)
    standing = gate_proof.prove_gate(client_of(agent), TRIED_CLIENTS[agent])
    assert standing.gate.value == "closed"
    assert len(tries) == len(Attempt) and max(tries) > goes_on + 10


@pytest.mark.timeout(900)  # two of them are waited for as long as they wait
@pytest.mark.parametrize("agent", REAL)
def test_the_client_itself(
    studio: CommandLine, programs: Path, capsys: pytest.CaptureFixture[str], agent: str
) -> None:
    """The real client, by the entry that `connect` wrote."""
    needed(agent)
    gate, why = REAL[agent]
    (programs / client_of(agent).program).symlink_to(fetched(agent))
    connect(studio, agent)
    run(["--json", "--project", str(studio.project), "doctor", agent])
    out, err = capsys.readouterr()
    proved = gate_of(json.loads(out))
    assert (proved["gate"], proved["proved"], proved["why"]) == (gate, True, why)
    # Claude Code's second entry asks for shell commands in skills.
    assert err.count(Attempt.ANSWERS_NO.value) == (2 if agent == CLAUDE else 1)
    if agent == CODEX:
        trusted = Path.home() / ".codex/config.toml"
        with changed(trusted, "trusted_hash", "other_hash"):
            assert studio("doctor", agent).error["code"] == "doctor.not_trusted"
    assert gate_of(studio("doctor").json) == proved, "it is kept"
