"""The documentation that comes with an installation: a site of plain files, shown by a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from studio.resources import resource

_PROGRAM: Final = Path(__file__).resolve()
_BESIDE: Final = Path("share", "doc", "exacta-studio", "html")
"""Where packages of systems put it, below the folder that the program is installed below."""
_FIRST: Final = "index.html"


def first_page(program: Path = _PROGRAM) -> Path | None:
    """The page to begin with; None where no site was installed with the program."""
    try:
        return resource("site", _FIRST)
    except FileNotFoundError:
        pages = (folder / _BESIDE / _FIRST for folder in program.parents)
        return next((page for page in pages if page.is_file()), None)


def open_page(page: Path) -> bool:
    """Hand it to the browser; says whether there is one."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(page)))
