"""How settings are named and told on the page."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale

from studio.engine.config import Setting
from studio.engine.config.schema import Kind, SettingKey, setting_key
from studio.engine.names import show_name
from studio.ui.language import translator
from studio.ui.look.words import say, size

_tr = translator("Settings")

_YES = "yes"


def title(row: SettingKey) -> str:
    """What a key is called, in the user's language."""
    return QCoreApplication.translate("Settings", row.title)


def title_of(key: str) -> str:
    """The same for a dotted key; one that nobody knows is its own name."""
    row = setting_key(key)
    return title(row) if row is not None else show_name(key)


def meaning(row: SettingKey) -> str:
    """What it means, in the user's language."""
    return QCoreApplication.translate("Settings", row.means)


def place(setting: Setting) -> str:
    """Where a value comes from: "default", "config.yaml, line 3"."""
    if setting.file is None:
        return _tr("default")
    name = show_name(Path(setting.file).name)
    if setting.line is None:
        return name
    return say(_tr("{file}, line {line}"), file=name, line=setting.line)


def value(row: SettingKey, shown: object) -> str:
    """A value for people: "10,485,760 (10.0 MiB)", "on"."""
    if isinstance(shown, bool):
        return _tr("on") if shown else _tr("off")
    if isinstance(shown, int):
        number = QLocale().toString(shown)
        return f"{number} ({size(shown)})" if is_size(row) and shown >= 1024 else number
    if isinstance(shown, tuple):
        first, second = map(str, shown)
        return _pair(row, first, second)
    return show_name(str(shown))


def _pair(row: SettingKey, first: str, second: str) -> str:
    first = show_name(first)
    if row.kind is Kind.PROJECT_FOLDERS:
        return say(_tr("{folder} in {project}"), folder=show_name(second), project=first)
    if row.kind is Kind.ANSWERS:
        return say(_tr("{name}: {value}"), name=first, value=answer(second == _YES))
    return say(_tr("{name}: {value}"), name=first, value=show_name(second))


def answer(yes: bool) -> str:
    """An answer in a word."""
    return _tr("yes") if yes else _tr("no")


def is_size(row: SettingKey) -> bool:
    """Whether its number counts bytes of contents."""
    return row.kind is Kind.NUMBER and row.name in ("file_bytes", "bytes", "max_file_size")


def hard_limits(row: SettingKey) -> str:
    """What no file can change: "1 to 255; nothing goes beyond that"."""
    low, high = value(row, row.smallest), value(row, row.largest)
    return say(_tr("Hard limits: {low} to {high}"), low=low, high=high)
