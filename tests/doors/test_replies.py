"""Replies with blocks of an agent, submitted: what is taken in, what is refused, what stands on disk then."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine, set_configuration

REPLIES = Path(__file__).parents[1] / "formats" / "replies"


def block(kind: str, path: str, content: str) -> str:
    return f"===FILE_ACTION===\ntype: {kind}\npath: {path}\n---\n{content}\n===END_FILE_ACTION===\n"


@pytest.mark.usefixtures("allow_review")
def test_actions_are_reviewed_and_written(studio: CommandLine, project: Path) -> None:
    """The separator is added, and the line end that the file has and a block can't tell."""
    (project / "log.md").write_bytes(b"one\r\n")
    (project / "open.md").write_bytes(b"one")
    text = (
        block("append", "log.md", "two") + block("append", "open.md", "two") + block("create", "d/n.md", "n")
    )
    plan = studio("submit", stdin=f"See below.\n\n{text}".encode()).json
    assert [step["state"] for step in plan["steps"]] == ["pending"] * 3
    assert studio("approve", plan["plan"], "--apply").code == 0
    assert (project / "log.md").read_bytes() == b"one\r\n\r\n\r\ntwo\r\n"
    assert (project / "open.md").read_bytes() == b"one\n\ntwo"
    assert (project / "d" / "n.md").read_bytes() == b"n"


def test_no_name_is_bent_and_each_is_refused_by_itself(studio: CommandLine, project: Path) -> None:
    """No other folder, no ending, no name out of a whole document; one step's fault is its own."""
    names = (
        "/project/docs/a.md",
        "../outside.md",
        "t.md\\n# Title\\n\\nText.md",
        "src/main.js",
        "docs/README",
    )
    text = "".join(block("create", name, "x") for name in (*names, "a..b.md"))
    said = studio("submit", stdin=text.encode())
    assert said.code == 0
    codes = [[problem["code"] for problem in step["problems"]] for step in said.json["steps"]]
    assert codes == [
        ["name.absolute"], ["name.climbs"], ["name.backslash"], ["policy.denied"], ["policy.denied"], []
    ]  # fmt: skip
    set_configuration("sources: {file-action: {allowed_extensions: [.md, .js]}}")
    said = studio("submit", stdin=block("create", "src/main.js", "x").encode())
    assert said.json["steps"][0]["state"] == "pending", "the user's own list counts"


def test_what_is_there_already_is_done_and_what_is_another_is_refused(
    studio: CommandLine, project: Path
) -> None:
    """A create never replaces."""
    (project / "a.md").write_bytes(b"same")
    (project / "b.md").write_bytes(b"other")
    said = studio("submit", stdin=(block("create", "a.md", "same") + block("create", "b.md", "new")).encode())
    assert [step["state"] for step in said.json["steps"]] == ["already_applied", "invalid"]
    missing = studio("submit", stdin=block("append", "none.md", "x").encode())
    assert (missing.code, missing.json["steps"][0]["state"]) == (1, "invalid"), "an append needs its file"


def test_a_wrong_block_refuses_all_of_it_with_its_line(studio: CommandLine) -> None:
    said = studio("submit", stdin=(block("create", "a.md", "x") + block("create", "b.md", "y")[:-5]).encode())
    assert (said.code, said.json["state"], said.json["steps"]) == (1, "invalid", [])
    assert [(problem["code"], problem["line"]) for problem in said.json["problems"]] == [
        ("action.cut_off", 7)
    ]


def test_too_many_blocks_leave_nothing_behind(studio: CommandLine) -> None:
    text = "".join(block("create", f"{number}.md", "x") for number in range(20_000))
    said = studio("submit", stdin=text.encode())
    assert (said.code, said.error["code"]) == (1, "plan.too_many_steps")
    assert studio("plans").json["plans"] == []


@pytest.mark.usefixtures("allow_review")
def test_a_tool_s_blocks_are_steps(studio: CommandLine, project: Path) -> None:
    """To overwrite is to modify, a text is appended as it is, a variable is refused."""
    for name in "acde":
        (project / f"{name}.txt").write_bytes(name.encode())
    text = (REPLIES / "tool-block" / "every-tool-that-writes.txt").read_bytes()
    (project / "log.md").write_bytes(b"log\n")
    (project / "notes.md").write_bytes(b"notes\n")
    over = '{{invoke_tool: write_file\n  file_path: "z/a.txt"\n  content: "{{code}}"\n}}\n'
    plan = studio("submit", stdin=text + over.encode()).json
    assert [step["state"] for step in plan["steps"]] == ["pending"] * 6 + ["invalid"]
    assert studio("approve", plan["plan"], "--apply").code == 0
    assert (project / "log.md").read_bytes() == b"log\nmore\n"
    assert (project / "b.txt").read_bytes() == b"a"
    assert (project / "d" / "c.txt").read_bytes() == b"c"
    assert not (project / "e.txt").exists() and (project / "f" / "g").is_dir()
    over = '{{invoke_tool: write_file\n  file_path: "./a.txt"\n  content: "new"\n}}\n'
    assert [step["op"] for step in studio("submit", stdin=over.encode()).json["steps"]] == ["modify"]
    kept = over.replace("\n}}", "\n  overwrite: false\n}}")
    assert studio("submit", stdin=kept.encode()).json["steps"][0]["state"] == "invalid", (
        "create never overwrites"
    )


