"""Searching a layer over a base: the base in its own fast way but for what is hidden, and the layer's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from studio.engine.filesystem.backing import Backing
from studio.engine.filesystem.globbing import Glob
from studio.engine.filesystem.grep import Lines, Search, merged
from studio.engine.filesystem.layer import Base, Layer, Moved, Node, joined
from studio.engine.filesystem.searching import files_by_walking, lines_beneath, lines_by_opening, lines_of
from studio.engine.root import EntryKind

_EVERY_FILE = Glob("**")


def lines_of_overlay(overlay: Backing, base: Base, node: Node | None, folder: str, search: Search) -> Lines:
    """The matching lines beneath a folder of the overlay; `node` is what that folder stands for.

    Where it lies over the same folder of the base, the cost of what does not differ is the base's own.
    Raises SearchTooSlow, or FileError.
    """
    if isinstance(node, Moved) and node.path == folder:
        return lines_beneath(base.backing, folder, search)
    if not isinstance(node, Layer) or node.base != folder:
        return lines_by_opening(overlay, folder, search)
    differing = tuple(_differing(node, folder))
    below = lines_beneath(base.backing, folder, replace(search, skip=_skipping(base, differing, search)))
    own = lines_of(overlay, sorted(_own_files(overlay, folder, differing, search)), search)
    return merged((below, own), search.limit)


def _differing(layer: Layer, folder: str) -> Iterator[str]:
    """The paths at which the overlay has something else than the base, the topmost of them."""
    for name, node in layer.entries.values():
        path = joined(folder, name)
        if isinstance(node, Layer) and node.base == path:
            yield from _differing(node, path)
        elif node != Moved(path):
            yield path


def _skipping(base: Base, differing: tuple[str, ...], search: Search) -> Callable[[str], bool]:
    hidden = {base.key(path) for path in differing}
    skip = search.skip

    def skipped(path: str) -> bool:
        key = base.key(path)
        while key not in hidden:
            key = key.rpartition("/")[0]
            if not key:
                return skip is not None and skip(path)
        return True

    return skipped


def _own_files(overlay: Backing, folder: str, differing: tuple[str, ...], search: Search) -> Iterator[str]:
    """The files that are to be searched at and beneath the paths that differ."""
    start = len(folder) + 1 if folder else 0
    for path in differing:
        state = overlay.node(path)
        if state is None:
            continue
        paths = (path,)
        if state.kind is EntryKind.FOLDER:
            paths = files_by_walking(overlay, path, _EVERY_FILE).paths
        elif state.kind is not EntryKind.FILE:
            continue
        for file in paths:
            if search.glob is None or search.glob.matches(file[start:]):
                yield file
