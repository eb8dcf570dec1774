"""`studio acp --sandbox`: the agent does as it likes, and what it changed are rounds of a plan."""

from __future__ import annotations

import json
import shutil
import signal
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from studio.doors.logins import logins_line
from studio.engine.plan import Plan, PlanState, StepState
from studio.engine.session import EventKind
from studio.workspace import Reviewer, Workspace
from tests.doors.acp.conftest import SDK_AGENT, Talking, TalkingApart
from tests.doors.awaited import soon
from tests.doors.conftest import CommandLine
from tests.tools.sandboxed import PYTHON, UNSEEN, container_root, is_unseen, opened, python_words, state_of

Agent = Callable[..., tuple[str, ...]]
SANDBOX = ("--sandbox",)


@pytest.fixture(autouse=True)
def confined(project: Path) -> None:
    opened(project).close()


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> Agent:
    """What starts the agent in there, with words of its own."""
    started = python_words(monkeypatch)
    return lambda *words: (*started, str(SDK_AGENT), *words)


def paths(plan: Plan) -> dict[str, StepState]:
    return {step.path: step.state for step in plan.steps}


def only_plan(workspace: Workspace) -> Plan:
    (plan,) = workspace.proposer.plans()
    return plan


def notices(heard: list[dict[str, Any]]) -> list[str]:
    return [event["text"] for event in heard if event["event"] == "notice"]


def test_what_it_writes_and_asks_for_are_rounds_of_one_plan(
    talking: type[Talking], agent: Agent, project: Path, workspace: Workspace
) -> None:
    before = state_of(project)
    with talking(project, agent=agent("name=qwen-code", "mode=yolo"), options=SANDBOX) as talk:
        began = talk.hear("began")
        assert (began["mode"], began["sandbox"]) == ("yolo", {"network": False, "logins": []})
        asked = {"kind": "execute", "title": "Run it", "raw_input": {"command": "make"}}
        talk.ask({"put": ["new.txt", "1\n"]}, {"ask": asked}, {"change": ["notes.txt", "alpha", "beta\n"]})
        heard = talk.heard_until("turn_ended")
        said = "".join(event["text"] for event in heard if event["event"] == "message")
        assert said == "put: done\nask: allow_once\nchange: done\n"
        plan = only_plan(workspace)
        assert paths(plan) == {"new.txt": StepState.PENDING, "notes.txt": StepState.PENDING}
        told = "Run it: allowed in the sandbox"
        assert {told, f"Plan {plan.short_id} (version 1) has the agent's changes so far."} <= set(
            notices(heard)
        )
        talk.ask({"put": ["new.txt", "2\n"]}, {"see": "notes.txt"})
        heard = talk.heard_until("turn_ended")
        assert notices(heard) == [f"Plan {plan.short_id} (version 2) has the agent's changes so far."]
        talk.ask({"say": "x"})
        heard = talk.heard_until("turn_ended")
        assert notices(heard) == [] and not any("TOLD" in event.get("text", "") for event in heard)
        assert state_of(project) == before
        assert talk.end() == 0
    plan = only_plan(workspace)
    (session,) = workspace.proposer.sessions()
    assert (plan.version, plan.session, session.door) == (2, session.id, "acp")
    assert workspace.proposer.contents(plan.id, 1).result == b"2\n"
    assert workspace.proposer.calls() == () and state_of(project) == before


def test_in_a_container_its_rounds_are_of_one_plan(
    talking: type[Talking], project: Path, workspace: Workspace
) -> None:
    """What the agent is made of is in the project: the container has nothing else of this machine."""
    options = (*SANDBOX, "--container", container_root())
    for name in (
        "acp",
        "pydantic",
        "pydantic_core",
        "annotated_types",
        "typing_extensions",
        "typing_inspection",
    ):
        spec = find_spec(name)
        assert spec is not None and spec.origin is not None
        source, made = Path(spec.origin), project / "made"
        if source.name == "__init__.py":
            shutil.copytree(source.parent, made / name)
        else:
            made.mkdir(exist_ok=True)
            shutil.copy(source, made)
    shutil.copy(SDK_AGENT, project / "made")
    before = state_of(project)
    words = ("env", f"PYTHONPATH={project}/made", PYTHON, "-B", f"{project}/made/{SDK_AGENT.name}")
    with talking(project, agent=words, options=options) as talk:
        talk.ask({"put": ["new.txt", "1\n"]}, {"see": "notes.txt"})
        assert "alpha" in talk.said()
        talk.ask({"put": ["new.txt", "2\n"]})
        talk.said()
        assert talk.end() == 0
    plan = only_plan(workspace)
    assert (plan.version, paths(plan)) == (2, {"new.txt": StepState.PENDING})
    assert workspace.proposer.contents(plan.id, 1).result == b"2\n" and state_of(project) == before


