"""Which paths one build denied and another one allows, and which of these git's HEAD does not explain."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_OPENED_BY_GIT = frozenset({"bin/", "packages/"})
_NAMES = frozenset({"bin", "packages"})
_ORDINARY = "source"
_ANSWERS = Path(__file__).with_name("answers.py")


class Answer(NamedTuple):
    """A build's verdict on a path, with the rule and the level that decided."""

    allowed: bool
    rule: str
    level: str


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs in one project.

    `opened` and `closed` are paths with the rule that denies; `unexplained` are those of `opened` that must
    not be, `missing` those that had to be and are not.
    """

    pairs: int
    opened: Mapping[str, str]
    closed: Mapping[str, str]
    unexplained: tuple[str, ...]
    missing: tuple[str, ...]


def ask(build: Path, roots: Iterable[Path], paths: Sequence[str], private: Path) -> list[list[Answer]]:
    """Have the build in a folder answer all paths for each root, with a state folder of its own."""
    private.mkdir(mode=0o700)
    given = {"build": str(build), "roots": [str(root) for root in roots], "paths": paths}
    done = subprocess.run(
        [sys.executable, str(_ANSWERS)],
        input=json.dumps(given).encode(),
        stdout=subprocess.PIPE,
        check=True,
        cwd=private,
        env={
            **os.environ,
            "PYTHONPATH": str(build),
            "STUDIO_STATE_DIR": str(private / "state"),
            "STUDIO_CONFIG_DIR": str(private / "configuration"),
        },
    )
    return [[Answer(*one) for one in answers] for answers in json.loads(done.stdout)]


def on_ordinary_names(path: str) -> str:
    """The normalized path with every name that git's HEAD may open replaced by one that no rule knows."""
    return "/".join(_ORDINARY if _is_name(name) else name for name in normalized(path).split("/"))


def normalized(path: str) -> str:
    """Return a path without `.` and empty names inside it, for which the older build refused it."""
    *above, last = path.split("/")
    is_absolute = len(above) > 0 and not above[0]
    kept = [name for name in above if name not in ("", ".")]
    return path if is_absolute else "/".join((*kept, last))


def compare(
    paths: Sequence[str],
    before: Sequence[Answer],
    after: Sequence[Answer],
    ordinary: Mapping[str, Answer],
    in_head: Set[str],
) -> Difference:
    """Compare two builds' answers; `ordinary` are those of the older build `on_ordinary_names`.

    A path may open where the older build denied it by one of the two rules, HEAD has files in each folder of
    such a name on its way, and nothing else in the path was denied; or where it refused the spelling alone,
    or a name that Windows reserves and that is there.
    Where it may and one of the two rules denies it still, it is missing.
    """
    opened, closed = dict[str, str](), dict[str, str]()
    unexplained, missing = list[str](), list[str]()
    for path, old, new in zip(paths, before, after, strict=True):
        if old.allowed:
            if not new.allowed:
                closed[path] = new.rule
            continue
        plain = normalized(path)
        is_other = _is_by_name(old) or (old.level == "name" and plain != path)
        may_open = is_other and ordinary[on_ordinary_names(path)].allowed and _is_all_in_head(plain, in_head)
        if old.level == "name" and path in in_head:  # it is there under a name that Windows reserves
            windows = on_ordinary_names("/".join(name.rstrip(". ") for name in path.split("/")))
            may_open = windows in ordinary and ordinary[windows].allowed
        if new.allowed:
            opened[path] = old.rule
            if not may_open:
                unexplained.append(path)
        elif may_open and _is_by_name(new) and (plain in in_head or not _is_name(plain.rpartition("/")[2])):
            missing.append(path)
    return Difference(len(paths), opened, closed, tuple(unexplained), tuple(missing))


def _is_by_name(answer: Answer) -> bool:
    return answer.level == "default" and answer.rule in _OPENED_BY_GIT


def _is_name(name: str) -> bool:
    return name.lower() in _NAMES


def _is_all_in_head(path: str, in_head: Set[str]) -> bool:
    names = path.split("/")
    # The last name is a folder's only where HEAD has one of that path.
    folders = names if path in in_head else names[:-1]
    return all(
        "/".join(folders[:count]) in in_head for count, name in enumerate(folders, start=1) if _is_name(name)
    )
