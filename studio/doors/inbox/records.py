"""Records of texts taken from the inbox and not yet finally answered.

They are in the state folder, where no agent writes: a record has the original name of a claimed text, and
which answers are our own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from studio.engine.errors import StudioError
from studio.engine.home_files import keep, read_stored_file, remove_stored_file, stored_file_path
from studio.engine.workspace import LOGGER

_ENDING = ".json"


@dataclass(frozen=True, slots=True)
class Record:
    """The state of one text.

    `claim` is its name in our folder, `name` the original one, `free` the final one. `plan` is the id of its
    plan, "" until there is one; `answers` are the SHA-256 of all answers that may have been written, in
    order.
    """

    claim: str
    inbox: str
    name: str
    free: str
    plan: str = ""
    answers: tuple[str, ...] = ()


class Records:
    """The records of one project."""

    def __init__(self, project_key: str) -> None:
        self._folder = f"inbox/{project_key}"

    def all(self, inbox: Path) -> Iterator[Record]:
        """Yield the records of one inbox.

        An unreadable one is logged and skipped. Raises FileError.
        """
        folder = stored_file_path(self._folder)
        names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
        for name in names:
            if not name.endswith(_ENDING):
                continue
            try:
                record = _read(read_stored_file(f"{self._folder}/{name}"))
            except (StudioError, ValueError, KeyError) as error:
                LOGGER.warning("a record of the inbox can't be read: %s: %s", name, error)
                continue
            if record.inbox == str(inbox):
                yield record

    def keep(self, record: Record) -> None:
        """Write a record durably and as a whole. Raises FileError."""
        # ASCII with escapes also preserves a name that is not UTF-8.
        keep(self._name(record), json.dumps(asdict(record)).encode("ascii"))

    def drop(self, record: Record) -> None:
        """Delete a record. Raises FileError."""
        remove_stored_file(self._name(record))

    def _name(self, record: Record) -> str:
        return f"{self._folder}/{record.claim}{_ENDING}"


def _read(data: bytes | None) -> Record:
    """Parse a record. Raises ValueError or KeyError for anything else."""
    parsed: Any = json.loads(data or b"null")
    if not isinstance(parsed, dict):
        raise ValueError("it is no record")
    fields = cast("dict[str, Any]", parsed)
    claim, inbox, name, free, plan = (str(fields[key]) for key in ("claim", "inbox", "name", "free", "plan"))
    return Record(claim, inbox, name, free, plan, tuple(map(str, fields["answers"])))
