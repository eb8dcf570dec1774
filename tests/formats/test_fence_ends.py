"""Which line closes a fence: a file is read whole, or the text is refused as doubtful."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import example, given, strategies as st

from studio.formats.detect import read
from studio.formats.reply_text import ReplyText

READ: Final = ""
DOUBTFUL: Final = "fence.doubtful"
OPEN: Final = "fence.not_closed"

PYTHON: Final = "```python src/a.py\nx = 1\n```\n"
PAIR: Final = "Call it so:\n```\nmake\n```\nThat is all.\n"
ANSWERS: Final = {
    # Files whose fence has the length of fences inside it.
    "pair-in-text": (DOUBTFUL, f"`notes/a.txt`\n```\n{PAIR}```\n"),
    "pair-in-docstring": (DOUBTFUL, f'```python src/a.py\ndef f():\n    """Run.\n\n{PAIR}    """\n```\n'),
    "pair-in-rst": (DOUBTFUL, f"```rst docs/a.rst\n{PAIR}```\n"),
    "pair-in-template": (DOUBTFUL, f"```jinja mails/a.j2\n{PAIR}```\n"),
    "pair-in-file-without-ending": (DOUBTFUL, f"```text path=NOTES\n{PAIR}```\n"),
    "pair-in-here-document": (DOUBTFUL, f"```bash bin/a.sh\ncat > README <<'EOF'\n{PAIR}EOF\n```\n"),
    "pair-in-template-string": (DOUBTFUL, f"```js src/a.js\nexport const p = `\n{PAIR}`;\n```\n"),
    "pair-in-markdown": (DOUBTFUL, f"```markdown README.md\n{PAIR}```\n"),
    "two-pairs": (DOUBTFUL, f"```text a/b.txt\n{PAIR}{PAIR}```\n"),
    "pair-and-prose-behind": (DOUBTFUL, f"```text a/b.txt\n{PAIR}```\n\nThat was it.\n"),
    "pair-and-a-file-behind": (DOUBTFUL, f"```text a/b.txt\n{PAIR}```\n\n{PYTHON}"),
    "pair-in-the-second-file": (DOUBTFUL, f"{PYTHON}\n```text a/b.txt\n{PAIR}```\n"),
    "pair-in-tildes": (DOUBTFUL, "~~~text a/b.txt\nSo:\n~~~\nmake\n~~~\nEnd.\n~~~\n"),
    "pair-of-longer-fences": (DOUBTFUL, "```text a/b.txt\n````\na\n````\nb\n````\nc\n````\n```\n" + PYTHON),
    "closed-by-a-longer-line": (DOUBTFUL, "````text a/b.txt\nSo:\n````\nEnd.\n```sh\nmake\n````\n"),
    "indented-pair": (DOUBTFUL, "```text a/b.txt\n- So:\n  ```\n  make\n  ```\n- End.\n```\n"),
    "language-inside": (DOUBTFUL, "```text a/b.txt\nSo:\n```bash\nmake\n```\nEnd.\n```\n"),
    "language-inside-a-bare-pair": (
        DOUBTFUL,
        "```text a/b.txt\n```\nSo:\n```bash\nmake\n```\n```\nEnd.\n```\n",
    ),
    "one-line-inside": (OPEN, "```text a/b.txt\nSo:\n```\nEnd.\n```\n"),
    "three-lines-inside": (DOUBTFUL, "```text a/b.txt\n```\na\n```\nb\n```\nc\n```\n\n```text\nd\n```\n"),
    "one-line-inside-and-a-language-behind": (DOUBTFUL, f"```text a/b.txt\nSo:\n```\nEnd.\n```\n\n{PYTHON}"),
    "path-closes-a-pair": (DOUBTFUL, "```text a/b.txt\nFiles:\n```\nsrc/a.py\n```\nEnd.\n```\n"),
    "path-behind-words-closes-a-pair": (
        DOUBTFUL,
        "```text a/b.txt\n```\n\nFiles:\nsrc/a.py\n```\nEnd.\n```\n",
    ),
    "path-before-a-language-in-a-pair": (
        DOUBTFUL,
        "```text a/b.txt\nAnswer:\n```\nsrc/a.py\n```python\nx\n```\n```\nEnd.\n```\n",
    ),
    "example-of-an-answer": (DOUBTFUL, f"```text\nAnswer:\n```\nsrc/a.py\n```\nx\n```\n\n{PYTHON}"),
    "output-without-language": (DOUBTFUL, f"{PYTHON}\nIt prints\n\n```\n1\n```\n"),
    "output-behind-a-command": (DOUBTFUL, f"{PYTHON}\n```bash\npython a.py\n```\n\n```\n1\n```\n"),
    "named-file-directly-behind": (DOUBTFUL, f"{PYTHON}b.txt\n```\nb\n```\n"),
    # Lines that can't close the file's fence.
    "pair-in-longer-fence": (READ, f"````text a/b.txt\n{PAIR}````\n"),
    "language-in-longer-fence": (READ, "````md README.md\n```bash\nmake\n```\n````\n\n" + PYTHON),
    "pair-in-longer-fence-and-output": (READ, f"````md README.md\n{PAIR}````\n\nIt prints\n\n```\n1\n```\n"),
    "pair-in-tilde-fence": (READ, f"~~~text a/b.txt\n{PAIR}~~~\n\n```\n1\n```\n"),
    "tildes-in-a-fence": (READ, "```text a/b.txt\n~~~\nmake\n~~~\n```\n"),
    "pair-indented-as-code": (
        READ,
        'src/a.py\n```python\n    """\n    ```\n    make\n    ```\n    """\n```\n',
    ),
    "pair-in-a-quote": (READ, "```text a/b.txt\n> ```\n> make\n> ```\n```\n"),
    "ticks-within-a-line": (READ, "```text a/b.txt\nUse ``` or ```` there.\n```\n"),
    # Usual answers.
    "one-file": (READ, PYTHON),
    "file-and-prose": (READ, f"Here:\n\n{PYTHON}\nRun it with `python a.py`.\n"),
    "file-and-command": (READ, f"{PYTHON}\nRun it:\n\n```bash\npython src/a.py\n```\n"),
    "file-command-and-output": (READ, f"{PYTHON}\n```bash\npython src/a.py\n```\n\n```text\n1\n```\n"),
    "command-directly-behind": (READ, f"{PYTHON}Run it:\n```bash\npython src/a.py\n```\n"),
    "bare-fence-before": (READ, f"First:\n\n```\npip install x\n```\n\n{PYTHON}"),
    "files-side-by-side": (READ, f"{PYTHON}```python:src/b.py\ny\n```\n"),
    "named-by-lines": (READ, "a.py\n```\nx\n```\n\nb.py\n```\ny\n```\n\n**c.py**:\n\n```\nz\n```\n"),
    "named-by-headings": (READ, "### a.py\n\n```\nx\n```\n\nThen:\n\n### `b.py`\n\n```\ny\n```\n"),
    "named-behind-a-command": (READ, "```bash\nmake\n```\n\nFile: a.py\n```\nx\n```\n"),
    "fence-in-a-list": (READ, f"1. So:\n\n   ```python src/b.py\n   y\n   ```\n\n{PYTHON}"),
    "output-in-tildes": (READ, f"{PYTHON}\n~~~\n1\n~~~\n"),
}


@pytest.mark.parametrize(("wanted", "text"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer_is_read_where_the_ends_of_its_fences_are_certain(wanted: str, text: str) -> None:
    draft = read(text.encode())
    codes = {problem.code for problem in draft.problems}
    assert wanted in codes if wanted else not codes
    assert draft.format == "fences" and bool(draft.steps) == (not wanted)


WORDS = st.sampled_from(["", "text", "src/b.py", "## `c.py`", "x = 1", "    ```", "> ```", "Use ``` here."])
MARKS = st.sampled_from(["```", "```python", "```text src/d.py", "~~~", "````", "  ```", "````sh"])
CONTENTS = st.lists(st.one_of(WORDS, MARKS), max_size=10)
NAMES = ["{fence}text a/b.txt\n", "`a/b.txt`\n{fence}\n", "a/b.txt:\n\n{fence}text\n"]
BEHIND = ["", "\nDone.\n", "\n```bash\nmake\n```\n", "\n```python src/e.py\ny\n```\n", "\n```\n1\n```\n"]
FENCES = ["```", "````", "~~~"]


def is_taken_apart(content: list[str], fence: str) -> bool:
    """Whether lines in a file read as its end and the beginning of another fence, as CommonMark has them.

    The first one is bare, and the last one has words, or is named by a paragraph of its own where an empty
    line follows the first: no pairs, which would end otherwise.
    """
    text = ReplyText("".join(f"{line}\n" for line in content))
    marks = [mark for mark in text.fence_marks if mark.may_close(fence)]
    if len(marks) < 2 or marks[0].info.strip():
        return False
    lines = text.text.splitlines()
    behind = lines[text.line(marks[0].start)]
    return bool(marks[-1].info.strip()) or (not behind and _is_named(lines, text.line(marks[-1].start) - 1))


def _is_named(lines: list[str], at: int) -> bool:
    """Whether a path in a paragraph of its own is directly before a line, or one line further up."""
    at -= 1 if lines[at - 1] else 2
    return at > 0 and lines[at] in ("src/b.py", "## `c.py`") and not lines[at - 1]


@given(CONTENTS, st.sampled_from(NAMES), st.sampled_from(BEHIND), st.sampled_from(FENCES))
@example(["```", "src/b.py", "```", "x = 1"], NAMES[1], "", "```")
@example(["```", "", "src/b.py", "```", "```", "```"], NAMES[0], "", "```")
@example(["```", "text", "```python", "```"], NAMES[0], BEHIND[3], "```")
def test_a_file_with_fence_lines_is_whole_or_refused(
    content: list[str], name: str, behind: str, fence: str
) -> None:
    lines = "".join(f"{line}\n" for line in content)
    draft = read(f"{name.format(fence=fence)}{lines}{fence}\n{behind}".encode())
    if not draft.problems and not is_taken_apart(content, fence):
        wanted = {"a/b.txt": lines.encode()} | ({"src/e.py": b"y\n"} if "src/e.py" in behind else {})
        assert {step.path: step.content for step in draft.steps} == wanted


@given(CONTENTS, st.sampled_from(NAMES), st.sampled_from(BEHIND))
def test_a_file_in_a_longer_fence_is_read_to_the_byte(content: list[str], name: str, behind: str) -> None:
    lines = "".join(f"{line}\n" for line in content)
    draft = read(f"{name.format(fence='`````')}{lines}`````\n{behind}".encode())
    assert draft.problems == ()
    assert (draft.steps[0].path, draft.steps[0].content) == ("a/b.txt", lines.encode())
