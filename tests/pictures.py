"""Pictures of the window: `python -m tests.pictures FOLDER`, and the one in the README with `--readme`.

Every scene is the real window on a fresh demo project, painted into memory in each theme and at each scale.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtGui import QImage
    from PySide6.QtWidgets import QApplication

    from studio.engine.plan import Plan, Step, StepState
    from studio.ui.window_control import WindowControl

ROOT = Path(__file__).parents[1]
README_PICTURE = ROOT / "resources" / "pictures" / "window-light.png"
_SCREEN = {"name": "picture", "x": 0, "y": 0, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
_WIDTH, _HEIGHT = 1600, 1000
_THEMES = ("light", "dark")
_PERCENT = (100, 200)
_LARGEST_README_BYTES = 200_000
_ALIKE = 9
"""Colours that differ by so little share a place in the palette."""


class _Clock:
    """Seconds that pass when a scene says so, so that no dead time is on a picture by chance."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Stage:
    """One window on one project, and what a scene does to it."""

    def __init__(self, app: QApplication, project: Path | None, recent: tuple[Path, ...] = ()) -> None:
        from studio.ui.memory import Memory
        from studio.ui.runner import Runner
        from studio.ui.window_control import WindowControl

        self._app = app
        self._clock = _Clock()
        self._runner = Runner(immediate=True)
        memory = Memory(None)
        for folder in reversed(recent):
            memory.keep_recent_project(folder)
        self.control: WindowControl = WindowControl(self._runner, memory, clock=self._clock)
        self.control.window_is_up()
        self.control.window.show()
        if project is None:
            self.control.show_start_page()
        else:
            self.control.open_project(project)
        self.settle()

    def settle(self) -> None:
        for _ in range(6):
            self._app.processEvents()
        self._clock.now += 1.0
        if self.control.desk is not None:
            self.control.desk.dead_time.changed.emit()
        self._app.processEvents()

    def select(self, title: str, step: int | None) -> None:
        assert self.control.desk is not None
        self.control.desk.select(self.plan(title).id, step)
        self.settle()

    def plan(self, title: str) -> Plan:
        assert self.control.desk is not None
        return next(plan for plan in self.control.desk.plans if plan.title == title)

    def select_state(self, state: StepState) -> None:
        """The first step in that state."""
        assert self.control.desk is not None
        places = [(plan, step) for plan in self.control.desk.plans for step in plan.steps]
        found: tuple[Plan, Step] = next((plan, step) for plan, step in places if step.state is state)
        self.control.desk.select(found[0].id, found[1].number)
        self.settle()

    def trigger(self, action: str) -> None:
        self.control.actions.trigger(action)
        self.settle()

    def picture(self) -> QImage:
        return self.control.window.grab().toImage()

    def close(self) -> None:
        self.control.window.close()
        self.control.window.deleteLater()
        self.control.deleteLater()
        self._runner.close()
        self._app.processEvents()


@dataclass(frozen=True, slots=True)
class Scene:
    """`play` brings a fresh stage to what the picture shows; `project` says what it opens."""

    name: str
    play: Callable[[Stage], None]
    project: str = "demo"


def _first_step(_stage: Stage) -> None:
    pass


def _plan_overview(stage: Stage) -> None:
    stage.select("Retry failed downloads", None)


def _unified(stage: Stage) -> None:
    stage.trigger("unified")


def _stale(stage: Stage) -> None:
    from studio.engine.plan import StepState

    stage.select_state(StepState.STALE)


def _refused(stage: Stage) -> None:
    from studio.engine.plan import StepState

    stage.select_state(StepState.INVALID)


def _reject(stage: Stage) -> None:
    stage.trigger("reject_step")


def _apply_ready(stage: Stage) -> None:
    stage.select("Show the next high water", 1)
    for _ in stage.plan("Show the next high water").steps:
        stage.trigger("approve_step")
    stage.select("Show the next high water", None)


def _rollback(stage: Stage) -> None:
    """The plan applied before, one of whose files was changed since."""
    assert stage.control.desk is not None
    stage.control.desk.preview_rollback(stage.control.desk.history[0].plan.id)
    stage.settle()


SCENES = (
    Scene("first-step", _first_step),
    Scene("plan", _plan_overview),
    Scene("unified", _unified),
    Scene("stale", _stale),
    Scene("refused", _refused),
    Scene("reject", _reject),
    Scene("apply-ready", _apply_ready),
    Scene("rollback", _rollback, "drifted"),
    Scene("start", _first_step, ""),
    Scene("nothing-waiting", _first_step, "empty"),
)

_README_SCENE = Scene("readme", _first_step, "applied")


