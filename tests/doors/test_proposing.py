"""`submit plans show wait withdraw check`: what an agent or a script gets to see."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine, plan_text

PLAN_KEYS = {"plan", "version", "title", "agent", "state", "created", "stale", "steps"}
STEP_KEYS = (
    "step id op path state base_sha256 result_sha256 decided_sha256 added removed hunks problems facts"
).split()
UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")

DIFF = b"--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+eins\n two\n"
CREATE = {"op": "create", "path": "new.txt", "content": "new\n"}


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    (project / "a.txt").write_bytes(b"one\ntwo\n")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_submit_prints_the_plan_in_the_shape_of_the_contract(studio: CommandLine, project: Path) -> None:
    (project.parent / "change.diff").write_bytes(DIFF)
    said = studio("submit", project.parent / "change.diff", "--title", "Count in German", "--agent", "me")
    assert said.code == 0
    assert said.err == ""
    plan = said.json
    assert set(plan) >= PLAN_KEYS
    assert (plan["version"], plan["title"], plan["agent"]) == (1, "Count in German", "me")
    assert (plan["state"], plan["stale"]) == ("pending", False)
    assert UTC.fullmatch(plan["created"])
    (step,) = plan["steps"]
    assert set(step) >= set(STEP_KEYS)
    assert (step["step"], step["op"], step["path"], step["state"]) == (1, "modify", "a.txt", "pending")
    assert step["base_sha256"] == sha256(b"one\ntwo\n")
    assert step["result_sha256"] == sha256(b"eins\ntwo\n")
    assert step["decided_sha256"] is None
    assert (step["added"], step["removed"]) == (1, 1)
    assert step["hunks"] == [
        {"hunk": 1, "old_start": 1, "old_lines": 2, "new_start": 1, "new_lines": 2, "chosen": True}
    ]
    assert (project / "a.txt").read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize("words", [("submit",), ("submit", "-"), ("submit", "--format", "unified", "-")])
def test_submit_reads_standard_input(studio: CommandLine, words: tuple[str, ...]) -> None:
    said = studio(*words, stdin=DIFF)
    assert said.code == 0
    assert said.json["steps"][0]["path"] == "a.txt"


def test_json_and_project_stand_before_or_after_the_command(studio: CommandLine, tmp_path: Path) -> None:
    project = str(studio.project)
    studio.submit(CREATE)
    orders = [
        ("--project", project, "--json", "plans"),
        ("plans", "--project", project, "--json"),
        ("--json", "plans", f"--project={project}"),
        (f"--project={project}", "plans", "--json"),
    ]
    for words in orders:
        said = studio(*words, json=False, cwd=tmp_path)
        assert said.code == 0, said
        assert len(said.json["plans"]) == 1
    assert studio("plans", json=False).text.count("A plan") == 1


def test_two_dashes_end_the_options(studio: CommandLine, project: Path) -> None:
    (project / "--json").write_bytes(DIFF)
    said = studio("submit", "--", "--json", json=False)
    assert said.code == 0
    assert said.text.startswith(studio("plans").json["plans"][0]["plan"][:8])
    checked = studio("check", "--", "-rf", "--json")
    assert [verdict["path"] for verdict in checked.json["verdicts"]] == ["-rf", "--json"]


def test_several_files_are_one_plan(studio: CommandLine, project: Path) -> None:
    (project.parent / "1.diff").write_bytes(DIFF)
    (project.parent / "2.json").write_bytes(plan_text(CREATE, title="More"))
    said = studio("submit", project.parent / "1.diff", project.parent / "2.json")
    assert said.code == 0
    assert [(step["step"], step["op"]) for step in said.json["steps"]] == [(1, "modify"), (2, "create")]
    assert len(studio("plans").json["plans"]) == 1


def test_an_unreadable_text_among_several_is_named(studio: CommandLine, project: Path) -> None:
    (project.parent / "1.diff").write_bytes(DIFF)
    (project.parent / "broken.json").write_bytes(b'{"title": ')
    said = studio("submit", project.parent / "1.diff", project.parent / "broken.json")
    assert said.code == 1
    assert said.json["state"] == "invalid"
    assert "broken.json" in said.json["problems"][0]["message"]


def test_the_very_same_submission_is_the_same_plan(studio: CommandLine) -> None:
    first = studio.submit(CREATE)
    said = studio("submit", stdin=plan_text(CREATE, title="Another title"))
    assert said.code == 0
    assert said.json["plan"] == first["plan"]
    assert said.json["duplicate"] is True
    assert "duplicate" not in first
    assert len(studio("plans").json["plans"]) == 1


@pytest.mark.usefixtures("allow_review")
def test_what_was_applied_is_already_applied(studio: CommandLine) -> None:
    edit = {"op": "modify", "path": "a.txt", "edits": [{"old": "one", "new": "eins"}]}
    plan = studio.submit(CREATE, edit)["plan"]
    assert studio("approve", plan, "--apply").code == 0
    said = studio("submit", stdin=plan_text(CREATE, edit))
    assert said.code == 0
    assert [step["state"] for step in said.json["steps"]] == ["already_applied", "already_applied"]
    # A create over other bytes is none of that.
    (studio.project / "new.txt").write_bytes(b"other\n")
    said = studio("submit", stdin=plan_text(CREATE))
    assert said.code == 1
    assert said.json["steps"][0]["problems"][0]["code"] == "target.exists"


@pytest.mark.usefixtures("allow_review")
def test_a_rejected_submission_is_a_new_plan_that_says_so(studio: CommandLine) -> None:
    first = studio.submit(CREATE)
    assert studio("reject", first["plan"], "--reason", "not like this").code == 0
    second = studio.submit(CREATE)
    assert second["plan"] != first["plan"]
    messages = [problem["message"] for problem in second["problems"]]
    assert any(first["plan"][:8] in message and "not like this" in message for message in messages)


def test_stale_on_arrival(studio: CommandLine) -> None:
    old = {
        "op": "modify",
        "path": "a.txt",
        "content": "x\n",
        "base_sha256": sha256(b"before\n"),
    }
    said = studio("submit", stdin=plan_text(old))
    assert said.code == 3
    assert said.json["stale"] is True
    assert said.json["steps"][0]["state"] == "stale"
    # One fresh step beside it, and the submission is worth a decision.
    said = studio("submit", stdin=plan_text(old, CREATE))
    assert said.code == 0
    assert [step["state"] for step in said.json["steps"]] == ["stale", "pending"]


def test_siblings_of_a_refused_step_go_on(studio: CommandLine) -> None:
    said = studio("submit", stdin=plan_text({**CREATE, "path": "../out.txt"}, CREATE))
    assert said.code == 0
    assert [step["state"] for step in said.json["steps"]] == ["invalid", "pending"]
    assert said.json["state"] == "pending"
    assert any("1 of 2 steps" in problem["message"] for problem in said.json["problems"])


def test_a_refusal_stands_in_the_log(studio: CommandLine) -> None:
    """An agent that tries to get out is seen by the user; reading commands write no log."""
    log = Path(os.environ["STUDIO_STATE_DIR"], "studio.log")
    assert studio("plans").code == 0
    assert not log.exists()
    plan = studio.submit({"op": "create", "path": "../up.txt", "content": "s3cret\n"})
    (line,) = log.read_text().splitlines()
    assert f"refused plan={plan['plan']} step=1 rule=name.climbs path=../up.txt" in line
    assert "s3cret" not in line


def test_plans_are_listed_by_state(studio: CommandLine) -> None:
    studio.submit(CREATE)
    withdrawn = studio.submit({**CREATE, "path": "other.txt"})["plan"]
    assert studio("withdraw", withdrawn).json["state"] == "cancelled"
    listed = studio("plans", "--state", "cancelled").json
    assert set(listed) == {"plans"}
    assert [plan["plan"] for plan in listed["plans"]] == [withdrawn]
    assert len(studio("plans").json["plans"]) == 2
    assert studio("plans", "--state", "nonsense").code == 2


def test_show_takes_any_unique_prefix(studio: CommandLine) -> None:
    plan = studio.submit(CREATE)["plan"]
    for prefix in (plan, plan[:8], plan[:4], plan[:8].upper()):
        assert studio("show", prefix).json["plan"] == plan
    assert studio("show", plan[:3]).code == 2
    missing = studio("show", "0000-not-there")
    assert (missing.code, missing.error["code"]) == (4, "plan.not_found")


def test_show_with_the_diff_gives_what_git_takes(studio: CommandLine) -> None:
    plan = studio("submit", stdin=DIFF).json["plan"]
    assert "diff" not in studio("show", plan).json["steps"][0]
    assert DIFF.decode() in studio("show", plan, "--diff").json["steps"][0]["diff"]
    assert DIFF.decode() in studio("show", plan, "--diff", json=False).text


def test_show_reads_a_file_by_the_encoding_that_is_set_for_it(
    studio: CommandLine, project: Path, private_folders: Path
) -> None:
    """UTF-16 without a mark is text where the configuration says so, and its diff is UTF-8."""
    (private_folders / "studio-config" / "config.yaml").write_text('encodings: {"*.txt": utf-16-le}\n')
    (project / "a.txt").write_bytes("one\ntwo\n".encode("utf-16-le"))
    shown = studio("show", studio("submit", stdin=DIFF).json["plan"], "--diff").json["steps"][0]
    assert [(hunk["old_start"], hunk["new_lines"]) for hunk in shown["hunks"]] == [(1, 2)]
    assert DIFF.decode() in shown["diff"]


def test_show_tells_a_step_that_turned_stale(studio: CommandLine, project: Path) -> None:
    plan = studio("submit", stdin=DIFF).json["plan"]
    (project / "a.txt").write_bytes(b"else\n")
    shown = studio("show", plan).json
    assert (shown["stale"], shown["steps"][0]["state"]) == (True, "stale")
    (project / "a.txt").write_bytes(b"one\ntwo\n")
    assert studio("show", plan).json["steps"][0]["state"] == "pending"


def test_wait_times_out_and_leaves_the_plan(studio: CommandLine) -> None:
    plan = studio.submit(CREATE)["plan"]
    said = studio("wait", plan, "--timeout", "0.1")
    assert said.code == 5
    assert said.json["plan"] == plan
    assert "pending" in said.err
    assert studio("show", plan).json["state"] == "pending"
    # submit gives the id even then: without it nobody could go on waiting.
    for words in (("--wait", "0.1"), ("--wait", "--timeout", "0.1"), ("--wait", "60", "--timeout", "0.1")):
        said = studio("submit", *words, stdin=plan_text({**CREATE, "path": "b.txt"}))
        assert (said.code, said.json["state"]) == (5, "pending")
    assert studio("submit", "--timeout", "1", stdin=plan_text(CREATE)).code == 2


OUTCOMES: list[tuple[tuple[str, ...], int, str]] = [
    (("withdraw",), 1, "cancelled"),
    (("reject", "--reason", "no"), 1, "rejected"),
    (("approve", "--apply"), 0, "completed"),
]


@pytest.mark.usefixtures("allow_review")
@pytest.mark.parametrize(("words", "code", "state"), OUTCOMES)
def test_wait_ends_with_the_outcome(
    studio: CommandLine, words: tuple[str, ...], code: int, state: str
) -> None:
    plan = studio.submit(CREATE)["plan"]
    waiting = studio.begin("wait", plan, "--until", "decided")
    decided = studio(words[0], plan, *words[1:])
    assert decided.code == 0, decided
    said = waiting.end()
    assert (said.code, said.json["state"]) == (code, state)
    assert studio("wait", plan).code == code


@pytest.mark.usefixtures("allow_review")
@pytest.mark.parametrize(("words", "code", "state"), OUTCOMES)
def test_submit_can_wait_for_the_outcome(
    studio: CommandLine, project: Path, words: tuple[str, ...], code: int, state: str
) -> None:
    text = project.parent / "plan.json"
    text.write_bytes(plan_text(CREATE))
    waiting = studio.begin("submit", text, "--wait", "60")
    plans: list[Any] = []
    while not plans:
        assert waiting.is_running, waiting.end()
        plans = studio("plans").json["plans"]
    assert studio(words[0], plans[0]["plan"], *words[1:]).code == 0
    said = waiting.end()
    assert (said.code, said.json["state"]) == (code, state)


def test_waiting_for_what_is_refused_ends_at_once(studio: CommandLine) -> None:
    said = studio("submit", "--wait", "60", stdin=b"no format at all\n")
    assert (said.code, said.json["state"]) == (1, "invalid")
    assert studio("wait", said.json["plan"]).code == 1


def test_withdraw_ends_a_plan_once(studio: CommandLine) -> None:
    plan = studio.submit(CREATE)["plan"]
    assert studio("withdraw", plan).code == 0
    again = studio("withdraw", plan)
    assert (again.code, again.error["code"]) == (1, "plan.state")
    # The same change may be proposed again.
    assert studio.submit(CREATE)["plan"] != plan


def test_check_answers_in_the_order_of_the_paths(studio: CommandLine) -> None:
    said = studio("check", "a.txt", ".git/config", "secrets/x", "../up", "/etc/passwd", "a..b.md")
    assert said.code == 1
    assert set(said.json) == {"verdicts"}
    verdicts = said.json["verdicts"]
    assert [verdict["allowed"] for verdict in verdicts] == [True, False, False, False, False, True]
    assert all(set(verdict) == {"path", "allowed", "rule", "level", "reason", "hint"} for verdict in verdicts)
    assert [verdict["level"] for verdict in verdicts[1:4]] == ["locked", "default", "name"]
    assert studio("check", "a.txt", "b/c.txt").code == 0


def test_check_follows_the_rules_of_both_files(
    studio: CommandLine, project: Path, private_folders: Path
) -> None:
    (project / "studio.yaml").write_text("file_rules: {deny: ['docs/'], allow: ['secrets/open.txt']}\n")
    said = studio("check", "docs/x.md", "secrets/open.txt")
    assert [verdict["level"] for verdict in said.json["verdicts"]] == ["project", "default"]
    # What a project file widens waits for trust; the user's own file counts at once.
    assert "studio.yaml widens" in said.err
    (private_folders / "studio-config" / "config.yaml").write_text(
        "file_rules: {allow: ['secrets/open.txt']}\n"
    )
    said = studio("check", "secrets/open.txt")
    assert (said.code, said.json["verdicts"][0]["level"]) == (0, "user")
