"""Carries out docs/tutorial.md in a real window: its commands, buttons, keys and texts, in their order.

Before a section's picture *italics* name a button or a row of a list to click, **bold** a key to press, and
“quotes” a text to type. Blocks of commands run in a shell, beside the project.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from tests.tools.stage import Stage

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
WIDTH, HEIGHT = 1100, 620
_PART = re.compile(
    r"^```sh\n(?P<commands>.*?)^```$|!\[[^\]]*\]\((?P<picture>[^)]+)\)"
    r"|\*\*(?P<key>[^*]+)\*\*|\*(?P<label>[^*]+)\*|“(?P<text>[^”]+)”",
    re.MULTILINE | re.DOTALL,
)


def parts() -> Iterator[tuple[str, str]]:
    """Yield what the page has a reader do, and its pictures: kind and words."""
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        for found in _PART.finditer(section):
            kind = found.lastgroup
            assert kind is not None
            yield kind, found[kind] if kind == "commands" else " ".join(found[kind].split())
            if kind == "picture":
                break


def walk(app: QApplication, folder: Path) -> Iterator[tuple[Path, Stage]]:
    """Yield each picture's file with the window that is to be on it."""
    from tests.tools.connectable import first_connection
    from tests.tools.stage import Stage

    connections = first_connection(folder / "settings")
    stage: Stage | None = None
    for (kind, words), (kind_after, words_after) in pairwise((*parts(), ("", ""))):
        if kind == "commands":
            _run(words, folder)
        if stage is None:
            stage = Stage(app, folder / "gauge", size=(WIDTH, HEIGHT), connections=connections)
        stage.desk.queue.reload()
        stage.settle()
        match kind:
            case "key":
                stage.key(words)
            case "label":
                stage.click(words)
            case "text":
                stage.write(words)
            case "picture":
                if kind_after == "label":
                    stage.place_of(words_after)
                gates = (agent.gate_status for agent in connections.agents(()))
                stage.control.show_gates([gate for gate in gates if gate is not None])
                stage.settle()
                yield PAGE.parent / words, stage
            case _:
                pass
    assert stage is not None
    stage.close()


def _run(commands: str, folder: Path) -> None:
    from PySide6.QtGui import QGuiApplication

    script = commands.replace("…", QGuiApplication.clipboard().text())
    studio = f'studio() {{ "{sys.executable}" -m studio "$@"; }}\n'
    author = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(
        ["sh", "-e"], input=studio + script, cwd=folder, check=True, text=True, capture_output=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT), **author},
    )  # fmt: skip
