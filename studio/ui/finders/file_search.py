"""File search by path fragments, run in a process without Qt.

The list of files stays in that process between searches; only results are sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rapidfuzz import fuzz, process

from studio.ui.limits import FOUND_FILES_UP_TO
from studio.values import Value

_LEAST_LIKENESS = 70.0


class FoundFiles(Value):
    """Best paths first; `total` counts the project files searched."""

    paths: tuple[str, ...]
    total: int


_known: dict[str, tuple[str, ...]] = {}
"""Files of each project, by root."""


def find_files(
    list_files: Callable[[Path], Iterable[str]],
    root: str,
    search: str,
    proposed: Sequence[str],
    *,
    again: bool = False,
) -> FoundFiles:
    """Return the project's and proposed paths that match the text.

    Paths are relative with `/`. `again` lists the project again with `list_files`, which is a parameter
    because importing it from the engine here would load the whole engine (330 ms).
    """
    if again or root not in _known:
        _known[root] = tuple(list_files(Path(root)))
    paths = _known[root]
    extra = [path for path in proposed if path not in set(paths)]
    return FoundFiles(best(search, (*extra, *paths)), len(paths))


def best(search: str, paths: Iterable[str], *, most: int = FOUND_FILES_UP_TO) -> tuple[str, ...]:
    """Return the best matches.

    First paths with every word in the name, then with every word in the path, then near matches.
    """
    words = search.casefold().split()
    if not words:
        return tuple(sorted(paths, key=lambda path: (path.count("/"), path.casefold()))[:most])
    in_name: list[str] = []
    in_path: list[str] = []
    others: list[str] = []
    for path in paths:
        folded = path.casefold()
        if not all(word in folded for word in words):
            others.append(path)
        elif all(word in folded.rpartition("/")[2] for word in words):
            in_name.append(path)
        else:
            in_path.append(path)
    found = [*sorted(in_name, key=_shortest_name), *sorted(in_path, key=len)][:most]
    if len(found) < most:
        found += _find_near_matches("".join(words), others, most - len(found))
    return tuple(found)


def _find_near_matches(search: str, paths: Sequence[str], most: int) -> list[str]:
    """Return near matches: paths with typing errors or omitted letters."""

    def folded(path: str) -> str:
        return path.casefold().replace("/", "")

    found = process.extract(
        search, paths, scorer=fuzz.partial_ratio, processor=folded, score_cutoff=_LEAST_LIKENESS, limit=most
    )
    return [path for path, _likeness, _place in found]


def _shortest_name(path: str) -> tuple[int, int, str]:
    return len(path.rpartition("/")[2]), len(path), path
