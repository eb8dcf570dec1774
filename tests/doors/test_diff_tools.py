"""Diffs as tools other than git write them, submitted: read whole, or refused with what they leave out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.doors.conftest import CommandLine

LINES = "".join(f"row {number}\n" for number in range(8))
HUNK = "@@ -1,4 +1,4 @@\n row 0\n-row 1\n+row one\n row 2\n row 3\n"

SUBVERSION = f"""\
Index: list.txt
{"=" * 67}
diff --git a/list.txt b/list.txt
old mode 100644
new mode 100755
--- a/list.txt\t(revision 7)
+++ b/list.txt\t(working copy)
{HUNK}Index: empty.txt
{"=" * 67}
diff --git a/empty.txt b/empty.txt
new file mode 100644
Index: docs/fresh page.txt
{"=" * 67}
diff --git a/docs/fresh page.txt b/docs/fresh page.txt
new file mode 100644
--- a/docs/fresh page.txt\t(nonexistent)
+++ b/docs/fresh page.txt\t(working copy)
@@ -0,0 +1 @@
+page
Index: gone.txt
{"=" * 67}
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt\t(revision 7)
+++ b/gone.txt\t(nonexistent)
@@ -1 +0,0 @@
-gone
"""


@pytest.mark.usefixtures("allow_review")
def test_subversion_s_git_diff_is_written(studio: CommandLine, project: Path) -> None:
    """As `svn diff --git --patch-compatible` of Subversion 1.14.2 prints it."""
    (project / "list.txt").write_text(LINES)
    (project / "gone.txt").write_text("gone\n")
    plan = studio("submit", stdin=SUBVERSION.encode()).json
    assert [(step["op"], step["path"], step["state"]) for step in plan["steps"]] == [
        ("modify", "list.txt", "pending"),
        ("create", "empty.txt", "pending"),
        ("create", "docs/fresh page.txt", "pending"),
        ("delete", "gone.txt", "pending"),
    ]
    assert studio("approve", plan["plan"], "--apply").code == 0
    assert (project / "list.txt").read_text() == LINES.replace("row 1", "row one")
    assert (project / "list.txt").stat().st_mode & 0o100
    assert (project / "empty.txt").read_bytes() == b""
    assert (project / "docs" / "fresh page.txt").read_bytes() == b"page\n"
    assert not (project / "gone.txt").exists()


def test_files_that_fossil_only_names_are_reported(studio: CommandLine, project: Path) -> None:
    (project / "list.txt").write_text(LINES)
    (project / "gone.txt").write_text("gone\n")
    text = (
        f"Index: list.txt\n{'=' * 66}\n--- list.txt\n+++ list.txt\n{HUNK}\n"
        "ADDED    fresh.txt\nDELETED  gone.txt\n"
    )
    said = studio("submit", stdin=text.encode())
    assert (said.code, said.json["state"], said.json["steps"]) == (1, "invalid", [])
    assert [(problem["code"], problem["line"]) for problem in said.json["problems"]] == [
        ("diff.named_only", 12),
        ("diff.named_only", 13),
    ]
    assert "fresh.txt" in said.text and "gone.txt" in said.text


@pytest.mark.usefixtures("allow_review")
def test_hint_of_a_recursive_diff_leads_to_the_same_tree(
    studio: CommandLine, project: Path, tmp_path: Path
) -> None:
    """What GNU diff leaves out, files on one side and empty ones, `submit --tree DIR --delete` proposes."""
    new = tmp_path / "b"
    for folder in (new, project):
        folder.mkdir(exist_ok=True)
        (folder / "list.txt").write_text(LINES)
        (folder / "gone.txt").write_text("gone\n")
    (new / "list.txt").write_text(LINES.replace("row 1", "row one"))
    (new / "gone.txt").unlink()
    (new / "empty.txt").touch()
    diff = (
        "Only in b: empty.txt\nOnly in a: gone.txt\ndiff -ru a/list.txt b/list.txt\n"
        "--- a/list.txt\t2026-11-27 14:57:03.322324205 +0000\n"
        f"+++ b/list.txt\t2026-11-27 14:57:03.335707973 +0000\n{HUNK}"
    )
    said = studio("submit", stdin=diff.encode())
    assert [problem["code"] for problem in said.json["problems"]] == ["diff.only_in"] * 2
    assert "Propose the changed folder as a whole" in said.json["problems"][0]["hint"]
    plan = studio("submit", "--tree", str(new), "--delete").json
    assert studio("approve", plan["plan"], "--apply").code == 0
    for name in ("list.txt", "empty.txt"):
        assert (project / name).read_bytes() == (new / name).read_bytes()
    assert not (project / "gone.txt").exists()


def test_hunk_that_leaves_out_its_last_blank_line_is_refused(studio: CommandLine, project: Path) -> None:
    (project / "list.txt").write_text("one\ntwo\n\nthree\n")
    text = "--- a/list.txt\n+++ b/list.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n \n"
    said = studio("submit", stdin=text.encode())
    assert (said.code, said.json["steps"]) == (1, [])
    assert [(problem["code"], problem["line"]) for problem in said.json["problems"]] == [
        ("diff.hunk_counts", 7)
    ]
    plan = studio("submit", stdin=text.replace("-1,2 +1,2", "-1,3 +1,3").encode()).json
    assert [step["state"] for step in plan["steps"]] == ["pending"]


@pytest.mark.usefixtures("allow_review")
@pytest.mark.parametrize("way", [["-p", "-U0"], ["-p", "-U0", "--oneline"]])
def test_log_is_written_oldest_first_alone(
    studio: CommandLine, project: Path, tmp_path: Path, way: list[str]
) -> None:
    """Both commits add a line at one place: newest first they fit too, in another order of lines."""
    work = tmp_path / "work"

    def git(*words: str) -> bytes:
        named = ["-c", "user.name=Dev", "-c", "user.email=dev@example.org"]
        return subprocess.run(
            ["git", "-C", str(work), *named, *words], check=True, capture_output=True
        ).stdout

    work.mkdir()
    git("init", "-q")
    for text in ("top\nend\n", "top\none\nend\n", "top\ntwo\none\nend\n"):
        (work / "list.txt").write_bytes(text.encode())
        git("add", ".")
        git("commit", "-qm", "Words")
    (project / "list.txt").write_bytes(b"top\nend\n")
    said = studio("submit", stdin=git("log", *way, "-2"))
    assert (said.code, said.json["steps"]) == (1, [])
    (problem,) = said.json["problems"]
    assert problem["code"] == "diff.commit_order" and "git log -p --reverse" in problem["hint"]
    plan = studio("submit", stdin=git("log", *way, "-2", "--reverse")).json
    assert [(step["op"], step["state"]) for step in plan["steps"]] == [("modify", "pending")]
    assert studio("approve", plan["plan"], "--apply").code == 0
    assert (project / "list.txt").read_bytes() == b"top\ntwo\none\nend\n"


@pytest.mark.usefixtures("allow_review")
def test_rename_that_changes_the_case_alone(studio: CommandLine, project: Path) -> None:
    """Two names on a disk where case matters."""
    (project / "readme.md").write_bytes(b"words\n")
    diff = (
        "diff --git a/readme.md b/README.md\nsimilarity index 100%\n"
        "rename from readme.md\nrename to README.md\n"
    )
    plan = studio("submit", stdin=diff.encode()).json
    assert [(step["op"], step["state"]) for step in plan["steps"]] == [("move", "pending")]
    assert studio("approve", plan["plan"], "--apply").code == 0
    assert [path.name for path in project.glob("*.md")] == ["README.md"]
    assert studio("rollback", plan["plan"]).code == 0
    assert [path.name for path in project.glob("*.md")] == ["readme.md"]


def test_a_diff_in_a_fence_is_told_from_one_alone(studio: CommandLine, project: Path) -> None:
    """Where a fence ends is read by rules of Markdown; who decides sees that there was one."""
    (project / "list.txt").write_text(LINES)
    diff = f"--- a/list.txt\n+++ b/list.txt\n{HUNK}"
    fenced = f"Here it is:\n\n```diff\n{diff.replace('row one', 'row uno')}```\n"
    for text, is_fenced in ((diff, False), (fenced, True)):
        (step,) = studio("submit", stdin=text.encode()).json["steps"]
        assert step["state"] == "pending"
        assert ("fenced" in {fact["kind"] for fact in step["facts"]}) is is_fenced


def test_a_binary_file_of_rcsdiff_is_named_as_one(studio: CommandLine, project: Path) -> None:
    """As `rcsdiff -u` of RCS 5.10 prints it: unidiff reads no file there."""
    (project / "logo.bin").write_bytes(b"\x00\x01")
    name = "logo.bin\t2026/11/20 10:00:00"
    text = f"Binary files {name}\t1.1 and {name} differ\n"
    (step,) = studio("submit", stdin=text.encode()).json["steps"]
    assert [problem["code"] for problem in step["problems"]] == ["file.binary"]


def test_an_edit_of_a_file_that_was_renamed_names_the_diff_to_make(studio: CommandLine) -> None:
    """As svn diff prints a rename with an edit: the new name alone."""
    text = (
        "Index: new.txt\n===\n--- new.txt\t(.../old.txt)\t(revision 1)\n+++ new.txt\t(working copy)\n" + HUNK
    )
    (step,) = studio("submit", stdin=text.encode()).json["steps"]
    (problem,) = step["problems"]
    assert problem["code"] == "target.missing" and "git diff -M -C" in problem["hint"]
