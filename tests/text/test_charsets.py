"""What contradicts a guess of Windows-1252: rarely missed, and of Latin-1 texts nothing."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from studio.engine.draft import DraftStep, TextEdit
from studio.engine.plan import Operation
from studio.engine.propose.build_result import build_changed
from studio.errors import Undecodable
from studio.text import NotText, TextForm, charsets, describe
from studio.text.charsets import LOOKED_AT_BYTES, guess_encoding
from tests.tools.encodings import FEWEST_SEEN, LEGACY, Sample, is_uneditable, samples

SENTENCES = Path(__file__).parents[1] / "data" / "sentences.txt"


def sentences() -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for row in SENTENCES.read_text("utf-8").splitlines():
        language, bar, sentence = row.partition(" | ")
        if bar and not row.startswith("#"):
            found[language].append(sentence)
    return found


RUSSIAN = sentences()["ru"][0] + "\n"


def made(*, legacy: bool) -> list[Sample]:
    return [
        sample
        for language, lines in sentences().items()
        for encoding in LEGACY[language]
        if (encoding != "cp1252") is legacy
        for sample in samples(language, lines, encoding, 3)
    ]


def test_texts_of_other_encodings_are_kept_from_being_edited() -> None:
    seen: defaultdict[str, list[bool]] = defaultdict(list)
    for sample in made(legacy=True):
        seen[sample.encoding].append(is_uneditable(sample.data))
    assert seen.keys() == {"Shift-JIS", "EUC-JP", "GB18030", "KOI8-R", "ISO-8859-2"}
    for encoding, found in seen.items():
        assert sum(found) >= FEWEST_SEEN * len(found), (encoding, sum(found), len(found))


def test_texts_of_windows_1252_stay_editable() -> None:
    latin = made(legacy=False)
    assert len(latin) > 300
    assert [sample.name for sample in latin if is_uneditable(sample.data)] == []


@pytest.mark.parametrize(
    "text",
    [
        "don¹t, it¹s ³quoted²",
        "l¹avion et l¹été, qu¹il d¹eau",
        "mean±SD of Gómez",
        "5 m³h of cm³ and Nm³h",
        "Andr¿ M¿xico",
        "Menú»Ítem»Año",
        "[A-Za-zªµºÀ-ÖØ-öø-ÿ]",
        "ÀÂÇÉÈÊËÎÏÔÙÛ àâçéèêëîïôùû",
        "[àâä] [éèêë] [îï] [ôö] [ùûü] [ÀÂÄ] [ÉÈÊË]",
        "MÜLLER ÄNDERUNG STRAßE ÖFFNEN ÄÖÜ",
        "SITUAÇÃO, FUNÇÃO, AÇÕES, NÃO, É",
        "crème brûlée, señor, über",
        "Español: camión, árbol, brûlé",
        "für über Ã¤hnlich Ã¶ffnen grÃ¶ÃŸe größe",
        "1½ cup ¼ tsp 2¾ ©2001 ® «mot» ¿Qué? n° 5 §3",
        "stk. á 10 kr for børn",
        "più così perché città Málaga",
        "".join(map(chr, range(0xA0, 0x100))),
        "\n".join(chr(code) * 3 for code in range(0xC0, 0x100)),
    ],
)
def test_what_only_looks_odd_is_windows_1252(text: str) -> None:
    data = text.encode("cp1252")
    for whole in (data, (data + b"\n") * 40, b"def f():\n    return 1  # " + data + b"\n"):
        form = describe(whole)
        assert isinstance(form, TextForm) and form.guessed, (text, form)


def test_the_reason_names_the_encoding_and_the_way_out() -> None:
    """An agent and a person learn what to do; the project's word is taken."""
    data = RUSSIAN.encode("koi8-r")
    form = describe(data)
    assert isinstance(form, NotText) and form.reason == "undecodable" and form.offset == 0
    assert "looks like KOI8-R" in form.sentence and "under encodings" in form.sentence
    with pytest.raises(Undecodable, match="KOI8-R") as caught:
        build_changed(DraftStep(Operation.MODIFY, "a.txt", edits=(TextEdit("a", "\u00fc"),)), data, None)
    assert caught.value.code == "text.uneditable"
    named = describe(data, "windows-1252")
    assert isinstance(named, TextForm) and named.encoding == "windows-1252" and not named.guessed


def test_only_the_start_of_a_file_is_looked_at() -> None:
    russian = RUSSIAN.encode("koi8-r") * 3
    start = b"line\n" * (LOOKED_AT_BYTES // 5)
    assert guess_encoding(russian + start) == "KOI8-R"
    assert guess_encoding(start + b"\xe9\n" + russian) is None
    kanji = "\u65e5\u672c\u8a9e\u306e\u6587\u7ae0".encode("euc-jp") * 3 + b"\n"
    assert guess_encoding(kanji * (LOOKED_AT_BYTES // len(kanji) + 2)) == "EUC-JP"


def test_the_same_text_is_looked_at_once() -> None:
    """A step describes its two sides again and again."""
    charsets.detect_encoding.cache_clear()
    for _ in range(9):
        assert is_uneditable(bytes(bytearray(RUSSIAN.encode("koi8-r"))))
    known = charsets.detect_encoding.cache_info()
    assert (known.misses, known.hits) == (1, 8)


def test_the_library_is_not_imported_for_an_ordinary_text() -> None:
    """Its import takes longer than all that is done with one file."""
    program = (
        "import sys; from studio.text import describe;"
        "describe(b'Gr\\xfc\\xdfe aus der Stra\\xdfe\\n' * 9); describe(b'plain');"
        "sys.exit('charset_normalizer' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
