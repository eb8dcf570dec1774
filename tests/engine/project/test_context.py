"""Opening what every part of a project shares."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.project import context
from studio.engine.project.context import Context


def test_what_stops_an_opening_is_what_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in its first moments became an error of ours: what was to be closed was not there yet."""

    def stopped(_root: Path) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(context, "project_key", stopped)
    with pytest.raises(KeyboardInterrupt):
        Context(tmp_path)
