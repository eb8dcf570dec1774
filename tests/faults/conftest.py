"""A bench of a test's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.workspace import Reviewer, Workspace
from tests.faults.bench import PERSON, Bench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """An empty project with a state folder; the environment is given back after the test."""
    for variable in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR"):
        monkeypatch.setenv(variable, os.environ[variable])
    return Bench(tmp_path)


@pytest.fixture
def workspace(bench: Bench) -> Iterator[Workspace]:
    opened = bench.open()
    yield opened
    opened.close()


@pytest.fixture
def reviewer(workspace: Workspace) -> Reviewer:
    return workspace.reviewer(PERSON)
