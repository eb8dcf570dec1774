"""Fetches the clients of agents (`--fetch`), or runs the whole table of trials, of all clients or some;
behind `sandbox` those alone in which they are started by `studio run`.

One line for each trial, as it ends: what became of the file, how plans and calls of our gate stand, the time,
and what the model was told. Exit code 1 when a client did something else than the table says, or is missing.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from studio.doors.agents.app_server import AppServerFailed
from studio.errors import StudioError
from tests.lab.agents.acp_agents import ACP_AGENTS
from tests.lab.agents.aider_agent import AIDER_AGENT
from tests.lab.agents.cache import Unavailable, fetch_all, fetched
from tests.lab.agents.codex_agent import AGENTS
from tests.lab.agents.continue_agent import CONTINUE_AGENT
from tests.lab.agents.doctored import DOCTORED
from tests.lab.agents.gates import GATES
from tests.lab.agents.hook_trials import HOOK_TRIALS
from tests.lab.agents.inspector import INSPECTED
from tests.lab.agents.mcp_clients import OUR_SERVER
from tests.lab.agents.network import Network
from tests.lab.agents.opencode_agent import OPENCODE_AGENT
from tests.lab.agents.sandboxed_agents import SANDBOXED
from tests.lab.agents.trials import TRIALS, Trial
from tests.lab.agents.wishes import STATES

TOLD_SHOWN = 60


def main(words: Sequence[str]) -> int:
    agents = (*ACP_AGENTS, *AGENTS, *OPENCODE_AGENT, *AIDER_AGENT, *CONTINUE_AGENT)
    table = (*TRIALS, *HOOK_TRIALS, *GATES, *agents, *OUR_SERVER, *DOCTORED, *INSPECTED, *SANDBOXED)
    if "sandbox" in words:
        table = SANDBOXED
        words = [word for word in words if word != "sandbox"]
    clients = sorted({trial.client for trial in table})
    unknown = [word for word in words if word not in (*clients, "--fetch")]
    if unknown or ("--fetch" in words and len(words) > 1):
        print(f"usage: python -m tests.agents [--fetch | [sandbox] {' | '.join(clients)}]", file=sys.stderr)
        return 2
    try:
        if list(words) == ["--fetch"]:
            fetch_all()
            return 0
        for client in (*(words or clients), "node"):
            fetched(client)
    except Unavailable as missing:
        print(missing, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="agent-stores-") as folder:
        # What a person decides in a trial is kept apart from this machine's own projects.
        os.environ.update(STUDIO_STATE_DIR=f"{folder}/state", STUDIO_CONFIG_DIR=f"{folder}/configuration")
        return run([trial for trial in table if not words or trial.client in words])


def run(trials: Sequence[Trial]) -> int:
    """Run the trials one after the other; 0 where each client did what its row says."""
    with Network() as network:
        own = "a network of its own" if network.is_own else "the machine's own network: root can make another"
    print(f"{len(trials)} trials, each in a fresh home and {own}")
    different = [trial for trial in trials if not _is_so(trial)]
    print(f"{len(trials) - len(different)} as written, {len(different)} different")
    return 1 if different else 0


def _is_so(trial: Trial) -> bool:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="agent-trial-", ignore_cleanup_errors=True) as folder:
        try:
            seen = trial.check(Path(folder))
            outcome, left = STATES.get(seen.content, "changed"), "; ".join(seen.left)
            told = " ".join(seen.told.replace(folder, "").split())
        except (AssertionError, RuntimeError, TimeoutError, AppServerFailed, StudioError) as difference:
            outcome, left, told = "DIFFERENT", "", str(difference)
    seconds = time.monotonic() - began
    shown = told if outcome == "DIFFERENT" or len(told) <= TOLD_SHOWN else f"{told[:TOLD_SHOWN]}…"
    print(
        f"{trial.client:11} | {trial.name:46} | {outcome:9} | {left:33} | {seconds:4.1f} s | {shown}",
        flush=True,
    )
    return outcome != "DIFFERENT"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
