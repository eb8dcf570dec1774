"""Location of the installed HTML documentation, and opening it in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from studio.resources import resource

_PROGRAM: Final = Path(__file__).resolve()
_PREFIX: Final = Path("/usr")
"""Prefix of the Debian package. Below another folder, such as /tmp, anyone may have written the pages."""
_FIRST: Final = "index.html"


def first_page(program: Path = _PROGRAM, prefix: Path = _PREFIX) -> Path | None:
    """Return the first page, None if no documentation is installed."""
    try:
        return resource("site", _FIRST)
    except FileNotFoundError:
        page = prefix / "share/doc/exacta-studio/html" / _FIRST
        is_packaged = program.is_relative_to(prefix / "lib/exacta-studio")
        return page if is_packaged and page.is_file() else None


def open_page(page: Path) -> bool:
    """Open a page in the browser; return whether there is one."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(page)))
