"""Known behaviour of ACP agents, by the name that each reports.

Found by running Gemini CLI 0.61.0, Qwen Code 0.24.4, opencode 1.18.33, claude-agent-acp 0.101.0 and codex-acp
2.6.0. The protocol guarantees none of this.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from studio.doors.shell_tools import SHELL_TOOLS, ShellTool


@dataclass(frozen=True, slots=True)
class KnownAgent:
    """Behaviour of one agent.

    `title` is for display, `gate` names its gate here; `asking_mode` is the mode in which it asks before each
    change, "" where it has no modes. `writes_through_client`: each change arrives as a file write, after it
    asked, and in no other way; other agents write by themselves once allowed, or ignore the answer.
    `model_gets_errors`: the reason why a write was refused reaches its model. `model_gets_missing`: a missing
    file is reported to its model. `writes_whole_file`: once allowed it writes the whole file as computed
    before the question; others apply their edit to the current file, also to one that has the edit already.
    `denial_ends_turn`: a denied change ends its turn. `own_folder` is a folder in the user's home in which it
    always writes by itself, `project_folder` a project's folder with its settings. `shell` has the argument
    names of its shell tool, None where unknown. `instead` is our command that stops an agent without
    `writes_through_client` from writing.
    """

    title: str
    gate: str
    asking_mode: str
    writes_through_client: bool
    model_gets_errors: bool = False
    model_gets_missing: bool = True
    writes_whole_file: bool = False
    denial_ends_turn: bool = False
    own_folder: str = ""
    project_folder: str = ""
    instead: str = ""
    shell: ShellTool | None = None

    @property
    def warning(self) -> str:
        """A warning for the user, "" where all changes come here first."""
        if self.writes_through_client:
            return ""
        if not self.title:
            return "What this agent does without asking is not known here: look at what it writes."
        return (
            f"{self.title} writes by itself what its own settings do not have it ask for: only what it asks"
            f" for waits here. With “{self.instead}” all of it waits."
        )


KNOWN_AGENTS: Final[Mapping[str, KnownAgent]] = {
    "gemini-cli": KnownAgent(
        "Gemini CLI",
        "gemini-acp",
        "default",
        writes_through_client=True,
        model_gets_missing=False,
        own_folder=".gemini",
        project_folder=".gemini",
        shell=SHELL_TOOLS["gemini"]["run_shell_command"],
    ),
    "qwen-code": KnownAgent(
        "Qwen Code",
        "qwen-acp",
        "default",
        writes_through_client=True,
        model_gets_errors=True,
        project_folder=".qwen",
        shell=SHELL_TOOLS["qwen"]["run_shell_command"],
    ),
    "OpenCode": KnownAgent(
        "opencode",
        "opencode-acp",
        "",
        writes_through_client=False,
        writes_whole_file=True,
        denial_ends_turn=True,
        instead="studio agent opencode",
        shell=SHELL_TOOLS["opencode"]["bash"],
    ),
    "@agentclientprotocol/claude-agent-acp": KnownAgent(
        "Claude Code",
        "claude-code-acp",
        "default",
        writes_through_client=False,
        instead="studio connect claude-code",
        shell=SHELL_TOOLS["claude-code"]["Bash"],
    ),
    "@agentclientprotocol/codex-acp": KnownAgent(
        "Codex",
        "codex-acp",
        "read-only",
        writes_through_client=False,
        denial_ends_turn=True,
        instead="studio agent codex",
    ),
}
"""By the name that each agent reports in its first response."""

AGENTS_BY_GATE: Final[Mapping[str, KnownAgent]] = {known.gate: known for known in KNOWN_AGENTS.values()}
"""By gate name."""

_COMMANDS: Final = (
    ("Gemini CLI", ("gemini", "--acp")),
    ("Qwen Code", ("qwen", "--acp")),
    ("opencode", ("opencode", "acp")),
    ("Claude Code", ("claude-agent-acp",)),
    ("Codex", ("codex-acp",)),
)
"""Start command of each, fully gated agents first."""

UNKNOWN: Final = KnownAgent("", "", "", writes_through_client=False)


def installed_agents() -> list[tuple[str, tuple[str, ...]]]:
    """Return title and command of each agent found on the PATH."""
    return [(title, words) for title, words in _COMMANDS if shutil.which(words[0]) is not None]


def agent_of_command(words: Sequence[str]) -> KnownAgent:
    """Return the known agent that a command starts, before it responds."""
    name = words[0].rpartition("/")[2]
    title = next((title for title, command in _COMMANDS if command[0] == name), "")
    return next((agent for agent in KNOWN_AGENTS.values() if agent.title == title), UNKNOWN)


def known_agent(name: str) -> KnownAgent:
    """Return the known agent of that name, else UNKNOWN."""
    return KNOWN_AGENTS.get(name, UNKNOWN)
