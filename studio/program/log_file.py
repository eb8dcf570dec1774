"""The program's log file, with refusals and tracebacks.

It is in the user's state folder and never contains file contents.
"""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from studio.errors import show_name
from studio.limits import LOG_BYTES, LOG_FILES
from studio.program.app_folders import state_directory
from studio.system.own_files import make_own_folder, open_own_file

LOGGER = logging.getLogger("studio")


class _LogFile(RotatingFileHandler):
    """Rotating log file that only its owner can read."""

    def _open(self) -> TextIOWrapper:
        file = Path(self.baseFilename)
        make_own_folder(file.parent)
        handle = open_own_file(file, os.O_APPEND | os.O_WRONLY)
        return os.fdopen(handle, "a", encoding=self.encoding, errors="backslashreplace")


def log_file() -> Path:
    """Return the path of the log file."""
    return state_directory() / "studio.log"


def start_log() -> None:
    """Log from level INFO to the log file.

    The first record creates the file.
    """
    if any(isinstance(handler, _LogFile) for handler in LOGGER.handlers):
        return
    handler = _LogFile(log_file(), maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8", delay=True)
    # The default prints a traceback to stderr for each record, including its message.
    handler.handleError = _report_unlogged
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(process)d %(message)s"))
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False


def stop_log() -> None:
    """Close the log file in a process that continues without it."""
    for handler in list(LOGGER.handlers):
        LOGGER.removeHandler(handler)
        handler.close()
    LOGGER.setLevel(logging.NOTSET)
    LOGGER.propagate = True


def _report_unlogged(record: logging.LogRecord) -> None:
    """Report once on stderr that the log can't be written.

    The operation that logged continues.
    """
    error = sys.exc_info()[1]
    stop_log()
    LOGGER.addHandler(logging.NullHandler())
    with suppress(OSError, ValueError, AttributeError):
        lost = f"studio: {log_file()} can't be written: {error}; lost: {record.getMessage()}"
        sys.stderr.write(f"{show_name(lost)}\n")
