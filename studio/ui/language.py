"""Which language the window speaks: English, or one that a file of translations is there for."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QLocale

LANGUAGE: Final = "language"
"""The key of the window's own file: "" for the system's language, "en", or the code of another."""
ENGLISH: Final = "en"

_FOLDER = "translations"
_FILE = re.compile(r"studio_([a-z]{2,3}(?:_[A-Za-z0-9]{2,8}){0,2})\.ts")


def speak(app: QCoreApplication, chosen: str) -> None:
    """Have the window speak the chosen language from now on, or the system's; English without a file for it.

    For an English window nothing is loaded, and no folder looked at.
    """
    tags = [chosen] if chosen else QLocale.system().uiLanguages() or [ENGLISH]
    if _is_english(tags[0]):
        return
    file = _file_for(tags)
    if file is not None:
        from studio.ui.translation import Translation

        app.installTranslator(Translation(file, app))


def translator(context: str) -> Callable[[str], str]:
    """Return the function that translates the texts of one context.

    Its arguments are literals: `tests.tools.translations` finds them in the sources.
    """
    return partial(QCoreApplication.translate, context)


def language_files() -> dict[str, Path]:
    """The files of translations by their languages: what the user put into the folder `translations` of their
    configuration, and those that were shipped."""
    from studio.engine.app_folders import config_directory
    from studio.resources import resource

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
    """What a language calls itself, such as "Deutsch"; its code where Qt does not know it."""
    if code == ENGLISH:
        return "English"
    locale = QLocale(code)
    return locale.nativeLanguageName() if locale.language() is not QLocale.Language.C else code


def _file_for(tags: list[str]) -> Path | None:
    """Of what a person reads, the best first: the file of the first language that there is one for."""
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
