"""Runs aider for one prompt, converting edits in its reply to plans.

aider has no gate of its own, so it runs in a mode that writes nothing. Found by running aider 0.86.2:
`--dry-run` is no gate, as a patch that deletes a file deletes it all the same. Its chat mode `ask` has no
code that writes a file or runs a command; there its model is asked for blocks that we can parse. It is
started in an empty folder, so that no project settings apply, and its histories are deleted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from studio.doors.agents.requests import AgentRequests
from studio.doors.agents.server_process import AgentFailed, ServerProcess
from studio.doors.tool_draft import PathConverter
from studio.engine import PlanDraft, PolicyLimits
from studio.formats.folding import fold
from studio.formats.submission import SubmissionOptions, SubmittedText, read_submission
from studio.program.work_folder import WorkFolder
from studio.system.os_errors import reason
from studio.values import Value

AGENT: Final = "aider"
DOOR: Final = "ask"
TITLE: Final = "aider"

_QUIET: Final = (
    "--chat-mode ask --dry-run --no-git --map-tokens 0 --no-auto-commits --no-dirty-commits --no-auto-lint"
    " --no-auto-test --no-suggest-shell-commands --no-detect-urls --no-watch-files --no-notifications"
    " --no-restore-chat-history --no-check-update --no-analytics --no-show-release-notes --no-fancy-input"
    " --no-show-model-warnings"
    " --no-pretty --no-gitignore"
).split()
_RULES: Final = """\
Answer the request below. For each change to a file, write the path of the file, as it is named here, alone \
on a line, and below it one fenced block:

path/to/file
```
<<<<<<< SEARCH
complete lines, exactly as in the file
=======
the lines that replace them
>>>>>>> REPLACE
```

For a new file, leave the part between SEARCH and ======= empty. Nothing is written before the reviewer \
approves the change.

"""
"""Precedes the user's prompt, which then is never an aider command."""

_RESPONSE: Final = re.compile(r"^LLM RESPONSE \S+\n((?:ASSISTANT .*\n|\n)*)", re.MULTILINE)
_SPEAKER: Final = "ASSISTANT "
_NO_BLOCKS: Final = "format.unknown"


class Job(Value):
    """What aider is started with: program, files, and the user's arguments."""

    program: str
    words: Sequence[str]
    files: Sequence[Path]
    prompt: str


class AiderRun:
    """One prompt; `process` runs from `with` until the reply was read."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._folder = WorkFolder("aider")
        folder = self._folder.path
        (folder / "message").write_text(_RULES + job.prompt, encoding="utf-8")
        (folder / "none").touch()
        self._history = folder / "history"
        options = ["--load", folder / "none", "--llm-history-file", self._history]
        file_options = [word for file in job.files for word in ("--file", str(file))]
        command = [job.program, *job.words, *file_options, *_QUIET, *map(str, options)]
        try:
            self.process = ServerProcess([*command, "--message-file", str(folder / "message")], folder, None)
            # Close its input, so that no question of aider waits for an answer.
            self.process.close_input()
        except OSError as error:
            self._folder.close()
            raise AgentFailed(reason(error, "its program")) from error

    def __enter__(self) -> AiderRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.close()
        self._folder.close()

    def listen(self, agent_requests: AgentRequests) -> str:
        """Show what aider prints and return its model's reply.

        Raises AgentFailed, also when called off.
        """
        while line := self.process.lines.get():
            agent_requests.write(line.decode("utf-8", "replace"))
        if line is None:
            raise AgentFailed("it was cancelled")
        code = self.process.exit_code()
        if code != 0:
            raise AgentFailed(f"it ended with {code}")
        self.process.reset_called_off()
        return last_reply(self._history.read_text(encoding="utf-8") if self._history.exists() else "")


def last_reply(history: str) -> str:
    """Return the model's last reply from aider's LLM history; "" for none."""
    replies: list[str] = _RESPONSE.findall(history)
    lines = replies[-1].split("\n") if replies else []
    return "".join(f"{line.removeprefix(_SPEAKER)}\n" for line in lines).strip("\n")


def draft_of(reply: str, root: Path, files: Sequence[Path], limits: PolicyLimits) -> PlanDraft | None:
    """Convert a reply to a draft; None where it changes nothing.

    Raises Refused for a reply that is too large.
    """
    if not reply.strip():
        return None
    draft = read_submission(
        [SubmittedText(reply.encode("utf-8", "replace"), shown="aider's reply")],
        SubmissionOptions(agent=AGENT),
        limits=limits,
    )
    if not draft.steps and all(problem.code == _NO_BLOCKS for problem in draft.problems):
        return None
    places = PathConverter((root, root.resolve()), str(files_root(root, files)))
    return replace(draft, steps=fold([places.to_project_step(step) for step in draft.steps]))


def files_root(root: Path, files: Sequence[Path]) -> Path:
    """Return the folder to which aider's file names are relative.

    It is the common folder of all files that aider was given.
    """
    if len(files) == 1:
        return files[0].parent
    return Path(os.path.commonpath(files)) if files else root
