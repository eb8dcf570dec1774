"""The script that takes the pictures, and the picture that the README shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from studio.ui.look.theme import make_theme
from tests.tools.pictures import README_PICTURE, ROOT, chosen_shots, command, main, with_palette
from tests.tools.scenes import SCENES

EVERY_SCALE_AND_SIZE = (
    *("--scale=100", "--scale=150", "--scale=200", "--scale=300"),
    *("--size=1024x600", "--size=1440x900", "--size=3440x1440"),
)


def test_a_scene_is_painted_in_both_themes_at_both_scales(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.tools.pictures", str(tmp_path), "--only", "rollback", "--sheets"],
        cwd=ROOT, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sheet = QImage(str(tmp_path / "sheets" / "dark-usual-01.png"))
    assert sheet.width() == 3 * 800, "both pictures of a look, in the first two of three columns"
    assert {file.name for file in tmp_path.glob("*.png")} == {
        f"rollback-{theme}-{percent}.png" for theme in ("light", "dark") for percent in (100, 200)
    }
    for file in tmp_path.glob("*.png"):
        picture = QImage(str(file))
        _, theme, percent = file.stem.split("-")
        factor = int(percent) // 100
        assert (picture.width(), picture.height()) == (1440 * factor, 900 * factor)
        bar = picture.pixelColor(picture.width() - 4 * factor, picture.height() - 4 * factor)
        assert bar == make_theme(theme).color("window")


def test_twelve_turns_have_every_scene_at_every_scale_and_size(tmp_path: Path) -> None:
    parser = command()
    turns = [chosen_shots(parser.parse_args([str(tmp_path), "--turn", str(turn)])) for turn in range(12)]
    assert all([scene for scene, *_ in shots] == list(SCENES) for shots in turns)
    whole = chosen_shots(parser.parse_args([str(tmp_path), *EVERY_SCALE_AND_SIZE]))
    painted = {
        (scene.name, percent, size) for shots in turns for scene, percent, sizes in shots for size in sizes
    }
    assert painted == {(scene.name, percent, size) for scene, percent, sizes in whole for size in sizes}


def test_every_scene_has_a_name_of_its_own() -> None:
    assert len({scene.name for scene in SCENES}) == len(SCENES)


def test_every_scene_is_there_in_light_and_dark_at_both_scales() -> None:
    """The main one at each scale that the window knows, and in every set of colours."""
    for scene in SCENES:
        assert {"light", "dark"} <= set(scene.looks), scene.name
        assert {100, 200} <= set(scene.percents), scene.name
    main = next(scene for scene in SCENES if scene.name == "first-step")
    assert set(main.percents) == {100, 125, 200, 300}
    assert len(main.looks) == 6


@pytest.mark.parametrize(
    ("goes_wrong", "said"),
    [
        ("threading.Event().wait()", "The scene 'odd-name' had no picture after 0.2 seconds."),
        ("raise ValueError(7)", "This was the scene 'odd-name'."),
    ],
)
def test_a_scene_without_a_picture_ends_the_command_and_is_named(goes_wrong: str, said: str) -> None:
    program = (
        "import threading\nfrom tests.tools.pictures import watched\n"
        f"with watched('odd-name', 0.2): {goes_wrong}"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" in done.stderr or "most recent call first" in done.stderr


@pytest.mark.parametrize("words", [[], ["folder", "--readme"], ["folder", "--only", "nothing"]])
def test_without_a_place_nothing_is_painted(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert "usage:" in capsys.readouterr().err


def test_the_readme_shows_its_picture() -> None:
    name = README_PICTURE.relative_to(ROOT).as_posix()
    assert f"]({name})" in (ROOT / "README.md").read_text(encoding="utf-8")
    picture = QImage(str(README_PICTURE))
    assert (picture.width(), picture.height()) == (1440, 900)
    assert README_PICTURE.stat().st_size < 200_000


def test_a_palette_keeps_what_covers_most() -> None:
    picture = QImage(64, 64, QImage.Format.Format_RGB32)
    for x in range(64):
        for y in range(64):
            picture.setPixelColor(x, y, QColor(x * 4, y * 4, 0) if x < 40 else QColor("#1B5FA6"))
    reduced = with_palette(picture)
    assert reduced.colorCount() <= 256
    assert reduced.pixelColor(50, 10) == QColor("#1B5FA6")
