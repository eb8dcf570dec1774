"""Installation checks, and tests of whether agents' gates block unapproved writes."""

from studio.doors.clients.known import TRIED_CLIENTS
from studio.doors.doctor.acp_trial import ACP_TEST_AGENTS, prove_acp_gate
from studio.doors.doctor.agents import connectable_agents
from studio.doors.doctor.gate_proof import Attempt, prove_gate
from studio.doors.doctor.proof_record import (
    acp_fingerprint,
    acp_gate_status,
    fingerprint_of,
    gate_status_of,
    gate_statuses,
    sandbox_gate_status,
    store_proof,
)
from studio.doors.doctor.user_settings_trial import (
    own_command,
    own_files,
    untestable,
    why_no_sandbox,
    why_untestable,
)

__all__ = [
    "ACP_TEST_AGENTS",
    "TRIED_CLIENTS",
    "Attempt",
    "acp_fingerprint",
    "acp_gate_status",
    "connectable_agents",
    "fingerprint_of",
    "gate_status_of",
    "gate_statuses",
    "own_command",
    "own_files",
    "prove_acp_gate",
    "prove_gate",
    "sandbox_gate_status",
    "store_proof",
    "untestable",
    "why_no_sandbox",
    "why_untestable",
]
