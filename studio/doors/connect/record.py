"""Record of the entries written to agents' files, for their removal.

It is kept beside our stores.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from msgspec.structs import asdict

from studio.documents import Spot, Trace
from studio.errors import Refused, StudioError
from studio.extras.home_files import read_stored_file, stored_file_path, write_stored_file
from studio.names import show_name
from studio.values import Value

RECORD_NAME: Final = "connections.json"
_SCHEMA: Final = 1


class Written(Value):
    """One entry as it was written.

    `sha256` is of the file after that; `is_new`: the file was missing before, and `folder` is the topmost
    folder that was made for it, "" for none; `backup` is the backup's name, "" without one; `when` is UTC,
    ISO 8601.
    """

    client: str
    path: str
    keys: tuple[str, ...]
    name: str | None
    value: Mapping[str, object]
    depth: int
    inner: str | None
    is_new: bool
    sha256: str
    backup: str
    when: str
    version: str
    folder: str = ""

    @property
    def spot(self) -> Spot:
        return Spot(self.keys, self.name)

    @property
    def trace(self) -> Trace:
        return Trace(self.depth, self.inner)


def read_record() -> tuple[Written, ...]:
    """Return all entries that were written and not removed.

    Raises Refused where the record can't be read.
    """
    data = read_stored_file(RECORD_NAME)
    if data is None:
        return ()
    try:
        document: Any = json.loads(data)
        if document["schema"] != _SCHEMA:
            raise ValueError(document["schema"])
        return tuple(_written(each) for each in cast("list[Any]", document["written"]))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise _unreadable() from error


def write_record(written: Iterable[Written]) -> None:
    """Replace the record with these entries. Raises FileError."""
    document = {"schema": _SCHEMA, "written": [asdict(each) for each in written]}
    write_stored_file(RECORD_NAME, (json.dumps(document, indent=1) + "\n").encode())


def _written(fields: dict[str, Any]) -> Written:
    texts = [fields[name] for name in ("client", "path", "sha256", "backup", "when", "version")]
    if not all(isinstance(text, str) for text in (*texts, *fields["keys"])):
        raise TypeError(fields)
    if not isinstance(fields["depth"], int) or not isinstance(fields["value"], dict):
        raise TypeError(fields)
    if not isinstance(fields.get("folder", ""), str):
        raise TypeError(fields)
    fields["keys"] = tuple(fields["keys"])
    return Written(**fields)


def _unreadable() -> StudioError:
    shown = show_name(str(stored_file_path(RECORD_NAME)))
    return Refused(
        "connect.record",
        f"{shown} can't be read, or was written by another version of Exacta Studio.",
        "Use the newest version. If the file is damaged, delete it and connect again.",
    )
