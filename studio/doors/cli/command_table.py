"""Registry of all commands: summary and implementing function of each.

A command's module is imported when it is run; most of a command's time is imports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, NamedTuple


class Command(NamedTuple):
    """One command's summary and implementation.

    `work` is a module of this package and a function in it, which returns an answer from the arguments;
    `in_project`: and from an open workspace. `takes_words`: all words after `--` are passed as `words`.
    """

    summary: str
    work: str
    in_project: bool = True
    takes_words: bool = False

    def load(self) -> Callable[..., Any]:
        """Import and return the function that runs the command."""
        module, _, function = self.work.rpartition(".")
        return getattr(import_module(f"studio.doors.cli.{module}"), function)


TABLE: Final[Mapping[str, Command]] = {
    "submit": Command(
        "Propose a plan; nothing is written before a person approved it.", "commands.submit.submit"
    ),
    "plans": Command("List the plans of this project, oldest first.", "commands.plans.plans"),
    "show": Command("Show one plan.", "commands.plans.show"),
    "wait": Command("Wait until a plan is decided and, if approved, applied.", "commands.plans.wait"),
    "withdraw": Command("Take your own plan out of the queue.", "commands.plans.withdraw"),
    "approve": Command("Approve a plan, or some of its steps. Needs a person.", "commands.plans.approve"),
    "reject": Command("Reject a plan, or some of its steps. Needs a person.", "commands.plans.reject"),
    "dismiss": Command(
        "Take a closed plan out of the queue for good. Needs a person.", "commands.plans.dismiss"
    ),
    "apply": Command("Write an approved plan, whole or not at all. Needs a person.", "commands.plans.apply"),
    "rollback": Command(
        "Take an applied plan, or steps of it, back. Needs a person.", "commands.plans.rollback"
    ),
    "history": Command(
        "List what was applied, newest first, and what undo is kept.", "commands.plans.history"
    ),
    "recover": Command("Finish or undo an interrupted apply. Needs a person.", "commands.plans.recover"),
    "journal": Command("List the newest entries of the journal, or check it.", "commands.journal.journal"),
    "snapshot": Command(
        "Keep the project's whole state, list it, bring it back.", "commands.snapshot.snapshot"
    ),
    "observed": Command("List what others changed, keep it, or take it back.", "commands.observed.observed"),
    "watch": Command("Tell what others change, as they do it.", "commands.observed.watch"),
    "review": Command(
        "Review uncommitted changes or commits; take back what is rejected.", "commands.review.review"
    ),
    "run": Command(
        "Run a command in the sandbox; its changes are a plan.", "commands.run.run", takes_words=True
    ),
    "try": Command(
        "Run a command over the project as a plan would leave it.",
        "commands.trial.try_plan",
        takes_words=True,
    ),
    "blame": Command("Say which plan, agent and person brought each line of a file.", "commands.blame.blame"),
    "check": Command("Say what the rules allow for these paths.", "commands.plans.check"),
    "sessions": Command("List who works here: agents' sessions and their plans.", "commands.plans.sessions"),
    "calls": Command("List what agents ask to do that is no file change.", "commands.calls.calls"),
    "allow": Command("Let an agent do what it asks for. Needs a person.", "commands.calls.allow"),
    "deny": Command("Tell an agent not to do what it asks for. Needs a person.", "commands.calls.deny"),
    "config": Command(
        "Show settings and their files, trust a file, allow a folder.", "commands.configuration.config"
    ),
    "forget": Command("Delete what is stored about this project. Needs a person.", "commands.plans.forget"),
    "demo": Command(
        "Open the window on a fresh copy of the demo project.", "commands.demo.remove_old", in_project=False
    ),
    "fs": Command("Read, list, search and change files; a change becomes a plan.", "commands.fs.fs"),
    "doctor": Command(
        "Look at the program, and prove the gate of an agent.", "commands.doctor.doctor", in_project=False
    ),
    "hook": Command(
        "Answer a connected agent's client before it uses a tool.", "commands.hook.hook", in_project=False
    ),
    "agent": Command(
        "Start an agent behind its closed gate, and talk with it.", "commands.agent.agent", takes_words=True
    ),
    "acp": Command(
        "Talk with an agent that speaks ACP; what it writes waits.", "commands.acp.acp", takes_words=True
    ),
    "connect": Command(
        "Put Exacta Studio into an agent's configuration. Needs a person.",
        "commands.connect.connect",
        in_project=False,
    ),
    "mcp": Command(
        "Serve an agent by the Model Context Protocol, on stdin and stdout.",
        "commands.mcp.mcp",
        in_project=False,
    ),
    "inbox": Command("Take proposals from the folder that is named as the inbox.", "commands.inbox.inbox"),
    "completion": Command(
        "Print a script that completes these commands in a shell.", "completion.completion", in_project=False
    ),
}


def commands_text() -> str:
    """Return the list of commands, for the end of the window's help."""
    lines = [f"  {name:<11} {command.summary}" for name, command in TABLE.items()]
    return "\n".join(["Commands, each with a --help of its own:", *lines])
