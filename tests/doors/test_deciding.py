"""`approve reject apply rollback history recover`: what only a person may do."""

from __future__ import annotations

import hashlib
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine

CREATE = {"op": "create", "path": "new.txt", "content": "new\n"}
DELETE = {"op": "delete", "path": "old.txt"}
LINES = b"".join(b"line %d\n" % number for number in range(1, 41))
THREE_HUNKS = {
    "op": "modify",
    "path": "lines.txt",
    "edits": [{"old": f"line {number}\n", "new": f"LINE {number}\n"} for number in (5, 20, 35)],
}


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    (project / "old.txt").write_bytes(b"old\n")
    (project / "lines.txt").write_bytes(LINES)


def changed(*numbers: int) -> bytes:
    data = LINES
    for number in numbers:
        data = data.replace(b"line %d\n" % number, b"LINE %d\n" % number)
    return data


def states(plan: dict[str, Any]) -> list[str]:
    return [step["state"] for step in plan["steps"]]


@pytest.mark.usefixtures("allow_review")
class TestDeciding:
    def test_the_reply_for_the_agent_is_printed(self, studio: CommandLine) -> None:
        """What was left out and why, as the window's "Copy reply for the agent" has it."""
        plan = studio.submit(CREATE, THREE_HUNKS)["plan"]
        studio("approve", plan, "--hunks", "2:1,3", "--note", "the middle stays")
        studio("reject", plan, "--step", "1", "--reason", "no new file")
        printed = studio("show", plan, "--reply", json=False)
        assert printed.code == 0
        assert "Step 1, new.txt: rejected; nothing was written.\nReason: no new file\n" in printed.text
        assert "Step 2, lines.txt: approved in part.\nNote: the middle stays\n" in printed.text
        assert "Hunk 2 of 3 excluded.\n" in printed.text
        assert "+LINE 20\n" in printed.text
        asked = studio("show", plan, "--reply").json
        assert asked["reply"].rstrip("\n") == printed.text.rstrip("\n")
        assert "reply" not in studio("show", plan).json

    def test_a_part_is_applied_listed_and_rolled_back(self, studio: CommandLine, project: Path) -> None:
        """The agent that waits is not released; the history has the part."""
        plan = studio.submit(CREATE, DELETE, THREE_HUNKS)["plan"]
        studio("approve", plan, "--step", "1")
        refused = studio("apply", plan)
        assert refused.code == 1 and "only the approved" in refused.json["error"]["hint"]
        assert not (project / "new.txt").exists()
        written = studio("apply", plan, "--approved")
        assert written.code == 0 and written.json["state"] == "pending"
        assert states(written.json) == ["applied", "pending", "pending"]
        assert [(part["part"], part["steps"], part["kept"]) for part in written.json["parts"]] == [
            (1, [1], True)
        ]
        assert "part 1 applied" in studio("show", plan, json=False).text
        assert studio("wait", plan, "--timeout", "0").code == 5
        studio("approve", plan, "--step", "3")
        assert studio("apply", plan, "--approved").code == 0
        entries = studio("history").json["entries"]
        assert [(entry["part"], entry["parts"], entry["files"]) for entry in entries] == [
            (2, 2, 1),
            (1, 2, 1),
        ]
        assert studio("rollback", plan, "--part", "1", "--step", "1").code == 2
        assert studio("rollback", plan, "--part", "3").code == 2
        back = studio("rollback", plan, "--part", "1")
        assert back.code == 0 and not (project / "new.txt").exists()
        assert (project / "lines.txt").read_bytes() == changed(5, 20, 35)
        assert studio("rollback", plan, "--part", "1").code == 2

    def test_approve_decides_and_apply_writes(self, studio: CommandLine, project: Path) -> None:
        """Two actions, and each in a process of its own."""
        plan = studio.submit(CREATE, DELETE, THREE_HUNKS)["plan"]
        approved = studio("approve", plan, "--note", "fine")
        assert (approved.code, approved.json["state"]) == (0, "approved")
        assert states(approved.json) == ["approved"] * 3
        decided = approved.json["steps"][2]["decided_sha256"]
        assert decided == hashlib.sha256(changed(5, 20, 35)).hexdigest()
        assert not (project / "new.txt").exists()
        applied = studio("apply", plan)
        assert (applied.code, applied.json["state"]) == (0, "completed")
        assert states(applied.json) == ["applied"] * 3
        assert (project / "new.txt").read_bytes() == b"new\n"
        assert not (project / "old.txt").exists()
        assert (project / "lines.txt").read_bytes() == changed(5, 20, 35)

    def test_approve_with_apply_is_one_press(self, studio: CommandLine, project: Path) -> None:
        plan = studio.submit(CREATE)["plan"]
        said = studio("approve", plan, "--apply")
        assert (said.code, said.json["state"]) == (0, "completed")
        assert (project / "new.txt").read_bytes() == b"new\n"

    def test_steps_are_decided_one_by_one(self, studio: CommandLine, project: Path) -> None:
        plan = studio.submit(CREATE, DELETE, THREE_HUNKS)["plan"]
        said = studio("approve", plan, "--step", "1", "--step", "3")
        assert (said.json["state"], states(said.json)) == ("pending", ["approved", "pending", "approved"])
        undecided = studio("apply", plan)
        assert (undecided.code, undecided.error["code"]) == (1, "plan.undecided")
        said = studio("reject", plan, "--step", "2", "--reason", "keep it")
        assert (said.json["state"], states(said.json)) == ("approved", ["approved", "rejected", "approved"])
        assert said.json["steps"][1]["decision"]["text"] == "keep it"
        assert studio("apply", plan).code == 0
        assert (project / "old.txt").exists()
        assert (project / "new.txt").exists()

    def test_all_none_some_or_another_round(self, studio: CommandLine, project: Path) -> None:
        """Each under the id that the agent waits on; what went in is told with who brought it."""
        whole, none, some, again = (
            studio.submit({"op": "create", "path": f"{name}/a.txt", "content": "a\n"}, CREATE)["plan"]
            for name in ("whole", "none", "some", "again")
        )
        studio("reject", none, "--reason", "none of it")
        back = studio("reject", again, "--reason", "in another way", "--ask-changes").json
        studio("approve", some, "--step", "1")
        part = studio("reject", some, "--step", "2", "--reason", "not this").json
        assert studio("approve", whole, "--apply").json["plan"] == whole
        assert studio("apply", some).json["plan"] == some
        assert studio("show", none).json["state"] == "rejected"
        assert back["state"] == "changes_requested" and states(part) == ["approved", "rejected"]
        found = {path.parent.name for path in project.rglob("a.txt")}
        assert found == {"whole", "some"}
        assert studio("reject", whole, "--step", "1", "--reason", "x", "--ask-changes").code == 2
        applied = {entry["plan"]: entry for entry in studio("history").json["entries"]}
        rows = studio("journal", json=False).text
        assert applied.keys() == {whole, some} and applied[whole]["agent"] and applied[whole]["who"]
        assert "some/a.txt" in rows and "none/a.txt" not in rows

    def test_only_the_named_hunks_go_in(self, studio: CommandLine, project: Path) -> None:
        plan = studio.submit(THREE_HUNKS)["plan"]
        said = studio("approve", plan, "--hunks", "1:1,3", "--apply")
        assert said.code == 0
        assert [hunk["chosen"] for hunk in said.json["steps"][0]["hunks"]] == [True, False, True]
        assert (project / "lines.txt").read_bytes() == changed(5, 35)

    def test_only_the_named_lines_of_a_hunk_go_in(self, studio: CommandLine, project: Path) -> None:
        plan = studio.submit(THREE_HUNKS)["plan"]
        said = studio("approve", plan, "--lines", "1:1:2", "--hunks", "1:3", "--apply")
        assert said.code == 0
        assert [hunk["chosen"] for hunk in said.json["steps"][0]["hunks"]] == [[2], False, True]
        expected = changed(35).replace(b"line 5\n", b"line 5\nLINE 5\n")
        assert (project / "lines.txt").read_bytes() == expected, "the new line goes in, the old one stays"

    def test_lines_that_are_not_there_decide_nothing(self, studio: CommandLine) -> None:
        plan = studio.submit(THREE_HUNKS)["plan"]
        for lines in ("1:1", "1:1:", "1:1:0", "1:9:1", "2:1:1", "1:1:99", "1:1:x", ":1:1"):
            assert studio("approve", plan, "--lines", lines).code in (1, 2), lines
            assert studio("show", plan).json["state"] == "pending", lines

    def test_hunks_beside_steps_decide_both(self, studio: CommandLine, project: Path) -> None:
        plan = studio.submit(CREATE, DELETE, THREE_HUNKS)["plan"]
        said = studio("approve", plan, "--step", "1", "--hunks", "3:2")
        assert states(said.json) == ["approved", "pending", "approved"]
        assert studio("reject", plan, "--reason", "rest").code == 0
        assert studio("apply", plan).code == 0
        assert (project / "lines.txt").read_bytes() == changed(20)

    def test_hunks_that_are_not_there_decide_nothing(self, studio: CommandLine) -> None:
        plan = studio.submit(THREE_HUNKS)["plan"]
        for hunks in ("1:9", "2:1", "1:0", "1", "1:", "x:1", "1:1,", "0:1"):
            said = studio("approve", plan, "--hunks", hunks)
            assert said.code == 2 and said.error, hunks
            assert studio("show", plan).json["state"] == "pending", hunks

    def test_a_step_that_is_not_there(self, studio: CommandLine) -> None:
        plan = studio.submit(CREATE)["plan"]
        for words in (("approve", plan, "--step", "2"), ("reject", plan, "--step", "9", "--reason", "x")):
            assert studio(*words).code == 2
        assert studio("rollback", plan, "--step", "7").code == 2

    def test_reject_needs_a_reason(self, studio: CommandLine) -> None:
        plan = studio.submit(CREATE)["plan"]
        assert studio("reject", plan).code == 2
        assert studio("reject", plan, "--reason", " ").code == 2
        said = studio("reject", plan, "--reason", "no need")
        assert (said.code, said.json["state"]) == (0, "rejected")

    def test_a_plan_whose_state_does_not_allow_it(self, studio: CommandLine) -> None:
        plan = studio.submit(CREATE)["plan"]
        assert studio("reject", plan, "--reason", "no").code == 0
        for words in (("approve",), ("reject", "--reason", "no"), ("apply",), ("rollback",)):
            said = studio(words[0], plan, *words[1:])
            assert said.code == 1, (words, said)
            assert said.error["message"]
        assert studio("submit", stdin=b"nothing known\n").code == 1
        invalid = studio("plans", "--state", "invalid").json["plans"][0]["plan"]
        assert studio("approve", invalid).code == 1
        assert studio("approve", "0123456789").code == 4

    def test_a_stale_step_is_not_approved(self, studio: CommandLine, project: Path) -> None:
        plan = studio.submit(THREE_HUNKS, CREATE)["plan"]
        (project / "lines.txt").write_bytes(b"else\n")
        assert studio("approve", plan, "--step", "1").code == 3
        said = studio("approve", plan)
        assert states(said.json) == ["stale", "approved"]
        said = studio("apply", plan)
        assert said.code == 3
        assert "stale" in said.error["message"]
        told = studio("apply", plan, json=False)
        assert (told.code, told.out) == (3, b"")
        assert not (project / "new.txt").exists()
        again = studio.submit(CREATE, DELETE)["plan"]
        assert studio("approve", again).code == 0
        (project / "old.txt").write_bytes(b"else\n")
        said = studio("apply", again)
        assert (said.code, [each["step"] for each in said.json["error"]["problems"]]) == (3, [2])

    def test_rollback_is_a_new_plan_that_can_be_taken_back(self, studio: CommandLine, project: Path) -> None:
        plan = studio.submit(CREATE, DELETE, THREE_HUNKS)["plan"]
        assert studio("approve", plan, "--apply").code == 0
        dry = studio("rollback", plan, "--dry-run")
        assert dry.code == 0
        assert dry.json["rolls_back"] == plan
        assert (project / "new.txt").exists()
        said = studio("rollback", plan)
        assert (said.code, said.json["rolls_back"], said.json["state"]) == (0, plan, "completed")
        assert said.json["plan"] != plan
        assert not (project / "new.txt").exists()
        assert (project / "old.txt").read_bytes() == b"old\n"
        assert (project / "lines.txt").read_bytes() == LINES
        assert studio("show", plan).json["state"] == "rolled_back"
        again = studio("rollback", said.json["plan"])
        assert again.code == 0
        assert (project / "lines.txt").read_bytes() == changed(5, 20, 35)
        assert studio("show", plan).json["state"] == "completed"
        assert studio("rollback", said.json["plan"]).code == 1

    def test_rollback_of_a_step_leaves_the_others(self, studio: CommandLine, project: Path) -> None:
        plan = studio.submit(CREATE, DELETE)["plan"]
        assert studio("approve", plan, "--apply").code == 0
        said = studio("rollback", plan, "--step", "2")
        assert said.code == 0
        assert (project / "old.txt").read_bytes() == b"old\n"
        assert (project / "new.txt").exists()
        assert states(studio("show", plan).json) == ["applied", "rolled_back"]

    def test_rollback_refuses_on_drift_and_the_dry_run_says_the_same(
        self, studio: CommandLine, project: Path
    ) -> None:
        plan = studio.submit(CREATE, DELETE)["plan"]
        assert studio("approve", plan, "--apply").code == 0
        (project / "new.txt").write_bytes(b"worked on\n")
        dry = studio("rollback", plan, "--dry-run")
        assert dry.code == 3
        assert [step["drifted"] for step in dry.json["steps"]] == [True, False]
        said = studio("rollback", plan)
        assert (said.code, said.error["path"]) == (3, "new.txt")
        assert (project / "new.txt").read_bytes() == b"worked on\n"
        assert not (project / "old.txt").exists()
        nothing = studio("rollback", studio.submit({**CREATE, "path": "b.txt"})["plan"], "--dry-run")
        assert (nothing.code, nothing.error["code"]) == (1, "rollback.nothing")

    def test_history_lists_newest_first(self, studio: CommandLine) -> None:
        assert studio("history").json["entries"] == []
        plan = studio.submit(CREATE, title="First")["plan"]
        assert studio("approve", plan, "--apply").code == 0
        back = studio("rollback", plan).json["plan"]
        said = studio("history")
        assert set(said.json) == {"entries", "retention"}
        assert said.json["retention"]["kept"] == [back, plan] and said.json["retention"]["used"] > 0
        assert [entry["plan"] for entry in said.json["entries"]] == [back, plan]
        assert [entry["state"] for entry in said.json["entries"]] == ["completed", "rolled_back"]
        assert said.json["entries"][1]["rolled_back_by"] == back
        assert "First" in studio("history", json=False).text

    def test_recover_has_nothing_to_do(self, studio: CommandLine) -> None:
        assert studio("recover").code == 0


