"""Looks at what waits in listed projects: a few at a time, none twice, and what is late holds up no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.extras.backlog import Backlog, Unknown
from studio.ui.look.backlog_words import backlog_style
from studio.ui.review import backlogs
from studio.ui.review.backlogs import Backlogs
from studio.ui.runner import Runner

ROOTS = tuple(Path("/projects") / str(number) for number in range(6))


class Asked(Runner):
    """Holds back what runs alone until a test answers it."""

    def __init__(self) -> None:
        super().__init__(immediate=True)
        self.waiting: list[tuple[Path, Any, Any]] = []

    def compute_alone(self, function: Any, *args: Any, then: Any = None, failed: Any = None) -> None:
        self.waiting.append((args[0], then, failed))

    @property
    def roots(self) -> list[Path]:
        return [root for root, _then, _failed in self.waiting]

    def answer(self, backlog: Backlog, number: int = 0) -> None:
        self.waiting.pop(number)[1](backlog)


@pytest.fixture
def asked(qapp: QApplication) -> Iterator[Asked]:
    made = Asked()
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def watch(asked: Asked, qtbot: QtBot) -> Callable[[], tuple[Backlogs, QWidget]]:
    """Backlogs with a widget on screen that shows all of them."""

    def make() -> tuple[Backlogs, QWidget]:
        shown = QWidget()
        qtbot.addWidget(shown)
        shown.show()
        made = Backlogs(asked, shown)
        made.watch(shown, lambda: ROOTS)
        return made, shown

    return make


def test_a_few_are_asked_at_a_time_in_their_order(asked: Asked, watch: Any) -> None:
    made, _shown = watch()
    changed: list[Path] = []
    made.changed.connect(changed.append)
    assert asked.roots == list(ROOTS[:4]) and made.of(ROOTS[0]) is None
    asked.answer(Backlog("a", 2))
    assert asked.roots == list(ROOTS[1:5]) and changed == [ROOTS[0]]
    assert made.of(ROOTS[0]) == Backlog("a", 2)
    made.rescan()
    assert asked.roots == list(ROOTS[1:5]), "who is asked already is not asked again"


def test_what_is_known_already_is_no_news(asked: Asked, watch: Any) -> None:
    made, _shown = watch()
    for _ in ROOTS:
        asked.answer(Backlog("a", 2))
    changed: list[Path] = []
    made.changed.connect(changed.append)
    made.rescan()
    while asked.waiting:
        asked.answer(Backlog("a", 2))
    assert changed == []


def test_who_is_late_holds_up_no_other(
    asked: Asked, watch: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlogs, "UNRESPONSIVE_MS", 20)
    made, _shown = watch()
    qtbot.waitUntil(lambda: set(asked.roots) == set(ROOTS), timeout=5000)
    qtbot.waitUntil(lambda: made.of(ROOTS[5]) == Backlog(unknown=Unknown.SILENT), timeout=5000)
    asked.answer(Backlog("late", 1), asked.roots.index(ROOTS[3]))
    assert made.of(ROOTS[3]) == Backlog("late", 1)


def test_a_ring_during_a_look_asks_once_more(asked: Asked, watch: Any) -> None:
    """What is being read may be older than the ring."""
    made, _shown = watch()
    made.read_changed("any")
    for root in (*ROOTS, *ROOTS[:4]):
        assert root in asked.roots
        asked.answer(Backlog("a"), asked.roots.index(root))
    assert asked.waiting == []


def test_a_ring_is_for_one_store(asked: Asked, watch: Any) -> None:
    made, _shown = watch()
    for root in ROOTS:
        asked.answer(Backlog(root.name))
    assert asked.waiting == []
    made.read_changed(ROOTS[2].name)
    assert asked.roots == [ROOTS[2]]


def test_a_look_that_fails_is_an_answer(asked: Asked, watch: Any) -> None:
    made, _shown = watch()
    asked.waiting.pop(0)[2](ValueError("a mistake of ours"))
    assert made.of(ROOTS[0]) == Backlog(unknown=Unknown.UNREADABLE)
    assert ROOTS[4] in asked.roots


def test_what_is_not_on_screen_is_not_looked_at(asked: Asked, watch: Any) -> None:
    made, shown = watch()
    for _ in ROOTS:
        asked.answer(Backlog("a"))
    shown.hide()
    made.rescan()
    made.read_changed("a")
    assert asked.waiting == []


def test_every_reason_has_words(qapp: QApplication) -> None:
    looks = [backlog_style(Backlog(unknown=why)) for why in Unknown]
    assert len({look.words for look in looks}) == len(Unknown) and all(look.first for look in looks)
    assert [bool(look.why_not) for look in looks].count(True) == 2
    whole = backlog_style(Backlog("key", 2, 3, 1, is_interrupted=True))
    assert whole.first == "an apply was interrupted"
    assert whole.words == "an apply was interrupted, 3 agents waiting, 2 plans to review, 1 plan to apply"
