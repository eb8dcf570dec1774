"""`studio run` and `studio acp --sandbox` with real agents: all that they write is one plan, and no more.

Most rows start an agent twice with its login. The first time its model changes `notes.txt` by the agent's own
tool and by its shell; a person approves what came of that, and the second start reads the file. The model
answers on the sandbox's own loopback. Others start an agent behind our hook, which runs its command there.
What stands here was seen by running it:

- Claude Code starts with a login that can only be read, too. To root it grants the mode in which it asks
  nobody only where IS_SANDBOX says that a sandbox is around it.
- Codex, Gemini CLI and Qwen Code do not: they make files beside their settings first.
- Codex' own sandbox is a name space of users, which nobody can make in ours: it is switched off.
- Gemini CLI wants the folder trusted, by a variable or by its `trustedFolders.json`.
- Qwen Code loses what a short command prints, three times of ten, with the sandbox and without it: so it
  reads the file by its own tool.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from studio.doors.agents.script import Call
from studio.doors.clients.codex import KEY, model_options
from studio.doors.clients.gemini import MODEL
from tests.lab.agents import claude_code, codex, gemini, qwen
from tests.lab.agents.cache import fetched
from tests.lab.agents.desk import Desk, leaves
from tests.lab.agents.gates import Door, behind_hook
from tests.lab.agents.hooked import Command
from tests.lab.agents.lab import CLIENT_SECONDS, Lab, fresh_environment
from tests.lab.agents.sandboxed_model import MODEL_WAS_TOLD, URL
from tests.lab.agents.trials import Seen, Trial, make_project
from tests.lab.agents.wishes import APPENDED, BEFORE, NOTES, WISHES
from tests.tools.sandboxed import PYTHON, state_of

ROOT: Final = Path(__file__).parents[3]
BOTH: Final = APPENDED.replace(b"beta", b"BETA")


@dataclass(frozen=True, slots=True)
class _Agent:
    """How one agent is started in there: what is written into its home, its words and its variables."""

    client: str
    set_up: Callable[[Path], object]
    words: Callable[[], Sequence[str]]
    variables: Mapping[str, str]
    reads: Callable[[Path], Call]


def _on_node(client: str, *words: str) -> Callable[[], Sequence[str]]:
    return lambda: [str(fetched("node")), str(fetched(client)), "-p", "Go on.", *words]


def _claude_words() -> Sequence[str]:
    words = ["-p", "Go on.", "--output-format", "json", "--permission-mode", "bypassPermissions"]
    return [str(fetched("claude-code")), *words]


def _codex_words(sandbox: str) -> Callable[[], Sequence[str]]:
    words = ["exec", "--json", "--skip-git-repo-check", "--sandbox", sandbox, "Go on."]
    return lambda: [str(fetched("codex")), *model_options(URL), *words]


def _written(file: Callable[[Path], Path], text: str) -> Callable[[Path], object]:
    def set_up(home: Path) -> None:
        file(home).parent.mkdir()
        file(home).write_text(text)

    return set_up


_CLAUDE_CODE = _Agent(
    "claude-code",
    _written(claude_code.settings_file, "{}"),
    _claude_words,
    {**claude_code.QUIET, "ANTHROPIC_BASE_URL": URL, "ANTHROPIC_API_KEY": "scripted", "IS_SANDBOX": "1"},
    lambda _project: Call("Bash", {"command": f"cat {NOTES}", "description": "Read"}),
)
_CODEX = _Agent(
    "codex",
    _written(codex.configuration_file, ""),
    _codex_words("danger-full-access"),
    KEY,
    lambda _project: Call("exec_command", {"cmd": f"cat {NOTES}"}),
)
_GEMINI = _Agent(
    "gemini",
    lambda home: gemini.write_settings(home, {}),
    _on_node("gemini", "-m", MODEL, "--approval-mode", "yolo"),
    {
        "GEMINI_API_KEY": "scripted",
        "GOOGLE_GEMINI_BASE_URL": URL,
        "GEMINI_CLI_NO_RELAUNCH": "1",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    },
    lambda _project: Call("run_shell_command", {"command": f"cat {NOTES}", "is_background": False}),
)
_QWEN = _Agent(
    "qwen",
    lambda home: qwen.write_settings(home, {}),
    _on_node("qwen", "--auth-type", "openai", "--approval-mode", "yolo"),
    {"OPENAI_API_KEY": "scripted", "OPENAI_BASE_URL": f"{URL}/v1", "OPENAI_MODEL": "scripted"},
    lambda project: Call("read_file", {"file_path": str(project / NOTES)}),
)


class _Stage:
    """A project, a home with the agent's login in it, and our program over them."""

    def __init__(self, folder: Path, agent: _Agent) -> None:
        self._agent = agent
        self.project = make_project(folder)
        home, settings = folder / "home", folder / "configuration"
        home.mkdir()
        settings.mkdir()
        agent.set_up(home)
        allowed = f"review: {{command_line: allow}}\nsandbox: {{logins: [{agent.client}]}}\n"
        (settings / "config.yaml").write_text(allowed)
        environment = fresh_environment(home)
        # Of a home such folders alone are seen in there: a checkout, a Python and the agents may lie in one.
        words = agent.words()
        programs = [str(Path(word).parent) for word in words if word.startswith("/")]
        path = [*programs, str(Path(PYTHON).parent), str(ROOT), environment["PATH"]]
        self._environment = {
            **environment,
            "PATH": os.pathsep.join(path),
            "PYTHONPATH": str(ROOT),
            "STUDIO_STATE_DIR": str(folder / "state"),
            "STUDIO_CONFIG_DIR": str(settings),
        }
        self._words = words

    def studio(self, *words: str) -> tuple[dict[str, Any], str]:
        """What our program prints, and says beside it."""
        done = self._done(words)
        assert done.returncode == 0, done
        return json.loads(done.stdout), done.stderr

    def run(self, *turns: Sequence[Call]) -> tuple[dict[str, Any], str]:
        """Start the agent in the sandbox: what `studio run` prints, and what the model was told."""
        limits = ["--timeout", str(CLIENT_SECONDS), "--login", self._agent.client]
        document, output = self.studio("run", *limits, "--", *self._words_for(turns))
        assert document["command"]["exit"] == 0, output
        return document, _told(output)

    def talk(self, *turns: Sequence[Call]) -> tuple[dict[str, Any], str]:
        """Give it one prompt by `studio acp`: the plan that came of that, and what the model was told."""
        done = self._done(
            ["acp", "--sandbox", "--login", self._agent.client, "--", *self._words_for(turns)],
            json.dumps({"prompt": "Go on."}) + "\n",
        )
        assert done.returncode == 0, done
        named = set(re.findall(r"Plan (\w+) \(version", done.stdout))
        assert len(named) == 1, done
        document = self.studio("show", named.pop())[0]
        return document, _told(document["message"])

    def _words_for(self, turns: Sequence[Sequence[Call]]) -> Sequence[str]:
        """What starts the model, which starts the agent."""
        said = [[(call.name, call.arguments) for call in turn] for turn in turns]
        order = json.dumps({"turns": said, "variables": dict(self._agent.variables)})
        return [PYTHON, "-I", str(ROOT / "tests/lab/agents/sandboxed_model.py"), order, *self._words]

    def _done(self, words: Sequence[str], said: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "studio", "--json", *words],
            cwd=self.project,
            env=self._environment,
            input=said,
            capture_output=True,
            check=False,
            text=True,
            timeout=2 * CLIENT_SECONDS,
        )


