"""The documentation that comes with an installation: a site of plain files, shown by a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from studio.resources import resource

_PROGRAM: Final = Path(__file__).resolve()
_BUNDLE: Final = Path("usr", "lib", "exacta-studio")
_PAGES: Final = Path("usr", "share", "doc", "exacta-studio", "html")
"""Where Debian's package has the program and, as all of its packages, the pages."""
_FIRST: Final = "index.html"


def first_page(program: Path = _PROGRAM, system: Path = Path("/")) -> Path | None:
    """The page to begin with; None where no site was installed with the program.

    Nowhere else is looked: above a folder that a person installs into, anybody may lay pages.
    """
    try:
        return resource("site", _FIRST)
    except FileNotFoundError:
        page = system / _PAGES / _FIRST
        return page if system / _BUNDLE in program.parents and page.is_file() else None


def open_page(page: Path) -> bool:
    """Hand it to the browser; says whether there is one."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(page)))
