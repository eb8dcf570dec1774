"""The file of all texts of the window is whole and current, as the tool would write it anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.ui.translation import is_faithful, messages
from tests.tools.translations import FILE, NotLiteral, texts, texts_of, write

ANEW = "python -m tests.tools.translations writes it anew"


def test_every_text_of_the_sources_stands_in_the_file() -> None:
    told = {text for text, _ in messages(FILE.read_text(encoding="utf-8"))}
    assert told == texts(), ANEW
    assert len(told) > 2000


def test_qts_own_tool_writes_the_same_bytes(tmp_path: Path) -> None:
    made = tmp_path / FILE.name
    write(made, "en")
    assert made.read_bytes() == FILE.read_bytes(), ANEW


def test_every_text_could_stand_for_itself() -> None:
    assert [text for _, text in texts() if not is_faithful(text, text)] == []


def test_texts_are_found_in_every_form_that_we_write() -> None:
    source = """
class Pane(QWidget):
    def show(self):
        self.tr("one " "two")
        _word("three")
        say(QCoreApplication.translate("Other", "four"), n=1)

def _word(text: str) -> str:
    return QCoreApplication.translate("Words", text)
"""
    assert texts_of(source, "pane.py") == {("Pane", "one two"), ("Words", "three"), ("Other", "four")}


@pytest.mark.parametrize(
    "call",
    ["self.tr(words)", "self.tr(f'{a} b')", "other.tr('a')", "self.tr('a' if b else 'c')", "_tr(words)"],
)
def test_what_no_tool_can_find_is_named_with_its_place(call: str) -> None:
    ours = 'def _tr(text):\n    return QCoreApplication.translate("Words", text)\n'
    with pytest.raises(NotLiteral, match=r"^pane\.py, line 5: "):
        texts_of(f"{ours}class Pane:\n    def show(self):\n        {call}\n", "pane.py")