def _told(output: str) -> str:
    line = [each for each in output.splitlines() if each.startswith(MODEL_WAS_TOLD)][-1]
    return "\n".join(json.loads(line.removeprefix(MODEL_WAS_TOLD)))


def _both_ways(agent: _Agent, folder: Path) -> tuple[_Stage, dict[str, Any], str]:
    """The agent's first start, which changes nothing on the disk."""
    stage = _Stage(folder, agent)
    before = state_of(stage.project)
    wishes = WISHES[agent.client]
    turns = [wish(stage.project) for wish in (wishes.change, wishes.command)]
    document, told = stage.run(*[turn for turn in turns if isinstance(turn, tuple)])
    assert state_of(stage.project) == before, "something was written to the project"
    return stage, document, told


def _approved(agent: _Agent) -> Trial:
    def play(folder: Path) -> Seen:
        stage, document, _ = _both_ways(agent, folder)
        (plan,) = stage.studio("plans")[0]["plans"]
        assert (plan["plan"], plan["state"]) == (document["plan"], "pending")
        left = tuple(f"{step['op']} {step['path']}" for step in document["steps"])
        stage.studio("approve", document["plan"], "--apply")
        again, told = stage.run([agent.reads(stage.project)])
        assert again["plan"] is None, again
        others = tuple(each.name for each in stage.project.iterdir() if each.name != NOTES)
        return Seen((stage.project / NOTES).read_bytes(), others, told, left)

    name = "sandbox: both ways, approved, read again"
    return Trial(
        agent.client, name, BOTH, "BETA\nshell", play, agent is _CLAUDE_CODE, left=(f"modify {NOTES}",)
    )


