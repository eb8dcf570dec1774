"""Words of all formats in any order: whoever is asked to read them does, or refuses, and comes to an end."""

from __future__ import annotations

from hypothesis import example, given, strategies as st

from studio.errors import Refused
from studio.formats import apply_patch, detect, fences, file_action, search_replace, tool_block, tool_calls
from studio.formats.count_checks import USUAL_LIMITS
from studio.formats.diff_blocks import diff_blocks
from studio.formats.repairs import consider_repair
from studio.formats.reply_text import ReplyText, Span
from studio.names import show_name

WORDS = (
    *("\n", "\n", "\n", " ", "    ", "\t", "\r", "\r\n", "\x0b", "\x85", "\u2028", "\\", "-", "+", "a"),
    *(
        "x.py",
        '"',
        "```",
        "````",
        "~~~",
        "```python",
        "```x.py\n",
        "> ",
        "$ ",
        "**x.py**",
        "`",
        "-- \n",
        "2.39.5\n",
    ),
    *("@@ -1 +1 @@\n", "@@ -1,2 +1,2 @@\n", "@@ -9,999999999 +1 @@ \n", "@@", "@@ ", "@@ def a():\n"),
    *("--- a/x.py\n", "+++ b/x.py\n", "--- ", "+++ ", "/dev/null", "diff --git a/x.py b/x.py\n", "diff -"),
    *("Index: x.py\n", "=" * 67, "index 1..2\n", "new file mode 100644\n", "rename from x.py\n"),
    *("Binary files ", "GIT binary patch", "literal 3\n", "delta 1\n", "Kcmb\n", "\\ No newline"),
    *("*** Begin Patch\n", "*** End Patch\n", "*** Add File: x.py\n", "*** Update File: x.py\n", "*** "),
    *("*** Delete File: x.py\n", "*** Move to: y.py\n", "*** End of File\n"),
    *("x.py\n<<<<<<< SEARCH\n", "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"),
    *("------- SEARCH\n", "+++++++ REPLACE\n", "<<<<<<<", "======="),
    *("===FILE_ACTION===\n", "===END_FILE_ACTION===\n", "type: create\n", "path: x.py\n", "---\n", "==="),
    *("{{invoke_tool: write_file\n", "}}\n", 'file_path: "x.py"\n', 'content: """\n', '"""\n', "{{", "}}"),
    *('{"name": "Write", "input": {"file_path": "x.py", "content": "x"}}', '{"steps": [', "]}", "{", "}"),
    *("<write_to_file>\n", "<path>x.py</path>\n", "</write_to_file>\n", "<diff>", "</diff>"),
)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=24).map("".join)
FINDERS = {
    "unified": lambda reply: [block.span for block in diff_blocks(reply)],
    "file-action": file_action.find,
    "tool-block": tool_block.find,
    "apply-patch": apply_patch.find,
    "search-replace": search_replace.find,
    "tool-calls": tool_calls.find,
    "fences": fences.find,
}


@given(TEXTS)
@example("GIT binary patch")
@example("diff --git a/x.py b/x.py\nGIT binary patch 1\n")
@example("```\nGIT binary patch")
def test_every_block_lies_behind_the_one_before(text: str) -> None:
    reply = ReplyText(text)
    for name, find in FINDERS.items():
        behind = 0
        for span in find(reply):
            assert isinstance(span, Span), name
            assert behind <= span.start < span.end <= len(reply.text), name
            behind = span.end


@given(st.sampled_from(detect.FORMATS), TEXTS)
@example("auto", 'Binary files """\n')
@example("unified", 'Binary files "a/x and y" and "b/x and y" differ\n')
def test_any_words_are_read_or_refused(name: str, text: str) -> None:
    data = text.encode()
    try:
        draft = consider_repair(detect.read(data, name), data, USUAL_LIMITS, takes_repairs=True)
    except Refused as error:
        assert error.message and error.hint
        return
    assert draft.steps or draft.problems
    for step in draft.steps:
        assert step.path is None or show_name(step.path)
