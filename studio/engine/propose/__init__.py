"""Proposals: drafts checked step by step and stored as undecided plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.engine.propose.agent_reply import excluded_diff as excluded_diff, reply_text as reply_text
    from studio.engine.propose.layer_draft import (
        build_layer_draft as build_layer_draft,
        build_tree_draft as build_tree_draft,
    )
    from studio.engine.propose.layer_rounds import propose_layer as propose_layer
    from studio.engine.propose.new_plan import (
        plan_of as plan_of,
        prepare as prepare,
        propose_alone as propose_alone,
    )
    from studio.engine.propose.next_round import (
        open_twin as open_twin,
        propose_in_session as propose_in_session,
    )
    from studio.engine.propose.path_conflicts import find_conflicts as find_conflicts
    from studio.engine.propose.session_files import SessionFiles as SessionFiles

__getattr__ = late_names(
    __name__,
    {
        "studio.engine.propose.agent_reply": "excluded_diff reply_text",
        "studio.engine.propose.layer_draft": "build_layer_draft build_tree_draft",
        "studio.engine.propose.layer_rounds": "propose_layer",
        "studio.engine.propose.new_plan": "plan_of prepare propose_alone",
        "studio.engine.propose.next_round": "open_twin propose_in_session",
        "studio.engine.propose.path_conflicts": "find_conflicts",
        "studio.engine.propose.session_files": "SessionFiles",
    },
)
