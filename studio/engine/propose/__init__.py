"""Proposals: drafts checked step by step and stored as undecided plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.engine.propose.agent_reply import excluded_diff, reply_text
    from studio.engine.propose.layer_draft import build_layer_draft, build_tree_draft
    from studio.engine.propose.layer_rounds import propose_layer
    from studio.engine.propose.new_plan import plan_of, prepare, propose_alone
    from studio.engine.propose.next_round import open_twin, propose_in_session
    from studio.engine.propose.path_conflicts import find_conflicts

__all__ = [
    "build_layer_draft",
    "build_tree_draft",
    "excluded_diff",
    "find_conflicts",
    "open_twin",
    "plan_of",
    "prepare",
    "propose_alone",
    "propose_in_session",
    "propose_layer",
    "reply_text",
]

__getattr__ = late_names(
    __name__,
    {
        "studio.engine.propose.agent_reply": "excluded_diff reply_text",
        "studio.engine.propose.layer_draft": "build_layer_draft build_tree_draft",
        "studio.engine.propose.layer_rounds": "propose_layer",
        "studio.engine.propose.new_plan": "plan_of prepare propose_alone",
        "studio.engine.propose.next_round": "open_twin propose_in_session",
        "studio.engine.propose.path_conflicts": "find_conflicts",
    },
)
