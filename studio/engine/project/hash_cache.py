"""What files held when they were last looked at, so that looking at all of them again is quick (Q29).

Only for telling which steps are stale: an apply hashes every file again, whatever is known of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from studio.engine.disk import image_at
from studio.engine.plan import FileImage
from studio.engine.root import EntryKind, ProjectRoot
from studio.engine.root.hash_cache import YOUNG_NS


class KnownFiles:
    """Images of files beneath one root; each is hashed again once anything about its file differs."""

    def __init__(self, root: ProjectRoot) -> None:
        self._root = root
        self._known: dict[str, tuple[tuple[int, ...], FileImage]] = {}

    def image(self, path: str) -> FileImage | None:
        """What is at a path, as `disk.image_at` tells it and raising as that does."""
        state = self._root.state(path)
        if state is None or state.kind is not EntryKind.FILE:
            self._known.pop(path, None)
            return image_at(self._root, path)
        known = self._known.get(path)
        if known is not None and known[0] == state.signature:
            return known[1]
        asked = time.time_ns()
        image = image_at(self._root, path)
        if image is not None and asked - max(state.modified_ns, state.changed_ns) > YOUNG_NS:
            after = self._root.state(path)
            if after is not None and after.signature == state.signature:
                self._known[path] = (state.signature, image)
        return image

    def keep_only(self, paths: Iterable[str]) -> None:
        """Forget all but these paths."""
        wanted = set(paths)
        for path in list(self._known):  # another thread may be looking at files
            if path not in wanted:
                self._known.pop(path, None)
