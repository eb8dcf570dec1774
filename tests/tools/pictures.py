"""Pictures of the window: `python -m tests.tools.pictures FOLDER`, and the one in the README with `--readme`.

Every scene is the real window on a fresh demo project, painted into memory in each of its looks and at each
of its scales. One that can't be had ends the command with an error that names it.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.tools.scenes import README_SCENE, SCENES, Scene
from tests.tools.stage import Projects, Stage

if TYPE_CHECKING:
    from PySide6.QtGui import QImage
    from PySide6.QtWidgets import QApplication

ROOT = Path(__file__).parents[2]
README_PICTURE = ROOT / "docs" / "pictures" / "window-light.png"
_SCREEN = {"name": "picture", "x": 0, "y": 0, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
_WIDTH, _HEIGHT = 1600, 1000
_PERCENT = sorted({percent for scene in SCENES for percent in scene.percents})
_COLOUR_BLIND = "colourblind-"
_MOST_SECONDS = 120.0
"""A scene that takes longer never ends."""
_SLICES = 100
_LARGEST_PAGE_BYTES = 200_000
_ALIKE = 9
"""Colours that differ by so little share a place in the palette."""


def paint(folder: Path, percent: int, wanted: frozenset[str]) -> None:
    """Save the scenes at the scale this process was started with, one file per scene and look."""
    app = _application()
    with _own_folders() as own:
        for scene in SCENES:
            if percent in scene.percents and (not wanted or scene.name in wanted):
                with watched(scene.name, _MOST_SECONDS):
                    for look, picture in _play(app, scene, own):
                        assert picture.save(str(folder / f"{scene.name}-{look}-{percent}.png"))


def paint_pages(scenes: Mapping[Path, Scene]) -> None:
    """Save light pictures of scenes as the files that pages show, each small enough for a page."""
    app = _application()
    with _own_folders() as own:
        for file, scene in scenes.items():
            with watched(scene.name, _MOST_SECONDS):
                ((_, picture),) = _play(app, replace(scene, looks=("light",)), own)
            file.parent.mkdir(parents=True, exist_ok=True)
            with_palette(picture).save(str(file), quality=0)
            assert file.stat().st_size <= _LARGEST_PAGE_BYTES


def _application() -> QApplication:
    from PySide6.QtCore import QLocale
    from PySide6.QtWidgets import QApplication

    from studio.ui.look.theme import FUSION

    # Numbers as in English, wherever the pictures are taken.
    QLocale.setDefault(QLocale("en"))
    app = QApplication(["pictures", *FUSION])
    app.setApplicationDisplayName("Exacta Studio")
    # A cursor that comes and goes would be on some pictures only.
    app.setCursorFlashTime(0)
    return app


@contextmanager
def watched(name: str, seconds: float) -> Iterator[None]:
    """Name the scene in whatever goes wrong with it; end the process, with a traceback, if it never ends."""

    ended = threading.Event()

    def watch() -> None:
        # In slices: time in which the whole process stands still is not the scene's.
        if any(ended.wait(seconds / _SLICES) for _ in range(_SLICES)):
            return
        print(f"The scene {name!r} had no picture after {seconds:g} seconds.", file=sys.stderr, flush=True)
        faulthandler.dump_traceback()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    except Exception as error:
        error.add_note(f"This was the scene {name!r}.")
        raise
    finally:
        ended.set()


def _play(app: QApplication, scene: Scene, own: Path) -> Iterator[tuple[str, QImage]]:
    """The scene once, and a picture of how it ends in each look."""
    from studio.ui.look.theme import set_theme

    set_theme(app, "light")
    project = Projects(own).open(scene.project)
    stage = Stage(app, project, _places() if project is None else (), size=scene.size)
    scene.play(stage)
    for look in scene.looks:
        theme, colour_blind = look.removeprefix(_COLOUR_BLIND), look.startswith(_COLOUR_BLIND)
        set_theme(app, theme, colour_blind=colour_blind)
        stage.control.show_theme(theme, colour_blind=colour_blind)
        stage.settle()
        yield look, stage.picture()
    stage.close()


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
    """Recent projects for the start page: one in which plans wait, one in which nothing does, one that is not
    there, and one at whose place another folder is now."""
    from studio.doors.cli.commands.demo import prepare_demo
    from studio.workspace import Workspace

    home = Path.home()
    tidewatch, harbour, almanac, moved = (home / name for name in ("tidewatch", "harbour", "almanac", "log"))
    if not tidewatch.exists():
        prepare_demo(tidewatch)
        for folder in (harbour, moved):
            folder.mkdir()
            Workspace.open(folder).close()
        moved.rename(home / "log-of-before")
        moved.mkdir()
    return tidewatch, harbour, almanac, moved


@contextmanager
def _own_folders() -> Iterator[Path]:
    """Home, state and configuration of these pictures alone; yields a folder for projects."""
    with tempfile.TemporaryDirectory(prefix="studio-pictures-") as own:
        for variable in ("HOME", "STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR"):
            os.environ[variable] = str(Path(own) / variable.lower())
        projects = Path(own) / "projects"
        projects.mkdir()
        yield projects


def start(words: list[str], percent: int, module: str = "tests.tools.pictures") -> int:
    """Run a module that paints, with a screen in memory at that scale, which Qt reads once only."""
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
        command = [sys.executable, "-m", module, "--here", str(percent), *words]
        return subprocess.call(command, env=variables, cwd=ROOT)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.pictures", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="where the pictures go")
    parser.add_argument("--readme", action="store_true", help=f"make {README_PICTURE.relative_to(ROOT)}")
    parser.add_argument(
        "--scale", type=int, choices=_PERCENT, action="append", help="percent; all by default"
    )
    parser.add_argument("--only", metavar="SCENE", action="append", choices=[scene.name for scene in SCENES])
    parser.add_argument("--here", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args(words)
    if chosen.readme == (chosen.folder is not None):
        parser.error("give a folder, or --readme")
    if chosen.here is None:
        scenes = [scene for scene in SCENES if not chosen.only or scene.name in chosen.only]
        needed = {percent for scene in scenes for percent in scene.percents}
        scales = [100] if chosen.readme else [each for each in chosen.scale or _PERCENT if each in needed]
        given = ["--readme"] if chosen.readme else [str(chosen.folder.absolute())]
        for scene in chosen.only or ():
            given += ["--only", scene]
        return max((start(given, percent) for percent in scales), default=0)
    if chosen.readme:
        paint_pages({README_PICTURE: README_SCENE})
    else:
        chosen.folder.mkdir(parents=True, exist_ok=True)
        paint(chosen.folder, chosen.here, frozenset(chosen.only or ()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
