"""Conversion of an edit tool's input to a plan draft."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from studio.doors.places import Places
from studio.engine.draft import PlanDraft
from studio.engine.policy import PolicyLimits


def draft_of_tool(
    tool: str, arguments: Mapping[str, Any], places: Places, agent: str, limits: PolicyLimits
) -> PlanDraft:
    """Return the draft of what the tool would write, problems included.

    Raises Refused for input that is too large.
    """
    # Imported late: a hook is a process per tool use, and most need none of this. It also avoids the reader
    # of submitted text, which loads every format; here the format is known.
    from studio.formats import tool_calls
    from studio.formats.amounts import check_size
    from studio.formats.folding import fold
    from studio.formats.reply_text import ReplyText

    document = json.dumps({"tool_name": tool, "tool_input": arguments})
    check_size(document, "What the tool is to write")
    draft = tool_calls.read(ReplyText(document), limits)
    steps = fold([places.to_project_step(step) for step in draft.steps])
    return replace(draft, title="", agent=agent, steps=steps)
