"""Watchers that gather for a moment only: a test reads what they tell."""

from __future__ import annotations

import pytest

from studio.extras.observed import watcher


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "WATCH_COALESCE_SECONDS", 0.01)


@pytest.fixture
def polled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock asks twenty times a second."""
    monkeypatch.setattr(watcher, "WATCH_POLL_SECONDS", 0.05)