DECIDING: list[tuple[str, tuple[str, ...]]] = [
    ("pending", ("approve",)),
    ("pending", ("approve", "--apply")),
    ("pending", ("reject", "--reason", "no")),
    ("approved", ("apply",)),
    ("completed", ("rollback",)),
]


@pytest.fixture
def prepared(studio: CommandLine, review: Callable[[str], None]) -> Callable[[str], str]:
    """A plan in the wanted state, its id; afterwards the command line asks again."""

    def prepare(state: str) -> str:
        plan = studio.submit(CREATE)["plan"]
        review("allow")
        if state != "pending":
            assert studio("approve", plan).code == 0
        if state == "completed":
            assert studio("apply", plan).code == 0
        review("ask")
        return plan

    return prepare


@pytest.mark.parametrize(("state", "words"), DECIDING)
def test_nothing_happens_without_a_terminal(
    studio: CommandLine, prepared: Callable[[str], str], state: str, words: tuple[str, ...]
) -> None:
    plan = prepared(state)
    before = studio("show", plan).json
    said = studio(words[0], plan, *words[1:], stdin=plan[:8].encode() + b"\n")
    assert (said.code, said.error["code"]) == (1, "needs_person")
    assert studio("show", plan).json == before
    assert before["state"] == state


@pytest.mark.parametrize(("state", "words"), DECIDING)
def test_the_typed_id_decides(
    studio: CommandLine, prepared: Callable[[str], str], state: str, words: tuple[str, ...]
) -> None:
    plan = prepared(state)
    wrong = studio.at_terminal(words[0], plan, *words[1:], typed=f"{plan[:7]}\n")
    assert (wrong.code, wrong.error["code"]) == (1, "needs_person")
    assert studio("show", plan).json["state"] == state
    said = studio.at_terminal(words[0], plan, *words[1:], typed=f"{plan[:8]}\n")
    assert said.code == 0, said
    assert plan[:8] in said.terminal
    assert f"{studio.project.name}\r\n" in said.terminal
    assert studio("show", plan).json["state"] != state


