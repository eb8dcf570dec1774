"""Where a path leads when links inside the root are followed, for reading alone (R45, R46, C6)."""

from __future__ import annotations

import os
from pathlib import PurePosixPath

from studio.engine.errors import LeadsOutside
from studio.engine.limits import LINKS_UP_TO
from studio.engine.names import show_name
from studio.engine.root import EntryKind, ProjectRoot


def follow_links(root: ProjectRoot, path: str) -> str:
    """The path of what a path leads to, beneath the root and without links, as they are at this moment.

    It is opened without following any, so that one that changes meanwhile is refused. Raises LeadsOutside
    for a link that leaves the root, or for too many of them.
    """
    done: list[str] = []
    left = [part for part in path.split("/") if part]
    followed = 0
    while left:
        part = left.pop(0)
        if part == "..":
            if not done:
                raise _outside(path)
            done.pop()
            continue
        here = "/".join((*done, part))
        state = root.state(here)
        # ".." is taken off what was found to be no link: on the path as
        # written it would climb out of another folder than the link's.
        if state is None or state.kind is not EntryKind.LINK:
            done.append(part)
            continue
        followed += 1
        if followed > LINKS_UP_TO:
            raise _outside(path)
        said = root.link_target(here)
        if said is None:  # no link any more: looked at again
            left.insert(0, part)
            continue
        target = os.fsdecode(said)
        if target.startswith("/"):
            target = _beneath(root, target, path)
            done = []
        left[:0] = [step for step in target.split("/") if step not in ("", ".")]
    return "/".join(done)


def _beneath(root: ProjectRoot, target: str, path: str) -> str:
    absolute = PurePosixPath(target)
    if ".." in absolute.parts or not absolute.is_relative_to(root.path):
        raise _outside(path)
    return str(absolute.relative_to(root.path))


def _outside(path: str) -> LeadsOutside:
    return LeadsOutside(
        "path.outside",
        f"{show_name(path)} leads out of the folder by a link.",
        "Name a file inside it.",
        path=path,
    )
