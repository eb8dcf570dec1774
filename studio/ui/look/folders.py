"""Folders of a plan's steps in few letters: what steps of one name share is left out before what differs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile


class CommonFolders:
    """Knows which part of their folders files of one name share, and all files of a plan."""

    def __init__(self, paths: Iterable[str]) -> None:
        by_name: dict[str, list[list[str]]] = {}
        for path in paths:
            *folders, name = path.split("/")
            by_name.setdefault(name, []).append(folders)
        everywhere = _shared([folders for alike in by_name.values() for folders in alike])
        self._ends = {
            name: (_shared(alike), _shared([folders[::-1] for folders in alike]))
            if len(alike) > 1
            else (everywhere, 0)
            for name, alike in by_name.items()
        }

    def shortened(self, path: str) -> str:
        """The folder of a path without what it shares at both ends, for which an ellipsis stands."""
        *folders, name = path.split("/")
        before, after = self._ends.get(name, (0, 0))
        middle = folders[before : len(folders) - after]
        if not middle or len(middle) == len(folders):
            return "/".join(folders)
        return "/".join(["…"] * bool(before) + middle + ["…"] * bool(after))


def _shared(paths: Sequence[Sequence[str]]) -> int:
    """How many names they begin with alike."""
    return sum(1 for _ in takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False)))
