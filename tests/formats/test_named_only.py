"""Lines of diff tools that name a change without holding it refuse the text; words of an agent don't."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from studio.engine.plan import Operation
from studio.formats.detect import read

DIFF = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1,2 +1,2 @@\n first\n-old\n+new\n"
OTHER = DIFF.replace("app.py", "other.py")
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12)

LINES = {
    "diff_only": ("Only in b/src: unseen.py", "unseen.py"),
    "diff_only_with_blanks": ("Only in b/my src: unseen file.py", "unseen file.py"),
    "diff_types": ("File a/unseen is a directory while file b/unseen is a regular empty file", "b/unseen"),
    "diff_brief": ("Files a/unseen.py and b/unseen.py differ", "unseen.py"),
    "diff_links": ("Symbolic links a/unseen and b/unseen differ", "b/unseen"),
    "diff_folders": ("Common subdirectories: a/unseen and b/unseen", "b/unseen"),
    "fossil_added": ("ADDED    unseen.py", "unseen.py"),
    "fossil_deleted": ("DELETED  un seen.py", "un seen.py"),
    "fossil_brief": ("CHANGED  unseen.py", "unseen.py"),
    "fossil_missing": ("MISSING  unseen.py", "unseen.py"),
    "fossil_renamed": ("RENAMED    unseen.py", "unseen.py"),
    "bzr_added": ("=== added file 'unseen.py'", "unseen.py"),
    "bzr_added_folder": ("=== added directory 'unseen'", "unseen"),
    "bzr_removed": ("=== removed file 'unseen.py'", "unseen.py"),
    "bzr_renamed": ("=== renamed file 'old.py' => 'unseen.py'", "unseen.py"),
    "bzr_mode": ("=== modified file 'unseen.py' (properties changed: -x to +x)", "unseen.py"),
    "hg_binary": ("Binary file unseen.bin has changed", "unseen.bin"),
    "svn_alone": (f"Index: unseen.py\n{'=' * 67}", "unseen.py"),
    "svn_binary": (f"Index: unseen.bin\n{'=' * 67}\nCannot display: a binary type.", "unseen.bin"),
    "svn_properties": (f"Property changes on: unseen.py\n{'_' * 67}\nAdded: svn:executable", "unseen.py"),
    "git_submodule": ("Submodule unseen 0123abc..4567def:\n  > Words of a commit", "unseen"),
    "git_new_submodule": ("Submodule unseen 0000000...4567def (new submodule)", "unseen"),
    "git_unmerged": ("* Unmerged path unseen.py", "unseen.py"),
    "git_rename": ("similarity index 90%\nrename from unseen.py\nrename to seen.py", "unseen.py"),
    "git_copy": ("copy from unseen.py\ncopy to seen.py", "unseen.py"),
    "git_mode": ("old mode 100644\nnew mode 100755", "old mode"),
    "git_new": ("new file mode 100644\nindex 0000000..e69de29", "new file mode"),
}  # fmt: skip


def behind(line: str) -> str:
    return f"{DIFF}{line}\n"


def apart_behind(line: str) -> str:
    return f"Words.\n\n{DIFF}\n{line}\n\nMore words.\n"


def above(line: str) -> str:
    return f"Words:\n\n{line}\n{DIFF}\nMore words.\n"


def between(line: str) -> str:
    return f"{DIFF}\n{line}\n{OTHER}"


def in_fence(line: str) -> str:
    return f"Words.\n\n```diff\n{line}\n{DIFF}```\n\n```diff\n{OTHER}```\n"


def alone_in_fence(line: str) -> str:
    return (
        f"```diff\n{DIFF}```\n\nAnd also:\n\n1. This:\n\n   ```diff\n   "
        + line.replace("\n", "\n   ")
        + "\n   ```\n"
    )


PLACES = (behind, apart_behind, above, between, in_fence, alone_in_fence)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", LINES)
def test_change_without_its_content_is_refused_with_its_name(kind: str, place: Callable[[str], str]) -> None:
    line, name = LINES[kind]
    if kind == "diff_only_with_blanks" and place is apart_behind:
        # GNU diff leaves no empty line there: these may be words.
        return
    draft = read(place(line).encode())
    assert draft.format == "unified" and not draft.steps
    assert any(name in problem.message for problem in draft.problems), draft.problems


@given(
    st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=4), st.sampled_from([behind, between, in_fence])
)
def test_each_file_on_one_side_only_is_named(
    files: list[tuple[str, str]], place: Callable[[str], str]
) -> None:
    text = place("\n".join(f"Only in {folder}: {name}" for folder, name in files))
    draft = read(text.encode(), "unified")
    assert not draft.steps
    only = [problem for problem in draft.problems if problem.code == "diff.only_in"]
    assert len(only) == len(files)


@pytest.mark.parametrize(
    "words",
    [
        "Only in the tests: nothing has to change.",
        "ADDED a test, DELETED nothing.",
        "I would rename from old_name\nlater on.",
        "=== Summary ===",
        "Files differ.",
        "Index: see below",
        "Binary files are left alone.",
        "The tool printed:\n\nOnly in b: notes.txt\n\nbut that file is ignored.",
        "```\n$ diff -rq a b\nOnly in b: notes.txt\n```",
    ],
)
def test_words_about_such_lines_stay_words(words: str) -> None:
    for text in (f"{words}\n\n{DIFF}", f"{DIFF}\n{words}\n", f"{DIFF}\n{words}\n\n{OTHER}"):
        draft = read(text.encode())
        assert not draft.problems, (text, draft.problems)
        assert words.partition("\n")[0] in draft.message
        assert draft.steps[0].path == "src/app.py"


def test_lines_that_only_head_a_change_lose_nothing() -> None:
    """What Fossil 2.21 -v and Breezy 3.3.2 -p1 write above the hunks of a file."""
    rule = "=" * 66
    fossil = f"ADDED    n.py\nIndex: n.py\n{rule}\n--- n.py\n+++ n.py\n@@ -0,0 +1,1 @@\n+new\n"
    breezy = (
        f"=== modified file 'src/app.py'\n{DIFF}\n"
        "=== added file 'n.py'\n--- a/n.py\t1970-01-01 00:00:00 +0000\n"
        "+++ b/n.py\t2026-11-27 15:03:02 +0000\n@@ -0,0 +1,1 @@\n+new\n\n"
    )
    assert [(step.path, step.problems) for step in read(fossil.encode()).steps] == [("n.py", ())]
    draft = read(breezy.encode())
    assert [(step.op, step.path) for step in draft.steps] == [
        (Operation.MODIFY, "src/app.py"),
        (Operation.CREATE, "n.py"),
    ]


def test_a_long_line_takes_no_longer_than_its_length() -> None:
    for word in (
        "Files a and b ",
        "File a is a b while file ",
        "Only in a: ",
        "Submodule a ",
        "ADDED  a Index: ",
    ):
        line = word * 40_000
        draft = read(f"{DIFF}{line}\n{OTHER}".encode())
        assert draft.steps or draft.problems
