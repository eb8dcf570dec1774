"""Proposes agents' changes and tool calls, waits for decisions, reports to agents.

A file change becomes a plan, anything else a tool call. Nothing is decided here. The engine writes what is
approved, so the agent has nothing left to do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import field

from studio import doors
from studio.doors.outcomes import is_partly_applied, outcome_of
from studio.engine import CallState, PlanState, StepState
from studio.errors import Refused, StudioError, TimedOut
from studio.values import Value

if TYPE_CHECKING:
    from studio.doors.shell_tools import Request
    from studio.engine import Plan, PlanDraft, Session
    from studio.workspace import Workspace


class Patience(Value):
    """How long to wait for a decision.

    The limit is `seconds`, None for no limit; setting `cancel` ends the wait at once.
    """

    seconds: float | None = None
    cancel: threading.Event | None = None


class Verdict(Enum):
    """The result of asking about a tool call."""

    ALLOWED = "allowed"
    DENIED = "denied"
    CLIENT = "client"
    """The user's settings leave the decision to the client's own rules."""


class GateAnswer(Value):
    """A verdict, and the text for the agent ("" for none).

    `plan` holds the changes of a command that was run in the sandbox instead.
    """

    verdict: Verdict
    text: str = ""
    plan: Plan | None = None


class ConversationGate(Value):
    """The gate of an agent in a conversation.

    `show` displays what waits for the user, `called_off` ends every wait, `plans` collects the ids of all
    plans that the agent proposed.
    """

    workspace: Workspace
    session: Session
    show: Callable[[str], object]
    called_off: threading.Event
    plans: list[str] = field(default_factory=list[str])

    def change(self, draft: PlanDraft) -> Plan:
        """Propose the draft and return its plan, undecided if called off."""
        plan = self.workspace.proposer.propose(draft, session=self.session, waits=True)
        self.plans.append(plan.id)
        if not plan.state.is_decided:
            self.show(f"Plan {plan.short_id} is waiting for review: {plan.title}")
        return wait_for_plan(self.workspace, plan, Patience(cancel=self.called_off))

    def answer_request(self, request: Request, asks: str) -> GateAnswer:
        """Return the verdict on a request, asking the reviewer if needed.

        `asks` is shown where the reviewer is asked. The agent's own rules have already allowed what they
        allow, so a setting that leaves the decision to the client goes to the reviewer too.
        """
        patience = Patience(cancel=self.called_off)
        word = verdict_from_settings(self.workspace, self.session, request, patience)
        if word is None or word.verdict is Verdict.CLIENT:
            self.show(asks)
            word = ask_reviewer(self.workspace, self.session, request, patience)
        if word.plan is not None:
            self.plans.append(word.plan.id)
        return word


def wait_for_plan(workspace: Workspace, plan: Plan, patience: Patience) -> Plan:
    """Return the plan once decided, or as it is on timeout."""
    try:
        return workspace.proposer.wait(plan.id, timeout=patience.seconds, cancel=patience.cancel)
    except TimedOut:
        return workspace.proposer.plan(plan.id)


def plan_report(workspace: Workspace, plan: Plan, advice: str = "") -> str:
    """Return the report to an agent on its plan.

    `advice` says what to do about a plan that still waits.
    """
    outcome = outcome_of(plan, workspace.proposer.reply(plan.id)).text
    still = f" {advice}" if advice and _is_open(plan) else ""
    return f"{head_of(plan)}{still}\n\n{outcome}"


def head_of(plan: Plan) -> str:
    """Return the first sentence about a plan for the model.

    An answer that stops its tool looks like a failure, and need not be one.
    """
    if plan.state is PlanState.COMPLETED and not any(step.state is StepState.APPLIED for step in plan.steps):
        return "Nothing to do: the files already have this content."
    if plan.is_sent_back and plan.has_applied_step:
        return (
            "Partly done: Exacta Studio wrote the approved part of this change, and the reviewer "
            "requested changes to the rest. Propose the rest again."
        )
    if plan.state is PlanState.COMPLETED and is_partly_applied(plan):
        return (
            "Partly done: the reviewer approved part of this change, and Exacta Studio wrote it. Do not "
            "repeat it."
        )
    if plan.state is PlanState.COMPLETED:
        return "Done: the reviewer approved this change, and Exacta Studio wrote it. Do not repeat it."
    if _is_open(plan) and plan.has_applied_step:
        return (
            "Partly done: Exacta Studio wrote the approved steps of this change; the others are waiting "
            "for review. Do not repeat it."
        )
    if _is_open(plan):
        return "Nothing is written yet: this change is waiting for review."
    return "Nothing is written."


def _is_open(plan: Plan) -> bool:
    return plan.state in (PlanState.PENDING, PlanState.APPROVED, PlanState.EXECUTING, PlanState.PAUSED)


def verdict_from_settings(
    workspace: Workspace, session: Session, request: Request, patience: Patience
) -> GateAnswer | None:
    """Return the verdict that the user's settings give; None: ask the reviewer.

    A command that they send to the sandbox has already been run there on return, and is denied to the agent.
    """
    match workspace.agents_shell:
        case "client":
            return GateAnswer(Verdict.CLIENT)
        case "deny":
            return GateAnswer(
                Verdict.DENIED,
                ("The user's settings do not allow agents to run commands here (agents: shell: deny)."),
            )
        case "sandbox":
            return _sandboxed(workspace, session, request, patience) if request.shell else None
        case "ask":
            return None


def _sandboxed(workspace: Workspace, session: Session, request: Request, patience: Patience) -> GateAnswer:
    waiting = [plan for plan in workspace.proposer.plans() if plan.session == session.id and _is_open(plan)]
    try:
        result = doors.sandboxed_call.run_sandboxed(
            workspace, session, request.shell, request.cwd, seconds=patience.seconds, cancel=patience.cancel
        )
    except StudioError as error:
        return GateAnswer(Verdict.DENIED, f"{error.message} {error.hint}")
    report = "" if result.plan is None else plan_report(workspace, result.plan)
    return GateAnswer(
        Verdict.DENIED, doors.sandboxed_call.denial_text(result.outcome, report, waiting), result.plan
    )


def refuse_unallowed(workspace: Workspace, session: Session, request: Request, patience: Patience) -> None:
    """Raise Refused where a command may not be run in the sandbox.

    The reviewer is asked where the user's settings do so.
    """
    setting, hint = workspace.agents_shell, "Continue without it."
    if setting == "deny":
        message = "The user's settings allow no commands of agents (agents: shell: deny)."
        raise Refused("call.not_allowed", message, hint)
    if setting == "ask":
        answer = ask_reviewer(workspace, session, request, patience)
        if answer.verdict is not Verdict.ALLOWED:
            raise Refused("call.denied", f"The command was not run. {answer.text}", hint)


def ask_reviewer(workspace: Workspace, session: Session, request: Request, patience: Patience) -> GateAnswer:
    """Ask the reviewer about a tool call; a timeout denies it."""
    proposer = workspace.proposer
    call = proposer.ask(session, request.tool, command=request.command, cwd=request.cwd)
    try:
        call = proposer.wait_for_call(call.id, timeout=patience.seconds, cancel=patience.cancel)
    except TimedOut:
        pass
    finally:
        call = proposer.leave_call(call.id)
    answer = call.decision.text if call.decision is not None else ""
    if call.state is CallState.ALLOWED:
        return GateAnswer(Verdict.ALLOWED, f"Note from the reviewer: {answer}" if answer else "")
    if call.state is CallState.DENIED:
        return GateAnswer(Verdict.DENIED, f"The reviewer denied this: {answer}")
    return GateAnswer(
        Verdict.DENIED,
        ("Nothing was run: the reviewer did not decide in time. Ask again, or continue without it."),
    )


# Queue of messages for an agent, sent before its user's next prompt.

_FROM_US = "Message from Exacta Studio, in which your user decides: "
"""Prefix for text that the model reads as its user's words."""


