"""The log file of the user's own state folder: tracebacks for us, never file contents (R170, promise 9)."""

from __future__ import annotations

import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

from studio.engine.limits import LOG_BYTES, LOG_FILES
from studio.engine.places import state_directory

LOGGER = logging.getLogger("studio")


def log_file() -> Path:
    return state_directory() / "studio.log"


def start_log() -> None:
    """Send the program's log to its file; without a usable folder it stays silent."""
    if any(isinstance(handler, RotatingFileHandler) for handler in LOGGER.handlers):
        return
    file = log_file()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
        handler = RotatingFileHandler(
            file, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8", delay=True
        )
    except OSError:
        LOGGER.addHandler(logging.NullHandler())
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(process)d %(message)s"))
    LOGGER.addHandler(handler)
    LOGGER.propagate = False


def stop_log() -> None:
    """Close the log file, for a process that goes on without it."""
    for handler in list(LOGGER.handlers):
        LOGGER.removeHandler(handler)
        handler.close()
    LOGGER.propagate = True
