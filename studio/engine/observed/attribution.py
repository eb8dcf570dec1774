"""Who was at work when a change was seen: a hint, never a claim (design 2)."""

from __future__ import annotations

from datetime import datetime, timedelta

from studio.engine.call import CallState
from studio.engine.names import show_name
from studio.engine.observe_limits import HINT_SECONDS, HINTED_WORDS_UP_TO
from studio.engine.plan import Plan, time_text
from studio.engine.project.context import Context
from studio.engine.session import SessionState


def hints_at(context: Context, moment: datetime, applied: tuple[Plan, ...]) -> tuple[str, ...]:
    """Sentences about the sessions that were there, the commands they had been allowed, and what of ours had
    just been written."""
    since = moment - timedelta(seconds=HINT_SECONDS)
    states = context.presence.states()
    here = {
        session.id: session.agent
        for session in context.store.sessions.all(states)
        if session.state is not SessionState.GONE and session.agent
    }
    hints = [f"{show_name(agent)} was at work here." for agent in sorted(set(here.values()))]
    for call in context.store.calls.all(here):
        decision = call.decision
        if call.state is CallState.ALLOWED and decision is not None and decision.when >= since:
            agent, command = show_name(call.agent), show_name(call.command[:HINTED_WORDS_UP_TO])
            hints.append(f"{agent} had been allowed at {_clock(decision.when)}: {command}")
    hints += [
        f"“{show_name(plan.title)}” had been written at {_clock(plan.applied)}."
        for plan in applied
        if plan.is_proposal and plan.applied is not None and plan.applied >= since
    ]
    return tuple(hints)


def _clock(moment: datetime) -> str:
    return time_text(moment)[11:19] + " UTC"
