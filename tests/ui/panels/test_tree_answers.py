"""What a project's folders hold may come when nobody shows it any more."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import shiboken6
from pytestqt.qtbot import QtBot

from studio.ui.runner import Runner
from studio.ui.tree.model import ProjectModel


def test_an_answer_to_a_tree_that_is_gone_is_dropped(qtbot: QtBot) -> None:
    asked: list[Callable[[Any], object]] = []
    model = ProjectModel(lambda _path, then: asked.append(then))
    model.fetchMore(model.index(-1, -1))
    assert asked
    shiboken6.delete(model)
    runner, ended = Runner(), list[bool]()
    runner.post(partial(asked[0], ()))
    runner.post(ended.append, True)
    qtbot.waitUntil(lambda: ended == [True])
    runner.close()
