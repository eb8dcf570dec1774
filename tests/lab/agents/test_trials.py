"""The real clients, against what the table says of them: the rows that belong to every run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.agents.acp_agents import ACP_AGENTS
from tests.lab.agents.aider_agent import AIDER_AGENT
from tests.lab.agents.cache import needed
from tests.lab.agents.codex_agent import AGENTS
from tests.lab.agents.continue_agent import CONTINUE_AGENT
from tests.lab.agents.gates import GATES
from tests.lab.agents.mcp_clients import OUR_SERVER
from tests.lab.agents.opencode_agent import OPENCODE_AGENT
from tests.lab.agents.sandboxed_agents import SANDBOXED
from tests.lab.agents.trials import TRIALS, Trial
from tests.tools.sandboxed import UNSEEN, is_unseen, opened


@pytest.mark.parametrize(
    "trial", [pytest.param(trial, id=f"{trial.client}: {trial.name}") for trial in TRIALS if trial.always]
)
def test_a_client_does_what_the_table_says(trial: Trial, tmp_path: Path) -> None:
    needed(trial.client)
    trial.check(tmp_path)


@pytest.mark.parametrize(
    "trial",
    [
        pytest.param(trial, id=f"{trial.client}: {trial.name}")
        for trial in (
            *GATES,
            *ACP_AGENTS,
            *AGENTS,
            *OPENCODE_AGENT,
            *AIDER_AGENT,
            *CONTINUE_AGENT,
            *OUR_SERVER,
        )
        if trial.always
    ],
)
def test_a_client_does_what_a_person_decided(trial: Trial, tmp_path: Path) -> None:
    """By our own gate or server: bytes on disk, what the model was told, the plan, the call, the journal."""
    needed(trial.client)
    trial.check(tmp_path)


def test_a_client_in_the_sandbox_writes_a_plan_and_reads_what_became_of_it(tmp_path: Path) -> None:
    if is_unseen():
        pytest.skip(UNSEEN)  # so is the model, which is a file of it
    (trial,) = [trial for trial in SANDBOXED if trial.always]
    needed(trial.client)
    (tmp_path / "tried").mkdir()
    opened(tmp_path / "tried").close()
    trial.check(tmp_path)
