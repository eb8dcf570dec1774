"""Whether the gates of agents hold: tried with their own clients, never believed (promise 10)."""

from studio.doors.doctor.gate_proof import Attempt, Gate, GateProof, prove_gate
from studio.doors.doctor.proof_record import fingerprint_of, keep_proof, proof_of, read_proofs
from studio.doors.doctor.trial import TRIED_CLIENTS

__all__ = [
    "TRIED_CLIENTS",
    "Attempt",
    "Gate",
    "GateProof",
    "fingerprint_of",
    "keep_proof",
    "proof_of",
    "prove_gate",
    "read_proofs",
]
