"""What came of a command in the sandbox, for people and agents, and its changes as a plan."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from studio.engine.limits import TITLE_CHARACTERS
from studio.engine.names import show_name
from studio.engine.plan import Plan
from studio.engine.proposer import LayerChanges, Session
from studio.engine.sandbox import EndedBy, LayerKind, Outcome, Sandbox
from studio.engine.workspace import Workspace


def propose_outcome(
    workspace: Workspace,
    sandbox: Sandbox,
    outcome: Outcome,
    since: int,
    *,
    command: str = "",
    session: Session | None = None,
) -> Plan | None:
    """What the command changed since that time (nanoseconds), as a plan; None where that is nothing.

    `command` is what it is called, if not by its words; `session` is that of the agent that asked for it.
    """
    layer, shown = sandbox.layer, show_name(command) or _shown(outcome.argv)
    found = LayerChanges(
        layer.path,
        layer.kind is LayerKind.OVERLAY,
        since,
        f"Changes of {shown}"[:TITLE_CHARACTERS],
        f"{sentence_of(outcome, shown)}\n\n{output_of(outcome)}",
        frozenset(map(os.fsdecode, layer.left_out)),
    )
    return workspace.proposer.propose_layer(found, session=session)


def output_of(outcome: Outcome) -> str:
    """What was kept of what the command printed, and where something of it is missing."""
    kept = outcome.output
    if outcome.is_cut:
        between = f"\n[{outcome.left_out_bytes:,} bytes left out]\n".encode()
        kept = kept[: outcome.cut_at] + between + kept[outcome.cut_at :]
    return kept.decode("utf-8", "replace")


def sentence_of(outcome: Outcome, shown: str = "") -> str:
    """How the command ended, and in what surroundings; `shown` is what it is called, if not by its words."""
    if outcome.signal is not None:
        how = f"was ended by signal {outcome.signal}"
    elif outcome.exit is not None:
        how = f"ended with {outcome.exit}"
    else:
        how = _ENDED[outcome.ended_by]
    network = "with the network" if outcome.network else "without a network"
    named = shown or _shown(outcome.argv)
    return f"{named} {how} after {outcome.seconds:.1f} s, in {outcome.way.words}, {network}."


_ENDED: Final[Mapping[EndedBy, str]] = {
    EndedBy.ITSELF: "ended",
    EndedBy.TIME: "was ended when its time was over",
    EndedBy.CANCEL: "was ended by Ctrl-C",
    EndedBy.DISK: "was ended before it filled the disk",
    EndedBy.APPLY: "was ended because a plan is to be written to this project",
    EndedBy.KILLED: "was killed from outside",
}


def _shown(argv: Sequence[str]) -> str:
    return show_name(shlex.join(argv))
