"""Brings one window through its states, for checks that look at everything that is on screen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget

from studio.engine.history import DriftResolution
from studio.engine.plan import StepState
from studio.ui.configuration.parts import Part
from studio.ui.look.theme import set_theme
from studio.ui.review.apply import RecoveryNeed
from studio.ui.window.settings_page import SettingsPage
from tests.tools.scenes import observed_changes, snapshots_kept, talked
from tests.tools.settings_scenes import refused_value, searched, settings, tried_rule, with_trust
from tests.tools.stage import Projects, Stage

State = tuple[str, Stage]


@contextmanager
def stage_on(app: QApplication, folder: Path, project: str) -> Iterator[Stage]:
    """A window on a fresh copy of the demo project in that condition ("" for the start page, with a recent
    project in which plans wait, and one that is gone)."""
    set_theme(app, "light")
    folder.mkdir(parents=True, exist_ok=True)
    opened = Projects(folder).open(project or "demo")
    assert opened is not None
    stage = Stage(app, opened) if project else Stage(app, None, (opened, folder / "gone"))
    try:
        yield stage
    finally:
        stage.close()


def working_states(app: QApplication, folder: Path) -> Iterator[State]:
    """Yield the panels of a project in the states in which they show most."""
    with stage_on(app, folder / "drifted", "drifted") as stage:
        for states in (_reviewing, _in_the_dock, _rolling_back, _restoring, _observing, _connecting):
            yield from states(stage)


def other_states(app: QApplication, folder: Path) -> Iterator[State]:
    """Yield the settings, a recovery, the start page and the first steps."""
    with stage_on(app, folder / "drifted", "drifted") as stage:
        yield from _configuring(stage)
    with stage_on(app, folder / "empty", "empty") as stage:
        yield "nothing pending", stage
        yield from _recovering(stage)
    with stage_on(app, folder / "start", "") as stage:
        yield "start page", stage
        stage.trigger("first_steps")
        yield "first steps", stage
        stage.trigger("back")


WALKS = {"working": working_states, "other": other_states}
"""All states in two halves: one walk through all took more than 120 s at loads of 13 to 16."""


def _reviewing(stage: Stage) -> Iterator[State]:
    yield "first step", stage
    for action in ("reject_step", "request_changes"):
        stage.trigger(action)
        yield action, stage
        stage.trigger("back")
    stage.trigger("find")
    yield "find", stage
    stage.trigger("back")
    for state in (StepState.STALE, StepState.INVALID):
        stage.select_state(state)
        yield state.value, stage
    stage.select("Retry failed downloads", None)
    yield "plan", stage
    stage.trigger("approve_undecided")
    yield "approve undecided", stage
    stage.trigger("back")
    stage.trigger("queue_path")
    yield "path filter", stage
    panes = stage.control.panes
    assert panes is not None
    panes.queue.tools.close_field()
    finders = (
        ("palette", "palette"),
        ("keys", "keys-list"),
        ("go_to_file", "go-to-file"),
        ("switch_project", "switcher"),
    )
    for action, finder in finders:
        stage.trigger(action)
        yield action, stage
        found = stage.control.window.findChild(QWidget, finder)
        assert found is not None and found.isVisible()
        found.hide()


def _in_the_dock(stage: Stage) -> Iterator[State]:
    for name in ("dock_1", "journal", "dock_2", "dock_3", "problems"):
        stage.trigger(name)
        yield name, stage
    talked(stage)
    yield "agents", stage


def _rolling_back(stage: Stage) -> Iterator[State]:
    desk = stage.control.desk
    assert desk is not None
    desk.rollback.show(desk.queue.history[0].plan.id)
    stage.settle()
    assert desk.rollback.preview is not None
    drifted = desk.rollback.preview.drifted[0]
    desk.rollback.resolutions.choose(drifted.step, DriftResolution.SAVE_BESIDE)
    stage.settle()
    yield "rollback", stage
    desk.rollback.cancel()


def _restoring(stage: Stage) -> Iterator[State]:
    desk = stage.control.desk
    assert desk is not None
    snapshots_kept(stage)
    yield "snapshots", stage
    stage.trigger("new_snapshot")
    yield "naming a snapshot", stage
    stage.trigger("back")
    oldest = desk.snapshots.records[-1]
    desk.snapshots.ask_to_delete(oldest.id)
    stage.settle()
    yield "deleting a snapshot", stage
    stage.trigger("back")
    desk.restore.show(oldest)
    stage.settle()
    yield "restoring", stage
    desk.restore.cancel()


def _observing(stage: Stage) -> Iterator[State]:
    desk = stage.control.desk
    assert desk is not None
    observed_changes(stage)
    yield "observed changes", stage
    stage.trigger("keep_all_observed")
    stage.settle()
    yield "keeping everything", stage
    stage.trigger("back")
    desk.observed.show(desk.observed.rows[-1].key)
    stage.settle()
    yield "an observed change", stage
    desk.observed.revert(desk.observed.rows[-1].changes)
    stage.settle()
    yield "reverting an observed change", stage
    desk.restore.cancel()
    desk.observed.cancel()


def _connecting(stage: Stage) -> Iterator[State]:
    part = stage.open_agents()
    yield "agents part", stage
    part.rows["gemini"].connect_button.click()
    stage.wait_for_button(part, "agent-change-now")
    yield "connecting an agent", stage
    stage.trigger("back")
    stage.trigger("back")


def _configuring(stage: Stage) -> Iterator[State]:
    for part in Part:
        settings(part.value)(stage)
        yield f"settings of {part.value}", stage
        stage.trigger("back")
    for name, play in (
        ("a rule that is tried", tried_rule),
        ("a value that is refused", refused_value),
        ("settings that were looked for", searched),
        ("a configuration that is broken", settings("limits", own="limits: {steps: many}\n")),
        ("what wants trust", with_trust),
    ):
        play(stage)
        yield name, stage
        page = stage.control.window.over
        assert isinstance(page, SettingsPage)
        page.show_part(Part.RULES)
        stage.trigger("back")


def _recovering(stage: Stage) -> Iterator[State]:
    desk = stage.control.desk
    assert desk is not None
    desk.recovery.show(RecoveryNeed(is_same_folder=False))
    stage.settle()
    yield "recovery", stage


def shown(window: QWidget) -> list[QWidget]:
    """Every widget that can be seen, below the window; Qt's own parts of scroll areas are left out."""
    return [
        widget
        for widget in window.findChildren(QWidget)
        if widget.isVisible()
        and not widget.objectName().startswith("qt_")
        and not widget.visibleRegion().isEmpty()
    ]


def rows_of(view: QAbstractItemView) -> Iterator[QModelIndex]:
    """Every row a list, table or tree has, opened or not, as the index of its first column."""
    model = view.model()
    if model is None:
        return
    waiting = [QModelIndex()]
    while waiting:
        parent = waiting.pop()
        for row in range(model.rowCount(parent)):
            index = model.index(row, 0, parent)
            yield index
            waiting.append(index)


def spoken(index: QModelIndex) -> str:
    """What a screen reader says about a row."""
    words = index.data(Qt.ItemDataRole.AccessibleTextRole)
    return str(words if words is not None else index.data(Qt.ItemDataRole.DisplayRole) or "")
