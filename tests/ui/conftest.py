"""One window for all tests of a file that look at a project and leave it as it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from tests.tools.clean_window import SharedWindow
from tests.tools.stage import Stage
from tests.ui.access.walk import stage_on


@pytest.fixture(scope="module")
def stage_of_file(
    qapp: QApplication, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[tuple[Stage, SharedWindow]]:
    """A window on the demo project, in the condition that the test's parameter names."""
    with stage_on(qapp, tmp_path_factory.mktemp("stage"), getattr(request, "param", "demo")) as made:
        yield made, SharedWindow(made.control, made.settle)


@pytest.fixture
def stage(stage_of_file: tuple[Stage, SharedWindow]) -> Iterator[Stage]:
    made, shared = stage_of_file
    shared.bring_to_front()
    yield made
    shared.give_back()
