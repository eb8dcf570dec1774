"""A language is a file: taken with care, found by the system's languages, none for an English window."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QApplication, QWidget

from studio.ui.language import language_files, language_name, use_language
from studio.ui.limits import TRANSLATION_BYTES
from studio.ui.look.words import files
from studio.ui.settings import Settings
from studio.ui.translation import Translation, is_faithful
from studio.ui.widgets import Label
from studio.ui.window.interface_settings import LanguageChoice
from tests.tools import translations
from tests.tools.languages import every_text, lay, one_text, spoken


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    yield qapp
    for made in qapp.findChildren(Translation):
        qapp.removeTranslator(made)
        made.setParent(None)
    use_language(qapp, "en")


def speaking(app: QApplication, chosen: str = "de") -> Translation | None:
    use_language(app, chosen)
    return app.findChild(Translation)


def system_speaks(monkeypatch: pytest.MonkeyPatch, *tags: str) -> None:
    monkeypatch.setattr(QLocale, "uiLanguages", lambda *_: list(tags))


def test_every_text_is_said_in_the_language(app: QApplication) -> None:
    lay(every_text())
    translation = speaking(app)
    assert translation is not None and not translation.refused and not translation.trouble
    left = [text for text in translations.texts() if QCoreApplication.translate(*text) != spoken(text[1])]
    assert left == []
    assert files(6) == "Ä6 filesß"
    assert files(50_000) == "Ä50.000 filesß"


@pytest.mark.parametrize(
    ("tags", "is_german"),
    [
        (("de-Latn-AT", "de-AT", "de"), True),
        (("fr-FR", "fr", "de-DE", "de"), True),
        (("fr-FR", "fr", "en-GB", "en", "de"), False),
        (("fr",), False),
        (("C",), False),
        ((), False),
    ],
)
def test_the_systems_languages_choose(
    app: QApplication, monkeypatch: pytest.MonkeyPatch, tags: tuple[str, ...], is_german: bool
) -> None:
    lay(every_text())
    system_speaks(monkeypatch, *tags)
    assert (speaking(app, "") is not None) is is_german


@pytest.mark.parametrize(("chosen", "tag"), [("", "en-GB"), ("en", "de")])
def test_an_english_window_looks_at_no_folder(
    app: QApplication, monkeypatch: pytest.MonkeyPatch, chosen: str, tag: str
) -> None:
    lay(every_text())
    system_speaks(monkeypatch, tag)
    monkeypatch.setattr(Path, "iterdir", lambda _: pytest.fail("a folder was looked at"))
    assert speaking(app, chosen) is None
    assert files(50_000) == "50,000 files"


@pytest.mark.parametrize("chosen", ["xx", "../../secret", "de/../de", "de\0"])
def test_a_language_without_a_file_is_english(app: QApplication, chosen: str) -> None:
    lay(every_text())
    assert speaking(app, chosen) is None


def test_only_files_of_that_name_count_and_a_person_may_have_many() -> None:
    assert language_files() == {}, "no second language is shipped"
    for code in ("de", "pt_BR", "en", "en_GB", "DE", "de.bak", "x"):
        lay("", code)
    assert list(language_files()) == ["de", "pt_BR"]
    assert (language_name("de"), language_name("qqq")) == ("Deutsch", "qqq")


@pytest.mark.parametrize(
    ("english", "words", "is_taken"),
    [
        ("{n} of {total}", "{total}, davon {n}", True),
        ("{n} of {total}", "{n} von allen", False),
        ("Open", "{open}", False),
        ("Hunk {n}", "Block {n.__class__}", False),
        ("Hunk {n}", "Block {n", False),
        ("Hunk {n}", "Block {n} {}", False),
        ("Open", "<b>Öffnen</b>", False),
        ("Open", "&amp;Öffnen", False),
        ("Open", "&Reject", False),
        ("Open", "Öff\nnen", False),
        ("Open", "\u202enepO", False),
        ("Open", "Öff\u200bnen", False),
        ("Open", "Öffnen\0", False),
        ("Open", "   ", False),
        ("Open", "lang " * 100, False),
        ("Open…", "Ouvrir\u202f…", True),
        ("Open", "לפתוח\u200f", True),
    ],
)
def test_words_have_the_gaps_and_signs_of_the_english_text(english: str, words: str, is_taken: bool) -> None:
    assert is_faithful(english, words) is is_taken


def test_what_is_not_taken_stays_english_and_is_named(app: QApplication) -> None:
    known = next(text for text in translations.texts() if text[1] == "Hunk {n}")
    lay(one_text(known[0], known[1], "Block {n.a}"))
    translation = speaking(app)
    assert translation is not None and translation.refused == [known]
    assert QCoreApplication.translate(*known) == "Hunk {n}"
    page, runner = QWidget(), Mock()
    runner.compute = lambda read, then: then(read())
    LanguageChoice(Settings(None), runner, page)
    trouble = page.findChild(Label, "own-language-trouble")
    assert trouble is not None and trouble.text().startswith(
        "1 string stays in English because its placeholders in studio_de.ts don't match."
    )


def test_a_file_answers_for_no_text_of_qts(app: QApplication) -> None:
    """Its names of keys would change which keys do what."""
    lay(one_text("QShortcut", "Ctrl", "Alt"))
    assert speaking(app) is not None
    assert QCoreApplication.translate("QShortcut", "Ctrl") == "Ctrl"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\0",
        b"<TS>",
        b"<TS>" * 200_000,
        b"no file of translations",
        b"<TS><context><name>a<b/></name><message><source>a</message></TS>",
        b'<!DOCTYPE TS [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "'
        + b"&a;" * 1000
        + b'">]><TS>'
        + b"&b;" * 1000
        + b"</TS>",
        b" " * (TRANSLATION_BYTES + 1),
    ],
)
def test_a_broken_file_is_english_and_says_so(
    app: QApplication, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    lay(content)
    translation = speaking(app)
    assert translation is not None
    assert files(6) == "6 files"
    assert translation.trouble
    assert "studio_de.ts: " in capsys.readouterr().err


def test_a_file_brings_in_no_other(app: QApplication, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("what stands there")
    content = one_text("Words", "{n} files", "{n} &a;")
    lay(content.replace("<!DOCTYPE TS>", f'<!DOCTYPE TS [<!ENTITY a SYSTEM "{other.as_uri()}">]>'))
    speaking(app)
    assert files(6) in ("6 files", "6 ")


@pytest.mark.skipif(sys.platform == "win32", reason="has no pipes in folders")
def test_a_pipe_holds_nothing_up(app: QApplication) -> None:
    file = lay("")
    file.unlink()
    os.mkfifo(file)
    translation = speaking(app)
    assert translation is not None and translation.trouble


def test_qts_tool_makes_the_file_of_a_language_and_keeps_what_is_there(tmp_path: Path) -> None:
    file = tmp_path / "studio_de.ts"
    translations.write(file, "de")
    text = file.read_text(encoding="utf-8")
    assert 'language="de"' in text
    file.write_text(
        text.replace('<translation type="unfinished"></translation>', "<translation>Ja</translation>", 1)
    )
    before = file.read_bytes()
    translations.write(file, "de")
    assert file.read_bytes() == before


def test_the_program_itself_starts_with_a_broken_file(tmp_path: Path) -> None:
    lay("<TS>")
    project = tmp_path / "project"
    project.mkdir()
    ended = subprocess.run(
        [sys.executable, "-m", "studio", "--project", str(project), "--smoke"],
        capture_output=True, text=True, timeout=90, check=False,
        env={**os.environ, "LANGUAGE": "", "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert "studio_de.ts: line 1: " in ended.stderr