@pytest.mark.parametrize("typed", ["wrong\n", "\n", "\x04", "{short} {short}\n", "{plan}\n", "y\n"])
def test_nothing_happens_when_something_else_is_typed(studio: CommandLine, typed: str) -> None:
    plan = studio.submit(CREATE)["plan"]
    typed = typed.format(short=plan[:8], plan=plan)
    said = studio.at_terminal("approve", plan, "--apply", typed=typed, stdin=f"{plan[:8]}\n".encode())
    assert (said.code, said.error["code"]) == (1, "needs_person")
    assert studio("show", plan).json["state"] == "pending"


def test_nothing_happens_when_the_terminal_goes_away(studio: CommandLine) -> None:
    plan = studio.submit(CREATE)["plan"]
    said = studio.at_terminal("approve", plan, typed=None, stdin=f"{plan[:8]}\n".encode())
    assert said.code in (1, -signal.SIGHUP)
    assert studio("show", plan).json["state"] == "pending"


@pytest.mark.parametrize("words", [("approve",), ("reject", "--reason", "no")])
def test_the_setting_off_asks_nobody(
    studio: CommandLine, review: Callable[[str], None], words: tuple[str, ...]
) -> None:
    plan = studio.submit(CREATE)["plan"]
    review("off")
    said = studio.at_terminal(words[0], plan, *words[1:], typed=f"{plan[:8]}\n")
    assert (said.code, said.error["code"], said.terminal) == (1, "needs_person", "")
    assert studio("show", plan).json["state"] == "pending"


def test_a_project_file_can_not_allow_it(studio: CommandLine, project: Path) -> None:
    (project / "studio.yaml").write_text("review: {command_line: allow}\n")
    plan = studio.submit(CREATE)["plan"]
    said = studio("approve", plan)
    assert (said.code, said.error["code"]) == (1, "needs_person")


def test_what_a_title_says_reaches_no_terminal_raw(studio: CommandLine) -> None:
    plan = studio.submit(CREATE, title="\x1b[2J\u202enice")["plan"]
    said = studio.at_terminal("approve", plan, typed=f"{plan[:8]}\n")
    assert said.code == 0
    assert "\x1b" not in said.terminal
    assert "\u202e" not in said.terminal
    assert "\\x1b[2J" in studio("plans", json=False).text


def test_a_diff_reaches_a_terminal_with_its_escapes_shown(
    studio: CommandLine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    plan = studio.submit({**CREATE, "content": "\x1b[2Jgone\ttab\n"})["plan"]
    text = studio.printed_at_terminal("show", plan, "--diff")
    assert b"\\x1b[2Jgone\ttab" in text
    assert b"\x1b" not in text
    assert b"\x1b[2Jgone\ttab" in studio("show", plan, "--diff", json=False).out
