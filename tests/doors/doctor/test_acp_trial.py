"""`studio doctor` proves the gate of an agent that is talked with, by the agent itself."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.doors.acp.agents import agents_by_gate, known_agent
from studio.doors.clients import gemini
from studio.doors.doctor import (
    ACP_TEST_AGENTS,
    acp_fingerprint,
    acp_gate_status,
    gate_statuses,
    prove_acp_gate,
    sandbox_gate_status,
    store_proof,
)
from studio.extras.agents import Gate
from studio.extras.sandbox import Command, Sandbox, SandboxRefused
from tests.doors.conftest import CommandLine
from tests.tools.sandboxed import opened

STAND_IN = Path(__file__).with_name("stand_in_talk.py")
NAME = "gemini-acp"
GEMINI = gemini.ACP

Install = Callable[[str], Path]


@pytest.fixture
def install(programs: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts the stand-in before all other programs, as one that takes failures in some way."""
    monkeypatch.setattr("studio.doors.doctor.acp_trial.LATE_SECONDS", 0.5)

    def install(way: str) -> Path:
        program = programs / "gemini"
        program.write_text(f"#!{sys.executable}\n{STAND_IN.read_text()}")
        program.chmod(stat.S_IRWXU)
        (programs / "way").write_text(way)
        return program

    return install


@pytest.mark.parametrize(
    ("way", "gate", "proved", "why"),
    [
        ("closed", Gate.CLOSED, True, "wrote nothing in any failure we tested"),
        ("open", Gate.OPEN_ON_FAILURE, True, "writes when our part is killed, our part talks nonsense."),
        ("deaf", Gate.NONE, True, "despite our denial"),
        ("idle", Gate.OPEN_ON_FAILURE, False, "wrote nothing even without a gate"),
    ],
)
def test_a_gate_is_worth_what_its_agent_does(
    install: Install, way: str, gate: Gate, proved: bool, why: str
) -> None:
    install(way)
    proof = prove_acp_gate(ACP_TEST_AGENTS[NAME])
    assert (proof.agent, proof.gate, proof.proved) == (NAME, gate, proved)
    assert why in proof.why and proof.version == "9.9.9 (stand-in)"


def test_a_proof_counts_until_the_agent_changes(install: Install, tmp_path: Path) -> None:
    """And for what was tried alone: another program may be another version."""
    program, agent = install("closed"), ACP_TEST_AGENTS[NAME]
    before = acp_gate_status(GEMINI, ["gemini", "--acp"], tmp_path)
    assert not before.proved and before.why == "It was not tested yet. Test it with: studio doctor gemini-acp"
    assert gate_statuses([]) == ()
    store_proof(prove_acp_gate(agent), acp_fingerprint(agent))
    standing = acp_gate_status(GEMINI, ["gemini", "--acp"], tmp_path)
    assert standing.is_safe and gate_statuses([]) == (standing,)
    assert acp_gate_status(GEMINI, [str(program)], tmp_path) == standing
    other = acp_gate_status(GEMINI, [sys.executable, str(program)], tmp_path)
    assert not other.proved and "not started as gemini" in other.why
    settings = tmp_path / ".gemini/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"hooks": {"BeforeTool": [{}]}}')
    unseen = acp_gate_status(GEMINI, ["gemini"], tmp_path)
    assert unseen.gate is Gate.NONE and "starts programs" in unseen.why
    settings.unlink()
    program.write_text(f"{program.read_text()}\n")
    changed = acp_gate_status(GEMINI, ["gemini"], tmp_path)
    assert not changed.proved and "changed since the test" in changed.why
    assert gate_statuses([]) == (changed,)


def test_an_agent_that_writes_by_itself_has_no_gate(
    studio: CommandLine, install: Install, tmp_path: Path
) -> None:
    """Whatever was proved: nothing has to be tried."""
    install("closed")
    itself = {name for name, known in agents_by_gate().items() if not known.writes_through_client}
    assert itself == set(agents_by_gate()) - set(ACP_TEST_AGENTS)
    for name in itself:
        assert acp_gate_status(agents_by_gate()[name], ["gemini"], tmp_path).gate is Gate.NONE
        said = studio("doctor", name)
        assert (said.code, said.error["code"]) == (1, "doctor.writes_itself")
        assert agents_by_gate()[name].instead in said.error["message"]
    unknown = acp_gate_status(known_agent("somebody"), ["gemini"], tmp_path)
    assert unknown.gate is Gate.NONE and "unknown" in unknown.why


def test_what_can_not_be_proved_is_a_sentence(studio: CommandLine, install: Install) -> None:
    install("idle")
    tried = studio("doctor", NAME)
    (gate,) = tried.json["gates"]
    assert (tried.code, gate["proved"]) == (1, False)
    assert studio("doctor").json["gates"] == [gate], "it is kept"
    program = install("mute")
    said = studio("doctor", NAME)
    assert said.error["code"] == "doctor.no_start" and "did not answer initialize" in said.error["message"]
    program.unlink()
    assert studio("doctor", NAME).error["code"] == "doctor.no_client"


def test_the_sandbox_stands_for_a_gate_only_as_long_as_it_holds(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(project).close()
    standing = sandbox_gate_status()
    assert standing.is_safe and "its changes do not reach the project" in standing.why
    run = Sandbox.run

    def leaking(self: Sandbox, command: Command) -> object:
        Path(command.argv[-1], "victim.txt").write_bytes(b"changed\n")
        return run(self, command)

    def refusing(_self: Sandbox, _command: Command) -> object:
        raise SandboxRefused("sandbox.start", "The system starts nothing.", "")

    monkeypatch.setattr(Sandbox, "run", leaking)
    standing = sandbox_gate_status()
    assert standing.gate is Gate.NONE and not standing.proved and "wrote outside" in standing.why
    monkeypatch.setattr(Sandbox, "run", refusing)
    standing = sandbox_gate_status()
    assert not standing.is_safe and "The system starts nothing." in standing.why
