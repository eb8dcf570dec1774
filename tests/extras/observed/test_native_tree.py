"""The way of watching of macOS and Windows, which watchdog offers here as well."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.extras.observed.heard import watching


def test_changes_are_told_and_what_is_left_out_is_not(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("src", "out", ".git/objects"):
        (project / name).mkdir(parents=True)
    monkeypatch.setattr(sys, "platform", "darwin")
    with watching(project, lambda path: path == "out") as (_, heard):
        (project / "out/a.o").write_text("x")
        (project / ".git/objects/1").write_text("x")
        (project / ".git/HEAD").write_text("x")
        (project / "src/a.txt").write_text("x")
        (project / "src/a.txt").rename(project / "src/b.txt")
        assert heard.has(".git", "src/a.txt", "src/b.txt")
        assert not {path for path in heard.paths if path.startswith(("out/", ".git/"))}
        calls = heard.calls
    (project / "late.txt").write_text("late")
    assert heard.calls == calls
