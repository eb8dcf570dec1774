"""What is known of each text that was taken and is not answered for good, in the state folder.

No agent writes there: a record says what a claimed text was called, and which answers are our own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from studio.engine.errors import StudioError
from studio.engine.home_files import drop_kept, keep, kept_path, read_kept
from studio.engine.workspace import LOGGER

_ENDING = ".json"


@dataclass(frozen=True, slots=True)
class Record:
    """One text: `claim` is what it is called in our folder, `name` what it was, `free` what it will be.

    `plan` is the id of its plan, "" as long as there is none; `answers` are the SHA-256 of all that may have
    been written as its answer, the last one last.
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
        """Those of one inbox; what can't be read is told of in the log and left. Raises FileError."""
        folder = kept_path(self._folder)
        names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
        for name in names:
            if not name.endswith(_ENDING):
                continue
            try:
                record = _read(read_kept(f"{self._folder}/{name}"))
            except (StudioError, ValueError, KeyError) as error:
                LOGGER.warning("a record of the inbox can't be read: %s: %s", name, error)
                continue
            if record.inbox == str(inbox):
                yield record

    def keep(self, record: Record) -> None:
        """Keep a record, whole and durable. Raises FileError."""
        # With ASCII alone also a name that is no UTF-8 comes back as it was.
        keep(self._name(record), json.dumps(asdict(record)).encode("ascii"))

    def drop(self, record: Record) -> None:
        """Forget a record. Raises FileError."""
        drop_kept(self._name(record))

    def _name(self, record: Record) -> str:
        return f"{self._folder}/{record.claim}{_ENDING}"


def _read(data: bytes | None) -> Record:
    """Raises ValueError or KeyError for what is no record."""
    said: Any = json.loads(data or b"null")
    if not isinstance(said, dict):
        raise ValueError("it is no record")
    fields = cast("dict[str, Any]", said)
    claim, inbox, name, free, plan = (str(fields[key]) for key in ("claim", "inbox", "name", "free", "plan"))
    return Record(claim, inbox, name, free, plan, tuple(map(str, fields["answers"])))