def _talked(agent: _Agent, *words: str) -> Trial:
    """The same by the Agent Client Protocol, in the mode in which it asks: nobody is asked."""
    talking = replace(agent, words=lambda: [*filter(os.path.isabs, agent.words()), *words])

    def play(folder: Path) -> Seen:
        stage = _Stage(folder, talking)
        before = state_of(stage.project)
        wishes = WISHES[agent.client]
        turns = [wish(stage.project) for wish in (wishes.change, wishes.command)]
        document, _ = stage.talk(*[turn for turn in turns if isinstance(turn, tuple)])
        assert state_of(stage.project) == before, "something was written to the project"
        left = tuple(f"{step['op']} {step['path']}" for step in document["steps"])
        stage.studio("approve", document["plan"], "--apply")
        written = (stage.project / NOTES).read_bytes()
        again = wishes.command(stage.project)
        assert isinstance(again, tuple)
        _, told = stage.talk([agent.reads(stage.project)], again)
        assert (stage.project / NOTES).read_bytes() == written
        others = tuple(each.name for each in stage.project.iterdir() if each.name != NOTES)
        return Seen(written, others, told, left)

    name = "sandbox: talked with, approved, talked with again"
    return Trial(agent.client, name, BOTH, "BETA\nshell", play, left=(f"modify {NOTES}",))


def _own_sandbox() -> Trial:
    agent = _Agent("codex", _CODEX.set_up, _codex_words("workspace-write"), KEY, _CODEX.reads)

    def play(folder: Path) -> Seen:
        stage, document, told = _both_ways(agent, folder)
        assert document["plan"] is None, document
        return Seen((stage.project / NOTES).read_bytes(), (), told)

    told = "Failed to write file\nCreating new namespace failed"
    return Trial("codex", "sandbox: its own one inside of it", BEFORE, told, play)


@leaves("pending: pending")
def run_unasked(_desk: Desk) -> None:
    """Nobody is asked; what was changed waits."""


def _behind_sandboxing_hook(client: str, lab: Lab) -> Command:
    """A client behind our hook, where the user's settings send its commands into the sandbox."""
    settings = lab.home / "sandboxing"
    settings.mkdir()
    (settings / "config.yaml").write_text("agents: {shell: sandbox}\n")
    words = ["env", f"STUDIO_CONFIG_DIR={settings}", sys.executable, "-m", "studio", "hook", client]
    return behind_hook(client, lab, command=words)


def _by_hook(client: str) -> Trial:
    start = partial(_behind_sandboxing_hook, client)
    door = Door(client, "sandbox", WISHES[client], start, ends_unsaid=client == "cline")
    told = "This command was run in a sandbox\nwaiting for review"
    return door("a command behind our hook", run_unasked, BEFORE, told, ask=door.wishes.command)


SANDBOXED: Final = (
    *map(_approved, (_CLAUDE_CODE, _CODEX, _GEMINI, _QWEN)),
    _talked(_GEMINI, "--acp", "-m", MODEL),
    _talked(_QWEN, "--acp", "--auth-type", "openai"),
    _own_sandbox(),
    *map(_by_hook, WISHES),
)
