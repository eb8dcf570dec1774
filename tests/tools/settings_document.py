"""Writes docs/settings.md anew from the schema: python -m tests.tools.settings_document"""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from studio.engine.config.schema import SETTINGS, SettingKey

FILE = Path(__file__).parents[2] / "docs" / "settings.md"

_HEAD = """\
# Settings

`studio.yaml` in the project and `config.yaml` (or `config.json`) in your configuration folder have the same
keys; those marked *yours alone* count in the second one only. On Linux that folder is
`~/.config/exacta-studio`, unless `XDG_CONFIG_HOME` or `STUDIO_CONFIG_DIR` names another. What a
project's file denies or lowers counts at once; what it widens counts once you trust that very file. The
window shows all of this under *Settings…* (Ctrl+,), and writes your own file after it showed the difference;
`studio config show` prints what counts, with level, file and line; `studio config schema` prints this list,
as JSON with `--json`.

Every file may say `schema_version: 1`. This page is made from the list that the program reads by
(`python -m tests.tools.settings_document`).
"""


def text() -> str:
    """The whole page."""
    sections: dict[str, list[str]] = {}
    for setting in SETTINGS:
        section = setting.section or setting.key
        sections.setdefault(section, [f"## `{section}`\n"]).append(_entry(setting))
    return "\n".join([_HEAD, *chain.from_iterable(sections.values())])


def _entry(setting: SettingKey) -> str:
    example = f" For example `{setting.example}`." if setting.example else ""
    alias = "".join(f" Also written `{alias}`." for alias in setting.aliases)
    return f"**`{setting.key}`** ({setting.range}). {setting.title}: {setting.means}{example}{alias}\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
