"""Where stand-ins of agents' clients are put."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def programs(private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which agents' clients are looked for before all others."""
    folder = private_folders / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder
