"""A tree of many text files to list and to search, the same every time."""

from __future__ import annotations

import random
from pathlib import Path

FILES = 50_000
_FILES_OF_A_FOLDER = 20
_FOLDERS_OF_A_FOLDER = 8
_LINES = (10, 200)
_WORDS = (
    "value result index buffer length offset return self for in if not else while import from def class "
    "None True False raise error path name data count total first last node tree entry file folder"
).split()
RARE = "quicksilver_lantern"
"""A word that one file in two hundred holds."""


def make_tree(root: Path, files: int | None = None) -> None:
    """Folders of twenty small files each, about 5 KB in the middle, eight folders in every folder."""
    number = FILES if files is None else files
    dice = random.Random(5)
    lines = [
        f"{' ' * dice.choice((0, 4, 4, 8))}{' '.join(dice.choices(_WORDS, k=dice.randint(2, 9)))}\n".encode()
        for _ in range(2000)
    ]
    for at in range(number):
        folder = _folder(root, at // _FILES_OF_A_FOLDER)
        if at % _FILES_OF_A_FOLDER == 0:
            folder.mkdir(parents=True, exist_ok=True)
        body = dice.choices(lines, k=dice.randint(*_LINES))
        if at % 200 == 199:
            body.insert(len(body) // 2, f"    {RARE} = 1\n".encode())
        (folder / f"module_{at:05d}.{'py' if at % 3 else 'txt'}").write_bytes(b"".join(body))


def _folder(root: Path, number: int) -> Path:
    parts: list[str] = []
    while number:
        number, part = divmod(number - 1, _FOLDERS_OF_A_FOLDER)
        parts.append(f"part_{part}")
    return root.joinpath(*reversed(parts))