def test_no_file_is_asked_for_through_us(
    talking: type[Talking], agent: Agent, project: Path, workspace: Workspace
) -> None:
    notes = str(project / "notes.txt")
    with talking(project, agent=agent("name=qwen-code"), options=SANDBOX) as talk:
        talk.ask({"capabilities": ""}, {"read": {"path": notes}}, {"write": [notes, "x"]})
        said = talk.said()
    assert '"readTextFile":true' not in said and '"terminal":true' not in said
    assert said.count("ERROR") == 2 and workspace.proposer.plans() == ()


def test_a_plan_that_is_written_ends_it_and_the_next_prompt_goes_on(
    talking: type[Talking], agent: Agent, project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    with talking(project, agent=agent(), options=SANDBOX) as talk:
        talk.ask({"put": ["a.txt", "a\n"]})
        talk.said()
        plan = only_plan(workspace)
        reviewer.approve(plan.id)
        reviewer.apply(plan.id)
        assert (project / "a.txt").read_text() == "a\n"
        heard = talk.heard_until("ended")
        assert "because a plan is being applied to this project. Send a prompt" in notices(heard)[-1]
        talk.ask({"see": "a.txt"}, {"put": ["b.txt", "b\n"]})
        heard = talk.heard_until("turn_ended")
        assert "does not know the earlier conversation" in notices(heard)[0]
        said = "".join(event["text"] for event in heard if event["event"] == "message")
        assert "see: a\n\nput: done\n" in said and "Done: the reviewer approved this change" in said
        assert talk.end() == 0
    second, first = sorted(workspace.proposer.plans(), key=lambda each: each.id == plan.id)
    assert (first.state, paths(second)) == (PlanState.COMPLETED, {"b.txt": StepState.PENDING})
    (session,) = workspace.proposer.sessions()
    assert first.session == second.session == session.id
    kinds = [event.kind for event in workspace.proposer.events(session.id)]
    assert kinds.count(EventKind.BEGAN) == kinds.count(EventKind.ENDED) == 2


def test_within_a_turn_a_plan_is_written_and_what_was_done_so_far_waits(
    talking: type[Talking],
    agent: Agent,
    workspace: Workspace,
    reviewer: Reviewer,
    studio: CommandLine,
) -> None:
    plan_id = studio.submit({"op": "create", "path": "o.txt", "content": "o"})["plan"]
    with talking(workspace.root_path, agent=agent(), options=SANDBOX) as talk:
        talk.ask({"put": ["a.txt", "a\n"]}, {"wait": 1})
        talk.hear("message")
        reviewer.approve(plan_id)
        reviewer.apply(plan_id)
        assert talk.hear("turn_ended")["reason"] == "failed"
        talk.hear("ended")
        (plan,) = [each for each in workspace.proposer.plans() if each.id != plan_id]
        assert paths(plan) == {"a.txt": StepState.PENDING}
        talk.ask({"see": "o.txt"}, {"see": "a.txt"})
        assert "see: o\nsee: ERROR" in talk.said(), "what waits is in no layer"
    assert workspace.proposer.plan(plan.id).version == 1, "and is not taken back by a new one"


def test_why_it_was_rejected_reaches_it_with_the_next_prompt(
    talking: type[Talking], agent: Agent, project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    with talking(project, agent=agent(), options=SANDBOX) as talk:
        talk.ask({"put": ["a.txt", "a\n"]})
        talk.said()
        first = only_plan(workspace)
        reviewer.reject(first.id, reason="Say b.")
        talk.ask({"put": ["a.txt", "b\n"]})
        said = talk.said()
        assert "Say b." in said and "still in your files" in said
        plans = [plan for plan in workspace.proposer.plans() if plan.id != first.id]
        assert [paths(plan) for plan in plans] == [{"a.txt": StepState.PENDING}]


def test_a_stopped_turn_is_looked_at_and_one_that_does_not_stop_too(
    talking: type[Talking],
    agent: Agent,
    project: Path,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with talking(project, agent=agent(), options=SANDBOX) as talk:
        talk.ask({"put": ["a.txt", "a\n"]}, {"wait": 1})
        talk.hear("message")
        talk.stop()
        assert talk.hear("turn_ended")["reason"] == "cancelled"
        assert set(paths(only_plan(workspace))) == {"a.txt"}
        monkeypatch.setattr("studio.doors.acp.conversation.AGENT_STOP_SECONDS", 0.5)
        talk.ask({"put": ["b.txt", "b\n"]}, {"hang": 1})
        talk.hear("message")
        talk.stop()
        code, rest = talk.rest()
        assert code == 1 and "did not stop" in rest
    assert set(paths(only_plan(workspace))) == {"a.txt", "b.txt"}


@pytest.mark.parametrize("how", ["agent", pytest.param("ours", marks=pytest.mark.process)])
def test_killed(talking: type[Talking], agent: Agent, project: Path, workspace: Workspace, how: str) -> None:
    before = state_of(project)
    marked = agent(f"project={project}")
    with (talking if how == "agent" else TalkingApart)(project, agent=marked, options=SANDBOX) as talk:
        talk.ask({"put": ["a.txt", "a\n"]})
        talk.said()
        assert _with(marked[-1])
        talk.ask({"put": ["b.txt", "b\n"]}, {"die": 1} if how == "agent" else {"wait": 1})
        if isinstance(talk, TalkingApart):
            talk.hear("message")
            talk.process.kill()
        code, rest = talk.rest()
        assert code == (1 if how == "agent" else -signal.SIGKILL)
        assert ("ended by signal 9" in rest) is (how == "agent")
    soon(lambda: not _with(marked[-1]))
    found = {"a.txt", "b.txt"} if how == "agent" else {"a.txt"}
    assert set(paths(only_plan(workspace))) == found and state_of(project) == before


def _with(word: str) -> list[str]:
    """The processes that have this word in their command."""
    found: list[str] = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if word.encode() in file.read_bytes():
                found.append(file.parent.name)
    return found


def test_a_session_goes_on_where_it_was_begun(
    talking: type[Talking], agent: Agent, project: Path, workspace: Workspace, studio: CommandLine
) -> None:
    with talking(project, agent=agent("loads=1"), options=SANDBOX) as talk:
        talk.ask({"put": ["a.txt", "a\n"]})
        talk.said()
        assert talk.end() == 0
    (session,) = workspace.proposer.sessions()
    with talking(project, agent=agent("loads=1"), options=SANDBOX, resume=session.id) as talk:
        assert talk.hear("began")["session"] == session.id
        assert "does not know the earlier conversation" in talk.hear("notice")["text"]
        assert talk.end() == 0
    said = studio("acp", "--resume", session.id, "--", *agent())
    assert (said.code, said.error["code"]) == (1, "acp.other_place")


def test_a_login_needs_a_person_or_whoever_has_it_already(
    talking: type[Talking], agent: Agent, project: Path, private_folders: Path, studio: CommandLine
) -> None:
    if is_unseen():
        pytest.skip(UNSEEN)  # it would have to be the home, in which no test may write
    own = private_folders / "home/.qwen/oauth_creds.json"
    own.parent.mkdir(parents=True)
    own.write_text("secret")
    login = ("--login", "qwen", "--login-files")
    said = studio("acp", "--sandbox", *login[:2], "--", *agent())
    assert said.error["code"] == "needs_person"
    assert studio("acp", *login[:2], "--", *agent()).error["code"] == "acp.not_in_sandbox"
    (own.parent / "commands").mkdir()
    (own.parent / "commands/x.md").write_text("theirs")
    held = json.loads(logins_line(["qwen"]))["logins"]
    assert held == {".qwen/oauth_creds.json": b64encode(b"secret").decode(), ".qwen/commands": None}
    own.write_text("other")
    with talking(project, agent=agent(), options=(*SANDBOX, *login)) as talk:
        talk.say({"logins": held})
        assert talk.hear("began")["sandbox"]["logins"] == ["qwen"]
        talk.ask({"see": "~/.qwen/oauth_creds.json"}, {"see": "~/.qwen/commands/x.md"})
        assert "see: secret\nsee: theirs\n" in talk.said(), "as it was handed over, and never read again"
    for forged in ({".qwen/oauth_creds.json": None}, {".ssh/id_rsa": "eA=="}, {"../x": "eA=="}, [], None):
        with talking(project, agent=agent(), options=(*SANDBOX, *login)) as talk:
            talk.say({"logins": forged})
            assert json.loads(talk.rest()[1])["error"]["code"] == "acp.login_files"
