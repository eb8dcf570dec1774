"""A language that nobody speaks, made of the file of all texts: a person's own file, for tests."""

from __future__ import annotations

import os
import re
from pathlib import Path

from studio.resources import resource

EMPTY = re.compile(r"(<source>(.*?)</source>\s*)<translation type=\"unfinished\"></translation>", re.DOTALL)


def spoken(text: str) -> str:
    """A text in it."""
    return f"Ä{text}ß"


def every_text() -> str:
    """The file, with every text in it."""
    words = spoken(r"\2")
    text = resource("translations", "studio.ts").read_text(encoding="utf-8")
    return EMPTY.sub(rf"\1<translation>{words}</translation>", text)


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
