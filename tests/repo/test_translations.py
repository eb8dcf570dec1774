"""Every text of the window is found, for the file of all texts that a release makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.ui.translation import is_faithful, messages
from tests.tools.translations import NotLiteral, texts, texts_of, write


def test_qts_own_tool_writes_every_text_of_the_sources(tmp_path: Path) -> None:
    made = tmp_path / "studio.ts"
    write(made, "en")
    assert {text for text, _ in messages(made.read_text(encoding="utf-8"))} == texts()
    assert len(texts()) > 2000


def test_every_text_could_stand_for_itself() -> None:
    assert [text for _, text in texts() if not is_faithful(text, text)] == []


def test_texts_are_found_in_every_form_that_we_write() -> None:
    source = """
_word = translator("Words")

class Pane(QWidget):
    def show(self):
        self.tr("one " "two")
        _word("three")
        say(QCoreApplication.translate("Other", "four"), n=1)
"""
    assert texts_of(source, "pane.py") == {("Pane", "one two"), ("Words", "three"), ("Other", "four")}


@pytest.mark.parametrize(
    "call",
    ["self.tr(words)", "self.tr(f'{a} b')", "other.tr('a')", "self.tr('a' if b else 'c')", "_tr(words)"],
)
def test_what_no_tool_can_find_is_named_with_its_place(call: str) -> None:
    ours = '_tr = translator("Words")\n'
    with pytest.raises(NotLiteral, match=r"^pane\.py, line 4: "):
        texts_of(f"{ours}class Pane:\n    def show(self):\n        {call}\n", "pane.py")
