"""QTranslator that reads and validates a Qt Linguist translation file (.ts).

The file is read as text, never in Qt's compiled form: of twelve processes that loaded such files with a few
bytes changed, all crashed. It can change words only: a translation has the placeholders and signs of the
English text, and Qt's own texts are not translated, as their key names would change keyboard shortcuts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QObject, QTranslator, QXmlStreamReader

from studio.errors import StudioError
from studio.extras.home_files import read_home_file
from studio.names import show_name
from studio.ui.limits import TRANSLATION_BYTES

Text = tuple[str, str]
"""A context and an English text."""

_GAP = re.compile(r"\{[a-z_]+\}")
_QTS_OWN = re.compile(r"Q[A-Z]")
_SIGN = re.compile(r"[{}<>&\n]")
# Other scripts need them, and they do not reorder text.
_HARMLESS = dict.fromkeys(map(ord, "\n\u00a0\u00ad\u200c\u200d\u200e\u200f\u202f"))


class Translation(QTranslator):
    """Translator with the texts of a file, and English as fallback.

    Texts whose translation could mislead stay in English, too.
    """

    def __init__(self, file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.file = file
        self.refused: list[Text] = []
        """Texts whose translation in the file is rejected."""
        self.trouble = ""
        """Why the file, or its part after some line, is ignored."""
        self._words: dict[Text, str] = {}
        try:
            for text, words in messages(_read(file)):
                self._add_translation(text, words)
        except (StudioError, ValueError) as error:
            self.trouble = show_name(str(error))
            sys.stderr.write(f"studio: {show_name(str(file))}: {self.trouble}\n")

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, text: str, /, disambiguation: str | None = None, n: int = -1) -> str:
        return self._words.get((context, text), text)

    def _add_translation(self, text: Text, words: str) -> None:
        if not words or _QTS_OWN.match(text[0]):
            return
        if is_faithful(text[1], words):
            self._words[text] = words
        else:
            self.refused.append(text)


def messages(text: str) -> Iterator[tuple[Text, str]]:
    """Yield each text of a file with its translation, "" for none.

    Raises ValueError if it is no translation file.
    """
    reader = QXmlStreamReader(text)
    reader.readNextStartElement()
    while reader.readNextStartElement():
        context = ""
        while reader.readNextStartElement():
            if reader.name() == "name":
                context = _text(reader)
            elif reader.name() == "message":
                source, words = _message(reader)
                yield (context, source), words
            else:
                reader.skipCurrentElement()
    if reader.hasError():
        raise ValueError(f"line {reader.lineNumber()}: {reader.errorString()}")


def is_faithful(english: str, words: str) -> bool:
    """Return whether a translation may replace an English text.

    It must have the same placeholders, no additional markup, shortcut or line break, no invisible characters,
    and not be excessively long.
    """
    if not words.strip() or len(words) > 4 * len(english) + 60:
        return False
    if set(_GAP.findall(english)) != set(_GAP.findall(words)):
        return False
    plain = words.translate(_HARMLESS)
    return _signs(words) <= _signs(english) and show_name(plain) == plain


def _signs(text: str) -> set[str]:
    return set(_SIGN.findall(_GAP.sub("", text)))


def _message(reader: QXmlStreamReader) -> Text:
    source = words = ""
    while reader.readNextStartElement():
        if reader.name() == "source":
            source = _text(reader)
        elif reader.name() == "translation":
            is_gone = reader.attributes().value("type") in ("vanished", "obsolete")
            words = _text(reader)
            words = "" if is_gone else words
        else:
            reader.skipCurrentElement()
    return source, words


def _text(reader: QXmlStreamReader) -> str:
    return reader.readElementText(QXmlStreamReader.ReadElementTextBehaviour.SkipChildElements)


def _read(file: Path) -> str:
    data = read_home_file(file).data or b""
    if len(data) > TRANSLATION_BYTES:
        raise ValueError(f"it has more than {TRANSLATION_BYTES:,} bytes")
    return data.decode("utf-8-sig")
