"""What of the packages in a folder nothing needs: the lock has some for extras of others.

    python3 -m shipping.needed FOLDER REQUIREMENT...

Runs in the Python whose packages they are, because requirements ask for its version; beside the standard
library it needs the pip of that Python. Prints their names, one a line.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from locked import installed, normalized


def unneeded(folder: Path, requirements: Sequence[str]) -> list[str]:
    """The packages there that these requirements do not lead to. Stops where one is missing."""
    # What installs packages can read what they say of themselves; the standard library can't.
    requirement_of = import_module("pip._vendor.packaging.requirements").Requirement
    found = installed(folder)
    needed: set[tuple[str, str]] = set()
    asked = [(requirement_of(each), "") for each in requirements]
    while asked:
        requirement, extra = asked.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        for each in {(normalized(requirement.name), asks) for asks in ("", *requirement.extras)} - needed:
            needed.add(each)
            asked += [(requirement_of(text), each[1]) for text in found[each[0]].requires or ()]
    return sorted(set(found) - {name for name, _ in needed})


if __name__ == "__main__":
    print("\n".join(unneeded(Path(sys.argv[1]), sys.argv[2:])))
