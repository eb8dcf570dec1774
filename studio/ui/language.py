"""Selection and installation of the UI language; lookup of translated texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QLocale

from studio.program.app_folders import config_directory
from studio.resources import resource

LANGUAGE: Final = "language"
"""Settings key: "" for the system's language, "en", or another language code."""
ENGLISH: Final = "en"

_FOLDER = "translations"
_FILE = re.compile(r"studio_([a-z]{2,3}(?:_[A-Za-z0-9]{2,8}){0,2})\.ts")


def use_language(app: QCoreApplication, chosen: str) -> None:
    """Install the translation of the chosen or the system's language.

    English without a file for it. For English nothing is loaded, and no folder is read.
    """
    tags = [chosen] if chosen else QLocale.system().uiLanguages() or [ENGLISH]
    file = None if _is_english(tags[0]) else _file_for(tags)
    if file is not None:
        from studio.ui.translation import Translation

        app.installTranslator(Translation(file, app))
    own = QLocale(file.stem.partition("_")[2] if file is not None else ENGLISH)
    system = QLocale(QLocale.system().name())
    _window_locale.swap(system if system.language() is own.language() else own)


_window_locale = QLocale(ENGLISH)


def window_locale() -> QLocale:
    """Return the locale of the window's language, with the system's region."""
    return _window_locale


def translator(context: str) -> Callable[[str], str]:
    """Return the function that translates the texts of one context.

    Its arguments must be literals: `tests.tools.translations` extracts them from the sources.
    """
    return partial(QCoreApplication.translate, context)


def language_files() -> dict[str, Path]:
    """Return the translation files by language.

    They are in the folder `translations` of the user's configuration, or shipped; the user's take precedence.
    """
    found: dict[str, Path] = {}
    for folder in (resource() / _FOLDER, config_directory() / _FOLDER):
        try:
            files = sorted(folder.iterdir())
        except OSError:
            continue
        matches = ((_FILE.fullmatch(file.name), file) for file in files)
        found |= {match[1]: file for match, file in matches if match and not _is_english(match[1])}
    return found


def language_name(code: str) -> str:
    """Return a language's own name, such as "Deutsch", else its code."""
    if code == ENGLISH:
        return "English"
    locale = QLocale(code)
    return locale.nativeLanguageName() if locale.language() is not QLocale.Language.C else code


def _file_for(tags: list[str]) -> Path | None:
    """Return the file of the first language that has one.

    `tags` are in order of the user's preference.
    """
    files = language_files()
    for tag in tags:
        if _is_english(tag):
            return None
        parts = tag.replace("-", "_").split("_")
        for count in range(len(parts), 0, -1):
            file = files.get("_".join(parts[:count]))
            if file is not None:
                return file
    return None


def _is_english(tag: str) -> bool:
    return re.split("[-_]", tag)[0] in (ENGLISH, "C")
