"""An open project for engine tests: real folders, a real store, a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.engine.plan import PersonSource, Plan
from studio.engine.project.context import Person
from studio.formats import detect
from studio.workspace import Reviewer, Workspace
from tests.engine.root.jail import opening

PERSON = Person(PersonSource.WINDOW, "tester")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(project: Path) -> Iterator[Workspace]:
    opened = Workspace.open(project)
    yield opened
    opened.close()


@pytest.fixture
def reviewer(workspace: Workspace) -> Reviewer:
    return workspace.reviewer(PERSON)


@pytest.fixture
def propose(workspace: Workspace) -> Callable[..., Plan]:
    """Propose a text as a door would."""

    def call(text: str | bytes) -> Plan:
        data = text.encode() if isinstance(text, str) else text
        return workspace.proposer.propose(detect.read(data))

    return call


@pytest.fixture(params=["openat2", "components"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Both ways of opening beneath the root: the kernel's, and component by component."""
    with opening(request.param):
        yield request.param