class Projects:
    """Copies of the demo project in several states, each made when a scene first asks for it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self, name: str) -> Path | None:
        """A fresh copy: "demo", "empty" (no plans), "applied", "drifted"; None for no project."""
        if not name:
            return None
        parent = self._folder / f"{len(list(self._folder.iterdir()))}"
        parent.mkdir()
        project = parent / "tidewatch"
        if name == "empty":
            from studio.doors.demo import make_demo

            return make_demo(project)
        from studio.doors.cli.demo import prepare_demo

        prepare_demo(project)
        if name in ("applied", "drifted"):
            self._apply(project, "Show the next high water")
        if name == "drifted":
            changed = next(file for file in self._written if file.exists())
            changed.write_bytes(changed.read_bytes() + b"\n")
        return project

    def _apply(self, project: Path, title: str) -> None:
        from studio.engine.workspace import Person, PersonSource, Workspace

        workspace = Workspace.open(project)
        try:
            reviewer = workspace.reviewer(Person(PersonSource.WINDOW, "ada"))
            plan = next(plan for plan in workspace.proposer.plans() if plan.title == title)
            reviewer.approve(plan.id)
            reviewer.apply(plan.id)
        finally:
            workspace.close()
        self._written = [project / step.target for step in plan.steps]


def paint(folder: Path, percent: int, wanted: frozenset[str]) -> None:
    """Save the scenes at the scale this process was started with, one file per scene and theme."""
    from PySide6.QtWidgets import QApplication

    from studio.ui.theme import FUSION

    app = QApplication(["pictures", *FUSION])
    app.setApplicationDisplayName("Exacta Studio")
    with _own_folders() as own:
        for scene in SCENES:
            if not wanted or scene.name in wanted:
                for theme in _THEMES:
                    picture = _play(app, scene, theme, own)
                    picture.save(str(folder / f"{scene.name}-{theme}-{percent}.png"))


def paint_readme(file: Path) -> None:
    """Save the picture of the README, small enough for a page."""
    from PySide6.QtWidgets import QApplication

    from studio.ui.theme import FUSION

    app = QApplication(["pictures", *FUSION])
    app.setApplicationDisplayName("Exacta Studio")
    with _own_folders() as own:
        picture = _play(app, _README_SCENE, "light", own)
    file.parent.mkdir(parents=True, exist_ok=True)
    with_palette(picture).save(str(file), quality=0)
    assert file.stat().st_size <= _LARGEST_README_BYTES


def _play(app: QApplication, scene: Scene, theme: str, own: Path) -> QImage:
    from studio.ui.theme import set_theme

    set_theme(app, theme)
    project = Projects(own).open(scene.project)
    stage = Stage(app, project, _places() if project is None else ())
    stage.control.show_theme(theme, colour_blind=False)
    scene.play(stage)
    picture = stage.picture()
    stage.close()
    return picture


def with_palette(picture: QImage) -> QImage:
    """The same in 256 colours: those that cover most, no two alike; other pixels take the nearest."""
    from PySide6.QtGui import QImage

    whole = picture.convertToFormat(QImage.Format.Format_RGB32)
    table: list[int] = []
    for rgb, _ in Counter(memoryview(whole.constBits()).cast("I")).most_common():
        if all(_distance(rgb, known) > _ALIKE for known in table):
            table.append(rgb)
        if len(table) == 256:
            break
    return whole.convertToFormat(QImage.Format.Format_Indexed8, table)


def _distance(one: int, other: int) -> int:
    """Sum of the differences of red, green and blue."""
    return sum(abs((one >> shift & 255) - (other >> shift & 255)) for shift in (0, 8, 16))


def _places() -> tuple[Path, ...]:
    """Recent projects for the start page: one that is there, two that are not."""
    there = ROOT / "resources" / "demo" / "project"
    return there, Path("~/harbour").expanduser(), Path("~/almanac").expanduser()


@contextmanager
def _own_folders() -> Iterator[Path]:
    """State and configuration of these pictures alone; yields a folder for projects."""
    with tempfile.TemporaryDirectory(prefix="studio-pictures-") as own:
        for variable in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR"):
            os.environ[variable] = str(Path(own) / variable.lower())
        projects = Path(own) / "projects"
        projects.mkdir()
        yield projects


def _start(words: list[str], percent: int) -> int:
    """Run this module again with a screen in memory at that scale, which Qt reads once only."""
    factor = percent / 100
    screen = {**_SCREEN, "width": round(_WIDTH * factor), "height": round(_HEIGHT * factor)}
    with tempfile.TemporaryDirectory(prefix="studio-screen-") as folder:
        file = Path(folder) / "screen.json"
        file.write_text(json.dumps({"screens": [screen]}))
        variables = {
            **os.environ,
            "QT_QPA_PLATFORM": f"offscreen:configfile={file}",
            "QT_SCALE_FACTOR": str(factor),
        }
        command = [sys.executable, "-m", "tests.pictures", "--here", str(percent), *words]
        return subprocess.call(command, env=variables, cwd=ROOT)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="where the pictures go")
    parser.add_argument("--readme", action="store_true", help=f"make {README_PICTURE.relative_to(ROOT)}")
    parser.add_argument(
        "--scale", type=int, choices=_PERCENT, action="append", help="percent; both by default"
    )
    parser.add_argument("--only", metavar="SCENE", action="append", choices=[scene.name for scene in SCENES])
    parser.add_argument("--here", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args(words)
    if chosen.readme == (chosen.folder is not None):
        parser.error("give a folder, or --readme")
    if chosen.here is None:
        scales = [100] if chosen.readme else chosen.scale or _PERCENT
        given = ["--readme"] if chosen.readme else [str(chosen.folder.absolute())]
        for scene in chosen.only or ():
            given += ["--only", scene]
        return max(_start(given, percent) for percent in scales)
    if chosen.readme:
        paint_readme(README_PICTURE)
    else:
        chosen.folder.mkdir(parents=True, exist_ok=True)
        paint(chosen.folder, chosen.here, frozenset(chosen.only or ()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
