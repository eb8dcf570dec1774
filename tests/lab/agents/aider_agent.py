"""`studio agent aider` with the real aider: what is decided is on disk, and what our program prints of it.

aider ends once its model has answered: nobody is told then but its user.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.lab.agents.cache import PACKAGES, fetched
from tests.lab.agents.desk import REASON, approves, nothing, program_killed, rejects
from tests.lab.agents.gates import (
    DONE,
    IN_PART,
    KILLED,
    Door,
    decided,
    gate_environment,
)
from tests.lab.agents.hooked import Command
from tests.lab.agents.lab import Lab
from tests.lab.agents.trials import NEW
from tests.lab.agents.wishes import (
    AFTER,
    BEFORE,
    BESIDE,
    BOTH_ENDS,
    NOTES,
    AgentRequests,
    Ask,
)

_SETTINGS = ".aider.conf.yml"
_WRITES = "auto-test: true\ntest: true\ntest-cmd: touch made.txt\nedit-format: whole\n"


def behind_agent(lab: Lab, *, words: Sequence[str] = (), brings: str = "") -> Command:
    """What has aider work on one prompt, found as a user has it; `brings` are settings of the project."""
    programs = lab.home / "programs"
    programs.mkdir()
    library = fetched("aider").parents[len(Path(PACKAGES["aider"].program).parts) - 1]
    python = Path(sys.executable).resolve()
    program = programs / "aider"
    program.write_text(
        f"#!/bin/sh\nPYTHONPATH='{library}' exec '{python}' -s -m aider \"$@\"\n", encoding="utf-8"
    )
    program.chmod(0o700)
    if brings:
        (lab.project / _SETTINGS).write_text(brings, encoding="utf-8")
    variables = {
        **gate_environment(),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "OPENAI_API_BASE": f"{lab.url}/v1",
        "OPENAI_API_KEY": "scripted",
        "PATH": f"{programs}:{lab.environment['PATH']}",
    }
    command = [
        sys.executable,
        "-m",
        "studio",
        "agent",
        "aider",
        "--",
        "--model",
        "openai/m",
        *words,
        "Go on.",
    ]
    return command, variables


def block(old: str, new: str, path: str = NOTES) -> str:
    """A change as it is asked for."""
    return f"{path}\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"


def says(*parts: str) -> Ask:
    """A reply of these parts."""
    return lambda _project: "So be it.\n\n" + "\n".join(parts) + "\nThat is all.\n"


FIRST, LINE, LAST = block("alpha\n", "ALPHA\n"), block("beta\n", "BETA\n"), block("gamma\n", "GAMMA\n")
_TWICE = (block("beta\nline 0\n", "BETA\nline 0\n"), block("line 29\nbeta\n", "line 29\nBETA\n"))

AIDER = AgentRequests(
    change=says(LINE),
    otherwise=says(block("beta\n", "Beta\n")),
    first=says(FIRST),
    last=says(LAST),
    three=says(FIRST, LAST),
    twice=says(*_TWICE),
    outside=says(block("", "x\n", f"../{BESIDE}")),
    command=says("```bash\necho shell >> notes.txt\n```\n"),
    ran="",
)
_DIFF = says("```diff\n--- notes.txt\n+++ notes.txt\n@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n```\n")
_WHOLE = says(f"notes.txt\n```\n{AFTER.decode()}```\n")
_PATCH = says(
    "*** Begin Patch\n*** Update File: notes.txt\n@@\n alpha\n-beta\n+BETA\n gamma\n*** End Patch\n"
)
_DELETES = says("*** Begin Patch\n*** Delete File: notes.txt\n*** End Patch\n")

agent = Door("aider", "agent", AIDER, behind_agent, is_closed=False, is_printed=True)

_SEES = ("--file", NOTES)
_IN_CALLS = ("three in one turn", "a command", "over a command")
"""Rows of what aider does not ask for: it has no tools."""
_TOLD = {"agent: in part": f"{IN_PART}\n{REASON}"}

AIDER_AGENT = (
    *(
        replace(trial, told=_TOLD.get(trial.name, trial.told))
        for trial in decided(agent)
        if not any(part in trial.name for part in _IN_CALLS)
    ),
    agent("two changes in one reply", approves, BOTH_ENDS, DONE, ask=AIDER.three),
    replace(agent("a new file", approves, BEFORE, DONE, ask=says(block("", "new\n", "new.txt"))), others=NEW),
    agent("a command in its reply", nothing, BEFORE, "echo shell", ask=AIDER.command),
    agent("nothing to change", nothing, BEFORE, "So be it.", ask=says("Nothing.")),
    agent("a diff", approves, AFTER, DONE, ask=_DIFF),
    agent("a whole file", approves, AFTER, DONE, ask=_WHOLE),
    agent("a patch", approves, AFTER, DONE, ask=_PATCH),
    agent("a patch that deletes", rejects, BEFORE, REASON, ask=_DELETES, words=_SEES, always=True),
    agent(
        "a command of aider",
        nothing,
        BEFORE,
        "So be it.",
        ask=says("Nothing."),
        words=("/run touch made.txt",),
    ),
    replace(
        agent("a project's settings", approves, AFTER, DONE, brings=_WRITES),
        others=(_SETTINGS,),
    ),
    agent("our program killed", program_killed, AFTER, "", code=KILLED),
)
"""aider, let talk alone, against what a person decides."""
