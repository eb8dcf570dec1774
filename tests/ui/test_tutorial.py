"""The tutorial: a reader who follows its words gets through, and it shows the pictures of that walk."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from studio.ui.look.theme import set_theme
from tests.tools.pictures import LARGEST_TUTORIAL_BYTES
from tests.tools.tutorial import HEIGHT, PAGE, WIDTH, walk


@pytest.mark.process
def test_the_words_of_the_tutorial_lead_from_an_agent_to_a_commit(
    qapp: QApplication, tmp_path: Path, private_folders: Path
) -> None:
    """Each name that it gives a button, a row or a key is pressed; one that is wrong ends the walk."""
    set_theme(qapp, "light")
    shown = [file for file, _ in walk(qapp, tmp_path)]
    assert len(shown) == 10
    assert shown == sorted(PAGE.parent.glob("pictures/tutorial-*.png"))
    for file in shown:
        assert file.stat().st_size <= LARGEST_TUTORIAL_BYTES, file.name
        picture = QImage(str(file))
        assert (picture.width(), picture.height()) == (WIDTH, HEIGHT), file.name
    command = ["git", "-C", str(tmp_path / "gauge"), "show", "--format=%B", "--name-only"]
    committed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "modify gauge.py\ncreate settings.yaml\n" in committed, "the message that was copied"
    assert committed.splitlines()[-2:] == ["gauge.py", "settings.yaml"], "README.md was rolled back"
