"""Where an agent's program or settings are, as a person chose it, holds for each process after that."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from studio.doors import choose_place, use_chosen_places
from studio.doors.connect import client_of
from studio.errors import UsageError


def test_a_program_and_settings_are_found_where_they_were_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last settings folder counts, for a later process too; what is set there stays."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("CODEX_HOME", "")  # so that it is restored
    monkeypatch.delenv("CODEX_HOME")
    program = tmp_path / "odd/codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    with pytest.raises(UsageError, match="neither the program codex nor a settings file"):
        choose_place("codex", program)  # it can't be started
    program.chmod(0o700)
    choose_place("codex", program)
    for folder in ("work", "home work"):
        choose_place("codex", tmp_path / folder / "hooks.json")
        assert {entry.path.parent for entry in client_of("codex").entries} == {tmp_path / folder}
    assert shutil.which("codex") == str(program)

    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("CODEX_HOME")
    use_chosen_places()
    assert shutil.which("codex") == str(program) and os.environ["CODEX_HOME"] == str(tmp_path / "home work")
    monkeypatch.setenv("CODEX_HOME", "/other")
    use_chosen_places()
    assert os.environ["CODEX_HOME"] == "/other"
    with pytest.raises(UsageError, match="/other takes precedence"):
        choose_place("codex", tmp_path / "work/hooks.json")
