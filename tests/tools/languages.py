"""A language that nobody speaks, made of the file of all texts: a person's own file, for tests."""

from __future__ import annotations

import os
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

from tests.tools.translations import texts


def spoken(text: str) -> str:
    """A text in it."""
    return f"Ä{text}ß"


def every_text() -> str:
    """The file, with every text in it."""
    contexts = (
        f"<context><name>{context}</name>{''.join(_message(text) for _, text in held)}</context>"
        for context, held in groupby(sorted(texts()), key=lambda text: text[0])
    )
    return f'<!DOCTYPE TS>\n<TS version="2.1" language="de">{"".join(contexts)}</TS>\n'


def _message(text: str) -> str:
    source, words = escape(text), escape(spoken(text))
    return f"<message><source>{source}</source><translation>{words}</translation></message>"


def one_text(context: str, text: str, words: str) -> str:
    """A file with one text, each given as XML writes it."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n<TS version="2.1" language="de">'
        f"<context><name>{context}</name><message><source>{text}</source>"
        f"<translation>{words}</translation></message></context></TS>\n"
    )


def lay(content: str | bytes, code: str = "de") -> Path:
    """The file in the user's own folder."""
    folder = Path(os.environ["STUDIO_CONFIG_DIR"], "translations")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"studio_{code}.ts"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file
