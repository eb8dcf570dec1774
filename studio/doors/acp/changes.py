"""Conversion of an ACP agent's file changes to plan drafts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from studio.doors.tool_draft import PathConverter
from studio.engine import PlanDraft, PolicyLimits
from studio.formats import plan_json, tool_calls
from studio.formats.folding import fold
from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission
from studio.journal.file_image import sha256
from studio.values import Value

_EMPTY = sha256(b"")


class TextChange(Value):
    """A text replacement in a file; `old` None: a new file.

    `old` may be a part of the file.
    """

    path: str
    old: str | None
    new: str


class Drafting(Value):
    """Parameters shared by all drafts of one agent."""

    places: PathConverter
    agent: str
    limits: PolicyLimits

    def draft_write(self, path: str, content: str) -> PlanDraft:
        """Return the draft of a whole file.

        Raises Refused for more than a person could review, as `draft_changes` does.
        """
        call = {"tool_name": "Write", "tool_input": {"file_path": path, "content": content}}
        return self._read(call, tool_calls.NAME)

    def draft_changes(self, changes: Sequence[TextChange], exists: Callable[[str], bool]) -> PlanDraft:
        """Return the draft of text replacements, each matching its file once.

        `exists` checks for a file.
        """
        steps = [_step(change, exists) for change in changes]
        return self._read({"title": self.agent, "steps": steps}, plan_json.NAME)

    def _read(self, document: dict[str, Any], format_name: str) -> PlanDraft:
        draft = read_submission(
            [SubmittedText(json.dumps(document).encode(), shown="The agent's change")],
            SubmissionOptions(format_name, agent=self.agent),
            limits=self.limits,
        )
        steps = fold([self.places.to_project_step(step) for step in draft.steps])
        return replace(draft, title="", steps=tuple(steps))


def _step(change: TextChange, exists: Callable[[str], bool]) -> dict[str, Any]:
    if change.old:
        return {"op": "modify", "path": change.path, "edits": [{"old": change.old, "new": change.new}]}
    if change.old == "" and exists(change.path):
        return {"op": "modify", "path": change.path, "content": change.new, "base_sha256": _EMPTY}
    return {"op": "create", "path": change.path, "content": change.new}
