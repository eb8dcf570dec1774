"""Pictures of the window: `python -m tests.tools.pictures FOLDER`, the one in the README with `--readme`,
and those of the tutorial with `--tutorial`.

Every scene is the real window on a fresh demo project, painted in each of its looks and at each of its
scales, or in those asked for. With `--turn N` each scene is painted once per look: scales and sizes of the
window, in logical pixels, take turns, and twelve turns have every scene at all of them. `--sheets` puts many
pictures on one to look at. A scene that can't be had ends the command with an error that names it.
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
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from tests.tools.scenes import README_SCENE, SCENES, Scene
from tests.tools.stage import Projects, Stage
from tests.tools.tutorial import walk

if TYPE_CHECKING:
    from PySide6.QtGui import QImage
    from PySide6.QtWidgets import QApplication

ROOT = Path(__file__).parents[2]
README_PICTURE = ROOT / "docs" / "pictures" / "window-light.png"
_SCREEN = {"name": "picture", "x": 0, "y": 0, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
_WIDTH, _HEIGHT = 1600, 1000
_TURN_PERCENTS = (100, 150, 200, 300)
_TURN_SIZES = ((1024, 600), (1440, 900), (3440, 1440))
_SHEET_WIDTH, _SHEET_ROWS = 2400, 4
_COLOUR_BLIND = "colourblind-"
_MOST_SECONDS = 120.0
"""A scene that takes longer never ends."""
_SLICES = 100
_LARGEST_PAGE_BYTES = 200_000
LARGEST_TUTORIAL_BYTES = 60_000
_ALIKE = 9
"""Colours that differ by so little share a place in the palette."""


Size = tuple[int, int]
Shot = tuple[Scene, int, tuple[Size | None, ...]]
"""A scene, a scale in percent, and sizes of the window; None for its usual one."""


def chosen_shots(chosen: argparse.Namespace) -> list[Shot]:
    """Return what the words of the command ask for."""
    wanted = [scene for scene in SCENES if not chosen.only or scene.name in chosen.only]
    if chosen.turn is None:
        sizes = tuple(chosen.size or (None,))
        return [
            (scene, percent, sizes if scene.size is None else (None,))
            for scene in wanted
            for percent in chosen.scale or scene.percents
        ]
    turns = list(product(chosen.scale or _TURN_PERCENTS, chosen.size or _TURN_SIZES))
    places = ((scene, turns[(number + chosen.turn) % len(turns)]) for number, scene in enumerate(wanted))
    return [(scene, percent, (size if scene.size is None else None,)) for scene, (percent, size) in places]


def paint(folder: Path, shots: Sequence[Shot], looks: Sequence[str] | None = None) -> None:
    """Save the shots at the scale this process was started with, one file per scene, look and size."""
    app = _application()
    with _own_folders() as own:
        for scene, percent, sizes in shots:
            shown = replace(scene, looks=looks or scene.looks)
            with watched(scene.name, _MOST_SECONDS):
                for look, size, picture in _play(app, shown, own, sizes):
                    sized = f"-{size[0]}x{size[1]}" if size is not None else ""
                    assert picture.save(str(folder / f"{scene.name}-{look}-{percent}{sized}.png"))


def paint_sheets(folder: Path) -> None:
    """Put the pictures of a folder on sheets, those of one look and size together, each with its name."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QColor, QImage, QPainter

    _application()
    files: dict[str, list[Path]] = defaultdict(list)
    looks = sorted({look for scene in SCENES for look in scene.looks}, key=len, reverse=True)
    for file in sorted(folder.glob("*.png")):
        look = next(look for look in looks if f"-{look}-" in file.name)
        size = file.stem.rpartition("-")[2]
        files[f"{look}-{size if 'x' in size else 'usual'}"].append(file)
    (folder / "sheets").mkdir(exist_ok=True)
    for name, pictures in files.items():
        columns = 2 if "-3440x" in name else 3
        cell, count = _SHEET_WIDTH // columns, columns * _SHEET_ROWS
        for first in range(0, len(pictures), count):
            shown = pictures[first : first + count]
            images = [QImage(str(file)) for file in shown]
            height = 20 + max(image.height() * cell // image.width() for image in images)
            sheet = QImage(_SHEET_WIDTH, -(-len(shown) // columns) * height, QImage.Format.Format_RGB32)
            sheet.fill(QColor("#808080"))
            painter = QPainter(sheet)
            for number, (file, image) in enumerate(zip(shown, images, strict=True)):
                x, y = number % columns * cell + 4, number // columns * height + 14
                image.setDevicePixelRatio(1)
                painter.drawText(x, y, file.stem)
                painter.drawImage(
                    x, y + 4, image.scaledToWidth(cell - 8, Qt.TransformationMode.SmoothTransformation)
                )
            painter.end()
            assert sheet.save(str(folder / "sheets" / f"{name}-{first // count + 1:02}.png"))


def paint_pages(scenes: Mapping[Path, Scene]) -> None:
    """Save light pictures of scenes as the files that pages show, each small enough for a page."""
    app = _application()
    with _own_folders() as own:
        for file, scene in scenes.items():
            with watched(scene.name, _MOST_SECONDS):
                ((_, _, picture),) = _play(app, replace(scene, looks=("light",)), own)
            file.parent.mkdir(parents=True, exist_ok=True)
            with_palette(picture).save(str(file), quality=0)
            assert file.stat().st_size <= _LARGEST_PAGE_BYTES


def paint_tutorial() -> None:
    """Save the pictures of the tutorial, as its own words reach them."""
    from studio.ui.look.theme import set_theme

    app = _application()
    with _own_folders() as own, watched("tutorial", _MOST_SECONDS):
        set_theme(app, "light")
        for file, stage in walk(app, own):
            with_palette(stage.picture()).save(str(file), quality=0)
            assert file.stat().st_size <= LARGEST_TUTORIAL_BYTES, file


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


def _play(
    app: QApplication, scene: Scene, own: Path, sizes: tuple[Size | None, ...] = (None,)
) -> Iterator[tuple[str, Size | None, QImage]]:
    """The scene once, and a picture of how it ends in each look at each size of the window."""
    from studio.ui.look.theme import set_theme

    set_theme(app, "light")
    # What a scene before wrote there is not this one's.
    (Path(os.environ["STUDIO_CONFIG_DIR"]) / "config.yaml").unlink(missing_ok=True)
    project = Projects(own).open(scene.project)
    stage = Stage(app, project, _places() if project is None else (), size=sizes[0] or scene.size)
    scene.play(stage)
    for size, look in product(sizes, scene.looks):
        if size is not None:
            stage.control.window.resize(*size)
        theme, colour_blind = look.removeprefix(_COLOUR_BLIND), look.startswith(_COLOUR_BLIND)
        set_theme(app, theme, colour_blind=colour_blind)
        stage.control.show_theme(theme, colour_blind=colour_blind)
        stage.settle()
        yield look, size, stage.picture()
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


def start(
    words: list[str], percent: int, module: str = "tests.tools.pictures", *, screen: Size = (_WIDTH, _HEIGHT),
    platform: str = "offscreen",
) -> int:  # fmt: skip
    """Run a module that paints, on a screen of its own at that scale, which Qt reads once only."""
    factor = percent / 100
    width, height = (round(side * factor) for side in screen)
    command = [sys.executable, "-m", module, "--here", str(percent), *words]
    with (
        tempfile.TemporaryDirectory(prefix="studio-screen-") as folder,
        _screen(platform, width, height, Path(folder)) as (variables, before),
    ):
        environment = {**os.environ, **variables, "QT_SCALE_FACTOR": str(factor)}
        return subprocess.call([*before, *command], env=environment, cwd=ROOT)


@contextmanager
def _screen(
    platform: str, width: int, height: int, folder: Path
) -> Iterator[tuple[dict[str, str], list[str]]]:
    """A screen of so many pixels: variables of a program on it, and what its command begins with."""
    if platform == "offscreen":
        file = folder / "screen.json"
        file.write_text(json.dumps({"screens": [{**_SCREEN, "width": width, "height": height}]}))
        yield {"QT_QPA_PLATFORM": f"offscreen:configfile={file}"}, []
    elif platform == "xcb":
        yield {"QT_QPA_PLATFORM": platform}, ["xvfb-run", "-a", "-s", f"-screen 0 {width}x{height}x24"]
    else:
        variables = {
            "QT_QPA_PLATFORM": platform,
            "WAYLAND_DISPLAY": "pictures",
            "XDG_RUNTIME_DIR": str(folder),
        }
        size = (f"--width={width}", f"--height={height}")
        words = [
            "weston",
            "--backend=headless-backend.so",
            "--use-pixman",
            "--no-config",
            "--socket=pictures",
            *size,
        ]
        with subprocess.Popen(
            words, env={**os.environ, **variables}, stderr=subprocess.DEVNULL
        ) as compositor:
            while not (folder / "pictures").exists() and compositor.poll() is None:
                time.sleep(0.05)
            yield variables, []
            compositor.terminate()


def _size(text: str) -> Size:
    width, _, height = text.partition("x")
    return int(width), int(height)


def command() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.pictures", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="where the pictures go")
    parser.add_argument("--readme", action="store_true", help=f"make {README_PICTURE.relative_to(ROOT)}")
    parser.add_argument("--tutorial", action="store_true", help="make those that docs/tutorial.md shows")
    parser.add_argument("--scale", type=int, action="append", help="percent; those of each scene by default")
    parser.add_argument("--size", type=_size, metavar="WxH", action="append", help="of the window")
    parser.add_argument("--look", metavar="LOOK", action="append", help="light, dark, contrast, …")
    parser.add_argument("--turn", type=int, metavar="N", help="each scene once, light and dark")
    parser.add_argument("--sheets", action="store_true", help="put the pictures on sheets, too")
    parser.add_argument("--platform", choices=("offscreen", "xcb", "wayland"), default="offscreen")
    parser.add_argument("--only", metavar="SCENE", action="append", choices=[scene.name for scene in SCENES])
    parser.add_argument("--here", type=int, help=argparse.SUPPRESS)
    return parser


def main(words: list[str]) -> int:
    parser = command()
    chosen = parser.parse_args(words)
    if (chosen.folder is not None) + chosen.readme + chosen.tutorial != 1:
        parser.error("give a folder, --readme or --tutorial")
    if chosen.readme or chosen.tutorial:
        if chosen.here is None:
            return start(["--readme" if chosen.readme else "--tutorial"], 100)
        if chosen.readme:
            paint_pages({README_PICTURE: README_SCENE})
        else:
            paint_tutorial()
        return 0
    folder = chosen.folder.absolute()
    shots = chosen_shots(chosen)
    if chosen.here is None:
        folder.mkdir(parents=True, exist_ok=True)
        sizes = [(_WIDTH, _HEIGHT), *(size for _, _, sizes in shots for size in sizes if size is not None)]
        screen = (max(width for width, _ in sizes), max(height for _, height in sizes))
        given = [word for word in words if word not in ("--sheets", str(chosen.folder))]
        codes = [
            start([str(folder), *given], percent, screen=screen, platform=chosen.platform)
            for percent in sorted({percent for _, percent, _ in shots})
        ]
        return max([*codes, start([str(folder), "--sheets"], 100) if chosen.sheets else 0])
    if chosen.sheets:
        paint_sheets(folder)
    else:
        looks = chosen.look or (("light", "dark") if chosen.turn is not None else None)
        paint(folder, [shot for shot in shots if shot[1] == chosen.here], looks)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
