"""What the lock file and folders of packages hold: which belong to which group, and how large they are.

Standard library only, from Python 3.11 on: nothing else is there yet when this runs.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "installer" / "requirements.lock"
SIZES = ROOT / "installer" / "sizes.json"


class Package(NamedTuple):
    """One pinned version: the lines of the lock file that say so, and the packages that need it."""

    name: str
    version: str
    text: str
    needed_by: frozenset[str]


class Sizes(NamedTuple):
    """What packages take to download and on disk, as it was measured on one system."""

    measured_on: str
    kilobytes: dict[str, list[int]]

    def megabytes(self, names: Iterable[str]) -> list[int]:
        """Of these packages; one that was not measured, because it is for another system, takes nothing."""
        found = [self.kilobytes.get(name, (0, 0)) for name in names]
        return [math.ceil(sum(each[part] for each in found) / 1000) for part in (0, 1)]


def packages() -> list[Package]:
    """Every package of the lock file, in its order; one name may have a version for each Python."""
    lines: list[list[str]] = []
    for line in LOCK.read_text(encoding="utf-8").splitlines(keepends=True):
        if re.match(r"[A-Za-z0-9]", line):
            lines.append([line])
        elif lines:
            lines[-1].append(line)
    return [_package(block) for block in lines]


def _package(lines: list[str]) -> Package:
    name, version = re.split(r"==|\s", lines[0], maxsplit=2)[:2]
    # A comment says what needs it: "via x", or "via" and one name a line.
    comments = [line.strip(" #\n").removeprefix("via").strip() for line in lines[1:] if "#" in line]
    return Package(
        normalized(name), version, "".join(lines), frozenset(normalized(each) for each in comments if each)
    )


def names_for(groups: Iterable[str], extras: Iterable[str] = ()) -> frozenset[str]:
    """The names of what the program itself needs, with these groups and extras of pyproject.toml, and of all
    that those need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"]]
    for group in groups:
        wanted += project["dependency-groups"][group]
    for extra in extras:
        wanted += project["project"]["optional-dependencies"][extra]
    found = {normalized(re.split(r"[^\w.-]", each)[0]) for each in wanted}
    locked = packages()
    while more := {each.name for each in locked if each.needed_by & found} - found:
        found |= more
    return frozenset(each.name for each in locked if each.name in found)


def lock_of(names: frozenset[str]) -> str:
    """The lock file's text with the blocks of these packages only."""
    return "".join(each.text for each in packages() if each.name in names)


def sizes() -> Sizes:
    return Sizes(**json.loads(SIZES.read_text(encoding="utf-8")))


def installed(folder: Path) -> dict[str, Distribution]:
    """The packages that are installed in a folder, by name."""
    return {normalized(each.name): each for each in distributions(path=[str(folder)])}


def tops(package: Distribution) -> list[str]:
    """What an installed package has at the top of its folder, by its own record."""
    return sorted({file.parts[0] for file in package.files or ()} - {"..", "__pycache__"})


def normalized(name: str) -> str:
    """A package's name in its one spelling."""
    return re.sub(r"[-_.]+", "-", name).lower()
