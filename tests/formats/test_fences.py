"""Whole files in Markdown fences: those that name their file, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from studio.errors import Refused
from studio.formats import detect
from studio.formats.detect import read

REPLIES = Path(__file__).parent / "replies/fences"
SPELLINGS = (
    "{fence}text {path}\n",
    "{fence}text:{path}\n",
    '{fence}text title="{path}"\n',
    "{fence}filename={path}\n",
    "{path}\n{fence}\n",
    "`{path}`:\n\n{fence}text\n",
    "**{path}**\n{fence}text\n",
    "**File:** `{path}`\n\n{fence}\n",
    "### {path}\n\n{fence}text\n",
    "### 3. In `{path}`\n\n{fence}text\n",
)
LINES = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="`~\t")), max_size=6
)


@given(st.lists(st.tuples(LINES, st.sampled_from(SPELLINGS)), min_size=1, max_size=5))
def test_what_is_written_in_fences_is_read_back(files: list[tuple[list[str], str]]) -> None:
    text, wanted = "Some words first.\n\n", list[tuple[str, bytes]]()
    for number, (lines, spelling) in enumerate(files):
        content = "".join(f"{line}\n" for line in ["first", *lines])
        longest = max(map(len, re.findall("`+", content)), default=2)
        fence = "`" * max(longest + 1, 3)
        path = f"src/f{number}.txt"
        text += f"{spelling.format(fence=fence, path=path)}{content}{fence}\n\n"
        wanted.append((path, content.encode()))
    draft = read(text.encode())
    assert (draft.format, draft.problems) == ("fences", ())
    assert [(step.path, step.content) for step in draft.steps] == wanted
    assert all(step.may_exist and not step.problems for step in draft.steps)


@given(st.binary(), st.text("`~ \nab./:=*#\"'"))
def test_any_bytes_are_read_or_refused(data: bytes, marks: str) -> None:
    for text in (data, marks.encode(), b"```text a/b.txt\n" + data, b"`a/b.txt`\n" + marks.encode()):
        draft = read(text, "fences")
        assert draft.problems or draft.steps


@pytest.mark.parametrize("name", ["language-and-path", "markdown-in-a-longer-fence"])
def test_a_reply_that_is_cut_off_in_a_file_is_never_taken_for_whole(name: str) -> None:
    data = (REPLIES / f"{name}.txt").read_bytes()
    whole = {(step.path, step.content) for step in read(data).steps}
    for end in range(1, len(data)):
        draft = read(data[:end], "fences")
        assert {(step.path, step.content) for step in draft.steps} <= whole, data[:end]


@pytest.mark.parametrize("of_one_file", [False, True])
def test_far_too_many_fences_are_refused_or_one_invalid_step(of_one_file: bool) -> None:
    text = "".join(
        f"```text f{0 if of_one_file else number}.txt\n{number}\n```\n" for number in range(20_000)
    )
    if of_one_file:
        (step,) = read(text.encode()).steps
        assert [problem.code for problem in step.problems] == ["path.twice"]
        return
    with pytest.raises(Refused) as caught:
        read(text.encode())
    assert caught.value.code == "plan.too_many_steps"


def test_an_empty_file_is_made_and_never_put_in_the_place_of_another() -> None:
    (step,) = read(b"```python a/__init__.py\n```\n").steps
    assert (step.content, step.may_exist) == (b"", False)


@pytest.mark.parametrize(
    "block",
    [
        "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE",
        "src/a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE",
        "------- SEARCH\nx\n=======\ny\n+++++++ REPLACE",
        "*** Begin Patch\n*** End Patch",
        "diff --git a/a b/a",
        "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y",
        "@@ -1 +1 @@\n-x\n+y",
        "\n===FILE_ACTION===\ntype: create",
        "{{invoke_tool: file_write\n}}",
    ],
)
def test_a_fence_that_holds_a_block_of_another_format_is_no_file(block: str) -> None:
    draft = read(f"src/a.py\n```python\n{block}\n```\n".encode(), "fences")
    assert [problem.code for problem in draft.problems] == ["fence.none"]


@pytest.mark.parametrize("begun", ["*** Begin Patch", "<<<<<<< SEARCH", "a.py\n<<<<<<< SEARCH\nx\n======="])
def test_a_block_that_only_begins_in_a_file_is_its_content(begun: str) -> None:
    """Such as a text about these formats; what stands behind the fence is none of it."""
    draft = read(f"```text docs/a.txt\nThey begin so:\n{begun}\n```\n\n```text b.txt\nb\n```\n".encode())
    assert [(step.path, step.content) for step in draft.steps] == [
        ("docs/a.txt", f"They begin so:\n{begun}\n".encode()),
        ("b.txt", b"b\n"),
    ]


def test_a_diff_that_changes_fences_holds_no_files() -> None:
    diff = "--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,3 @@\n ```python src/a.py\n-x\n+y\n ```\n"
    assert read(diff.encode()).format == "unified"


def test_files_and_a_diff_in_one_text_have_to_be_told_apart() -> None:
    text = "```text a/b.txt\nx\n```\n\n```diff\n--- a/c\n+++ b/c\n@@ -1 +1 @@\n-x\n+y\n```\n"
    (problem,) = detect.read(text.encode()).problems
    assert problem.code == "format.ambiguous"
    assert problem.hint == "Name the one that is meant as the format, such as fences."
