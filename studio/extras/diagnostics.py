"""Diagnostics report to share: versions, settings, log, journal entries; secrets removed.

It holds no content of any file: installed versions, effective settings, the log, and the operations and paths
of the newest journal entries. What looks like a secret is removed with its line.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from studio import __version__
from studio.engine.config import Config
from studio.engine.config.secrets import contains_secret
from studio.engine.disk.outside_files import new_file
from studio.engine.risks import Secret, secrets_in
from studio.engine.root.foreign_file import read_foreign_file
from studio.errors import StudioError
from studio.extras.journal_view import JournalView
from studio.journal.entries import Entry, to_json
from studio.journal.file_image import time_text
from studio.limits import LOG_BYTES, PRINTED_ENTRIES_UP_TO
from studio.names import show_name
from studio.program.log_file import log_file
from studio.system.os_errors import reason
from studio.values import Value

_PACKAGES = (
    "PySide6-Essentials",
    "pygments",
    "unidiff",
    "watchdog",
    "qasync",
    "pygit2",
    "mcp",
    "agent-client-protocol",
)
_KEY_BEGINS = re.compile("-----BEGIN [A-Z0-9 ]*PRIVATE KEY")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/=]*|[A-Z][\w-]*: .*|-----END .*")
_SEARCHED = frozenset({"pattern"})
"""Journal fields with search patterns, which may be lines of a file."""
_HEADING = (
    "Read this before you hand it on, and take out what is nobody's business: names of files "
    "and folders stand in it, contents of files do not."
)


class Section(Value):
    """One heading of the text with its lines."""

    title: str
    lines: tuple[str, ...]


def versions() -> Section:
    """Return the versions of the program, Python, the system and packages."""
    lines = [
        f"Exacta Studio {__version__}",
        f"Python {platform.python_version()} ({platform.python_implementation()})",
        platform.platform(),
    ]
    for name in _PACKAGES:
        try:
            lines.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{name} is not installed")
    return Section("Versions", tuple(lines))


def settings(config: Config) -> Section:
    """Return every effective setting with its level, and the warnings."""
    found = sorted(config.effective(), key=lambda setting: setting.key)
    lines = [f"{setting.key} = {setting.value!r}  ({setting.level})" for setting in found]
    return Section("Settings", (*lines, *config.warnings))


def journal(view: JournalView) -> Section:
    """Return the newest journal entries, latest first.

    Contents are shown by hash and size, search patterns by their length.
    """
    rows = view.newest(limit=PRINTED_ENTRIES_UP_TO)
    lines = (f"{row.position} {row.written} {_format_entry(row.entry)}" for row in rows)
    return Section("Journal, newest first", tuple(lines))


def _format_entry(entry: Entry) -> str:
    """Return an entry as JSON without ASCII escapes."""
    fields: dict[str, Any] = json.loads(to_json(entry))
    return json.dumps(
        {name: _format_value(name, value) for name, value in fields.items()}, ensure_ascii=False
    )


def _format_value(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if name in _SEARCHED:
        return f"({len(value)} characters)"
    found = secrets_in(value)
    return f"(left out: {found[0].what})" if found else value


def section(title: str, make: Callable[[], Section]) -> Section:
    """Return the section of `make`, or one with the reason it failed.

    So a failure leaves the other sections intact.
    """
    try:
        return make()
    except StudioError as error:
        return Section(title, (error.message, error.hint))
    except (OSError, sqlite3.Error) as error:
        return Section(title, (f"It can't be read: {error}.",))


def log() -> Section:
    """Return the current log file, or why it can't be read."""
    file, title = log_file(), "Log"
    try:
        text = read_foreign_file(file, LOG_BYTES, whole=False).decode("utf-8", "replace")
    except FileNotFoundError:
        return Section(title, ("None: nothing was refused, and nothing failed.",))
    except StudioError as error:
        return Section(title, (error.message,))
    except OSError as error:
        return Section(title, (f"{file} can't be read: {reason(error)}.",))
    return Section(title, tuple(text.splitlines()))


def text_of(sections: Iterable[Section]) -> str:
    """Return the whole text, fit for sharing.

    As in `fit`, the home folder is "~", and secrets are removed.
    """
    lines = [f"Exacta Studio, diagnostics of {time_text(datetime.now(UTC))}", _HEADING]
    for section in sections:
        lines += ["", f"== {section.title} ==", *fit(section.lines)]
    return "\n".join(lines) + "\n"


def write(text: str, file: Path, *projects: Path) -> None:
    """Write the text to a new file, readable by its owner alone.

    Raises as `new_files.new_file`.
    """
    with new_file(file, *projects, contents=True) as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))


def fit(lines: Iterable[str]) -> Iterator[str]:
    """Return lines fit for sharing: home folder as "~", no secrets."""
    is_in_key = False
    for line in lines:
        is_in_key = is_in_key and _KEY_BODY.fullmatch(line) is not None
        if _KEY_BEGINS.search(line):
            # The lines of the key below it are removed as well, and no more than those.
            is_in_key = True
            yield "(Left out: a private key.)"
        elif not is_in_key:
            found = _find_secrets(line)
            if found:
                yield f"(Left out: {found[0].what}.)"
            elif contains_secret(line):
                yield "(Left out: this looks like a key or a password.)"
            else:
                yield _hide_home(show_name(line))


def _find_secrets(line: str) -> Sequence[Secret]:
    """Find secrets in a line, in quoted text and in each word.

    Each word is tried as if its line ended there.
    """
    return secrets_in(line) or secrets_in(line.replace('\\"', '"')) or secrets_in(line.replace(" ", "\n"))


def _hide_home(line: str) -> str:
    for home in sorted({str(Path.home()), os.path.realpath(Path.home())}, key=len, reverse=True):
        if home != "/":
            line = re.sub(re.escape(home) + r"(?![\w.-])", "~", line)
    return line
