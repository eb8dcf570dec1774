"""A text that is far too wrong, or far too much, does not burden who lists plans afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, plan_text, set_configuration

HUNKS = 3_000


def wrong_diff(hunks: int, name: str = "big.txt") -> bytes:
    """Hunks that are sound and stand nowhere in the file."""
    parts = (b"@@ -%d +%d @@\n-wrong\n+new\n" % (3 * hunk + 1, 3 * hunk + 1) for hunk in range(hunks))
    return b"--- a/%b\n+++ b/%b\n" % (name.encode(), name.encode()) + b"".join(parts)


@pytest.fixture
def big(project: Path) -> Path:
    file = project / "big.txt"
    file.write_bytes(b"".join(b"line %d\n" % line for line in range(3 * HUNKS)))
    return file


def test_a_step_keeps_a_hundred_problems_and_counts_the_rest(studio: CommandLine, big: Path) -> None:
    said = studio("submit", stdin=wrong_diff(HUNKS))
    assert said.code == 1
    (step,) = said.json["steps"]
    *told, rest = step["problems"]
    assert len(told) == 100
    assert (rest["code"], rest["count"]) == ("problems.more", HUNKS - 100)
    assert "And 2,900 more problems." in studio("show", said.json["plan"], json=False).text
    listed = studio("plans").json["plans"][0]["steps"][0]["problems"]
    assert (len(listed), listed[-1]["count"]) == (11, HUNKS - 10)
    assert big.read_bytes().startswith(b"line 0\n")


def test_a_plan_keeps_a_thousand_problems(studio: CommandLine, project: Path) -> None:
    for number in range(15):
        (project / f"f{number}.txt").write_bytes(b"a line\n" * 400)
    diffs = (wrong_diff(110, f"f{number}.txt") for number in range(15))
    steps = studio("submit", stdin=b"".join(diffs)).json["steps"]
    kept = [[problem for problem in step["problems"] if "count" not in problem] for step in steps]
    assert all(kept), "every refused step says why"
    assert sum(map(len, kept)) <= 1000
    assert sum(problem.get("count", 1) for step in steps for problem in step["problems"]) == 15 * 110


def test_what_is_wrong_with_the_text_is_counted_too(studio: CommandLine) -> None:
    keys = {f"key{number}": 1 for number in range(1500)}
    said = studio("submit", stdin=json.dumps({"title": "t", "steps": [], **keys}).encode())
    *told, rest = said.json["problems"]
    assert (said.code, len(told), rest["count"]) == (1, 1000, 501)
    step = {"op": "mkdir", "path": "d", **{f"key{number}": 1 for number in range(150)}}
    (step,) = studio.submit(step)["steps"]
    assert (len(step["problems"]), step["problems"][-1]["count"]) == (101, 50)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (wrong_diff(101), "plan.too_many_hunks"),
        (b"".join(wrong_diff(1, f"f{number}.txt") for number in range(12)), "plan.too_many_steps"),
        (plan_text(*({"op": "mkdir", "path": f"d{number}"} for number in range(11))), "plan.too_many_steps"),
        (
            plan_text({"op": "modify", "path": "a", "patch": wrong_diff(101).split(b"\n", 2)[2].decode()}),
            "plan.too_many_hunks",
        ),
    ],
)
def test_limits_say_no_and_nothing_is_stored(studio: CommandLine, text: bytes, code: str) -> None:
    set_configuration("limits: {hunks: 99, steps: 10}")
    said = studio("submit", stdin=text)
    assert (said.code, said.error["code"]) == (1, code)
    assert studio("plans").json["plans"] == []


def test_hunks_of_several_texts_count_together_and_a_source_narrows(
    studio: CommandLine, project: Path, tmp_path: Path
) -> None:
    set_configuration("limits: {hunks: 5}\nsources: {me: {hunks: 2}}")
    names = [tmp_path / f"{number}.diff" for number in range(2)]
    for number, file in enumerate(names):
        file.write_bytes(wrong_diff(3, f"{number}.txt"))
    assert studio("submit", *names).error["code"] == "plan.too_many_hunks"
    assert studio("submit", names[0]).json["state"] == "invalid"
    assert studio("submit", names[0], "--agent", "me").error["code"] == "plan.too_many_hunks"
    (project / "studio.yaml").write_text("limits: {hunks: 1}\n")
    assert studio("submit", names[0]).error["code"] == "plan.too_many_hunks", "a project lowers it at once"


def test_a_content_that_quotes_hunks_is_no_patch(studio: CommandLine) -> None:
    set_configuration("limits: {hunks: 1, steps: 2}")
    quoted = wrong_diff(50).decode()
    plan = studio.submit({"op": "create", "path": "a.diff", "content": quoted})
    assert plan["state"] == "pending"
    # A hunk whose lines look like the headers of further files and hunks.
    lines = "".join(f"---- a/{n}\n-+++ b/{n}\n-@@ -1 +1 @@\n" for n in range(50))
    deletion = f"--- a/a.diff\n+++ /dev/null\n@@ -1,150 +0,0 @@\n{lines}".encode()
    assert studio("submit", stdin=deletion).json["steps"][0]["op"] == "delete"


def test_a_name_as_long_as_the_text_is_not_kept(studio: CommandLine) -> None:
    said = studio("submit", stdin=plan_text({"op": "mkdir", "path": "a\u202e/" * 200_000}))
    assert said.json["state"] == "invalid"
    assert len(said.out) < 10_000
    assert len(studio("plans").out) < 10_000