@pytest.mark.usefixtures("allow_review")
def test_a_series_of_mails_changes_one_file_twice(studio: CommandLine, project: Path, tmp_path: Path) -> None:
    """What `git format-patch --stdout` prints of two commits is one plan that leaves what the second left."""
    work = tmp_path / "work"

    def git(*words: str) -> bytes:
        given = ["git", "-C", str(work), "-c", "user.name=Dev", "-c", "user.email=dev@example.org", *words]
        return subprocess.run(given, check=True, capture_output=True).stdout

    lines = [f"line {number}\n" for number in range(40)]
    work.mkdir()
    git("init", "-q")
    (work / "a.txt").write_text("".join(lines))
    git("add", "a.txt")
    git("commit", "-qm", "Begin")
    (project / "a.txt").write_text("".join(lines))
    for number, word in ((3, "three\nand more\n"), (30, "thirty\n")):
        lines[number] = word
        (work / "a.txt").write_text("".join(lines))
        (work / "new.txt").write_text(word if number == 3 else "three\nand more\nagain\n")
        git("add", ".")
        git("commit", "-qm", f"Change line {number}")
    mails = git("format-patch", "--stdout", "HEAD~2")
    said = studio("submit", stdin=mails).json
    assert [(step["op"], step["path"], step["state"]) for step in said["steps"]] == [
        ("modify", "a.txt", "pending"),
        ("create", "new.txt", "pending"),
    ]
    assert "Change line 3" in said["message"] and "Change line 30" in said["message"]
    assert studio("approve", said["plan"], "--apply").code == 0
    assert (project / "a.txt").read_bytes() == (work / "a.txt").read_bytes()
    assert (project / "new.txt").read_bytes() == (work / "new.txt").read_bytes()


def test_diffs_of_one_file_in_two_fences_fit_or_say_which_does_not(
    studio: CommandLine, project: Path
) -> None:
    (project / "a.py").write_text("x\n1\n2\n3\ny\n")
    fence = "```diff\n--- a/a.py\n+++ b/a.py\n{}\n```\n\n"
    fits = fence.format("@@ -1 +1,2 @@\n-x\n+first\n+more") + fence.format("@@ -5 +5 @@\n-y\n+last")
    (step,) = studio("submit", stdin=fits.encode()).json["steps"]
    assert (step["state"], step["added"], step["removed"]) == ("pending", 3, 2)
    wrong = fence.format("@@ -1 +1 @@\n-x\n+first") + fence.format("@@ -2 +2 @@\n-z\n+last")
    (step,) = studio("submit", stdin=wrong.encode()).json["steps"]
    assert step["state"] == "invalid"
    assert step["problems"][0]["hint"].startswith(
        "The diff at line 10 fits neither the file nor the result of the diffs before"
    )


@pytest.mark.usefixtures("allow_review")
@pytest.mark.parametrize("path", ["ask.txt", "src/ask.py", "ask.rst", "Makefile"])
def test_file_is_never_cut_at_a_fence_inside(studio: CommandLine, project: Path, path: str) -> None:
    """Refused with a hint in a fence of the same length, written whole in a longer one."""
    (project / "src").mkdir()
    (project / path).write_bytes(b"old\n")
    whole = "Answer with one word:\n```\nyes or no\n```\nNothing else.\n"
    said = studio("submit", stdin=f"File: `{path}`\n```\n{whole}```\n".encode())
    (problem,) = said.json["problems"]
    assert (said.code, problem["code"], problem["line"]) == (1, "fence.doubtful", 6)
    assert "````" in problem["hint"]
    assert (project / path).read_bytes() == b"old\n"
    plan = studio("submit", stdin=f"File: `{path}`\n````\n{whole}````\n".encode()).json["plan"]
    assert studio("approve", plan, "--apply").code == 0
    assert (project / path).read_bytes() == whole.encode()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            '{{invoke_tool: write_file\n  file_path: "a.txt"\n  content: "x ="\n}}\nrest\n"\n}}\n',
            "tool.outside",
        ),
        (
            "- *\n  *** Begin Patch\n  *** Add File: a.txt\n  +x\n  *** End Patch\n  +y\n  *** End Patch\n",
            "apply_patch.outside",
        ),
    ],
    ids=["tool-block", "apply-patch"],
)
def test_end_mark_inside_a_block_cuts_nothing_off(studio: CommandLine, text: str, code: str) -> None:
    said = studio("submit", stdin=text.encode())
    assert (said.code, [problem["code"] for problem in said.json["problems"]]) == (1, [code])


