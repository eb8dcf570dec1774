"""What helps somebody else find a fault, as one text that a person reads before they hand it on (R191).

It holds no content of any file: what is installed, the settings that count, the log, and of the newest
entries of the journal what was asked of which path. What looks like a secret is left out with its line.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from studio import __version__
from studio.engine.branch import Entry, to_json
from studio.engine.config import Config
from studio.engine.config.secrets import says_secret
from studio.engine.errors import StudioError
from studio.engine.history.journal_view import JournalView
from studio.engine.limits import LOG_BYTES, PRINTED_ENTRIES_UP_TO
from studio.engine.names import show_name
from studio.engine.new_files import new_file
from studio.engine.plan import time_text
from studio.engine.risks import Secret, secrets_in
from studio.engine.root.foreign_file import read_foreign_file
from studio.engine.system.log_file import log_file
from studio.engine.system.os_errors import reason

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
"""Fields of the journal that hold what somebody looked for: it may be a line of a file."""
_HEADING = (
    "Read this before you hand it on, and take out what is nobody's business: names of files and folders "
    "stand in it, contents of files do not."
)


@dataclass(frozen=True, slots=True)
class Section:
    """One heading of the text, and what stands below it."""

    title: str
    lines: tuple[str, ...]


def versions() -> Section:
    """The program, Python, the system, and the packages that it works with."""
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
    """Every setting that counts, with its level, and what was to be said about the files."""
    found = sorted(config.effective(), key=lambda setting: setting.key)
    lines = [f"{setting.key} = {setting.value!r}  ({setting.level})" for setting in found]
    return Section("Settings", (*lines, *config.warnings))


def journal(view: JournalView) -> Section:
    """The newest entries, the latest first: what was asked and answered, contents by hash and size, and what
    was searched for by its length."""
    rows = view.newest(limit=PRINTED_ENTRIES_UP_TO)
    lines = (f"{row.position} {row.written} {_told(row.entry)}" for row in rows)
    return Section("Journal, newest first", tuple(lines))


def _told(entry: Entry) -> str:
    """An entry as JSON with its letters as they are."""
    fields: dict[str, Any] = json.loads(to_json(entry))
    return json.dumps({name: _said(name, value) for name, value in fields.items()}, ensure_ascii=False)


def _said(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if name in _SEARCHED:
        return f"({len(value)} characters)"
    found = secrets_in(value)
    return f"(left out: {found[0].what})" if found else value


def section(title: str, make: Callable[[], Section]) -> Section:
    """What `make` finds, or below that title why it could not: the rest is no less of use."""
    try:
        return make()
    except StudioError as error:
        return Section(title, (error.message, error.hint))
    except (OSError, sqlite3.Error) as error:
        return Section(title, (f"It can't be read: {error}.",))


def log() -> Section:
    """What the log says since it was begun anew; of one that can't be read, why."""
    file, title = log_file(), "Log"
    try:
        text = read_foreign_file(file, LOG_BYTES, whole=False).decode("utf-8", "replace")
    except FileNotFoundError:
        return Section(title, ("There is none: nothing was refused, and nothing failed.",))
    except StudioError as error:
        return Section(title, (error.message,))
    except OSError as error:
        return Section(title, (f"{file} can't be read: {reason(error)}.",))
    return Section(title, tuple(text.splitlines()))


def text_of(sections: Iterable[Section]) -> str:
    """The whole, made fit to be handed on: the home folder is "~", and no line holds a secret."""
    lines = [f"Exacta Studio, diagnostics of {time_text(datetime.now(UTC))}", _HEADING]
    for section in sections:
        lines += ["", f"== {section.title} ==", *fit(section.lines)]
    return "\n".join(lines) + "\n"


def write(text: str, file: Path, *projects: Path) -> None:
    """Put the text into a new file that is its owner's alone. Raises as `new_files.new_file`."""
    with new_file(file, *projects, contents=True) as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))


def fit(lines: Iterable[str]) -> Iterator[str]:
    """Lines as they can be handed on: the home folder is "~", and no line holds a secret."""
    is_in_key = False
    for line in lines:
        is_in_key = is_in_key and _KEY_BODY.fullmatch(line) is not None
        if _KEY_BEGINS.search(line):
            # What stands below it in a log goes as well, and no more than that.
            is_in_key = True
            yield "(Left out: a private key.)"
        elif not is_in_key:
            found = _secrets(line)
            if found:
                yield f"(Left out: {found[0].what}.)"
            elif says_secret(line):
                yield "(Left out: this looks like a key or a password.)"
            else:
                yield _without_home(show_name(line))


def _secrets(line: str) -> Sequence[Secret]:
    """Also of what a quoted text holds, and of each word as if its line ended there."""
    return secrets_in(line) or secrets_in(line.replace('\\"', '"')) or secrets_in(line.replace(" ", "\n"))


def _without_home(line: str) -> str:
    for home in sorted({str(Path.home()), os.path.realpath(Path.home())}, key=len, reverse=True):
        if home != "/":
            line = re.sub(re.escape(home) + r"(?![\w.-])", "~", line)
    return line
