"""A project on disk, agents as processes, and a person before the real window."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import qasync
from PySide6.QtWidgets import QApplication

from tests.journeys.desktop import Desktop
from tests.journeys.harbour import Harbour


@pytest.fixture
def harbour(tmp_path: Path) -> Harbour:
    return Harbour(tmp_path)


@pytest.fixture
def desktop(qapp: QApplication) -> Iterator[Desktop]:
    with qasync.QEventLoop(qapp) as loop:
        # Never told to run: the journey lets Qt's events through, and the loop's callbacks are such events.
        asyncio.set_event_loop(loop)
        made = Desktop(qapp, loop)
        yield made
        made.close()
        asyncio.set_event_loop(None)
