"""Everything on screen has a name, can be reached by keys, is not clipped, and is read aloud."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QWidget

from studio.engine.plan import StepState
from studio.ui.actions.table import ACTIONS, action_text
from tests.tools.stage import Stage
from tests.ui.access.clipping import clipped_widgets, described, scrolls_beside_free_space
from tests.ui.access.walk import WALKS, rows_of, shown, spoken, stage_on

REACHED_OTHERWISE = {
    "history-roll-back": "Enter on the row of the history",
    "history-copy-reply": "Y on the row of the history",
    "history-copy-message": "M on the row of the history",
    "journal-this-request": "Q on the row of the journal",
    "journal-this-step": "S on the row of the journal",
    "journal-this-plan": "P on the row of the journal",
    "history-discard": "Delete on the row of the history",
    "snapshot-restore": "Enter on the row of the snapshot",
    "observed-keep": "K on the row of the change",
    "observed-revert": "Delete on the row of the change",
    "snapshot-delete": "Delete on the row of the snapshot",
}
"""Buttons that never take the keyboard, and what does the same by keys."""


@pytest.fixture(scope="module", params=WALKS)
def every_state(
    qapp: QApplication, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, dict[str, list[str]]]:
    """What each check finds in each state; one walk serves all of them."""
    found: dict[str, dict[str, list[str]]] = {}
    with pytest.MonkeyPatch.context() as patch:
        own = tmp_path_factory.mktemp("access")
        patch.setenv("STUDIO_STATE_DIR", str(own / "state"))
        patch.setenv("STUDIO_CONFIG_DIR", str(own / "config"))
        for name, stage in WALKS[request.param](qapp, own / "projects"):
            clipped = clipped_widgets(stage)
            widgets = shown(stage.control.window)
            found[name] = {
                "nameless": [described(each) for each in widgets if not _is_named(each)],
                "unreachable": [described(each) for each in widgets if not _is_reachable(each)],
                "clipped": clipped,
                "silent": [described(each) for each in widgets if _has_silent_rows(each)],
                "scrolled beside free space in a small window": _cramped(stage),
            }
    return found


def _cramped(stage: Stage) -> list[str]:
    window = stage.control.window
    usual = window.size()
    window.resize(1024, 600)
    clipped_widgets(stage)
    found = [described(each) for each in shown(window) if scrolls_beside_free_space(each)]
    window.resize(usual)
    stage.settle()
    return found


def _is_named(widget: QWidget) -> bool:
    if not widget.objectName() and type(widget).__module__.startswith("studio."):
        return False
    takes_keys = widget.focusPolicy() is not Qt.FocusPolicy.NoFocus
    return not takes_keys or bool(widget.objectName() and widget.accessibleName())


def _is_reachable(widget: QWidget) -> bool:
    if not isinstance(widget, QAbstractButton) or widget.objectName() in REACHED_OTHERWISE:
        return True
    by_tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    words = {action_text(entry).rstrip("…") for entry in ACTIONS}
    return by_tab or widget.text().rstrip("…") in words or widget.accessibleName() in words


def _has_silent_rows(widget: QWidget) -> bool:
    return isinstance(widget, QAbstractItemView) and any(
        not spoken(index).strip() for index in rows_of(widget)
    )


_FAULTS = ("nameless", "unreachable", "clipped", "silent", "scrolled beside free space in a small window")


@pytest.mark.parametrize("fault", _FAULTS)
def test_nothing_is(fault: str, every_state: dict[str, dict[str, list[str]]]) -> None:
    assert {state: checks[fault] for state, checks in every_state.items() if checks[fault]} == {}


def test_a_small_window_shows_words_below_buttons_and_what_is_looked_for(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 1024×600 the step's page is 700 pixels wide, and so is the dock."""
    monkeypatch.setenv("STUDIO_STATE_DIR", str(tmp_path / "state"))
    with stage_on(qapp, tmp_path / "projects", "drifted") as stage:
        stage.control.window.resize(1024, 600)
        stage.select_state(StepState.STALE)
        stage.trigger("find_across")
        assert clipped_widgets(stage) == []
        assert stage.panes.dock.search.field.width() > 200
        assert stage.panes.dock.search.table.header().sectionSize(0) > 250
        stage.trigger("dock_1")
        kept = stage.panes.dock.history.kept
        assert kept.x() < 100 and kept.width() > 120, "it begins beside the tab"
        stage.trigger("palette")
        stage.control.window.resize(1440, 900)
        stage.settle()
        palette = stage.control.window.findChild(QWidget, "palette")
        assert palette is not None
        assert abs(palette.geometry().center().x() - 720) <= 1, "it follows the window"


def test_the_walk_sees_every_panel(every_state: dict[str, dict[str, list[str]]]) -> None:
    panels = ({"first step", "plan", "stale", "journal", "rollback"}, {"recovery", "start page"})
    assert any(each <= set(every_state) for each in panels)
