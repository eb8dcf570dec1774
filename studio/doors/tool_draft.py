"""The use of an edit tool as a draft plan, its paths those of the project."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from studio.doors.places import Places
from studio.engine.draft import PlanDraft
from studio.engine.policy import PolicyLimits


def draft_of_tool(
    tool: str, given: Mapping[str, Any], places: Places, agent: str, limits: PolicyLimits
) -> PlanDraft:
    """What the tool would write; what is wrong with it stands in the draft. Raises Refused for too much."""
    # Not at the top: a hook, which is a process for each use of a tool, answers most of them without any.
    from studio.formats.folding import fold
    from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission

    said = json.dumps({"tool_name": tool, "tool_input": given}).encode()
    draft = read_submission(
        [SubmittedText(said, shown="What the tool is to write")],
        SubmissionOptions("tool-calls", agent=agent),
        limits=limits,
    )
    return replace(draft, title="", steps=fold([places.of_step(step) for step in draft.steps]))
