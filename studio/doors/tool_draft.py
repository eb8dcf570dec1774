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
    # Not the way of a submitted text either: it loads the readers of all formats, and this is known.
    from studio.formats import tool_calls
    from studio.formats.amounts import check_size
    from studio.formats.folding import fold
    from studio.formats.reply_text import ReplyText

    said = json.dumps({"tool_name": tool, "tool_input": given})
    check_size(said, "What the tool is to write")
    draft = tool_calls.read(ReplyText(said), limits)
    steps = fold([places.of_step(step) for step in draft.steps])
    return replace(draft, title="", agent=agent, steps=steps)
