"""`studio try`: a command runs over the project as a plan would leave it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, set_configuration
from tests.engine.snapshot_store.folders import standing
from tests.tools.sandboxed import opened

PLAN = {
    "title": "All kinds",
    "steps": [
        {"op": "modify", "path": "a.txt", "content": "planned\n"},
        {"op": "create", "path": "new/deep/file.txt", "content": "new\n", "executable": True},
        {"op": "delete", "path": "gone.txt"},
        {"op": "move", "path": "old.txt", "to": "new/moved.txt"},
        {"op": "delete", "path": "whole"},
        {"op": "mkdir", "path": "empty"},
        {"op": "create", "path": "tests/test_a.py", "content": "assert True\n"},
    ],
}
LOOK = (
    "cat a.txt new/deep/file.txt new/moved.txt; test -x new/deep/file.txt && echo runs;"
    " for path in gone.txt old.txt whole; do test -e $path || echo no $path; done;"
    " test -d empty && echo empty"
)
SEEN = "planned\nnew\nold\nruns\nno gone.txt\nno old.txt\nno whole\nempty\n"


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    opened(project).close()
    (project / "whole").mkdir()
    for name in ("a.txt", "gone.txt", "old.txt", "whole/one", "whole/two", "kept.txt"):
        (project / name).write_text(f"{Path(name).stem}\n")


@pytest.fixture
def plan(studio: CommandLine, tmp_path: Path) -> Callable[..., str]:
    def submit(steps: list[dict[str, object]] = PLAN["steps"]) -> str:
        (tmp_path / "plan.json").write_text(json.dumps({"title": "All kinds", "steps": steps}))
        return str(studio("submit", str(tmp_path / "plan.json")).json["plan"])

    return submit


def test_a_command_sees_the_project_as_the_plan_would_leave_it(
    studio: CommandLine, plan: Callable[..., str], project: Path
) -> None:
    before, proposed = standing(project), plan()
    said = studio("try", proposed, "--", "sh", "-c", LOOK)
    assert said.code == 0 and SEEN in said.err, said
    assert standing(project) == before
    results = said.json["results"]
    assert results["gone.txt"] is None and results["empty"] == "" and len(results["a.txt"]) == 64
    assert set(results) >= {"a.txt", "new/deep/file.txt", "old.txt", "new/moved.txt", "whole/one"}
    assert said.json["tests"] == ["tests/test_a.py"]
    [trial] = studio("show", proposed).json["trials"]
    assert trial["current"] and not trial["remembered"] and trial["exit"] == 0 and SEEN in trial["output"]
    shown = studio("show", proposed, json=False).text
    assert "run at the command line: exit 0" in shown and "changes tests: tests/test_a.py" in shown
    assert "assed" not in shown, "nobody at a command line can say that a plan passed"


def test_what_is_left_out_or_decided_otherwise_is_tried_so(
    studio: CommandLine, plan: Callable[..., str], project: Path
) -> None:
    steps: list[dict[str, object]] = [
        {"op": "modify", "path": "a.txt", "content": "planned\n"},
        {"op": "modify", "path": "kept.txt", "content": "other\n"},
    ]
    proposed = plan(steps)
    assert "planned\nkept\n" in studio("try", proposed, "--step", "1", "--", "cat", "a.txt", "kept.txt").err
    [trial] = studio("show", proposed).json["trials"]
    assert not trial["current"], "the other step would be written, too"
    studio.at_terminal("reject", proposed, "--step", "2", "--reason", "no", typed=f"{proposed[:8]}\n")
    assert studio("show", proposed).json["trials"][0]["current"]
    said = studio("try", proposed, "--agent", "codex", "--", "sh", "-c", "cat a.txt kept.txt; exit 3")
    assert said.code == 1 and "planned\nkept\n" in said.err
    assert "run by codex: exit 3" in studio("show", proposed, json=False).text
    studio.at_terminal("approve", proposed, "--apply", typed=f"{proposed[:8]}\n")
    assert (project / "a.txt").read_text() == "planned\n"
    closed = studio("try", proposed, "--", "true")
    assert closed.code == 1 and closed.error["code"] == "try.state"


def test_a_stale_step_is_named_and_nothing_is_run(
    studio: CommandLine, plan: Callable[..., str], project: Path
) -> None:
    proposed = plan()
    (project / "a.txt").write_text("meanwhile\n")
    said = studio("try", proposed, "--", "sh", "-c", "echo was run")
    assert said.code == 3 and said.error["code"] == "try.stale" and "a.txt" in said.error["message"]
    assert "was run" not in said.err
    assert studio("try", proposed, "--step", "2", "--", "cat", "new/deep/file.txt").code == 0


def test_what_it_writes_is_thrown_away_or_proposed(
    studio: CommandLine, plan: Callable[..., str], project: Path
) -> None:
    proposed = plan()
    script = "echo snap > snap.txt; echo more >> a.txt; rm kept.txt"
    assert studio("try", proposed, "--", "sh", "-c", script).json["proposed"] is None
    assert [each["plan"] for each in studio("plans").json["plans"]] == [proposed]
    other = studio("try", proposed, "--propose", "--", "sh", "-c", script).json["proposed"]
    assert {step["path"] for step in other["steps"]} == {"snap.txt", "a.txt", "kept.txt"}
    studio.at_terminal("approve", other["plan"], "--apply", typed=f"{other['plan'][:8]}\n")
    assert (project / "a.txt").read_text() == "planned\nmore\n" and not (project / "kept.txt").exists()


def test_the_users_own_list_makes_nothing_pass_at_the_command_line(
    studio: CommandLine, plan: Callable[..., str]
) -> None:
    set_configuration("sandbox: {try: ['true']}")
    proposed = plan()
    assert studio("try", proposed, "--", "true").code == 0
    assert not studio("show", proposed).json["trials"][0]["remembered"]


def test_no_command_no_plan_and_time_over(studio: CommandLine, plan: Callable[..., str]) -> None:
    proposed = plan()
    assert studio("try", proposed).code == 2
    assert studio("try", "ffffffff", "--", "true").code == 4
    assert studio("try", proposed, "--timeout", "1", "--", "sleep", "60").code == 5
    assert studio("show", proposed).json["trials"][0]["ended_by"] == "time"
    missing = studio("try", proposed, "--", "no-such-command")
    assert missing.code in (1, 4) and "no-such-command" in missing.error["message"]
