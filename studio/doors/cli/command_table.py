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
    "submit": Command("Propose a plan; nothing is written before it is approved.", "commands.submit.submit"),
    "plans": Command("List the plans of this project, oldest first.", "commands.plans.plans"),
    "show": Command("Show one plan.", "commands.plans.show"),
    "wait": Command("Wait until a plan is decided and, if approved, applied.", "commands.plans.wait"),
    "withdraw": Command("Withdraw your own plan from the queue.", "commands.plans.withdraw"),
    "approve": Command("Approve a plan or some of its steps. Reviewer only.", "commands.plans.approve"),
    "reject": Command("Reject a plan or some of its steps. Reviewer only.", "commands.plans.reject"),
    "dismiss": Command(
        "Permanently remove a closed plan from the queue. Reviewer only.", "commands.plans.dismiss"
    ),
    "apply": Command("Apply an approved plan, all or nothing. Reviewer only.", "commands.plans.apply"),
    "rollback": Command(
        "Roll back an applied plan or some of its steps. Reviewer only.", "commands.plans.rollback"
    ),
    "history": Command("List applied plans, newest first, and their undo data.", "commands.plans.history"),
    "recover": Command("Complete or undo an interrupted apply. Reviewer only.", "commands.plans.recover"),
    "journal": Command("List, export, verify or replay the journal.", "commands.journal.journal"),
    "snapshot": Command(
        "Save, list, compare, restore or delete states of the project.", "commands.snapshot.snapshot"
    ),
    "observed": Command("List, keep or revert outside changes.", "commands.observed.observed"),
    "watch": Command("Print outside changes as they happen.", "commands.observed.watch"),
    "review": Command(
        "Review uncommitted changes or commits; revert what is rejected.", "commands.review.review"
    ),
    "run": Command(
        "Run a command in the sandbox; its changes become a plan.", "commands.run.run", takes_words=True
    ),
    "try": Command(
        "Run a command on the project with a plan's changes applied.",
        "commands.trial.try_plan",
        takes_words=True,
    ),
    "blame": Command("Show which plan, agent and author last changed each line.", "commands.blame.blame"),
    "check": Command("Show what the rules allow for these paths.", "commands.plans.check"),
    "sessions": Command("List agents' sessions and their plans.", "commands.plans.sessions"),
    "calls": Command("List agents' tool calls.", "commands.calls.calls"),
    "allow": Command("Allow a waiting tool call. Reviewer only.", "commands.calls.allow"),
    "deny": Command("Deny a waiting tool call. Reviewer only.", "commands.calls.deny"),
    "config": Command(
        "Show settings and their files, trust a file, allow a folder.", "commands.configuration.config"
    ),
    "forget": Command("Delete all stored data of this project. Reviewer only.", "commands.plans.forget"),
    "demo": Command(
        "Open the window on a fresh copy of the demo project.", "commands.demo.remove_old", in_project=False
    ),
    "fs": Command("Read, list, search and change files; changes become a plan.", "commands.fs.fs"),
    "doctor": Command(
        "Check the installation, and verify the gate of an agent.", "commands.doctor.doctor", in_project=False
    ),
    "hook": Command(
        "Answer the hook of a connected agent before each tool call.", "commands.hook.hook", in_project=False
    ),
    "agent": Command(
        "Start an agent behind its closed gate and chat with it.",
        "commands.agent.agent",
        takes_words=True,
    ),
    "acp": Command(
        "Chat with an ACP agent; its changes wait for review.", "commands.acp.acp", takes_words=True
    ),
    "connect": Command(
        "Add Exacta Studio to an agent's configuration. Reviewer only.",
        "commands.connect.connect",
        in_project=False,
    ),
    "mcp": Command(
        "Serve an agent over the Model Context Protocol on stdin/stdout.",
        "commands.mcp.mcp",
        in_project=False,
    ),
    "inbox": Command("Import proposals from the configured inbox folder.", "commands.inbox.inbox"),
    "completion": Command("Print a shell completion script.", "completion.completion", in_project=False),
}


def commands_text() -> str:
    """Return the list of commands, for the end of the window's help."""
    lines = [f"  {name:<11} {command.summary}" for name, command in TABLE.items()]
    return "\n".join(["Commands (details: studio COMMAND --help):", *lines])
