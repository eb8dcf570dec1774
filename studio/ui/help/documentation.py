"""The documentation that comes with an installation: a site of plain files, shown by a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from studio.resources import resource

_PROGRAM: Final = Path(__file__).resolve()
_PREFIX: Final = Path("/usr")
"""What Debian's package is installed below. Below any other folder, as /tmp, pages may be anybody's."""
_FIRST: Final = "index.html"


def first_page(program: Path = _PROGRAM, prefix: Path = _PREFIX) -> Path | None:
    """The page to begin with; None where no site was installed with the program."""
    try:
        return resource("site", _FIRST)
    except FileNotFoundError:
        page = prefix / "share/doc/exacta-studio/html" / _FIRST
        is_packaged = program.is_relative_to(prefix / "lib/exacta-studio")
        return page if is_packaged and page.is_file() else None


def open_page(page: Path) -> bool:
    """Hand it to the browser; says whether there is one."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(page)))