def prefix_sender(text: str) -> str:
    """Prefix a text to show that it comes from Exacta Studio."""
    return _FROM_US + text


class PendingMessages:
    """Pending messages for one agent.

    With `of_layer`, a text added to each plan's message, the agent sees its own changes itself, and a plan is
    reported only once it is decided.
    """

    def __init__(self, *, of_layer: str = "") -> None:
        self._of_layer = of_layer
        self._plans: list[str] = []
        self._texts: list[str] = []

    def add_plan(self, plan: Plan) -> None:
        """Queue a plan, reported with its status until it is decided."""
        if plan.id not in self._plans:
            self._plans.append(plan.id)

    def add(self, text: str) -> None:
        """Queue a text to be sent once."""
        self._texts.append(prefix_sender(text))

    def requeue(self, texts: list[str]) -> None:
        """Requeue texts that were taken and could not be sent."""
        self._texts = [*texts, *self._texts]

    def take_messages(self, workspace: Workspace) -> list[str]:
        """Return all texts in order and clear them; undecided plans stay queued."""
        plans = [workspace.proposer.plan(plan) for plan in self._plans]
        reportable = [plan for plan in plans if plan.state.is_decided or not self._of_layer]
        texts = [*self._texts, *(prefix_sender(self._text(workspace, plan)) for plan in reportable)]
        self._plans = [plan.id for plan in plans if not plan.state.is_decided]
        self._texts = []
        return texts

    def _text(self, workspace: Workspace, plan: Plan) -> str:
        report = plan_report(workspace, plan)
        return f"{report.rstrip()}\n\n{self._of_layer}" if self._of_layer else report
