"""Taking in a plan as text or as a file; these functions run on the engine thread."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.names import show_name
from studio.engine.plan import Plan

if TYPE_CHECKING:
    from studio.engine.workspace import Workspace


def propose_text(workspace: Workspace, data: bytes, title: str, agent: str) -> Plan:
    """Propose what a pasted text (UTF-8) says; title and agent stand in where it names none."""
    from studio.formats.detect import read

    draft = read(data, limits=workspace.config.limits)
    draft = replace(draft, title=draft.title or title, agent=draft.agent or agent)
    return workspace.proposer.propose(draft)


def propose_file(workspace: Workspace, path: Path, agent: str) -> Plan:
    """Propose what a file says; raises NotFound when it can't be read."""
    from studio.engine.errors import NotFound
    from studio.engine.limits import SUBMISSION_BYTES
    from studio.engine.workspace import failure, read_foreign_file
    from studio.formats.detect import read

    try:
        # One byte more than is taken says that it is too much; a file may be far larger.
        data = read_foreign_file(path, SUBMISSION_BYTES + 1, whole=False)
    except OSError as error:
        name = show_name(str(path))
        failed = failure(error, f"{name} can't be read")
        raise NotFound("file.unreadable", failed.message, failed.hint) from error
    draft = read(data, file_name=path.name, limits=workspace.config.limits)
    draft = replace(draft, title=draft.title or path.name, agent=draft.agent or agent)
    return workspace.proposer.propose(draft)
