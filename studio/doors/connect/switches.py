"""The setting of an agent that turns all of its hooks off, and our gate with them, wherever it may stand.

Found by running Claude Code 2.1.330: one line in a project's own settings is enough, and says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from studio.doors.connect import documents
from studio.doors.connect.clients import CLAUDE_CODE, Client
from studio.doors.connect.entry import Spot
from studio.doors.connect.spans import Unreadable
from studio.engine.errors import Refused
from studio.engine.home_files import read_home_file

_SWITCH: Final = Spot((), "disableAllHooks")
_OF_PROJECTS: Final = (".claude/settings.json", ".claude/settings.local.json")


def hooks_off(client: Client, projects: Iterable[Path]) -> str:
    """The name of the first file that turns this agent's hooks off, the user's or one of these projects', for
    sentences; "" where none does. Codex has no such setting that a project could hold.

    Raises Refused for a file that can't be read, or a FileError.
    """
    if client.name != CLAUDE_CODE:
        return ""
    for path in (client.entries[0].path, *(root / name for root in projects for name in _OF_PROJECTS)):
        file = read_home_file(path)
        try:
            found = documents.find(path.name, file.data, _SWITCH)
        except Unreadable as error:
            raise Refused(
                "connect.unreadable",
                f"Whether {file.shown} turns the hooks of {client.title} off can't be read: {error}.",
                "Mend the file there.",
            ) from error
        if found.get("disableAllHooks", False) is not False:
            return file.shown
    return ""