@pytest.mark.usefixtures("allow_review")
def test_placeholder_in_a_whole_file_is_a_danger(studio: CommandLine, project: Path) -> None:
    """A short whole file that says "existing code" is shown as a danger; the lines it keeps are none."""
    old = "".join(f"def f{number}():\n    return {number}\n" for number in range(20))
    (project / "app.py").write_text(old)
    reply = "app.py\n\n```python app.py\ndef f0():\n    return 100\n\n# ... existing code ...\n```\n"
    (step,) = studio("submit", stdin=reply.encode()).json["steps"]
    (fact,) = [fact for fact in step["facts"] if fact["kind"] == "placeholder"]
    assert (fact["severity"], fact["line"], step["removed"]) == ("danger", 4, 39)
    whole = f"```python app.py\n{old}# nothing else\n```\n"
    (step,) = studio("submit", stdin=whole.encode()).json["steps"]
    assert "placeholder" not in {fact["kind"] for fact in step["facts"]}


@pytest.mark.usefixtures("allow_review")
def test_patch_that_deletes_and_adds_a_file_rewrites_it(studio: CommandLine, project: Path) -> None:
    (project / "a.txt").write_bytes(b"one\ntwo\n")
    patch = "*** Begin Patch\n*** Delete File: a.txt\n*** Add File: a.txt\n+new\n*** End Patch\n"
    plan = studio("submit", stdin=patch.encode()).json
    assert [(step["op"], step["path"], step["state"]) for step in plan["steps"]] == [
        ("modify", "a.txt", "pending")
    ]
    assert studio("approve", plan["plan"], "--apply").code == 0
    assert (project / "a.txt").read_bytes() == b"new\n"


FILE_BECOMES_FOLDER = """\
diff --git a/conf b/conf
deleted file mode 100644
--- a/conf
+++ /dev/null
@@ -1 +0,0 @@
-a=1
diff --git a/conf/base b/conf/base
new file mode 100644
--- /dev/null
+++ b/conf/base
@@ -0,0 +1 @@
+a=1
"""
FOLDER_BECOMES_FILE = """\
diff --git a/d/x b/d/x
deleted file mode 100644
--- a/d/x
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/d b/d
new file mode 100644
--- /dev/null
+++ b/d
@@ -0,0 +1 @@
+x
"""
INTO_ITS_NAME = """\
diff --git a/conf b/conf/base
similarity index 100%
rename from conf
rename to conf/base
"""


GNU_DIFF_DELETES = """\
diff -ruN a/gone.txt b/gone.txt
--- a/gone.txt\t2024-05-06 07:08:09.000000000 +0200
+++ b/gone.txt\t1970-01-01 01:00:00.000000000 +0100
@@ -1,2 +0,0 @@
-one
-two
"""
SUBVERSION_DELETES = """\
--- gone.txt\t(revision 7)
+++ gone.txt\t(nonexistent)
@@ -1,2 +0,0 @@
-one
-two
"""
GNU_DIFF_MOVES = """\
diff -ruN a/gone.txt b/gone.txt
--- a/gone.txt\t2024-05-06 07:08:09.000000000 +0200
+++ b/gone.txt\t1969-12-31 19:00:00.000000000 -0500
@@ -1,2 +0,0 @@
-one
-two
--- a/new.txt\t1970-01-01 00:00:00.000000000 +0000
+++ b/new.txt\t2024-05-06 07:08:09.000000000 +0200
@@ -0,0 +1,2 @@
+one
+two
"""


@pytest.mark.parametrize(
    ("text", "left"),
    [(GNU_DIFF_DELETES, None), (SUBVERSION_DELETES, None), (GNU_DIFF_MOVES, b"one\ntwo\n")],
    ids=["diff-ruN", "svn", "moved"],
)
@pytest.mark.usefixtures("allow_review")
def test_missing_side_of_a_diff_deletes_and_creates(
    studio: CommandLine, project: Path, text: str, left: bytes | None
) -> None:
    """GNU diff 3.8 -N dates a missing file with the epoch, Subversion 1.14.2 calls it nonexistent."""
    (project / "gone.txt").write_bytes(b"one\ntwo\n")
    plan = studio("submit", stdin=text.encode()).json
    assert studio("approve", plan["plan"], "--apply").code == 0
    assert not (project / "gone.txt").exists()
    made = project / "new.txt"
    assert (made.read_bytes() if made.exists() else None) == left
