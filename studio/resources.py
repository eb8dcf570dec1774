"""Access to data files of the program: icons, themes, demo project."""

from __future__ import annotations

import sys
from pathlib import Path


def resource(*parts: str) -> Path:
    """Return the path of a data file, such as `resource("icons", "apply.svg")`.

    It is searched in a frozen bundle, then in an installed wheel, then in a checkout. Raises
    FileNotFoundError.
    """
    package = Path(__file__).resolve().parent
    places = [package / "_resources", package.parent / "resources"]
    bundle: str | None = getattr(sys, "_MEIPASS", None)
    if bundle is not None:
        places.insert(0, Path(bundle, "resources"))
    for place in places:
        found = place.joinpath(*parts)
        if found.exists():
            return found
    raise FileNotFoundError(f"{'/'.join(parts)} is missing from this installation of Exacta Studio.")
