"""Taking in a plan as text or as a file; these functions run on the engine thread."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.names import show_name
from studio.engine.plan import Plan

if TYPE_CHECKING:
    from studio.engine.workspace import Workspace
    from studio.formats.submission import SubmittedText


def propose_text(workspace: Workspace, data: bytes, title: str, agent: str) -> Plan:
    """Propose what a pasted text (UTF-8) says; title and agent stand in where it names none."""
    from studio.formats.submission import SubmittedText

    return _propose(workspace, SubmittedText(data), title, agent)


def propose_file(workspace: Workspace, path: Path, agent: str) -> Plan:
    """Propose what a file says; raises NotFound when it can't be read."""
    from studio.formats.submission import SubmittedText

    return _propose(workspace, SubmittedText(partial(_read_file, path), file_name=path.name), "", agent)


def _propose(workspace: Workspace, text: SubmittedText, title: str, agent: str) -> Plan:
    from studio.formats.submission import SubmissionOptions, read_submission

    options = SubmissionOptions(usual_title=title, usual_agent=agent, shows_unusable=True)
    return workspace.proposer.propose(read_submission([text], options, limits=workspace.config.limits))


def _read_file(path: Path, most: int) -> bytes:
    """At most so many bytes of a regular file; whatever was dropped, the window waits for nobody."""
    from studio.engine.errors import NotFound
    from studio.engine.workspace import failure, read_foreign_file

    try:
        return read_foreign_file(path, most, whole=False)
    except OSError as error:
        failed = failure(error, f"{show_name(str(path))} can't be read")
        raise NotFound("file.unreadable", failed.message, failed.hint) from error
