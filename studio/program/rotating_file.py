"""The file behind the log, loaded with its first record."""

from __future__ import annotations

import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from studio.limits import LOG_BYTES, LOG_FILES
from studio.system.own_files import make_own_folder, open_own_file


class RotatingFile(RotatingFileHandler):
    """Rotating log file that only its owner can read."""

    def __init__(self, file: Path) -> None:
        super().__init__(file, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8", delay=True)

    def _open(self) -> TextIOWrapper:
        file = Path(self.baseFilename)
        make_own_folder(file.parent)
        handle = open_own_file(file, os.O_APPEND | os.O_WRONLY)
        return os.fdopen(handle, "a", encoding=self.encoding, errors="backslashreplace")
