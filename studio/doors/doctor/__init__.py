"""Tests of agents' gates, run with the agents' own clients."""

from studio.doors.clients.known import TRIED_CLIENTS
from studio.doors.doctor.agents import connectable_agents
from studio.doors.doctor.gate_proof import Attempt, prove_gate
from studio.doors.doctor.own_trial import own_command, own_files, untestable, why_no_sandbox, why_untestable
from studio.doors.doctor.proof_record import (
    fingerprint_of,
    gate_standings,
    keep_proof,
    sandbox_standing,
    standing_of,
    talk_fingerprint,
    talk_standing,
)
from studio.doors.doctor.talk_trial import prove_talk
from studio.doors.doctor.talked_agents import TALKED_AGENTS

__all__ = [
    "TALKED_AGENTS",
    "TRIED_CLIENTS",
    "Attempt",
    "connectable_agents",
    "fingerprint_of",
    "gate_standings",
    "keep_proof",
    "own_command",
    "own_files",
    "prove_gate",
    "prove_talk",
    "sandbox_standing",
    "standing_of",
    "talk_fingerprint",
    "talk_standing",
    "untestable",
    "why_no_sandbox",
    "why_untestable",
]
