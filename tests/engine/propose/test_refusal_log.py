"""What the rules turn away is logged with rule and reason, never with content."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from studio.engine.plan import Plan, StepState
from studio.program.log_file import LOGGER, log_file, start_log, stop_log

Propose = Callable[[str], Plan]


@pytest.fixture
def log() -> Iterator[Callable[[], list[str]]]:
    """The program's log, started; gives its lines so far."""
    start_log()
    yield lambda: log_file().read_text().splitlines() if log_file().exists() else []
    stop_log()


def create(*paths: str, content: str = "s3cret content\n") -> str:
    return json.dumps(
        {
            "title": "T",
            "agent": "a",
            "steps": [{"op": "create", "path": path, "content": content} for path in paths],
        }
    )


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("../up.txt", ["rule=name.climbs ", 'climbs with ".."']),
        ("/etc/passwd", ["rule=name.absolute ", "is absolute"]),
        ("link/x.txt", ["rule=path.link ", "is reached through a link"]),
        (".git/config", ["rule=policy.denied ", "it belongs to git (rule .git, locked)"]),
        ("secrets/x.txt", ["rule=policy.denied ", "(rule secrets/, default)"]),
    ],
)
def test_a_refused_step_is_one_line_with_rule_and_reason(
    project: Path, propose: Propose, log: Callable[[], list[str]], path: str, told: list[str]
) -> None:
    """Rule and reason; a link, with an explanation; an escape is an event at the door.

    What the step would have written stands nowhere in it."""
    (project / "link").symlink_to("/tmp")
    plan = propose(create("fine.txt", path))
    (line,) = log()
    assert plan.steps[1].state is StepState.INVALID
    assert f" refused plan={plan.id} step=2 " in line
    assert f" path={path} " in line
    assert all(part in line for part in told)
    assert "s3cret" not in line


def test_what_no_rule_refuses_is_no_event(
    project: Path, propose: Propose, log: Callable[[], list[str]]
) -> None:
    """A change that does not match is the agent's mistake, not an attempt to get out."""
    (project / "there.txt").write_text("x\n")
    assert propose(create("there.txt")).steps[0].problems[0].code == "target.exists"
    assert log() == []


def test_a_name_cannot_forge_a_line(propose: Propose, log: Callable[[], list[str]]) -> None:
    """A line end in a name is written as an escape."""
    propose(create("a\n2026-01-01 INFO studio 1 refused plan=none", "b\u202egpj"))
    (line,) = log()
    assert "a\\n2026" in line


def test_a_refusal_is_logged_once(propose: Propose, log: Callable[[], list[str]]) -> None:
    """The same text again, of a plan that is still open, is no new event."""
    for _ in range(2):
        propose(create("fine.txt", "../up.txt"))
    assert len(log()) == 1


def test_a_log_that_cannot_be_written_holds_nothing_up(
    propose: Propose, capsys: pytest.CaptureFixture[str]
) -> None:
    """The action goes on, and stderr says it once."""
    start_log()
    try:
        log_file().mkdir()
        plan = propose(create("../up.txt", "fine.txt"))
        propose(create("../up.txt", "other.txt"))
        assert plan.steps[1].state is StepState.PENDING
        assert capsys.readouterr().err.count("can't be written") == 1
    finally:
        stop_log()


def test_only_the_user_reads_the_log(log: Callable[[], list[str]]) -> None:
    """Nothing is made before there is something to say, and the file is the user's alone."""
    assert not log_file().exists()
    LOGGER.info("something")
    assert log_file().stat().st_mode & 0o777 == 0o600
    assert len(log()) == 1


def test_the_log_begins_at_info_and_ends_silent() -> None:
    """Refusals are told at INFO; a program that never started its log writes none."""
    start_log()
    assert LOGGER.isEnabledFor(logging.INFO)
    stop_log()
    assert not LOGGER.isEnabledFor(logging.INFO)
