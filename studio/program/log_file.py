"""The program's log file, with refusals and tracebacks.

It is in the user's state folder and never contains file contents.
"""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from pathlib import Path

from studio.errors import show_name
from studio.program.app_folders import state_directory

LOGGER = logging.getLogger("studio")


class _LogFile(logging.Handler):
    """The log file, which the first record opens.

    Most commands log nothing, and `logging.handlers` takes as long to load as `logging` and `socket`.
    """

    _file: logging.Handler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record to the file."""
        try:
            self._file = self._file or self._open()
        except (ImportError, OSError):
            _report_unlogged(record)
        else:
            self._file.emit(record)

    def _open(self) -> logging.Handler:
        from studio.program.rotating_file import RotatingFile

        file = RotatingFile(log_file())
        # The default prints a traceback to stderr for each record, including its message.
        file.handleError = _report_unlogged
        file.setFormatter(self.formatter)
        return file

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
        super().close()


def log_file() -> Path:
    """Return the path of the log file."""
    return state_directory() / "studio.log"


def start_log() -> None:
    """Log from level INFO to the log file."""
    if any(isinstance(handler, _LogFile) for handler in LOGGER.handlers):
        return
    handler = _LogFile()
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
