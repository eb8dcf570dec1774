"""AI agents in the window: connecting, testing their write blocking, chat sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.ui.agents.agent_process import AgentChoice, AgentConnections, AgentProcesses
    from studio.ui.agents.agents_part import AgentsPart
    from studio.ui.agents.gate_summary import SIGNS, worst_of

__all__ = ["SIGNS", "AgentChoice", "AgentConnections", "AgentProcesses", "AgentsPart", "worst_of"]

__getattr__ = late_names(
    __name__,
    {
        "studio.ui.agents.agent_process": "AgentChoice AgentConnections AgentProcesses",
        "studio.ui.agents.agents_part": "AgentsPart",
        "studio.ui.agents.gate_summary": "SIGNS worst_of",
    },
)
