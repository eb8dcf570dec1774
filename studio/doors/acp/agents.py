"""What is known of the agents that speak the protocol, by what each calls itself.

Found by running them: Gemini CLI 0.61.0, Qwen Code 0.24.4, opencode 1.18.33, claude-agent-acp 0.101.0 and
codex-acp 2.6.0. The protocol promises nothing of what is said here.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from studio.doors.shell_tools import SHELL_TOOLS, ShellTool


@dataclass(frozen=True, slots=True)
class KnownAgent:
    """One agent: `title` for people, `gate` for its gate here; `asking_mode` is that in which it asks before
    each change, "" where it has no modes.

    `writes_here`: what it changes comes as a write of a file, after it asked, and nowhere else. An agent that
    does not writes by itself once it was told yes, or asks and does not listen. `hears_errors`: why a write
    was refused reaches its model. `hears_missing`: that a file is not there does. `writes_whole`: after a yes
    it writes the whole file as computed before the question; others apply their edit to the file as it is
    then, also to one that has the edit already. `no_ends_turn`: a no to a change ends its turn.
    `own_folder` is one in the user's home in which it always writes by itself, `project_folder` one of a
    project with its settings. `shell` has the keys of its shell tool, None where it names none.
    `instead` is our command that keeps one of those that do not write here from writing.
    """

    title: str
    gate: str
    asking_mode: str
    writes_here: bool
    hears_errors: bool = False
    hears_missing: bool = True
    writes_whole: bool = False
    no_ends_turn: bool = False
    own_folder: str = ""
    project_folder: str = ""
    instead: str = ""
    shell: ShellTool | None = None

    @property
    def warning(self) -> str:
        """What its user must know before it works: "" where all that it changes comes here first."""
        if self.writes_here:
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
        writes_here=True,
        hears_missing=False,
        own_folder=".gemini",
        project_folder=".gemini",
        shell=SHELL_TOOLS["gemini"]["run_shell_command"],
    ),
    "qwen-code": KnownAgent(
        "Qwen Code",
        "qwen-acp",
        "default",
        writes_here=True,
        hears_errors=True,
        project_folder=".qwen",
        shell=SHELL_TOOLS["qwen"]["run_shell_command"],
    ),
    "OpenCode": KnownAgent(
        "opencode",
        "opencode-acp",
        "",
        writes_here=False,
        writes_whole=True,
        no_ends_turn=True,
        instead="studio agent opencode",
        shell=SHELL_TOOLS["opencode"]["bash"],
    ),
    "@agentclientprotocol/claude-agent-acp": KnownAgent(
        "Claude Code",
        "claude-code-acp",
        "default",
        writes_here=False,
        instead="studio connect claude-code",
        shell=SHELL_TOOLS["claude-code"]["Bash"],
    ),
    "@agentclientprotocol/codex-acp": KnownAgent(
        "Codex",
        "codex-acp",
        "read-only",
        writes_here=False,
        no_ends_turn=True,
        instead="studio agent codex",
    ),
}
"""By the name that each gives itself in its first answer."""

KNOWN_GATES: Final[Mapping[str, KnownAgent]] = {known.gate: known for known in KNOWN_AGENTS.values()}
"""The same by the names of their gates."""

_COMMANDS: Final = (
    ("Gemini CLI", ("gemini", "--acp")),
    ("Qwen Code", ("qwen", "--acp")),
    ("opencode", ("opencode", "acp")),
    ("Claude Code", ("claude-agent-acp",)),
    ("Codex", ("codex-acp",)),
)
"""What starts each, those first that are known to write here alone."""

UNKNOWN: Final = KnownAgent("", "", "", writes_here=False)


def installed_agents() -> list[tuple[str, tuple[str, ...]]]:
    """Title and command of each agent that is found on the PATH."""
    return [(title, words) for title, words in _COMMANDS if shutil.which(words[0]) is not None]


def agent_of_command(words: Sequence[str]) -> KnownAgent:
    """What is known of the agent that a command starts, before it has said anything."""
    name = words[0].rpartition("/")[2]
    title = next((title for title, command in _COMMANDS if command[0] == name), "")
    return next((known for known in KNOWN_AGENTS.values() if known.title == title), UNKNOWN)


def known_agent(name: str) -> KnownAgent:
    """What is known of the agent of that name."""
    return KNOWN_AGENTS.get(name, UNKNOWN)
