"""An inbox and its project; files that a process takes, and those that are taken here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.doors.inbox import Inbox, News
from studio.engine.plan import PersonSource, Plan
from studio.extras.inbox_folder import InboxFolder
from studio.workspace import Person, Workspace
from tests.doors.conftest import set_configuration

PERSON = Person(PersonSource.WINDOW, "ada")
CLAIMS = ".exacta-studio"

Take = Callable[[], dict[str, News]]
"""Takes all that lies in the inbox; what is told of each file, by the file's name."""


def text_of(content: str, path: str = "a.txt", **more: str) -> str:
    return json.dumps({"title": "t", "steps": [{"op": "create", "path": path, "content": content}], **more})


def answer(inbox: Path, name: str) -> str:
    return (inbox / f"{name}.answer.txt").read_text()


def plans(workspace: Workspace) -> list[Plan]:
    return list(workspace.proposer.plans())


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir(mode=0o700)
    set_configuration(f"agents: {{inbox: {folder}}}")
    return folder


@pytest.fixture
def take(inbox: Path, workspace: Workspace) -> Take:
    def taken() -> dict[str, News]:
        with InboxFolder(inbox, workspace.root_path) as folder:
            looking = Inbox(workspace, folder)
            told = [*looking.scan(), *looking.scan()]
        assert len({news.name for news in told}) == len(told), told
        return {news.name: news for news in told}

    return taken
