"""A small project on disk, and an agent who proposes changes to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path

from tests.journeys.person import Program
from tests.tools.forked import ForkServer

LINES = tuple(f"line {number}\n" for number in range(1, 41))
NAMES = ("one.txt", "two.txt", "three.txt")


def lines_with(**changed: str) -> str:
    """The usual forty lines with some changed: `l3="text"` is line 3."""
    lines = list(LINES)
    for name, text in changed.items():
        lines[int(name[1:]) - 1] = text + "\n"
    return "".join(lines)


class Harbour:
    """A small project of three files with forty lines each, and an agent who proposes changes to them."""

    def __init__(self, folder: Path, forks: ForkServer | None = None, *, apart: bool = False) -> None:
        self.on_write: Callable[[str], object] = lambda _: None
        self.root = folder / "harbour"
        self.root.mkdir()
        self.texts = folder / "proposed"
        self.texts.mkdir()
        self.agent = Program(self.root, forks, apart=apart)
        for name in NAMES:
            self.write(name, "".join(LINES))

    def read(self, name: str) -> str:
        with (self.root / name).open(encoding="utf-8", newline="") as stream:
            return stream.read()

    def write(self, name: str, text: str) -> None:
        with (self.root / name).open("w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        self.on_write(name)

    def untouched(self) -> bool:
        return all(self.read(name) == "".join(LINES) for name in NAMES)

    def propose(self, title: str, **results: str) -> str:
        """Submit new contents: `one_txt` stands for one.txt, `_env` for .env."""
        steps = [
            {"op": "modify", "path": name.replace("_", "."), "content": text}
            for name, text in results.items()
        ]
        file = self.texts / f"{len(list(self.texts.iterdir()))}.json"
        file.write_text(json.dumps({"title": title, "steps": steps}))
        return self.agent.submit(file, title)

    def propose_three(self, title: str = "Three files") -> str:
        """Three steps; the first one has two hunks."""
        return self.propose(
            title,
            one_txt=lines_with(l3="changed 3", l30="changed 30"),
            two_txt=lines_with(l5="changed 5"),
            three_txt=lines_with(l7="changed 7"),
        )

    def diff(self, name: str, result: str) -> str:
        """A diff of one file as a person would have it in a mail."""
        before, after = self.read(name).splitlines(True), result.splitlines(True)
        return "".join(unified_diff(before, after, f"a/{name}", f"b/{name}"))
