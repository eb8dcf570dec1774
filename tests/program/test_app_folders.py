"""Where the app keeps its own files."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from studio.program.app_folders import config_directory, project_key, state_directory


def test_the_environment_overrides_both_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STUDIO_CONFIG_DIR", str(tmp_path / "c"))
    monkeypatch.setenv("STUDIO_STATE_DIR", str(tmp_path / "s"))
    assert (config_directory(), state_directory()) == (tmp_path / "c", tmp_path / "s")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STUDIO_STATE_DIR", "relative")
    assert state_directory() == tmp_path / "relative"


def test_without_it_the_system_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STUDIO_CONFIG_DIR", raising=False)
    monkeypatch.setenv("STUDIO_STATE_DIR", "")
    assert config_directory().name == state_directory().name == "exacta-studio"
    assert config_directory().is_absolute()
    assert config_directory() != state_directory()


def test_a_project_has_one_key_however_it_is_reached(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    link = tmp_path / "link"
    link.symlink_to(project)
    expected = hashlib.sha256(os.fsencode(project.resolve())).hexdigest()[:32]
    assert project_key(project) == project_key(link) == project_key(link / ".." / "project") == expected
    assert project_key(tmp_path) != expected
